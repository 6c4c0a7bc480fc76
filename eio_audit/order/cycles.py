"""A lower bound on the inversions of any order, from cycles that each order has to break.

Draw an arrow from op to op wherever one *should* come before the other:

- a *dependence*, from an op to each of its descendants: every order follows it;
- a *preference*, from the smaller key to the larger, between two ops that are independent of each other: an
  order that does not follow it has an inversion there, one that is not forced.

No order follows all arrows of a cycle. Dependences are followed, so at least one preference on the cycle is
not. Cycles no two of which share a preference each cost an inversion of their own, so the forced inversions
and the size of any such *packing* of cycles add up to a lower bound. (Finding the minimum is the minimum
feedback arc set problem, and this its dual; in planar graphs the two are equal, Lucchesi and Younger 1978.)

The smallest cycle is a *squeeze*: b depends on a, the key of a is larger, and c, independent of both, has a
key between theirs. The cycle a => b -> c -> a has two preferences: wherever c is placed, one of them is
broken.

**Which cycles?** The ones that would explain a good order. Say x stands before y in it, though y has the
smaller key and they are independent: the preference y -> x is broken. What could be the reason? If there is a
preference p -> q that the order keeps, where p is x or depends on it, and y is q or depends on it, then

    y -> x => p -> q => y

is a cycle with exactly two preferences, one broken by the order and one, its *return*, kept. Two such cycles
are disjoint when they differ in both. So the largest packing of such cycles is a largest *matching* of broken
preferences with returns, each used once, and it is found with augmenting paths (Berge 1957). Where every
inversion finds a return, the packing is as large as the number of inversions that are not forced: the order
is minimal, and that is the proof. Where the order is not minimal or another kind of cycle would be needed,
some inversions stay without a return, and the bound below the order; it holds all the same, whatever the
order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from eio_audit.order.bitsets import bits, lowest_bit
from eio_audit.order.relations import Relations

PACKING_STEPS = 6_000_000  # ops looked at as the end of a return, in one window


def pack_cycles(
    relations: Relations, order: Sequence[int], steps: int = PACKING_STEPS
) -> list[tuple[int, int]]:
    """Pack cycles that no order can avoid breaking, no two of which share a preference.

    Args:
        relations: the window.
        order: an order of its places, as good as possible. Each of its inversions takes memory.
        steps: how much may be looked at; then the packing stays as it is.

    Returns:
        For each cycle y -> x => p -> q => y the ops (x, q): those that a preference leads to. One of the two
        is the first op of the cycle in any order, because all the others come after them; and since the
        preference to it is then broken, it is also where the cycle is paid for. (The potential in exact.py
        needs this.)

    Complexity: O(i * n) operations on bitsets of n bits for i inversions that find a return at once, in
    practice
        few per inversion; those that do not may look at all others.

    Example:
        Keys 5, 1, 3, where 1 depends on 5; in textual order 3 comes after 5: broken is 3 -> 5, kept 1 -> 3.

        >>> from eio_audit.order.precedence import Precedence
        >>> from eio_audit.order.windows import Window
        >>> relations = Relations(Window([5, 1, 3], [True] * 3, Precedence.from_edges(3, [0], [1])))
        >>> [(relations.place_of[x], relations.place_of[q]) for x, q in pack_cycles(relations, [0, 1, 2])]
        [(0, 2)]
    """
    matching = _Matching(relations, [relations.number_of[place] for place in order], steps)
    unmatched = [broken for broken in range(len(matching.broken)) if not matching.take_free_return(broken)]
    for broken in unmatched:
        matching.augment(broken)
    return matching.cycles()


class _Matching:
    """Broken preferences of an order, and the returns they hold: kept preferences, each held at most once.

    Attributes:
        broken: the pairs (x, y) with x before y, independent, and the smaller key at y.
    """

    def __init__(self, relations: Relations, order: Sequence[int], steps: int) -> None:
        self._size = relations.size
        self._steps = steps
        self._from = [1 << op | below for op, below in enumerate(relations.descendants)]
        self._to = [1 << op | above for op, above in enumerate(relations.ancestors)]
        self.broken: list[tuple[int, int]] = []
        # Per op, the ops that a preference leads from to it, kept by the order: those that may still be of
        # use as a return, and those that nobody holds.
        self._open = [0] * self._size
        self._free = [0] * self._size
        self._ends = [0] * self._size  # per op, the ops after it that a kept preference leads to
        before = 0
        for op in order:
            self._open[op] = self._free[op] = relations.soft[op] & before
            self.broken.extend((x, op) for x in bits(relations.soft_above[op] & before))
            before |= 1 << op
        ends = 0
        for op in reversed(order):
            self._ends[op] = ends
            if self._open[op]:
                ends |= 1 << op
        self._holder: dict[int, int] = {}  # by return: the index of the broken preference that holds it
        self._held: dict[int, int] = {}  # the other way round

    def cycles(self) -> list[tuple[int, int]]:
        """Return for each cycle the two ops that a preference leads to."""
        return [(self.broken[broken][0], held % self._size) for broken, held in self._held.items()]

    def take_free_return(self, broken: int) -> bool:
        """Give a broken preference a return that is free, and return whether there was one."""
        found = self._find_free(broken)
        if found is None:
            return False
        self._hold(broken, found)
        return True

    def _find_free(self, broken: int) -> int | None:
        """Return a free return for a broken preference, as p * size + q."""
        x, y = self.broken[broken]
        from_x, free = self._from[x], self._free
        for q in bits(self._to[y] & self._ends[x]):
            self._steps -= 1
            starts = free[q] & from_x
            if starts:
                return lowest_bit(starts) * self._size + q
        return None

    def _hold(self, broken: int, new: int) -> None:
        """Let a broken preference hold the return ``new``, which is free, instead of the one it may hold."""
        old = self._held.get(broken)
        if old is not None:
            del self._holder[old]
            self._free[old % self._size] |= 1 << old // self._size
        self._held[broken] = new
        self._holder[new] = broken
        self._free[new % self._size] &= ~(1 << new // self._size)

    def augment(self, start: int) -> None:
        """Find a return for a broken preference by letting others move on to another one; breadth first."""
        came_from: dict[int, tuple[int, int]] = {}  # by holder: who wants its return, and which that is
        seen: dict[int, int] = {}  # per q, the starts p of the returns looked at
        queue = deque([start])
        while queue:
            if self._steps < 0:
                return
            broken = queue.popleft()
            found = self._find_free(broken)
            if found is not None:
                self._move_on(broken, found, came_from)
                return
            x, y = self.broken[broken]
            for q in bits(self._to[y] & self._ends[x]):
                starts = self._open[q] & self._from[x] & ~seen.get(q, 0)
                if not starts:
                    continue
                seen[q] = seen.get(q, 0) | starts
                for p in bits(starts):
                    wanted = p * self._size + q
                    holder = self._holder[wanted]
                    came_from[holder] = broken, wanted
                    queue.append(holder)
        # What a failed search has seen leads nowhere later either.
        for q, starts in seen.items():
            self._open[q] &= ~starts

    def _move_on(self, broken: int, found: int, came_from: dict[int, tuple[int, int]]) -> None:
        """Let everyone along an augmenting path take the return the next one leaves."""
        while True:
            self._hold(broken, found)
            if broken not in came_from:
                return
            broken, found = came_from[broken]
