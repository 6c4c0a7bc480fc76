"""Where ops stand among all that were ever there, and blocks with some of them put back at their homes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from eio_audit.audit.diff.compared_dump import ComparedDump


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
        self._ops, self._ir, self._numbers = state.ops, state.ops.ir, state.numbers
        self._rank_of, self._ranks = ranks
        # By first op of a block, its ops in the order of their homes.
        self._by_rank: dict[int, list[int]] = {}
        self._used: dict[int, set[int]] = {}
        self._users: dict[int, set[int]] = {}

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
        fixed_by_rank = [op for op in self._sorted_by_rank(ops) if op not in floating]
        fixed_ranks = [self._rank_of[self._numbers[op]] for op in fixed_by_rank]
        last, latest = len(fixed) - 1, dict[int, int]()
        for op in reversed(floats):
            users = (slot_of.get(user, latest.get(user, last)) for user in self._users_of(op))
            latest[op] = min(users, default=last)
        slots, ranks = dict[int, int](), {op: self._ranks[homes[self._numbers[op]]] for op in floats}
        for op in floats:
            behind = bisect_right(fixed_ranks, ranks[op])
            slot = slot_of[fixed_by_rank[behind]] if behind < len(fixed) else last
            for other in self._used_by(op):
                slot = max(slot, slots.get(other, 0) if other in floating else slot_of[other] + 1)
                if other in floating:
                    ranks[op] = max(ranks[op], ranks[other])
            slots[op] = min(slot, latest[op])
        order, end = list[int](), 0
        for slot, _, op in sorted((slots[op], ranks[op], op) for op in floats):
            order += fixed[end:slot]
            order.append(op)
            end = slot
        return order + fixed[end:]

    def _sorted_by_rank(self, ops: Sequence[int]) -> list[int]:
        if ops[0] not in self._by_rank:
            self._by_rank[ops[0]] = sorted(ops, key=lambda op: self._rank_of[self._numbers[op]])
        return self._by_rank[ops[0]]

    def _used_by(self, op: int) -> set[int]:
        """Return the ops of the op's block whose values it uses, or an op in its regions does."""
        if op not in self._used:
            block, block_of = self._ir.op_block[op], self._ir.op_block
            values = chain.from_iterable(map(self._ops.producers.__getitem__, (op, *self._ir.nested_ops(op))))
            owners = {owner for owner, _ in values if owner >= 0 and block_of[owner] == block}
            self._used[op] = owners - {op}
        return self._used[op]

    def _users_of(self, op: int) -> set[int]:
        """Return the ops of the op's block that use its values, or have an op in their regions that does."""
        if op not in self._users:
            block = self._ir.op_block[op]
            users = {self._enclosing(user, block) for user, _ in self._ops.users[op]}
            self._users[op] = users - {op, -1}
        return self._users[op]

    def _enclosing(self, op: int, block: int) -> int:
        """Return the op of a block that an op is, or is in; -1 if it is not in the block."""
        while op >= 0 and self._ir.op_block[op] != block:
            op = self._ir.parent_op(self._ir.op_block[op])
        return op

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
