"""Splitting a block into windows, whose orders can be chosen independently of each other.

Let t be a threshold that no direct dependence u -> v crosses downwards, with key(u) > t >= key(v). Then all
ops with a key up to t can go first: they depend on nothing above t. Nothing is lost by it, because in any
order of the block the ops up to t can be moved before the others, both groups keeping their own order: no
dependence breaks, and of the pairs with one op on each side none is inverted any more. So the block is cut at
every such t. What remains together, a *window*, is a component of the union of the intervals [key(v), key(u))
over the inverted direct dependences, and the minimum of the block is the sum of the minima of its windows.
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

LARGEST_KEY = 1 << 30  # what Python adds and compares fastest


@dataclass(frozen=True, slots=True)
class Window:
    """A problem of its own: put these ops into a linear extension with few inversions.

    Ops are numbered 0, 1, 2, ... by their textual order within the window. A whole block is a window that has
    not been split yet.

    Attributes:
        keys: effective key of each op, an integer from 0 to LARGEST_KEY.
        indexed: per op, whether the key is its own; an unindexed op has no part in any inversion.
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
        """The same for windows that are the same problem: only the smallest key may be another one."""
        smallest = min(self.keys, default=0)
        return tuple(map(sub, self.keys, repeat(smallest))), tuple(self.indexed), self.precedence.columns

    def inversions(self, order: Sequence[int]) -> int:
        """Return the number of inversions when ``order[k]`` is the op placed k-th."""
        return count_inversions([self.keys[op] for op in order if self.indexed[op]])

    def restricted(self, ops: Sequence[int]) -> Window:
        """Return the problem on some of the ops, renumbered by their place in ``ops``."""
        if len(ops) == self.size and all(map(eq, ops, count())):
            return self
        return Window(
            keys=list(map(self.keys.__getitem__, ops)),
            indexed=list(map(self.indexed.__getitem__, ops)),
            precedence=self.precedence.restricted(ops),
        )

    def smallest_keys_below(self) -> list[int]:
        """Return, for each op, the smallest key among itself and its descendants."""
        return self.precedence.smallest_below(self.keys)

    def mirrored(self) -> Window:
        """Return the problem read from the end: op i becomes op size - 1 - i, small keys become large.

        An order of one, reversed and renumbered likewise, is an order of the other with as many inversions.
        """
        largest = max(self.keys, default=0)
        return Window(
            keys=[largest - key for key in reversed(self.keys)],
            indexed=self.indexed[::-1],
            precedence=self.precedence.mirrored(),
        )


def block_of(keys: Sequence[int | None], precedence: Precedence) -> Window:
    """Return the whole block as one window, its keys made effective and, where need be, replaced by ranks."""
    effective = effective_keys(keys, precedence)
    is_small = min(effective, default=0) >= 0 and max(effective, default=0) <= LARGEST_KEY
    indexed = [key is not None for key in keys]
    return Window(effective if is_small else dense_ranks(effective), indexed, precedence)


@dataclass(frozen=True, slots=True)
class Windows:
    """A block cut into windows.

    Attributes:
        order: every op of the block, window after window, in textual order within each. It is a linear
            extension of the block.
        spans: the windows with an inverted dependence, as half-open ranges (start, stop) of ``order``.
            What lies between is in its final order already.
    """

    order: list[int]
    spans: list[tuple[int, int]]


def split_into_windows(block: Window) -> Windows:
    """Cut ``block`` at every threshold that no direct dependence crosses downwards.

    Complexity: O(n log n + m), near O(n + m) when the block is nearly in order.

    Example:
        Keys 2, 0, 1, 5, 4; the op with key 2 must stay before the one with key 0.

        >>> precedence = Precedence.from_edges(5, producers=[0], users=[1])
        >>> split_into_windows(Window([2, 0, 1, 5, 4], [True] * 5, precedence))
        Windows(order=[0, 1, 2, 4, 3], spans=[(0, 3)])
    """
    keys, key_of = block.keys, block.keys.__getitem__
    highest: dict[int, int] = {}  # by key of a user, the largest key of its producers
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
