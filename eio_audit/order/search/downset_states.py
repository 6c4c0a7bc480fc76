"""The moves of a search over orders: what placing one more op costs beyond what has to be paid anyway."""

from __future__ import annotations

from collections.abc import Sequence

from eio_audit.order.closure import TransitiveClosure


class DownsetStates:
    """DownsetStates between sets of placed ops. A move places one available op: one whose producers are all placed.

    Args:
        relations: the ops.
        cycles: a packing of cycles, as the preferences on each.

    Attributes:
        relations: the ops.
        start: the bitset of the ops that are available when nothing is placed.
    """

    def __init__(self, relations: TransitiveClosure, cycles: Sequence[Sequence[tuple[int, int]]]) -> None:
        self.relations = relations
        self.start = sum(1 << op for op, producers in enumerate(relations.producers) if not producers)
        # Cycles with two preferences, by the ops that these lead to, one of which comes first: a row has a
        # bit for the other op. An op has as many rows as it shares cycles with one and the same op.
        self._paid: list[list[int]] = [[] for _ in range(relations.size)]
        # Longer cycles, for each of these ops: the bitset of the others.
        self._paid_detours: list[list[int]] = [[] for _ in range(relations.size)]
        for cycle in cycles:
            ends = [end for _, end in cycle]
            if len(ends) == 2:
                one, two = ends
                _add(self._paid[one], two)
                _add(self._paid[two], one)
                continue
            everyone = sum(1 << op for op in ends)
            for op in ends:
                self._paid_detours[op].append(everyone ^ 1 << op)

    def surplus(self, op: int, placed: int) -> int:
        """Return what placing ``op`` costs beyond the cycles it pays for; never less than 0."""
        surplus = (self.relations.smaller_independent[op] & ~placed).bit_count()
        for others in self._paid[op]:
            surplus -= (others & ~placed).bit_count()
        for others in self._paid_detours[op]:
            surplus -= not others & placed
        return surplus

    def place(self, op: int, placed: int, available: int) -> tuple[int, int]:
        """Return what is placed and what is available after ``op``."""
        placed |= 1 << op
        available ^= 1 << op
        producers = self.relations.producers
        for user in self.relations.users[op]:
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
