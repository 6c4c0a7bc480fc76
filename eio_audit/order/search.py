"""The best order found for one window, and its lower bound.

1. The search starts from two simple orders, variants of Kahn's algorithm. Often only the forced inversions
   are left, and the order is proven minimal.
2. If not, the order guides a packing of cycles (windows.py). Usually the packing proves the order minimal.
3. If a gap is left, local search improves the order, and the better order is packed again.

A window with too many ops for a transitive closure, or with too many inversions for a packing, keeps its
simple order, and its bound is the number of forced inversions.

**Simple orders.** One variant *pulls up* a producer to the earliest op that needs it. The other *pushes down*
a user to the latest op that it waits for. docs/internals/ordering.md says why Kahn's algorithm is not enough.

**Local search** moves groups of ops. An op that is too late moves left. It cannot pass the ops that it
depends on, so these join it, and the group moves on together, passing one op at a time. Passing an op changes
the inversions by the number of keys in the group that are larger than that op's key, minus the number that
are smaller. The group ends at the place where the sum is lowest, if that is an improvement.

Only ops with a larger key somewhere before them need to lead a group. If the leader passes no larger key, the
group does at least as well without it: nothing in the group depends on the leader. Ops that are too early
move right: this is a move left in the mirrored window.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Hashable, Sequence
from heapq import heappop, heappush
from itertools import accumulate, islice
from operator import sub
from typing import NamedTuple

from eio_audit.order.effort import LOOK_STEPS, MOVE_STEPS_PER_OP, Effort
from eio_audit.order.permutation import inverse
from eio_audit.order.windows import CyclePacking, TransitiveClosure, Window, Windows, count_forced

Rows = tuple[Sequence[int], Sequence[int]]  # as ``Precedence.predecessor_rows``


class Order(NamedTuple):
    """An order of a block or window that keeps its dependences, and what is proven about it."""

    order: list[int]  # `order[k]` is the textual index of the op placed k-th
    inversions: int  # number of inversions of this order; at most that of the textual order
    forced: int  # of these, where one op depends on the other; too few are counted in a block too large
    lower_bound: int  # no order that keeps the dependences has fewer inversions
    # Number of moved ops. The others are a longest subsequence that is still in textual order. Few ops are
    # moved, but not always the fewest (linear_extension.py).
    moved: int = 0

    @property
    def certified(self) -> bool:
        """Whether the order is proven minimal."""
        return self.inversions == self.lower_bound

    def or_better(self, window: Window, order: list[int]) -> Order:
        """Return this result with another order, if that has fewer inversions."""
        inversions = window.inversions(order)
        return self if inversions >= self.inversions else self._replace(order=order, inversions=inversions)


def best_order(window: Window, effort: Effort | None = None) -> Order:
    """Return the best order found for a window, and a lower bound on the inversions of all orders.

    The search starts from simple orders, not from the textual one. So the result does not depend on the order
    of the window, except for ops with equal keys. Searching the result again finds nothing better. If the
    textual order is better than the result, the search starts again from the textual order. If the budget is
    spent, the result is the best so far.

    Take keys 9, 5, 1, 3, where 1 depends on 5. 9 can go last, 3 is squeezed.

    >>> from eio_audit.order.precedence import Precedence
    >>> best_order(Window([9, 5, 1, 3], [True] * 4, Precedence.from_edges(4, [1], [2])))
    Order(order=[1, 2, 3, 0], inversions=2, forced=1, lower_bound=2, moved=0)
    """
    effort = effort or Effort()
    text = list(range(window.size))
    closure = TransitiveClosure(window) if window.size <= effort.limits.closure_size else None
    effort.left -= LOOK_STEPS * (window.size + window.precedence.edge_count)
    forced = closure.forced if closure else count_forced(window, effort)
    textual = Order(text, window.inversions(text), forced, lower_bound=forced)
    if textual.certified:
        return textual
    solver = _Solver(window, closure, effort)
    best = solver.improved(solver.best_simple_order(textual))
    textual = textual._replace(lower_bound=best.lower_bound)
    if textual.inversions < best.inversions:
        best = solver.improved(textual)
    elif textual.inversions == best.inversions:
        best = textual
    return best


def order_windows(
    block: Window, windows: Windows, known: Sequence[Order], effort: Effort
) -> tuple[list[int], list[Order]]:
    """Order every window of a block, which is in its current order, once.

    The windows are intervals of keys, so in every order of the block they are the same, in the same sequence.
    ``known`` has what was found for each before, and is empty at first: these bounds hold for every order.

    Returns:
        The order found for the block, and those of its windows. No inversion crosses windows.
    """
    order = windows.order[:]
    parts = [order[start:stop] for start, stop in windows.spans]
    found: list[Order] = []
    best_of: dict[Hashable, Order] = {}  # per shape, because the layers of a model often repeat
    for number, window in enumerate(map(block.restricted, parts)):
        before = known[number] if known else None
        if before is not None:
            now = window.inversions(range(window.size))
            if now == before.lower_bound or window.size > effort.limits.repeated_size:
                found.append(before._replace(inversions=now))
                continue
        shape = window.shape
        if shape not in best_of:
            best_of[shape] = best_order(window, effort)
        best = best_of[shape]
        order[slice(*windows.spans[number])] = [parts[number][place] for place in best.order]
        if before is not None:
            bound = max(before.lower_bound, best.lower_bound)
            best = before._replace(inversions=best.inversions, lower_bound=bound)
        found.append(best)
    return order, found


class _Solver(NamedTuple):
    window: Window
    closure: TransitiveClosure | None
    effort: Effort

    def best_simple_order(self, textual: Order) -> Order:
        """Return the best simple order; the second is not tried if the first has only forced inversions."""
        order = pull_up(self.window)
        best = textual._replace(order=order, inversions=self.window.inversions(order))
        return best if best.certified else best.or_better(self.window, push_down(self.window))

    def improved(self, best: Order) -> Order:
        """Return the best order found from ``best`` on: it is packed, improved, packed again, and so on."""
        closure = self.closure
        while closure is not None and not best.certified and not self.effort.is_spent:
            if best.inversions - closure.forced > self.effort.limits.packed_inversions:
                break
            packing = CyclePacking(closure, best.order, self.effort)
            best = best._replace(lower_bound=max(best.lower_bound, best.forced + len(packing)))
            if best.certified:
                break
            order = improve(self.window, best.order, self.effort, best.inversions - best.lower_bound)
            better = best.or_better(self.window, order)
            if better is best:
                break
            best = better
        return best


def pull_up(window: Window) -> list[int]:
    """Return Kahn's order with the smallest key of an op and its descendants as its priority.

    Ties go by key, then by textual order. Complexity: O((n + m) log n).
    """
    by_rank = sorted(range(window.size), key=window.keys.__getitem__)
    # The sort is stable: what was sorted by before decides ties.
    by_rank.sort(key=window.precedence.smallest_below(window.keys).__getitem__)
    return _kahn(by_rank, window.precedence.predecessor_rows, window.precedence.successor_rows)


def push_down(window: Window) -> list[int]:
    """Return the mirrored order: from the end, with the largest key of an op and its ancestors first."""
    by_rank = sorted(range(window.size - 1, -1, -1), key=window.keys.__getitem__, reverse=True)
    by_rank.sort(key=window.precedence.largest_above(window.keys).__getitem__, reverse=True)
    return _kahn(by_rank, window.precedence.successor_rows, window.precedence.predecessor_rows)[::-1]


def _kahn(by_rank: Sequence[int], before: Rows, after: Rows) -> list[int]:
    """Return the order that always places the first available op of ``by_rank``."""
    rank_of, (starts, users) = inverse(by_rank), after
    missing = list(map(sub, islice(before[0], 1, None), before[0]))  # by op, how many wait to be placed
    available = [rank for rank, op in enumerate(by_rank) if not missing[op]]  # a heap: it is sorted
    order = []
    while available:
        op = by_rank[heappop(available)]
        order.append(op)
        for user in users[starts[op] : starts[op + 1]]:
            missing[user] -= 1
            if not missing[user]:
                heappush(available, rank_of[user])
    return order


def improve(window: Window, order: Sequence[int], effort: Effort | None = None, most: int = -1) -> list[int]:
    """Return an order with at most the inversions of ``order``; ``most`` can be removed, if that is known.

    Moves left and moves right alternate until neither finds an improvement or the budget is spent.

    The budget is for all moves, in ops passed or met, and its limits have the distance of one turn.

    Complexity: O(n * d * log n) per turn for groups that move up to d places.

    Take keys 2, 0, 1, where 1 depends on 2. Nothing keeps 0 from going first.

    >>> from eio_audit.order.precedence import Precedence
    >>> improve(Window([2, 0, 1], [True] * 3, Precedence.from_edges(3, [0], [2])), [0, 1, 2])
    [1, 0, 2]
    """
    order = list(order)
    left, right = _Side(window), _Side(window.mirrored())
    is_improved = True
    with (effort or Effort()).part(MOVE_STEPS_PER_OP * window.size) as part:
        while is_improved and most and not part.is_spent:
            is_improved = False
            for side in (left, right):
                removed = side.move_left(order, side.leaders(order), most, part)
                is_improved, most = is_improved or removed > 0, most - removed
                order = [window.size - 1 - op for op in reversed(order)]
    return order


class _Side:
    """A window in which groups move left."""

    def __init__(self, window: Window) -> None:
        self._keys, self._indexed = window.keys, window.indexed
        self._producers = window.precedence.predecessors

    def leaders(self, order: Sequence[int]) -> list[int]:
        """Return the indexed ops with a larger key before them, in their order."""
        largest_before = accumulate((self._keys[op] for op in order), max)
        return [
            op
            for op, largest in zip(order, largest_before, strict=True)
            if self._indexed[op] and largest > self._keys[op]
        ]

    def move_left(self, order: list[int], leaders: Sequence[int], most: int, effort: Effort) -> int:
        """Move each leader left once; changes ``order``. Return how many inversions that removes."""
        removed = 0
        place_of = inverse(order)
        for leader in leaders:
            if effort.is_spent or removed == most:
                break
            start = place_of[leader]
            best, change = self._best_place(order, start, max(start - effort.limits.distance, 0), effort)
            if best == start:
                continue
            removed -= change
            effort.left -= start - best
            order[best : start + 1] = self._with_group_first(order[best : start + 1])
            for place in range(best, start + 1):
                place_of[order[place]] = place
        return removed

    def _best_place(self, order: Sequence[int], start: int, stop: int, effort: Effort) -> tuple[int, int]:
        """Return the best place from ``stop`` on for the group that starts there, and what that changes."""
        effort.left -= start - stop
        keys, indexed, producers = self._keys, self._indexed, self._producers
        joining = set(producers(order[start]))  # what the group depends on
        group_keys = [keys[order[start]]]
        change = least_change = 0
        best = start
        for place in range(start - 1, stop - 1, -1):
            op = order[place]
            if op in joining:
                joining.update(producers(op))
                if indexed[op]:
                    insort(group_keys, keys[op])
                continue
            if indexed[op]:
                larger = len(group_keys) - bisect_right(group_keys, keys[op])
                change += larger - bisect_left(group_keys, keys[op])
            if change < least_change:
                least_change, best = change, place
        return best, least_change

    def _with_group_first(self, ops: Sequence[int]) -> list[int]:
        """Return ``ops`` with the last one and the ops it depends on first, both parts in their order."""
        group = {ops[-1]}  # and what it depends on, also outside of `ops`
        for op in reversed(ops):
            if op in group:
                group.update(self._producers(op))
        return [op for op in ops if op in group] + [op for op in ops if op not in group]
