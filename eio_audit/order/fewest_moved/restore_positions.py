"""Moving ops back to their textual positions without adding an inversion.

A moved op (fewest_moved.py) goes back between the kept ops that are its textual neighbours, if that adds no
inversion. Moved ops on the way that depend on it, or that it depends on, go with it. Kept ones block it.
Each success leaves one moved op fewer, so the process ends. It need not end at the fewest, because it chooses
the kept ops step by step.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from itertools import chain, pairwise

from eio_audit.order.effort import Effort
from eio_audit.order.permutation import inverse, run_bounds
from eio_audit.order.windows import Window

RETURN_DISTANCE = 400  # most places that an op goes back
RETURN_STEPS = 20_000_000  # budget for one block
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
    with (effort or Effort()).part(RETURN_STEPS) as part:
        for _ in range(ROUNDS):
            kept = longest_in_place(order)
            if len(kept) <= kept_count or len(kept) == len(order) or part.is_spent:
                break
            returns = _Returns(block, order, kept, part)
            returns.run()
            order = returns.order
            kept_count = len(returns.kept)
    return order


def longest_in_place(order: Sequence[int]) -> list[int]:
    """Return a longest subsequence of ``order`` in textual order: the kept ops. All others are moved.

    Complexity: O(n log n), O(n) for the textual order (patience sorting; Fredman 1975).

    Example:
        >>> longest_in_place([1, 2, 0, 3])
        [1, 2, 3]
    """
    return [op for start, stop in _kept_ranges(order) for op in order[start:stop]]


def moved_places(order: Sequence[int]) -> list[int]:
    """Return the places of the moved ops: those that ``longest_in_place`` leaves out.

    Example:
        >>> moved_places([1, 2, 0, 3])
        [2]
    """
    bounds = [0, *chain.from_iterable(_kept_ranges(order)), len(order)]
    return list(chain.from_iterable(map(range, bounds[::2], bounds[1::2])))


def _kept_ranges(order: Sequence[int]) -> list[tuple[int, int]]:
    """Return the half-open ranges of places of the kept ops."""
    ends = [-1]  # per length, the smallest op that ends a subsequence in textual order
    before = []  # per run, the op before its first op in such a subsequence
    runs = list(pairwise(run_bounds(order)))
    for start, stop in runs:
        # Ops of a run are neighbours in the text as well, so a subsequence with one can have the next.
        first = order[start]
        length = len(ends) if ends[-1] < first else bisect_left(ends, first)
        before.append(ends[length - 1])
        ends[length : length + stop - start] = order[start:stop]
    ranges = []
    last = ends[-1]
    for (start, stop), op_before in zip(reversed(runs), reversed(before), strict=True):
        if 0 <= last - order[start] < stop - start:
            ranges.append((start, start + last - order[start] + 1))
            last = op_before
    return ranges[::-1]


class _Returns:
    """An order, its kept ops, and the moves back."""

    def __init__(self, block: Window, order: list[int], kept: list[int], effort: Effort) -> None:
        self._block = block
        self.order = order
        self.kept = kept  # ascending by number, and so by place
        self._effort = effort
        self._is_kept = bytearray(block.size)
        for op in kept:
            self._is_kept[op] = True
        self._place_of = inverse(order)

    def run(self) -> None:
        """Move every moved op back, if possible."""
        for op in [op for op in range(self._block.size) if not self._is_kept[op]]:
            if self._effort.is_spent:
                return
            self._go_back(op)

    def _go_back(self, op: int) -> None:
        """Move ``op`` between its kept neighbours, unless that adds an inversion."""
        rank = bisect_left(self.kept, op)
        low = self._place_of[self.kept[rank - 1]] if rank else -1
        high = self._place_of[self.kept[rank]] if rank < len(self.kept) else len(self.order)
        start = self._place_of[op]
        if start < low:
            places = range(start + 1, min(high, start + RETURN_DISTANCE))
            goal = range(low, high)
        else:
            places = range(start - 1, max(low, start - RETURN_DISTANCE), -1)
            goal = range(low + 1, high + 1)
        if not low < start < high and not self._travel(op, places, goal):
            return
        self.kept.insert(rank, op)
        self._is_kept[op] = True

    def _travel(self, leader: int, places: range, goal: range) -> bool:
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
                self._put_down(group, self._place_of[leader], place)
                return True
        return False

    def _put_down(self, group: set[int], start: int, target: int) -> None:
        """Move the ops of ``group``, which are between ``start`` and ``target``, to ``target``."""
        first, stop = min(start, target), max(start, target) + 1
        ops = self.order[first:stop]
        travelled = [op for op in ops if op in group]
        overtaken = [op for op in ops if op not in group]
        self.order[first:stop] = overtaken + travelled if start < target else travelled + overtaken
        for place, op in enumerate(self.order[first:stop], first):
            self._place_of[op] = place
