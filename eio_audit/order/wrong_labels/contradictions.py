"""Which pairs of labels contradict the dependences, and which ops have a part in that.

*u over v*: v depends on u, directly or not, and has the smaller key. In every order the two are inverted
(such an inversion is forced, forced.py), so one of the two keys is wrong if keys are to follow the
dependences. Both halves of "over" are transitive and no op is over itself: it is a strict partial order.

Only ops on a path from some u to some v that it is over matter for it: those where the largest key of an op
and its ancestors is above the smallest of it and its descendants. Nearly always these are few, and they fall
into *tangles*, which no such path connects. Two ops of one tangle may yet go well together.
"""

from __future__ import annotations

from collections.abc import Iterator

from eio_audit.order.windows import LARGEST_KEY, Window


def tangles(block: Window, most: int) -> Iterator[list[int]]:
    """Yield the ops on paths between ops of which one is over the other, tangle by tangle.

    Small tangles come first; the ops of each are in textual order.

    Args:
        block: the ops and their keys.
        most: small tangles are put together as long as they have no more ops than that.

    Complexity: O(n + m), nearly.

    Example:
        2 over 1 and 4 over 3; nothing connects them.

        >>> from eio_audit.order.precedence import Precedence
        >>> block = Window([2, 1, 4, 3, 5], [True] * 5, Precedence.from_edges(5, [0, 2, 3], [1, 3, 4]))
        >>> list(tangles(block, most=2)), list(tangles(block, most=4))
        ([[0, 1], [2, 3]], [[0, 1, 2, 3]])
    """
    if not block.precedence.inverted(block.keys):
        return
    together: list[int] = []
    for tangle in sorted(_single_tangles(block), key=len):
        if together and len(together) + len(tangle) > most:
            yield sorted(together)
            together = []
        together += tangle
    if together:
        yield sorted(together)


def _single_tangles(block: Window) -> list[list[int]]:
    indexed = [key if own else -1 for key, own in zip(block.keys, block.indexed, strict=True)]
    largest, smallest = block.precedence.largest_above(indexed), block.smallest_keys_below()
    parent = list(range(block.size))  # disjoint sets: an op of the same tangle, earlier in the text

    def find(op: int) -> int:
        while parent[op] != op:
            parent[op] = op = parent[parent[op]]
        return op

    for producer, user in block.precedence.forwards():
        if largest[producer] > smallest[user]:
            one, other = find(producer), find(user)
            parent[max(one, other)] = min(one, other)
    found: dict[int, list[int]] = {}
    for op in range(block.size):
        if largest[op] > smallest[op]:
            found.setdefault(find(op), []).append(op)
    return list(found.values())


def with_what_fits(window: Window, kept: set[int]) -> set[int]:
    """Return some ops none of which is over another, and what more fits in with them, in textual order.

    Each op that is left out is over one of the result or under one.

    Complexity: O(n + m), two sweeps.

    Example:
        3 over 1, and 2 between them in the text depends on nothing.

        >>> from eio_audit.order.precedence import Precedence
        >>> with_what_fits(Window([3, 2, 1], [True] * 3, Precedence.from_edges(3, [0], [2])), {0})
        {0, 1}
    """
    precedence, keys = window.precedence, window.keys
    fitting = set(kept)
    smallest = precedence.smallest_below(
        [keys[op] if op in kept else LARGEST_KEY for op in range(window.size)]
    )
    largest = [-1] * window.size
    for op in range(window.size):
        above = max(map(largest.__getitem__, precedence.predecessors(op)), default=-1)
        if op in kept or (window.indexed[op] and above <= keys[op] <= smallest[op]):
            fitting.add(op)
            above = max(above, keys[op])
        largest[op] = above
    return fitting
