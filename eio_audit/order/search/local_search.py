"""Local search: improve an order op by op and part by part, and move ops back where that costs nothing.

**Groups.** An op that is too late moves left. It cannot pass the ops that it depends on, so these join it,
and the group moves on together, passing one op at a time. Passing an op changes the inversions by the number
of keys in the group that are larger than that op's key, minus the number that are smaller. The group ends at
the place where the sum is lowest, if that is an improvement.

Only ops with a larger key somewhere before them need to lead a group. If the leader passes no larger key, the
group does at least as well without it: nothing in the group depends on the leader.

Ops that are too early move right: this is a move left in the mirrored window.

**Sliding windows.** In a minimal order, any consecutive ops are in a minimal order, too. Otherwise a better
order of these ops could replace theirs: for the ops before and after, nothing changes. So forty consecutive
ops are a small window, and the exact search is cheap for it. These windows overlap by half, so ops can move
on.

**Textual positions.** A moved op goes back between the kept ops that are its textual neighbours, if that adds
no inversion. Moved ops on the way that depend on it, or that it depends on, go with it. Kept ones block it.
Each success leaves one moved op fewer, so the process ends. It need not end at the fewest, because it chooses
the kept ops step by step.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from itertools import accumulate

from eio_audit.order.bounds.cycle_packing import CyclePacking
from eio_audit.order.effort import USUAL_LIMITS, Effort
from eio_audit.order.permutation import inverse, longest_in_place
from eio_audit.order.search.exact_search import search
from eio_audit.order.windows import TransitiveClosure, Window

STEPS_PER_OP = 20_000  # budget per op of the window, in ops passed or met
SLIDING_STATES = 3_000  # states that the search of one sliding window may reach
SLIDING_MOVES = 30_000  # moves that it may try


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


def slide(
    window: Window,
    order: Sequence[int],
    effort: Effort | None = None,
    size: int = USUAL_LIMITS.sliding_size,
) -> list[int]:
    """Return an order with at most the inversions of ``order``, improved in windows of ``size`` ops.

    Complexity: O(n) searches of bounded size.

    Example:
        Keys 2, 0, 1, where 1 depends on 2. Nothing keeps 0 from going first.

        >>> from eio_audit.order.precedence import Precedence
        >>> slide(Window([2, 0, 1], [True] * 3, Precedence.from_edges(3, [0], [2])), [0, 1, 2])
        [1, 0, 2]
    """
    order = list(order)
    effort = effort or Effort()
    for start in range(0, len(order), size // 2):
        if effort.is_spent:
            break
        ops = order[start : start + size]
        effort.left -= size
        order[start : start + size] = [ops[place] for place in _reordered(window.restricted(ops), effort)]
    return order


def _reordered(window: Window, effort: Effort) -> Sequence[int]:
    """Return a better order of a small window if a short search finds one, else its textual order."""
    text = range(window.size)
    closure = TransitiveClosure(window)
    packing = CyclePacking(closure, text, effort)
    if len(packing) == len(packing.broken):
        return text
    inversions = closure.forced + len(packing.broken)
    found = search(closure, packing.cycles(), inversions, SLIDING_STATES, SLIDING_MOVES, effort)
    return text if found.order is None else found.order


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
