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
is minimal, and that is the proof. Where some do not, a better order may be what is missing, and the matching
says which (cover.py). If it is not that, a cycle may need a *detour*: more than one kept preference on the
way back from x to y,

    y -> x => p -> q => p' -> q' => y.

All of it stands between x and y in the order, since the order follows every arrow but the first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import chain

from eio_audit.order.bitsets import bits, lowest_bit
from eio_audit.order.closure import TransitiveClosure
from eio_audit.order.effort import Effort, width

PACKING_STEPS = 6_000_000  # ops looked at as the end of a return, in one window
DETOUR_STEPS = 300_000  # the same on detours
BROKEN_STEPS = 2  # what a broken preference costs besides


class CyclePacking:
    """Cycles that no order can avoid breaking, no two of which share a preference.

    Args:
        relations: the window.
        order: an order of its places, as good as possible. Each of its inversions takes memory.
        effort: how much may be looked at; then the packing stays as it is.

    Attributes:
        order: the order, as ops of ``relations``.
        before: per op, the bitset of the ops before it in that order.
        broken: the preferences it breaks: the pairs (x, y) with x before y, independent, the smaller key at
            y.

    Complexity: O(i * n) operations on bitsets of n bits for i inversions that find a return at once, in
    practice few per inversion; those that do not may look at all others.

    Example:
        Keys 5, 1, 3, where 1 depends on 5; in textual order 3 comes after 5: broken is 3 -> 5, kept 1 -> 3.

        >>> from eio_audit.order.precedence import Precedence
        >>> from eio_audit.order.windows import Window
        >>> relations = TransitiveClosure(Window([5, 1, 3], [True] * 3, Precedence.from_edges(3, [0], [1])))
        >>> cycles = CyclePacking(relations, [0, 1, 2]).cycles()
        >>> [[(relations.place_of[a], relations.place_of[b]) for a, b in cycle] for cycle in cycles]
        [[(2, 0), (1, 2)]]
    """

    def __init__(
        self, relations: TransitiveClosure, order: Sequence[int], effort: Effort | None = None
    ) -> None:
        self.order = [relations.number_of[place] for place in order]
        self.broken: list[tuple[int, int]] = []
        self._relations = relations
        self._size = relations.size
        self._width = width(relations.size)
        self._from = relations.with_descendants
        self._to = relations.with_ancestors
        # Per op, the ops that a preference leads from to it, kept by the order: all; those that may still be
        # of use as a return; and those that nobody holds.
        kept = self._kept = [0] * self._size
        self.before = [0] * self._size
        before = 0
        for op in self.order:
            self.before[op] = before
            kept[op] = relations.smaller_independent[op] & before
            broken = relations.larger_independent[op] & before
            if broken:
                self.broken += [(x, op) for x in bits(broken)]
            before |= 1 << op
        self._open = kept[:]
        self._free = kept[:]
        self._ends = [0] * self._size  # per op, the ops after it that a kept preference leads to
        ends = 0
        for op in reversed(self.order):
            self._ends[op] = ends
            if kept[op]:
                ends |= 1 << op
        self._holder: dict[int, int] = {}  # by return: the index of the broken preference that holds it
        self._held: dict[int, int] = {}  # the other way round
        self._detours: dict[int, list[int]] = {}  # by broken preference: the returns of its detour
        with (effort or Effort()).part(PACKING_STEPS) as self._effort:
            self._effort.left -= self._size * self._width + BROKEN_STEPS * len(self.broken)
            self._match()

    def __len__(self) -> int:
        """Number of cycles."""
        return len(self._held) + len(self._detours)

    def cycles(self) -> list[list[tuple[int, int]]]:
        """Return the preferences on each cycle, as pairs of ops, the broken one first.

        One of the ops that they lead to is the first op of the cycle in any order, because all the others
        come after them; and since the preference to it is then broken, it is also where the cycle is paid
        for. (The potential in exact_search.py needs this.)
        """
        held = {broken: [kept] for broken, kept in self._held.items()} | self._detours
        return [
            [self.broken[broken][::-1], *(divmod(kept, self._size) for kept in held[broken])]
            for broken in sorted(held)
        ]

    def open_pairs(self) -> list[int]:
        """Return, per place in the window, the bitset of the places that preferences on cycles lead to."""
        place_of = self._relations.place_of
        rows = [0] * self._size
        for x, y in self.broken:
            rows[place_of[y]] |= 1 << place_of[x]
        for kept in chain(self._holder, *self._detours.values()):
            p, q = divmod(kept, self._size)
            rows[place_of[p]] |= 1 << place_of[q]
        return rows

    def wanted_returns(self) -> list[int]:
        """Return, per op, the starts of the returns that lead to it and are wanted in vain.

        A broken preference without a return wants those that would do, and their holders, which cannot move
        on, those that would do for them, and so on.
        """
        return [kept & ~still_open for kept, still_open in zip(self._kept, self._open, strict=True)]

    def broken_for_good(self) -> list[tuple[int, int]]:
        """Return the broken preferences whose return nobody else wants."""
        wanted = self.wanted_returns()
        return [
            self.broken[broken]
            for broken, held in self._held.items()
            if not wanted[held % self._size] >> held // self._size & 1
        ]

    def _match(self) -> None:
        """Find returns: first what is free, then by augmenting paths."""
        unmatched = []
        for broken in range(len(self.broken)):
            if self._effort.is_spent:
                return
            if not self._take_free_return(broken):
                unmatched.append(broken)
        for broken in unmatched:
            if self._effort.is_spent:
                return
            self._augment(broken)

    def _take_free_return(self, broken: int) -> bool:
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
            self._effort.left -= self._width
            starts = free[q] & from_x
            if starts:
                return lowest_bit(starts) * self._size + q
        return None

    def _hold(self, broken: int, new: int) -> None:
        """Let a broken preference hold the return ``new``, which is free, instead of the one it may hold."""
        self._let_go(broken)
        self._held[broken] = new
        self._holder[new] = broken
        self._free[new % self._size] &= ~(1 << new // self._size)

    def _let_go(self, broken: int) -> None:
        """Free the return that a broken preference may hold."""
        old = self._held.pop(broken, None)
        if old is not None:
            del self._holder[old]
            self._free[old % self._size] |= 1 << old // self._size

    def find_detours(self, effort: Effort | None = None) -> None:
        """Let broken preferences that found no return take a detour, or move others on to one.

        Args:
            effort: how many ops may be looked at.
        """
        self._open = self._kept[:]
        with (effort or Effort()).part(DETOUR_STEPS) as self._effort:
            for broken in range(len(self.broken)):
                if self._effort.is_spent:
                    return
                if broken not in self._held:
                    self._augment(broken, with_detours=True)

    def _augment(self, start: int, *, with_detours: bool = False) -> None:
        """Find a return for a broken preference by letting others move on to another one; breadth first."""
        came_from: dict[int, tuple[int, int]] = {}  # by holder: who wants its return, and which that is
        seen: dict[int, int] = {}  # per q, the starts p of the returns looked at
        for broken in self._holders(start, came_from, seen):
            if self._take_free_return(broken) or (with_detours and self._take_detour(broken)):
                self._move_up(broken, came_from)
                return
        if self._effort.is_spent or with_detours:
            return
        # What a failed search has seen leads nowhere later either.
        for q, starts in seen.items():
            self._open[q] &= ~starts

    def _holders(
        self, start: int, came_from: dict[int, tuple[int, int]], seen: dict[int, int]
    ) -> Iterator[int]:
        """Yield a broken preference, then the holders of the returns it wants, then those of theirs, ..."""
        queue = deque([start])
        while queue and not self._effort.is_spent:
            broken = queue.popleft()
            yield broken
            x, y = self.broken[broken]
            for q in bits(self._to[y] & self._ends[x]):
                self._effort.left -= self._width
                starts = self._open[q] & self._from[x] & ~seen.get(q, 0)
                if not starts:
                    continue
                seen[q] = seen.get(q, 0) | starts
                for p in bits(starts):
                    wanted = p * self._size + q
                    holder = self._holder[wanted]
                    came_from[holder] = broken, wanted
                    queue.append(holder)

    def _move_up(self, broken: int, came_from: dict[int, tuple[int, int]]) -> None:
        """Let everyone before ``broken`` on an augmenting path take the return that the next one has left."""
        while broken in came_from:
            broken, left = came_from[broken]
            self._hold(broken, left)

    def _take_detour(self, broken: int) -> bool:
        """Give a broken preference a detour instead of the return it may hold, if there is one."""
        detour = self._find_detour(broken)
        if detour is None:
            return False
        self._let_go(broken)
        self._detours[broken] = detour
        for taken in detour:
            q, bit = taken % self._size, 1 << taken // self._size
            self._free[q] &= ~bit
            self._open[q] &= ~bit
        return True

    def _find_detour(self, broken: int) -> list[int] | None:
        """Return free returns that lead from x to y one after the other, as few as can be."""
        x, y = self.broken[broken]
        between = self._ends[x] & (self.before[y] | 1 << y)
        heads = [(x, -1)]  # what a preference leads to, and where that preference comes from
        reached = self._from[x]
        fresh = True
        while fresh:
            fresh = False
            starts = reached
            for q in bits(between & ~reached):
                self._effort.left -= self._width
                comes_from = self._free[q] & starts
                if not comes_from:
                    continue
                fresh = True
                heads.append((q, lowest_bit(comes_from)))
                reached |= self._from[q]
                if reached >> y & 1:
                    return self._retrace(heads)
        return None

    def _retrace(self, heads: list[tuple[int, int]]) -> list[int]:
        """Return the returns that lead to the last of ``heads``."""
        q, p = heads[-1]
        returns = []
        while p >= 0:
            returns.append(p * self._size + q)
            q, p = next((head, start) for head, start in heads if self._from[head] >> p & 1)
        return returns
