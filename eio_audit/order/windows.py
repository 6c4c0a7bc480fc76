"""Splitting a block into windows, whose orders can be chosen independently of each other.

Let t be a threshold that no direct dependence u -> v crosses downwards, with key(u) > t >= key(v). Then all
ops with a key up to t can go first: they depend on nothing above t. And nothing is lost by it, because in any
order of the block the ops up to t can be moved in front of the others, both groups keeping their own order:
no dependence breaks, and of the pairs with one op on each side none is inverted any more. So the block
is cut at every such t. What remains together, a *window*, is a component of the union of the intervals
[key(v), key(u)) over the inverted direct dependences, and the minimum of the block is the sum of the minima
of its windows.

A window without an inverted dependence is one single key: textual order has no inversion there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, compress

from eio_audit.order.effective_keys import effective_keys
from eio_audit.order.inversions import count_inversions, dense_ranks
from eio_audit.order.precedence import Precedence


@dataclass(frozen=True, slots=True)
class Window:
    """A problem of its own: put these ops into a linear extension with few inversions.

    Ops are numbered 0, 1, 2, ... by their textual order within the window. A whole block has the same
    form: it is a window that has not been split yet.

    Attributes:
        keys: effective key of each op, as ranks: small integers from 0.
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

    def inversions(self, order: Sequence[int]) -> int:
        """Return the number of inversions when ``order[k]`` is the op placed k-th."""
        return count_inversions([self.keys[op] for op in order if self.indexed[op]])

    def restricted(self, ops: Sequence[int]) -> Window:
        """Return the problem on some of the ops, renumbered by their place in ``ops``."""
        return Window(
            keys=[self.keys[op] for op in ops],
            indexed=[self.indexed[op] for op in ops],
            precedence=self.precedence.restricted(ops),
        )

    def smallest_keys_below(self) -> list[int]:
        """Return, for each op, the smallest key among itself and its descendants; one sweep from the end."""
        smallest = list(self.keys)
        for op in range(self.size - 1, -1, -1):
            users = self.precedence.successors(op)
            if users:
                smallest[op] = min(smallest[op], *map(smallest.__getitem__, users))
        return smallest

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
    """Return the whole block as one window, its keys made effective and small."""
    return Window(
        keys=dense_ranks(effective_keys(keys, precedence)),
        indexed=[key is not None for key in keys],
        precedence=precedence,
    )


@dataclass(frozen=True, slots=True)
class Windows:
    """A block cut into windows.

    Attributes:
        order: every op of the block, window after window, in textual order within each. It is a linear
            extension of the block.
        spans: the windows with an inverted dependence, as half-open stretches (start, stop) of ``order``.
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
    crossings = _downward_crossings(block)
    # A new window starts at each key whose threshold below is not crossed.
    starts_window = [crossing == 0 for crossing in (0, *crossings)]
    window_of_key = list(accumulate(starts_window))
    window_of_op = [window_of_key[key] for key in block.keys]
    order = sorted(range(block.size), key=window_of_op.__getitem__)
    has_several_keys = [False] * (window_of_key[-1] + 1)
    for key, crossing in enumerate(crossings):
        if crossing:
            has_several_keys[window_of_key[key]] = True
    op_counts = [0] * len(has_several_keys)
    for window in window_of_op:
        op_counts[window] += 1
    stops = list(accumulate(op_counts))
    spans = zip((0, *stops), stops, strict=False)
    return Windows(order, list(compress(spans, has_several_keys)))


def _downward_crossings(block: Window) -> list[int]:
    """Return, for the threshold at each key but the last, how many direct dependences cross it downwards."""
    change_at = [0] * (max(block.keys, default=0) + 1)
    for user, user_key in enumerate(block.keys):
        for producer in block.precedence.predecessors(user):
            producer_key = block.keys[producer]
            if producer_key > user_key:
                change_at[user_key] += 1
                change_at[producer_key] -= 1
    return list(accumulate(change_at))[:-1]
