"""Splitting a block into windows that can be ordered independently of each other.

A direct dependence u -> v crosses a threshold t downwards if key(u) > t >= key(v). If none crosses t, all ops
with a key up to t can go first: they depend on nothing above t. This costs nothing. Take any order of the
block and move the ops up to t before the others, with both groups in their own order. No dependence breaks,
and no pair across t is inverted any more. So the block is cut at every such t. A *window* is a component of
the union of the intervals [key(v), key(u)) over the inverted direct dependences. The minimum of the block is
the sum of the minima of its windows.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import count, repeat
from operator import eq, sub

from eio_audit.order.inversions import count_inversions, dense_ranks
from eio_audit.order.precedence import Precedence
from eio_audit.order.unindexed import effective_keys

LARGEST_KEY = 1 << 30  # Python adds and compares such integers fastest


@dataclass(frozen=True, slots=True)
class Window:
    """An independent problem: find a linear extension of these ops with few inversions.

    Ops are numbered 0, 1, 2, ... by textual order within the window. A whole block is a window that has not
    been split.

    Attributes:
        keys: per op, its effective key, an integer from 0 to LARGEST_KEY.
        indexed: per op, whether the key is its own. An unindexed op takes no part in inversions.
        precedence: the dependences among these ops.
    """

    keys: Sequence[int]
    indexed: Sequence[bool]
    precedence: Precedence

    @property
    def size(self) -> int:
        """Number of ops, indexed or not."""
        return self.precedence.size

    @property
    def extent(self) -> int:
        """Number of ops and dependences."""
        return self.precedence.size + self.precedence.edge_count

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

    def smallest_keys_below(self) -> list[int]:
        """Return, per op, the smallest key of itself and its descendants."""
        return self.precedence.smallest_below(self.keys)

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
    is_small = min(effective, default=0) >= 0 and max(effective, default=0) <= LARGEST_KEY
    indexed = [key is not None for key in keys]
    return Window(effective if is_small else dense_ranks(effective), indexed, precedence)


@dataclass(frozen=True, slots=True)
class Windows:
    """A block cut into windows.

    Attributes:
        order: all ops of the block, window after window, in textual order within each. It is a linear
            extension of the block.
        spans: the windows with an inverted dependence, as half-open ranges (start, stop) of ``order``. All
            other ops are in their final order.
    """

    order: list[int]
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
        start, stop = bisect_left(order, low, key=key_of), bisect_right(order, high, key=key_of)
        order[start:stop] = sorted(order[start:stop])
        spans.append((start, stop))
    return Windows(order, spans)
