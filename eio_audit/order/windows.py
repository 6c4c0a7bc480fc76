"""Splitting a block into windows that can be ordered independently, and the transitive closure of a window.

A direct dependence u -> v crosses a threshold t downwards if key(u) > t >= key(v). If none crosses t, all ops
with a key up to t can go first: they depend on nothing above t. This costs nothing. Take any order of the
block and move the ops up to t before the others, with both groups in their own order. No dependence breaks,
and no pair across t is inverted any more. So the block is cut at every such t. A *window* is a component of
the union of the intervals [key(v), key(u)) over the inverted direct dependences. The minimum of the block is
the sum of the minima of its windows.

In a transitive closure, a set of ops is one Python integer: bit i is set when op i is in the set.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, repeat
from operator import eq, sub
from typing import NamedTuple

from eio_audit.order.permutation import count_inversions, inverse
from eio_audit.order.precedence import Precedence, effective_keys

LARGEST_KEY = 1 << 30  # Python adds and compares such integers fastest


@dataclass(frozen=True, slots=True)
class Window:
    """An independent problem: find a linear extension of these ops with few inversions.

    Ops are numbered 0, 1, 2, ... by textual order within the window. A whole block is a window that has not
    been split.
    """

    keys: Sequence[int]  # per op, its effective key, an integer from 0 to LARGEST_KEY
    # Per op, whether the key is its own. An unindexed op takes no part in inversions.
    indexed: Sequence[bool]
    precedence: Precedence  # the dependences among these ops

    @property
    def size(self) -> int:
        """Number of ops, indexed or not."""
        return self.precedence.size

    @property
    def shape(self) -> Hashable:
        """A value that is equal for windows that are the same problem, up to a constant added to all keys."""
        smallest = min(self.keys, default=0)
        return tuple(map(sub, self.keys, repeat(smallest))), tuple(self.indexed), self.precedence.columns

    def inversions(self, order: Sequence[int]) -> int:
        """Return the number of inversions of ``order``, where ``order[k]`` is the op placed k-th."""
        return count_inversions([self.keys[op] for op in order if self.indexed[op]])

    def restricted(self, ops: Sequence[int]) -> Window:
        """Return the problem on ``ops`` only, renumbered by their place in that sequence."""
        if len(ops) == self.size and all(map(eq, ops, count())):
            return self
        return Window(
            keys=list(map(self.keys.__getitem__, ops)),
            indexed=list(map(self.indexed.__getitem__, ops)),
            precedence=self.precedence.restricted(ops),
        )

    def mirrored(self) -> Window:
        """Return the reversed problem: op i becomes op size - 1 - i, and small keys become large.

        An order of one, reversed and renumbered, is an order of the other with as many inversions.
        """
        largest = max(self.keys, default=0)
        return Window(
            keys=[largest - key for key in reversed(self.keys)],
            indexed=self.indexed[::-1],
            precedence=self.precedence.mirrored(),
        )


def block_of(keys: Sequence[int | None], precedence: Precedence) -> Window:
    """Return the whole block as one window with effective keys; large or negative keys become ranks."""
    effective = effective_keys(keys, precedence)
    if min(effective, default=0) < 0 or max(effective, default=0) > LARGEST_KEY:
        rank_of = {key: rank for rank, key in enumerate(sorted(set(effective)))}
        effective = [rank_of[key] for key in effective]
    return Window(effective, [key is not None for key in keys], precedence)


class Windows(NamedTuple):
    """A block cut into windows."""

    order: list[int]  # a linear extension of the block: window after window, in textual order within each
    # The windows with an inverted dependence, as half-open ranges of `order`. Other ops are in final order.
    spans: list[tuple[int, int]]


def split_into_windows(block: Window) -> Windows:
    """Cut ``block`` at every threshold that no direct dependence crosses downwards.

    Complexity: O(n log n + m), near O(n + m) if the block is nearly in order.

    Example:
        Keys 2, 0, 1, 5, 4; the op with key 2 must stay before the one with key 0.

        >>> precedence = Precedence.from_edges(5, producers=[0], users=[1])
        >>> split_into_windows(Window([2, 0, 1, 5, 4], [True] * 5, precedence))
        Windows(order=[0, 1, 2, 4, 3], spans=[(0, 3)])
    """
    keys, key_of = block.keys, block.keys.__getitem__
    highest: dict[int, int] = {}  # per key of a user, the largest key of its producers
    for producer, user in block.precedence.inverted(keys):
        low, high = keys[user], keys[producer]
        if high > highest.get(low, low):
            highest[low] = high
    joined: list[tuple[int, int]] = []  # the smallest and the largest key of each window
    for low, high in sorted(highest.items()):
        if joined and low <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(high, joined[-1][1])
        else:
            joined.append((low, high))
    order = sorted(range(block.size), key=key_of)
    spans = []
    for low, high in joined:
        # The ranges before are no longer sorted by key. But all their keys are smaller, so a bisection works.
        start, stop = bisect_left(order, low, key=key_of), bisect_right(order, high, key=key_of)
        order[start:stop] = sorted(order[start:stop])
        spans.append((start, stop))
    return Windows(order, spans)


class TransitiveClosure:
    """All pairs of a window, as bitsets of n bits per op: n * n / 8 bytes for each attribute.

    Ops are numbered by rising key, ties by textual order. So the ops with a smaller key than a given one are
    among the lowest bits.
    *Independent* ops are neither ancestors nor descendants, so an order can place each pair either way. The
    order has an inversion if it places the larger key first.

    Complexity: O(n + m) operations on bitsets of n bits.

    Example:
        Keys 5, 1, 3, where 1 depends on 5. By rising key the ops are 0 (key 1), 1 (key 3) and 2 (key 5).

        >>> from eio_audit.order.precedence import Precedence
        >>> closure = TransitiveClosure(Window([5, 1, 3], [True] * 3, Precedence.from_edges(3, [0], [1])))
        >>> closure.place_of, closure.with_descendants, closure.smaller_independent, closure.forced
        ([1, 2, 0], [1, 2, 5], [0, 1, 2], 1)
    """

    def __init__(self, window: Window) -> None:
        self.size = window.size  # number of ops
        self.place_of = inverse(window.keys)  # per op, its place in the window
        self.number_of = inverse(self.place_of)  # per place in the window, the number of its op
        # Per op, the bitset of itself and the ops that it depends on, or that depend on it, directly or not.
        self.with_ancestors, self.with_descendants = relatives(window.precedence, self.number_of)
        # Per op, the bitset of the independent ops with a smaller key, or with a larger one.
        self.smaller_independent: list[int] = []
        self.larger_independent: list[int] = []
        self.forced = 0  # number of forced inversions
        keys = [window.keys[place] for place in self.place_of]
        up_to = {key: (2 << op) - 1 for op, key in enumerate(keys)}  # per key, the ops with no larger key
        below = dict(zip(up_to, [0, *up_to.values()], strict=False))  # per key, the ops with a smaller key
        indexed = sum(1 << op for op, place in enumerate(self.place_of) if window.indexed[place])
        for op, key in enumerate(keys):
            others = indexed if indexed >> op & 1 else 0
            ancestors, descendants = self.with_ancestors[op], self.with_descendants[op]
            smaller, independent = others & below[key], others & ~(ancestors | descendants)
            self.smaller_independent.append(smaller & independent)
            self.larger_independent.append(independent & ~up_to[key])
            self.forced += (smaller & descendants).bit_count()


def relatives(precedence: Precedence, number_of: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the bitsets of the ancestors and of the descendants of each op, each with the op itself.

    In the result, an op has the number in ``number_of``.
    """
    with_ancestors = [1 << op for op in range(precedence.size)]
    with_descendants = with_ancestors[:]
    for producer, user in precedence.forwards():
        with_ancestors[number_of[user]] |= with_ancestors[number_of[producer]]
    for producer, user in precedence.backwards():
        with_descendants[number_of[producer]] |= with_descendants[number_of[user]]
    return with_ancestors, with_descendants


def bits(bitset: int) -> Iterator[int]:
    """Yield the positions of the set bits, lowest first.

    Example:
        >>> list(bits(0b1001))
        [0, 3]
    """
    while bitset:
        lowest = bitset & -bitset
        yield lowest.bit_length() - 1
        bitset ^= lowest


def lowest_bit(bitset: int) -> int:
    """Return the position of the lowest set bit."""
    return (bitset & -bitset).bit_length() - 1
