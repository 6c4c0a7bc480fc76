"""Exact search: the order of a window with the fewest inversions, or a proof that there is none better.

Kahn's algorithm builds one order: it keeps the set of ops placed so far and always places one more whose
producers are all placed. This search follows *every* choice that Kahn's algorithm could make, cheapest first,
but never twice from the same set of placed ops: how the rest is best ordered depends on which ops are placed,
not on the order they were placed in. So

- a *state* is a set of placed ops (with each op it holds all its ancestors);
- a *move* places one more available op. It costs one for each unplaced op with a smaller key, which is going
  to come after it: an inversion;
- a path of moves from the empty set to the full one is an order, and its cost its number of inversions.

Cheapest paths are found with A* (Hart, Nilsson, Raphael 1968): Dijkstra's algorithm, where a state is taken
up by what the path to it has cost plus a *potential*, a lower bound on what is still to come. Four things
keep the number of states small.

**Forced inversions are paid up front.** They are in every order and decide nothing, so they are left out of
the costs. What is left of an op's smaller keys, those that are not its descendants, is its *soft* set, and a
move costs the number of unplaced ops in it.

**Free moves.** An available op whose soft set is placed costs nothing, and is placed at once, instead of
trying all other choices too. Nothing is lost by it: take any order of the rest and move this op, v, to its
front. The ops that v overtakes stood before v, so they are not descendants of v, so by assumption none of
them has a smaller key, and the move adds no inversion.

**Last moves**, the mirror of it. An available op that has no unplaced descendant, and than which no unplaced
op has a larger key, can be left to the end: moving it there from anywhere adds no inversion. It is not tried.

**The potential** is a packing of squeezes (bounds.py): triples (a, c, b), a before b forced, with
key(b) < key(c) < key(a), no two of which share a pair {a, c} or {c, b}. A triple counts while neither a nor c
is placed. It stops counting with a move that pays for it: if a is placed first, then c, unplaced, is in the
soft set of a; if c is placed first, then b, which comes after a, is unplaced too, and in the soft set of c.
Each triple is paid with a pair of its own, so a move costs at least as much as the potential falls. The
potential is therefore *consistent*: path cost plus potential never falls along a path, it is never too high
(it is 0 at the end), and the first path to reach the end is a cheapest one. The search below works with the
difference, the *surplus* of a move: its cost less the triples it pays for. Where the packing is exact there
is an order without any surplus, and the search runs straight through to it. States multiply only with the
surplus needed.

The work is capped, since the problem is NP-hard. Also when the search stops early, no order has fewer
inversions than forced + squeezes + the smallest surplus among the states not followed yet.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import accumulate
from operator import or_

from eio_audit.order.bitsets import bits, lowest_bit
from eio_audit.order.bounds import squeezes
from eio_audit.order.windows import Window

SEARCH_SIZE = 4000  # most ops in a window that is searched
SEARCH_STATES = 20_000  # states a search may reach
SEARCH_MOVES = 400_000  # moves a search may try
SEARCH_BITS = 1 << 30  # what the states of one search may hold together


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search has found out about a window.

    Attributes:
        order: an order with the fewest inversions, as places in the window; None when the search was stopped,
        or
            when no order has fewer inversions than the one already known.
        inversions: those of ``order``; those of the known order where there is none.
        lower_bound: no order of the window has fewer inversions than this.
    """

    order: list[int] | None
    inversions: int
    lower_bound: int


def search(
    window: Window, known: int, states: int = SEARCH_STATES, moves: int = SEARCH_MOVES
) -> SearchResult:
    """Search for the order of ``window`` with the fewest inversions.

    Args:
        window: the ops to order.
        known: the inversions of the best order known; only better ones are looked for.
        states: how many sets of placed ops may be reached.
        moves: how many moves may be tried from them.

    Returns:
        The minimum, when ``inversions`` and ``lower_bound`` are equal; else what is proven so far.

    Complexity: O(s) operations on bitsets of n bits, per available op, for s states.

    Example:
        Keys 5, 1, 3, where 1 depends on 5: 3 is squeezed, two inversions at least.

        >>> from eio_audit.order.precedence import Precedence
        >>> five_feeds_one = Window([5, 1, 3], [True] * 3, Precedence.from_edges(3, [0], [1]))
        >>> search(five_feeds_one, known=3)
        SearchResult(order=[2, 0, 1], inversions=2, lower_bound=2)
        >>> search(five_feeds_one, known=2)
        SearchResult(order=None, inversions=2, lower_bound=2)
    """
    return _Search(window).run(known, min(states, SEARCH_BITS // (2 * max(window.size, 1))), moves)


class _Search:
    """One search. Ops are numbered by rising key here, ties by textual order, and sets of them are bitsets.

    The ops with a smaller key than a given one are then the lowest bits, and going through the available ops
    from the lowest bit on meets the free ones first.
    """

    def __init__(self, window: Window) -> None:
        precedence = window.precedence
        size = window.size
        self._place_of = sorted(range(size), key=lambda place: (window.keys[place], place))
        number_of = [0] * size
        for number, place in enumerate(self._place_of):
            number_of[place] = number
        self._everything = (1 << size) - 1
        self._producers = [0] * size
        self._users: list[list[int]] = [[]] * size
        descendants = [0] * size
        for place in range(size - 1, -1, -1):
            op = number_of[place]
            self._users[op] = [number_of[user] for user in precedence.successors(place)]
            for user in self._users[op]:
                descendants[op] |= 1 << user | descendants[user]
                self._producers[user] |= 1 << op
        self._descendants = descendants
        ancestors = [0] * size
        for op in map(number_of.__getitem__, range(size)):
            ancestors[op] = self._producers[op]
            for producer in bits(self._producers[op]):
                ancestors[op] |= ancestors[producer]
        smaller, larger = self._compare_keys(window)
        self._indexed = sum(1 << op for op, place in enumerate(self._place_of) if window.indexed[place])
        self._larger = larger
        self._soft = [below & ~after for below, after in zip(smaller, descendants, strict=True)]
        self._forced = sum(
            (below & after).bit_count() for below, after in zip(smaller, descendants, strict=True)
        )
        # Per op, what may be free while it is the unplaced op with the smallest key.
        self._free_above = [
            above | (self._indexed & ~before & ~after)
            for above, before, after in zip(ancestors, smaller, larger, strict=True)
        ]
        # Per op, the ops at the other end of the pairs {a, c}: a triple counts while both are unplaced.
        self._squeezed_with = [0] * size
        self._squeezes = 0
        for early_place, squeezed_place, _ in squeezes(window):
            self._squeezes += 1
            early, squeezed = number_of[early_place], number_of[squeezed_place]
            self._squeezed_with[early] |= 1 << squeezed
            self._squeezed_with[squeezed] |= 1 << early

    def _compare_keys(self, window: Window) -> tuple[list[int], list[int]]:
        """Return, per op, the ops with a smaller key and those with a larger one; none for unindexed ops."""
        places = self._place_of
        up_to = list(
            accumulate((window.indexed[place] << op for op, place in enumerate(places)), or_, initial=0)
        )
        starts: dict[int, int] = {}
        stops: dict[int, int] = {}
        for op, place in enumerate(places):
            starts.setdefault(window.keys[place], op)
            stops[window.keys[place]] = op + 1
        smaller = [up_to[starts[window.keys[place]]] if window.indexed[place] else 0 for place in places]
        larger = [
            up_to[-1] & ~up_to[stops[window.keys[place]]] if window.indexed[place] else 0 for place in places
        ]
        return smaller, larger

    def run(self, known: int, most_states: int, moves: int) -> SearchResult:
        """Search until the end is reached, nothing better than ``known`` is left, or the work is used up."""
        base = self._forced + self._squeezes
        most_surplus = known - base - 1  # what an improvement may have
        if most_surplus < 0:
            return SearchResult(None, known, known)
        available = sum(1 << op for op, producers in enumerate(self._producers) if not producers)
        start, available = self._place_free_moves(0, available, None)
        least_surplus = {start: 0}
        came_from: dict[int, tuple[int, int]] = {}  # the state before, and the op placed from there
        # Equal surplus: the latest state first, which is further on the way to the end.
        queue = [(0, 0, start, available)]
        while queue:
            surplus, _, placed, available = heappop(queue)
            if least_surplus[placed] < surplus:
                continue
            if placed == self._everything:
                return SearchResult(self._retrace(came_from), base + surplus, base + surplus)
            if len(least_surplus) > most_states or moves < 0:
                return SearchResult(None, known, base + surplus)
            for op in bits(available):
                moves -= 1
                total = surplus + self._surplus(op, placed)
                if total > most_surplus or self._can_wait(op, placed):
                    continue
                reached, now_available = self._place(op, placed, available)
                if least_surplus.get(reached, known) > total:
                    least_surplus[reached] = total
                    came_from[reached] = placed, op
                    heappush(queue, (total, -len(came_from), reached, now_available))
        return SearchResult(None, known, known)

    def _surplus(self, op: int, placed: int) -> int:
        """Return what placing ``op`` costs beyond the triples it pays for."""
        return (self._soft[op] & ~placed).bit_count() - (self._squeezed_with[op] & ~placed).bit_count()

    def _can_wait(self, op: int, placed: int) -> bool:
        """Return whether an available op can as well be placed last."""
        return not (self._larger[op] | self._descendants[op]) & ~placed

    def _place(
        self, op: int, placed: int, available: int, sequence: list[int] | None = None
    ) -> tuple[int, int]:
        """Place ``op`` and what is free then; return what is placed, and what is available.

        The ops placed are added to ``sequence``.
        """
        if sequence is not None:
            sequence.append(op)
        placed |= 1 << op
        available ^= 1 << op
        for user in self._users[op]:
            if not self._producers[user] & ~placed:
                available |= 1 << user
        return self._place_free_moves(placed, available, sequence)

    def _place_free_moves(self, placed: int, available: int, sequence: list[int] | None) -> tuple[int, int]:
        """Place available ops whose soft sets are placed, until there are none."""
        soft, producers = self._soft, self._producers
        found = True
        while found:
            found = False
            # While the op with the smallest key is unplaced, only its ancestors can be free, and its equals.
            candidates = available & ~self._indexed
            unplaced = self._indexed & ~placed
            if unplaced:
                candidates |= available & self._free_above[lowest_bit(unplaced)]
            for op in bits(candidates):
                if soft[op] & ~placed:
                    continue
                found = True
                if sequence is not None:
                    sequence.append(op)
                placed |= 1 << op
                available ^= 1 << op
                for user in self._users[op]:
                    if not producers[user] & ~placed:
                        available |= 1 << user
        return placed, available

    def _retrace(self, came_from: dict[int, tuple[int, int]]) -> list[int]:
        """Return the order that led to the end, as places in the window."""
        chosen = []
        placed = self._everything
        while placed in came_from:
            placed, op = came_from[placed]
            chosen.append(op)
        sequence: list[int] = []
        available = sum(1 << op for op, producers in enumerate(self._producers) if not producers)
        placed, available = self._place_free_moves(0, available, sequence)
        for op in reversed(chosen):
            placed, available = self._place(op, placed, available, sequence)
        return [self._place_of[op] for op in sequence]
