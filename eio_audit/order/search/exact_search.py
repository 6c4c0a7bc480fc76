"""Exact search: the order of a window with the fewest inversions, or a proof that there is none better.

A* (Hart, Nilsson, Raphael 1968) over the choices of Kahn's algorithm:

- A *state* is a set of placed ops. With each op it holds all its ancestors: a downset. How the rest is best
  ordered depends on that set only.
- A *move* places one more available op. It costs one for each unplaced op with a smaller key that is
  independent of it. (Forced inversions are in every order and decide nothing.)
- A path of moves from the empty set to the full one is an order.

**Free moves.** An available op whose smaller independent ops are placed is placed at once; other choices are
not tried. Nothing is lost by it: take any order of the rest and move this op, v, to its front. The ops that v
overtakes were before v, so they are not descendants of v, so none of them has a smaller key.

**Last moves**, the mirror of it. An available op that has no unplaced descendant, and than which no unplaced
op has a larger key, can be left to the end: moving it there adds no inversion. It is not tried.

**The potential**, a lower bound on what is still to come, is a packing of cycles (cycle_packing.py). A cycle
counts while none of its ops is placed. The first of them to be placed is one that a soft edge leads to. The
op where that edge starts is still unplaced, and so the move pays for the cycle. Each cycle is paid with a
soft edge of its own, so a move costs at least as much as the potential falls: the potential is *consistent*,
and the first path to reach the end is a cheapest one.

The search works with the *surplus* of a move: its cost less the cycles it pays for. Where the packing is
exact there is an order without any surplus, and the search runs straight through to it. States multiply only
with the surplus allowed, so rounds allow none at first, then 1, 3, 7, ... The work is capped. Also when the
search stops early, no order has fewer inversions than forced + cycles + the smallest surplus among the states
not followed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from eio_audit.order.bitsets import bits, lowest_bit
from eio_audit.order.closure import TransitiveClosure
from eio_audit.order.effort import Effort, width

SEARCH_STATES = 200_000  # states one search may reach
SEARCH_MOVES = 2_000_000  # moves one search may try
SEARCH_BITS = 1 << 30  # what the states of one search may hold together
MOVE_STEPS = 4  # what a move costs


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search has found out about a window.

    Attributes:
        order: an order with the fewest inversions, as places in the window; None when the search was stopped,
            or when no order has fewer inversions than the one already known.
        inversions: those of ``order``; those of the known order where there is none.
        lower_bound: no order of the window has fewer inversions than this.
    """

    order: list[int] | None
    inversions: int
    lower_bound: int


def search(
    closure: TransitiveClosure,
    cycles: Sequence[Sequence[tuple[int, int]]],
    known: int,
    states: int = SEARCH_STATES,
    moves: int = SEARCH_MOVES,
    effort: Effort | None = None,
) -> SearchResult:
    """Search for the order of a window with the fewest inversions.

    Args:
        closure: the window.
        cycles: a packing of cycles, as the soft edges of each.
        known: the inversions of the best order known; only better ones are looked for.
        states: how many sets of placed ops may be reached, over all rounds.
        moves: how many moves may be tried from them.
        effort: what that may cost.

    Returns:
        The minimum, when ``inversions`` and ``lower_bound`` are equal; else what is proven so far.

    Complexity: O(s * n) operations on bitsets of n bits for s states followed.

    Example:
        Keys 5, 1, 3, where 1 depends on 5: 3 is squeezed, two inversions at least.

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
    """The states of a search, and the work it may still do."""

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
        # Per op, what may be free while it is the unplaced op with the smallest key.
        self._may_be_free = [
            above | equal for above, equal in zip(closure.with_ancestors, closure.equal, strict=True)
        ]
        self._everything = (1 << closure.size) - 1

    @property
    def is_stopped(self) -> bool:
        """Whether the work is used up."""
        return self._states_left < 0 or self._effort.is_spent

    def run(self, known: int, allowed: int) -> SearchResult:
        """Search for an order better than ``known`` with a surplus of no more than ``allowed``.

        It ends when it has found the best of them, when there is none, or when the work is used up.
        """
        most_surplus = min(allowed, known - self._base - 1)
        placed, available = self._place_free(0, self._downsets.start, [])
        least_surplus = {placed: 0}
        came_from: dict[int, tuple[int, int]] = {}  # the state before, and the op placed from there
        # Equal surplus: the latest state first, which is further on the way to the end.
        queue = [(0, 0, placed, available)] if most_surplus >= 0 else []
        while queue:
            surplus, _, placed, available = heappop(queue)
            if least_surplus[placed] < surplus:
                continue
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
        """Return whether an available op can as well be placed last."""
        closure = self._closure
        return (closure.larger_independent[op] | closure.with_descendants[op]) & ~placed == 1 << op

    def _place_free(self, placed: int, available: int, sequence: list[int]) -> tuple[int, int]:
        """Place available ops whose smaller independent ops are placed, until there are none.

        The ops placed are added to ``sequence``. Returns what is placed, and what is available.
        """
        indexed, smaller_independent = self._closure.indexed, self._closure.smaller_independent
        is_found = True
        while is_found:
            is_found = False
            # While the op with the smallest key is unplaced, only its ancestors can be free, and its equals.
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
        """Return the order that led to the end, as places in the window."""
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
    """The sets of placed ops, and what a move costs beyond what every order has to pay.

    A move places one available op: one whose producers are all placed.

    Args:
        closure: the ops.
        cycles: a packing of cycles, as the soft edges of each.

    Attributes:
        start: the bitset of the ops that are available when nothing is placed.
    """

    def __init__(self, closure: TransitiveClosure, cycles: Sequence[Sequence[tuple[int, int]]]) -> None:
        self._closure = closure
        self.start = sum(1 << op for op, producers in enumerate(closure.producers) if not producers)
        # Cycles of two soft edges, by the ops that these lead to, one of which comes first: a row has a bit
        # for the other op. An op has as many rows as it shares cycles with one and the same op.
        self._paid: list[list[int]] = [[] for _ in range(closure.size)]
        # Longer cycles, for each of these ops: the bitset of the others.
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
        """Return what placing ``op`` costs beyond the cycles it pays for; never less than 0."""
        surplus = (self._closure.smaller_independent[op] & ~placed).bit_count()
        for others in self._paid[op]:
            surplus -= (others & ~placed).bit_count()
        for others in self._paid_detours[op]:
            surplus -= not others & placed
        return surplus

    def place(self, op: int, placed: int, available: int) -> tuple[int, int]:
        """Return what is placed and what is available after ``op``."""
        placed |= 1 << op
        available ^= 1 << op
        producers = self._closure.producers
        for user in self._closure.users[op]:
            if not producers[user] & ~placed:
                available |= 1 << user
        return placed, available


def _add(rows: list[int], op: int) -> None:
    """Set the bit of ``op`` in the first row that does not have it yet."""
    for place, row in enumerate(rows):
        if not row >> op & 1:
            rows[place] |= 1 << op
            return
    rows.append(1 << op)
