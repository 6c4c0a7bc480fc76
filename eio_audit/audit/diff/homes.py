"""Where ops stand among all that were ever there, and blocks with some of them put back at their homes."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate, repeat
from typing import NamedTuple

from eio_audit.audit.diff.compared_dump import ComparedDump
from eio_audit.order.precedence import Precedence


class State(NamedTuple):
    """The ops after a step."""

    ops: ComparedDump
    numbers: Sequence[int]  # per op, its number, which it keeps from state to state


class Homes:
    """Where each op stood, among all ops that were ever there: a list that only grows."""

    def __init__(self, first: State) -> None:
        self._next = array("i", [-1])  # by home, the one behind it; 0 is before all others
        self._home_of = array("i")  # by the number of an op, where it stands now; 0 if it was never there
        self.take(first, ())

    def __getitem__(self, number: int) -> int:
        return self._home_of[number]

    def take(self, state: State, moved: Collection[int]) -> None:
        """Give a home behind that of the op before them to those that are new, and those that moved."""
        last = 0
        self._home_of.extend(repeat(0, 1 + max(state.numbers, default=-1) - len(self._home_of)))
        for number in state.numbers:
            if not self._home_of[number] or number in moved:
                home = self._home_of[number] = len(self._next)
                self._next.append(self._next[last])
                self._next[last] = home
            last = self._home_of[number]

    def ranks(self) -> array[int]:
        """Return the rank of each home."""
        ranks, home = array("i", self._next), 0
        for rank in range(len(ranks)):
            ranks[home], home = rank, self._next[home]
        return ranks


class Layout:
    """The blocks of a state, with some of its ops inserted at their homes."""

    def __init__(self, state: State, homes: Homes) -> None:
        self._dump, self._ir, self._numbers = state.ops.dump, state.ops.ir, state.numbers
        self._homes, self._ranks = homes, homes.ranks()
        self._by_rank: dict[int, array[int]] = {}  # by block, its places in the order of their homes
        self._values: dict[int, Precedence] = {}  # by block, which place uses which

    def blocks_with(self, homes: Collection[int]) -> Iterator[Sequence[int]]:
        """Yield the blocks with ops that have a home elsewhere."""
        for ops in self._ir.block_ops:
            if any(self._numbers[op] in homes for op in ops):
                yield ops

    def order(self, ops: Sequence[int], homes: Mapping[int, int]) -> Sequence[int]:
        """Return the ops of a block, with those at home that have one: behind what they use, before users.

        The others keep their order. The last op of a block stays the last.
        """
        floats = [place for place, op in enumerate(ops[:-1]) if self._numbers[op] in homes]
        if not floats:
            return ops
        slots = self._slots(ops, {place: self._ranks[homes[self._numbers[ops[place]]]] for place in floats})
        floating = {*floats}
        fixed = array("i", (op for place, op in enumerate(ops) if place not in floating))
        order, end = array("i"), 0
        for slot, _, place in sorted((*slots[place], place) for place in floats):
            order += fixed[end:slot]
            order.append(ops[place])
            end = slot
        return order + fixed[end:]

    def _slots(self, ops: Sequence[int], ranks: dict[int, int]) -> dict[int, tuple[int, int]]:
        """Return, by place of an op at home, before how many of the others it stands, and its rank there.

        ``ranks`` has that of its home. It is at least that of those that it uses.
        """
        block = self._ir.op_block[ops[0]]
        by_rank, values = self._places_by_rank(block), self._values_of(block)
        slot_of = array("i", accumulate((place not in ranks for place in range(len(ops))), initial=0))
        last = slot_of[-1] - 1
        fixed_by_rank = array("i", (place for place in by_rank if place not in ranks))
        fixed_ranks = [self._rank(ops[place]) for place in fixed_by_rank]
        slots = dict[int, int]()
        for place, rank in ranks.items():
            behind = bisect_right(fixed_ranks, rank)
            slots[place] = slot_of[fixed_by_rank[behind]] if behind <= last else last
        latest = values.smallest_below(
            [last if place in ranks else slot_of[place] for place in range(len(ops))]
        )
        for used, user in values.forwards():
            if user not in ranks:
                continue
            if used in ranks:
                ranks[user] = max(ranks[user], ranks[used])
                slots[user] = max(slots[user], min(slots[used], latest[used]))
            else:
                slots[user] = max(slots[user], slot_of[used] + 1)
        return {place: (min(slot, latest[place]), ranks[place]) for place, slot in slots.items()}

    def _rank(self, op: int) -> int:
        return self._ranks[self._homes[self._numbers[op]]]

    def _places_by_rank(self, block: int) -> array[int]:
        if block not in self._by_rank:
            ops = self._ir.block_ops[block]
            self._by_rank[block] = array(
                "i", sorted(range(len(ops)), key=[*map(self._rank, ops)].__getitem__)
            )
        return self._by_rank[block]

    def _values_of(self, block: int) -> Precedence:
        if block not in self._values:
            self._values[block] = self._dump.dependences.by_value(block).precedence
        return self._values[block]

    def moved(self, ops: Sequence[int], order: Sequence[int], homes: Collection[int]) -> list[int]:
        """Return the ops of a block with a home that are behind other ops than before, in textual order."""
        before = dict[int, int]()
        for these in (ops, order):
            stay, found = 0, list[int]()
            for op in these:
                is_home = self._numbers[op] in homes
                stay += not is_home
                if is_home and before.setdefault(op, stay) != stay:
                    found.append(op)
        return sorted(found)
