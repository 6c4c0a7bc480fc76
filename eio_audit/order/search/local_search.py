"""Local search: improve an order by moving groups of ops.

**Groups.** An op that is too late moves left. It cannot pass the ops that it depends on, so these join it,
and the group moves on together, passing one op at a time. Passing an op changes the inversions by the number
of keys in the group that are larger than that op's key, minus the number that are smaller. The group ends at
the place where the sum is lowest, if that is an improvement.

Only ops with a larger key somewhere before them need to lead a group. If the leader passes no larger key, the
group does at least as well without it: nothing in the group depends on the leader.

Ops that are too early move right: this is a move left in the mirrored window.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from itertools import accumulate

from eio_audit.order.effort import USUAL_LIMITS, Effort
from eio_audit.order.permutation import inverse
from eio_audit.order.windows import Window

STEPS_PER_OP = 20_000  # budget per op of the window, in ops passed or met


def improve(
    window: Window,
    order: Sequence[int],
    effort: Effort | None = None,
    distance: int = USUAL_LIMITS.distance,
) -> list[int]:
    """Return an order with at most the inversions of ``order``.

    Moves left and moves right alternate until neither finds an improvement or the budget is spent.

    Args:
        window: the ops to order.
        order: an order of its places that keeps the dependences.
        effort: the budget for all moves, in ops passed or met.
        distance: most places that a group moves in one turn.

    Complexity: O(n * d * log n) per turn for groups that move up to d places.

    Example:
        Keys 2, 0, 1, where 1 depends on 2. Nothing keeps 0 from going first.

        >>> from eio_audit.order.precedence import Precedence
        >>> improve(Window([2, 0, 1], [True] * 3, Precedence.from_edges(3, [0], [2])), [0, 1, 2])
        [1, 0, 2]
    """
    order = list(order)
    left, right = _Side(window), _Side(window.mirrored())
    is_improved = True
    with (effort or Effort()).part(STEPS_PER_OP * window.size) as part:
        while is_improved and not part.is_spent:
            is_improved = False
            for side in (left, right):
                is_improved |= side.move_left(order, side.leaders(order), distance, part)
                order = _mirrored(order)
    return order


def _mirrored(order: Sequence[int]) -> list[int]:
    last = len(order) - 1
    return [last - op for op in reversed(order)]


class _Side:
    """A window in which groups move left."""

    def __init__(self, window: Window) -> None:
        self._keys, self._indexed = window.keys, window.indexed
        self._users = [frozenset(window.precedence.successors(op)) for op in range(window.size)]

    def leaders(self, order: Sequence[int]) -> list[int]:
        """Return the indexed ops with a larger key before them, in their order."""
        largest_before = accumulate((self._keys[op] for op in order), max)
        return [
            op
            for op, largest in zip(order, largest_before, strict=True)
            if self._indexed[op] and largest > self._keys[op]
        ]

    def move_left(self, order: list[int], leaders: Sequence[int], distance: int, effort: Effort) -> bool:
        """Move each leader left once, up to ``distance`` places; changes ``order``.

        Returns:
            Whether any op has moved.
        """
        is_improved = False
        place_of = inverse(order)
        for leader in leaders:
            if effort.is_spent:
                break
            start = place_of[leader]
            best = self._best_place(order, start, max(start - distance, 0), effort)
            if best == start:
                continue
            is_improved = True
            effort.left -= start - best
            order[best : start + 1] = self._with_group_first(order[best : start + 1])
            for place in range(best, start + 1):
                place_of[order[place]] = place
        return is_improved

    def _best_place(self, order: Sequence[int], start: int, stop: int, effort: Effort) -> int:
        """Return the best place, ``stop`` or later, for the group that the op at ``start`` leads."""
        effort.left -= start - stop
        keys, indexed, users = self._keys, self._indexed, self._users
        leader = order[start]
        group = {leader}
        group_keys = [keys[leader]]
        change = least_change = 0
        best = start
        for place in range(start - 1, stop - 1, -1):
            op = order[place]
            if not group.isdisjoint(users[op]):
                group.add(op)
                if indexed[op]:
                    insort(group_keys, keys[op])
                continue
            if indexed[op]:
                larger = len(group_keys) - bisect_right(group_keys, keys[op])
                change += larger - bisect_left(group_keys, keys[op])
            if change < least_change:
                least_change, best = change, place
        return best

    def _with_group_first(self, ops: Sequence[int]) -> list[int]:
        """Return ``ops`` with the last one and the ops it depends on first, both parts in their order."""
        group = {ops[-1]}
        for op in reversed(ops):
            if not group.isdisjoint(self._users[op]):
                group.add(op)
        return [op for op in ops if op in group] + [op for op in ops if op not in group]
