"""Pairs of labels that contradict the dependences, and the ops between them.

*u over v*: v depends on u, directly or not, and has the smaller key. Every order inverts the two: the
inversion is forced (forced.py). So one of the two keys contradicts the dependence. Both conditions are
transitive, and no op is over itself, so "over" is a strict partial order.

Only ops on a path from some u to some v with u over v matter. These are the ops for which the largest key of
the op and its ancestors is above the smallest key of the op and its descendants. They are nearly always few.
They fall into *tangles*, which no such path connects. Two ops of one tangle need not contradict each other.
"""

from __future__ import annotations

from collections.abc import Iterator

from eio_audit.order.windows import LARGEST_KEY, Window


def tangles(block: Window, most: int) -> Iterator[list[int]]:
    """Yield the ops on paths between ops of which one is over the other, tangle by tangle.

    Small tangles come first. The ops of each are in textual order.

    Args:
        block: the ops and their keys.
        most: small tangles are joined up to this number of ops.

    Complexity: nearly O(n + m).

    Example:
        2 is over 1, and 4 is over 3. Nothing connects the two pairs.

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
    parent = list(range(block.size))  # disjoint sets: an earlier op of the same tangle

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
    """Return the antichain ``kept``, extended by all ops that fit, which are tried in textual order.

    Each indexed op that is left out is over an op of the result or under one.

    Complexity: O(n + m), two sweeps.

    Example:
        3 is over 1. 2 is between them in the text and depends on nothing.

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
