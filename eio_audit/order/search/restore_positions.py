"""Moving ops back to their textual positions without adding an inversion.

A moved op goes back between the kept ops that are its textual neighbours, if that adds no
inversion. Moved ops on the way that depend on it, or that it depends on, go with it. Kept ones block it.
Each success leaves one moved op fewer, so the process ends. It need not end at the fewest, because it chooses
the kept ops step by step.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence

from eio_audit.order.effort import Effort
from eio_audit.order.permutation import inverse, longest_in_place
from eio_audit.order.windows import Window

RESTORE_DISTANCE = 400  # most places that an op goes back
RESTORE_STEPS = 20_000_000  # budget for one block
PLACE_STEPS = 5  # cost of passing or meeting an op
ROUNDS = 8  # how often the kept ops are chosen again


def restore_positions(block: Window, order: Sequence[int], effort: Effort | None = None) -> list[int]:
    """Return an order with at most the inversions and at most the moved ops of ``order``.

    Args:
        block: the ops, numbered by textual order.
        order: an order of them that keeps the dependences.
        effort: the budget.

    Complexity: O(n log n + r * d) for r moved ops that go back up to d = 400 places.

    Example:
        The ops with key 1 can be in either order.

        >>> from eio_audit.order.precedence import Precedence
        >>> restore_positions(Window([1, 1, 2], [True] * 3, Precedence.from_edges(3, [], [])), [1, 0, 2])
        [0, 1, 2]
    """
    order = list(order)
    kept_count = -1
    with (effort or Effort()).part(RESTORE_STEPS) as part:
        for _ in range(ROUNDS):
            kept = longest_in_place(order)
            if len(kept) <= kept_count or len(kept) == len(order) or part.is_spent:
                break
            restored = _KeptOps(block, order, kept, part)
            restored.restore_all()
            order = restored.order
            kept_count = len(restored.kept)
    return order


class _KeptOps:
    """An order and its kept ops, which become more."""

    def __init__(self, block: Window, order: list[int], kept: list[int], effort: Effort) -> None:
        self._block = block
        self.order = order
        self.kept = kept  # ascending by number, and so by place
        self._effort = effort
        self._is_kept = bytearray(block.size)
        for op in kept:
            self._is_kept[op] = True
        self._place_of = inverse(order)

    def restore_all(self) -> None:
        """Move every moved op back, if possible."""
        for op in [op for op in range(self._block.size) if not self._is_kept[op]]:
            if self._effort.is_spent:
                return
            self._restore(op)

    def _restore(self, op: int) -> None:
        """Move ``op`` between its kept neighbours, unless that adds an inversion."""
        rank = bisect_left(self.kept, op)
        low = self._place_of[self.kept[rank - 1]] if rank else -1
        high = self._place_of[self.kept[rank]] if rank < len(self.kept) else len(self.order)
        start = self._place_of[op]
        if start < low:
            places = range(start + 1, min(high, start + RESTORE_DISTANCE))
            goal = range(low, high)  # at ``low``, it has passed the kept op there
        else:
            places = range(start - 1, max(low, start - RESTORE_DISTANCE), -1)
            goal = range(low + 1, high + 1)
        if not low < start < high and not self._move_group(op, places, goal):
            return
        self.kept.insert(rank, op)
        self._is_kept[op] = True

    def _move_group(self, leader: int, places: range, goal: range) -> bool:
        """Move ``leader`` along ``places`` to the first place in ``goal`` where that adds no inversion.

        Returns:
            Whether there is such a place, and no kept op blocks the way.
        """
        keys, indexed = self._block.keys, self._block.indexed
        precedence = self._block.precedence
        neighbours = precedence.predecessors if places.step == 1 else precedence.successors
        group = {leader}
        group_keys = [keys[leader]] if indexed[leader] else []
        change = 0
        for place in places:
            op = self.order[place]
            linked = neighbours(op)
            self._effort.left -= PLACE_STEPS + len(linked) // 4
            if not group.isdisjoint(linked):
                if self._is_kept[op]:
                    return False
                group.add(op)
                if indexed[op]:
                    insort(group_keys, keys[op])
                continue
            if indexed[op]:
                larger = len(group_keys) - bisect_right(group_keys, keys[op])
                change -= places.step * (larger - bisect_left(group_keys, keys[op]))
            if change <= 0 and place in goal:
                self._place_group(group, self._place_of[leader], place)
                return True
        return False

    def _place_group(self, group: set[int], start: int, target: int) -> None:
        """Move the ops of ``group``, which are between ``start`` and ``target``, to ``target``."""
        first, stop = min(start, target), max(start, target) + 1
        ops = self.order[first:stop]
        moved = [op for op in ops if op in group]
        passed = [op for op in ops if op not in group]
        self.order[first:stop] = passed + moved if start < target else moved + passed
        for place, op in enumerate(self.order[first:stop], first):
            self._place_of[op] = place
