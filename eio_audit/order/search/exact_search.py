"""Exact search: an order of a window with the fewest inversions, or a proof that no order is better.

The search is A* (Hart, Nilsson, Raphael 1968) over the choices of Kahn's algorithm:

- A *state* is a set of placed ops. It contains all ancestors of its ops, so it is a downset. The best order
  of the other ops depends on this set only.
- A *move* places an available op. It costs one for each unplaced op with a smaller key that is independent of
  it. (Forced inversions are in every order, so they do not count.)
- A path of moves from the empty set to the full set is an order.

**Free moves.** If all smaller independent ops of an available op v are placed, v is placed at once, and no
other move is tried. This loses nothing. Take any order of the rest and move v to its front. The ops that v
passes were before v, so they are not descendants of v, and none of them has a smaller key.

**Last moves** are the mirror image. An available op can wait until the end if it has no unplaced descendant
and no unplaced op has a larger key. Moving it to the end adds no inversion, so it is not tried before.

**The potential**, a lower bound on the remaining cost, is a packing of cycles (cycle_packing.py). A cycle
counts while none of its ops is placed. A soft edge leads to the first of its ops to be placed. The op where
that edge starts is still unplaced, so the move pays for the cycle. Each cycle is paid by a soft edge of its
own, so a move costs at least as much as the potential falls. So the potential is *consistent*, and the first
path that reaches the full set is a cheapest one.

The search uses the *surplus* of a move: its cost minus the cycles that it pays for. If the packing is exact,
an order without surplus exists, and the search goes straight to it. The number of states grows with the
surplus allowed, so rounds allow 0, 1, 3, 7, ... The work is capped. If the search stops early, every order
still has at least forced + cycles + s inversions, where s is the smallest surplus of a state not followed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from eio_audit.order.effort import USUAL_LIMITS, Effort
from eio_audit.order.windows import TransitiveClosure, bits, lowest_bit, width

SEARCH_BITS = 1 << 30  # bits in all states of one search
MOVE_STEPS = 4  # cost of a move


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search.

    Attributes:
        order: an order with the fewest inversions, as places in the window; None if the search was stopped,
            or if no order has fewer inversions than the known one.
        inversions: number of inversions of ``order``, or of the known order if ``order`` is None.
        lower_bound: no order of the window has fewer inversions.
    """

    order: list[int] | None
    inversions: int
    lower_bound: int


def search(
    closure: TransitiveClosure,
    cycles: Sequence[Sequence[tuple[int, int]]],
    known: int,
    states: int = USUAL_LIMITS.search_states,
    moves: int = USUAL_LIMITS.search_moves,
    effort: Effort | None = None,
) -> SearchResult:
    """Search for an order of a window with the fewest inversions.

    Args:
        closure: the window.
        cycles: a packing of cycles, each as its soft edges.
        known: the inversions of the best order known. The search looks for better orders only.
        states: the most sets of placed ops to reach, over all rounds.
        moves: the most moves to try.
        effort: the budget.

    Returns:
        The minimum, if ``inversions`` and ``lower_bound`` are equal; else the bound proven so far.

    Complexity: O(s * n) operations on bitsets of n bits for s states followed.

    Example:
        Keys 5, 1, 3, where 1 depends on 5. 3 is squeezed, so there are at least two inversions.

        >>> from eio_audit.order.bounds.cycle_packing import CyclePacking
        >>> from eio_audit.order.precedence import Precedence
        >>> from eio_audit.order.windows import Window
        >>> closure = TransitiveClosure(Window([5, 1, 3], [True] * 3, Precedence.from_edges(3, [0], [1])))
        >>> cycles = CyclePacking(closure, [0, 1, 2]).cycles()
        >>> search(closure, cycles, known=3)
        SearchResult(order=[2, 0, 1], inversions=2, lower_bound=2)
        >>> search(closure, cycles, known=2)
        SearchResult(order=None, inversions=2, lower_bound=2)
    """
    states = min(states, SEARCH_BITS // (2 * max(closure.size, 1)))
    with (effort or Effort()).part(moves * MOVE_STEPS * width(closure.size)) as part:
        rounds = _Search(closure, cycles, states, part)
        allowed = 0
        while True:
            result = rounds.run(known, allowed)
            if result.inversions == result.lower_bound or rounds.is_stopped:
                return result
            allowed = 2 * allowed + 1


class _Search:
    """The rounds of a search, and their budget."""

    def __init__(
        self,
        closure: TransitiveClosure,
        cycles: Sequence[Sequence[tuple[int, int]]],
        states: int,
        effort: Effort,
    ) -> None:
        self._closure = closure
        self._downsets = DownsetStates(closure, cycles)
        self._base = closure.forced + len(cycles)
        self._states_left = states
        self._effort = effort
        self._move_steps = MOVE_STEPS * width(closure.size)
        # Per op, the ops that can be free while it is the unplaced op with the smallest key.
        self._may_be_free = [
            above | equal for above, equal in zip(closure.with_ancestors, closure.equal, strict=True)
        ]
        self._everything = (1 << closure.size) - 1

    @property
    def is_stopped(self) -> bool:
        """Whether the budget is spent."""
        return self._states_left < 0 or self._effort.is_spent

    def run(self, known: int, allowed: int) -> SearchResult:
        """Search for an order better than ``known`` with a surplus of at most ``allowed``.

        The search ends with the best such order, with a proof that there is none, or with the budget spent.
        """
        most_surplus = min(allowed, known - self._base - 1)
        placed, available = self._place_free(0, self._downsets.start, [])
        least_surplus = {placed: 0}
        came_from: dict[int, tuple[int, int]] = {}  # the state before, and the op placed from there
        # Of equal surplus, the latest state is first, because it is nearer to the end.
        queue = [(0, 0, placed, available)] if most_surplus >= 0 else []
        while queue:
            surplus, _, placed, available = heappop(queue)
            if least_surplus[placed] < surplus:
                continue  # a better path to this state came after this entry
            if placed == self._everything:
                total = self._base + surplus
                return SearchResult(self._retrace(came_from), total, total)
            if self.is_stopped:
                return SearchResult(None, known, self._base + surplus)
            for op in bits(available):
                self._effort.left -= self._move_steps
                total = surplus + self._downsets.surplus(op, placed)
                if total > most_surplus or self._can_wait(op, placed):
                    continue
                reached, now_available = self._place_free(*self._downsets.place(op, placed, available), [])
                if least_surplus.get(reached, known) > total:
                    least_surplus[reached] = total
                    came_from[reached] = placed, op
                    self._states_left -= 1
                    heappush(queue, (total, self._states_left, reached, now_available))
        return SearchResult(None, known, min(known, self._base + most_surplus + 1))

    def _can_wait(self, op: int, placed: int) -> bool:
        """Return whether an available op can just as well be placed last."""
        closure = self._closure
        return (closure.larger_independent[op] | closure.with_descendants[op]) & ~placed == 1 << op

    def _place_free(self, placed: int, available: int, sequence: list[int]) -> tuple[int, int]:
        """Place available ops whose smaller independent ops are placed, until there are none.

        Appends the ops to ``sequence``. Returns the bitsets of placed and of available ops.
        """
        indexed, smaller_independent = self._closure.indexed, self._closure.smaller_independent
        is_found = True
        while is_found:
            is_found = False
            # Only ancestors and equals of the unplaced op with the smallest key can be free.
            candidates = available & ~indexed
            unplaced = indexed & ~placed
            if unplaced:
                candidates |= available & self._may_be_free[lowest_bit(unplaced)]
            for op in bits(candidates):
                if not smaller_independent[op] & ~placed:
                    is_found = True
                    sequence.append(op)
                    placed, available = self._downsets.place(op, placed, available)
        return placed, available

    def _retrace(self, came_from: dict[int, tuple[int, int]]) -> list[int]:
        """Return the order of the path found, as places in the window."""
        chosen = []
        placed = self._everything
        while placed in came_from:
            placed, op = came_from[placed]
            chosen.append(op)
        sequence: list[int] = []
        placed, available = self._place_free(0, self._downsets.start, sequence)
        for op in reversed(chosen):
            sequence.append(op)
            placed, available = self._place_free(*self._downsets.place(op, placed, available), sequence)
        return [self._closure.place_of[op] for op in sequence]


class DownsetStates:
    """The moves between sets of placed ops, and their surplus.

    A move places an available op: an op whose producers are all placed.

    Args:
        closure: the ops.
        cycles: a packing of cycles, each as its soft edges.

    Attributes:
        start: the bitset of the ops that are available before any move.
    """

    def __init__(self, closure: TransitiveClosure, cycles: Sequence[Sequence[tuple[int, int]]]) -> None:
        self._closure = closure
        self.start = sum(1 << op for op, producers in enumerate(closure.producers) if not producers)
        # Cycles of two soft edges. The first op placed is one of the two that these lead to. Per such op:
        # bitsets of the other one. There are several if two ops share several cycles.
        self._paid: list[list[int]] = [[] for _ in range(closure.size)]
        # Longer cycles. Per op that a soft edge leads to: the bitset of the other such ops of each cycle.
        self._paid_detours: list[list[int]] = [[] for _ in range(closure.size)]
        for cycle in cycles:
            ends = [end for _, end in cycle]
            if len(ends) == 2:
                one, two = ends
                _add(self._paid[one], two)
                _add(self._paid[two], one)
            else:
                everyone = sum(1 << op for op in ends)
                for op in ends:
                    self._paid_detours[op].append(everyone ^ 1 << op)

    def surplus(self, op: int, placed: int) -> int:
        """Return the cost of placing ``op`` minus the cycles that it pays for; at least 0."""
        surplus = (self._closure.smaller_independent[op] & ~placed).bit_count()
        # A cycle is paid by the first of its ops to be placed, so it counts while the others are unplaced.
        for others in self._paid[op]:
            surplus -= (others & ~placed).bit_count()
        for others in self._paid_detours[op]:
            surplus -= not others & placed
        return surplus

    def place(self, op: int, placed: int, available: int) -> tuple[int, int]:
        """Return the bitsets of placed and of available ops after ``op`` is placed."""
        placed |= 1 << op
        available ^= 1 << op
        producers = self._closure.producers
        for user in self._closure.users[op]:
            if not producers[user] & ~placed:
                available |= 1 << user
        return placed, available


def _add(rows: list[int], op: int) -> None:
    """Set the bit of ``op`` in the first row that lacks it."""
    for place, row in enumerate(rows):
        if not row >> op & 1:
            rows[place] |= 1 << op
            return
    rows.append(1 << op)
