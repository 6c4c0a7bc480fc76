"""The states of a search over orders, and what each move costs beyond what every order has to pay."""

from __future__ import annotations

from collections.abc import Sequence

from eio_audit.order.closure import TransitiveClosure


class DownsetStates:
    """Sets of placed ops. A move places one available op: one whose producers are all placed.

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
