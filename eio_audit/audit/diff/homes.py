"""Where ops stand among all that were ever there, and blocks with some of them put back at their homes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from eio_audit.audit.diff.compared_dump import ComparedDump
from eio_audit.mlir.ir import IR


class State(NamedTuple):
    """The ops after a step."""

    ops: ComparedDump
    numbers: Sequence[int]  # per op, its number, which it keeps from state to state


class Homes:
    """Where each op stood, among all ops that were ever there: a list that only grows."""

    def __init__(self, first: State) -> None:
        self._next = [-1]  # by home, the one behind it; 0 is before all others
        self._home_of: dict[int, int] = {}  # by the number of an op, where it stands now
        self.take(first, ())

    def __getitem__(self, number: int) -> int:
        return self._home_of[number]

    def take(self, state: State, moved: Collection[int]) -> None:
        """Give a home behind that of the op before them to those that are new, and those that moved."""
        last = 0
        for number in state.numbers:
            if number not in self._home_of or number in moved:
                home = self._home_of[number] = len(self._next)
                self._next.append(self._next[last])
                self._next[last] = home
            last = self._home_of[number]

    def ranks(self) -> tuple[dict[int, int], list[int]]:
        """Return the rank of the home of each op, and the rank of each home."""
        ranks, home = [0] * len(self._next), 0
        for rank in range(len(ranks)):
            ranks[home], home = rank, self._next[home]
        return {number: ranks[home] for number, home in self._home_of.items()}, ranks


class Layout:
    """The blocks of a state, with some of its ops inserted at their homes."""

    def __init__(self, state: State, ranks: tuple[Mapping[int, int], Sequence[int]]) -> None:
        self._ir, self._numbers = state.ops.ir, state.numbers
        self._rank_of, self._ranks = ranks
        self._used: dict[int, dict[int, set[int]]] = {}  # by first op of a block, ``used_in_block``

    def blocks_with(self, homes: Collection[int]) -> Iterator[Sequence[int]]:
        """Yield the blocks with ops that have a home elsewhere."""
        for ops in self._ir.block_ops:
            if any(self._numbers[op] in homes for op in ops):
                yield ops

    def order(self, ops: Sequence[int], homes: Mapping[int, int]) -> Sequence[int]:
        """Return the ops of a block, with those at home that have one: behind what they use, before users.

        The others keep their order. The last op of a block stays the last.
        """
        floats = [op for op in ops[:-1] if self._numbers[op] in homes]
        if not floats:
            return ops
        floating = {*floats}
        fixed = [op for op in ops if op not in floating]
        slot_of = {op: slot for slot, op in enumerate(fixed)}
        used = self._used.get(ops[0]) or self._used.setdefault(ops[0], used_in_block(self._ir, ops))
        latest = dict.fromkeys(floats, len(fixed) - 1)
        for op in reversed(ops):
            at = latest[op] if op in floating else slot_of[op]
            for other in used[op]:
                if other in floating:
                    latest[other] = min(latest[other], at)
        by_rank = sorted((self._rank_of[self._numbers[op]], slot) for op, slot in slot_of.items())
        slots, ranks = dict[int, int](), {op: self._ranks[homes[self._numbers[op]]] for op in floats}
        for op in floats:
            behind = bisect_right(by_rank, (ranks[op], len(ops)))
            slot = by_rank[behind][1] if behind < len(by_rank) else len(fixed) - 1
            for other in used[op]:
                slot = max(slot, slots[other] if other in floating else slot_of[other] + 1)
                if other in floating:
                    ranks[op] = max(ranks[op], ranks[other])
            slots[op] = min(slot, latest[op])
        keyed = [(slots[op], 0, ranks[op], op) for op in floats]
        keyed += [(slot, 1, 0, op) for op, slot in slot_of.items()]
        return [op for *_, op in sorted(keyed)]

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


def used_in_block(ir: IR, ops: Sequence[int]) -> dict[int, set[int]]:
    """Return, by op of a block, the ops of the block whose values it uses, or an op in its regions does."""
    here, used = {*ops}, dict[int, set[int]]()
    for op in ops:
        values = chain.from_iterable(map(ir.operands_of, (op, *ir.nested_ops(op))))
        used[op] = {owner for value in values if (owner := ir.value_owner[value]) in here and owner != op}
    return used
