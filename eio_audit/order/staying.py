"""How many ops can stay: chains of ops of which only one can, and a largest set without two of one chain.

Say u stands before v in the text, and v is settled before u (settled.py). Then not both can stay: they are
*exchanged*. If v and w are exchanged too, so are u and w: being exchanged is a partial order. Of the ops of a
chain in it

    u, v, w in the text    ->    w, v, u in every minimal order

one can stay and the others move. So cut the ops into as few chains as possible: as many ops as there are
chains can stay at most, and that is a lower bound on those that move. By Dilworth's theorem (1950) there are
as many ops no two of which are exchanged. (Whether a minimal order keeps all of them is another question.)

Fewest chains are found by a largest matching (Fulkerson 1956): each op has at most one next op in its chain,
and is the next of at most one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from eio_audit.order.bitsets import bits, lowest_bit
from eio_audit.order.effort import Effort, width


def largest_staying(exchanged: Sequence[int], effort: Effort | None = None) -> list[int] | None:
    """Return a largest set of ops no two of which are exchanged, ascending.

    Args:
        exchanged: for each op, the bitset of the later ones in the text that are settled before it.
        effort: how many ops may be looked at; None is returned when it is used up.

    Complexity: O(n * n) operations on bitsets of n bits, in practice near O(n).

    Example:
        The textual order of 3, 2, 1 and 4 is turned round, but for 4.

        >>> largest_staying([0b0110, 0b0100, 0, 0])
        [2, 3]
    """
    effort = effort or Effort()
    chains = _Chains(exchanged, effort)
    return None if effort.is_spent else chains.staying()


class _Chains:
    """Chains of exchanged ops, joined from single ops as far as possible."""

    def __init__(self, exchanged: Sequence[int], effort: Effort) -> None:
        self._exchanged = exchanged
        self._effort = effort
        self._next: dict[int, int] = {}
        self._previous: dict[int, int] = {}
        self._unled = (1 << len(exchanged)) - 1  # ops that are not the next of any
        for op, later in enumerate(exchanged):
            if later:
                self._augment(op)

    def _augment(self, start: int) -> None:
        """Give an op a next one, by letting others change theirs if need be (Berge 1957)."""
        came_from: dict[int, int] = {}
        seen = 0
        queue = deque([start])
        while queue and not self._effort.is_spent:
            op = queue.popleft()
            self._effort.left -= width(len(self._exchanged))
            free = self._exchanged[op] & self._unled
            if free:
                self._lead(op, lowest_bit(free), came_from)
                return
            fresh = self._exchanged[op] & ~seen
            seen |= fresh
            for wanted in bits(fresh):
                came_from[wanted] = op
                queue.append(self._previous[wanted])

    def _lead(self, op: int, following: int, came_from: dict[int, int]) -> None:
        """Let ``following`` be next after ``op``, and what ``op`` has left be next after who wanted it."""
        self._unled &= ~(1 << following)
        while True:
            left = self._next.get(op)
            self._next[op] = following
            self._previous[following] = op
            if left is None:
                return
            op, following = came_from[left], left

    def staying(self) -> list[int]:
        """Return one op of each chain, no two of which are exchanged (König 1931)."""
        ends = [op for op in range(len(self._exchanged)) if op not in self._next]
        reached = set(ends)
        wanted = 0
        queue = deque(ends)
        while queue:
            fresh = self._exchanged[queue.popleft()] & ~wanted
            wanted |= fresh
            for op in bits(fresh):
                if self._previous[op] not in reached:
                    reached.add(self._previous[op])
                    queue.append(self._previous[op])
        return [op for op in range(len(self._exchanged)) if op in reached and not wanted >> op & 1]
