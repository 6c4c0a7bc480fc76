"""Where ops stand among all that were ever there, and blocks with some of them put back at their homes."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate, compress, repeat
from typing import NamedTuple

from eio_audit.audit.diff.compared_dump import ComparedDump
from eio_audit.order.permutation import inverse


class State(NamedTuple):
    """The ops after a step."""

    ops: ComparedDump
    numbers: Sequence[int]  # per op, its number, which it keeps from state to state

    @property
    def end(self) -> int:
        """One more than the largest of these numbers."""
        return 1 + max(self.numbers, default=-1)


class Homes:
    """Where each op stood, among all ops that were ever there: a list that only grows."""

    def __init__(self, first: State) -> None:
        # By home, the one behind it; 0 is before all others.
        self._next = array("i", [*range(1, len(first.numbers) + 1), -1])
        # By the number of an op, where it stands now; 0 if it was never there.
        self._home_of = array("i", [0]) * first.end
        for home, number in enumerate(first.numbers, 1):
            self._home_of[number] = home

    def __getitem__(self, number: int) -> int:
        return self._home_of[number]

    def take(self, state: State, moved: Iterable[int]) -> None:
        """Give a home behind that of the op before them to those that are new, and those that ``moved``."""
        last = 0
        self._home_of.extend(repeat(0, state.end - len(self._home_of)))
        for number, has_moved in zip(state.numbers, moved, strict=True):
            if has_moved or not self._home_of[number]:
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
        self._op_of = array("i", [-1]) * state.end  # by the number of an op; -1 if it is gone
        for op, number in enumerate(state.numbers):
            self._op_of[number] = op
        self._ranks_of: dict[int, tuple[array[int], array[int]]] = {}  # by block

    def floats(self, homes: Iterable[int]) -> dict[int, list[int]]:
        """Return, by block, the places of the ops with a home, ascending. The last op of a block stays."""
        found = defaultdict[int, list[int]](list)
        for op in sorted(map(self._op_of.__getitem__, homes)):
            block = self._ir.op_block[op]
            ops = self._ir.block_ops[block]
            if op != ops[-1]:
                found[block].append(bisect_left(ops, op))
        return found

    def order(self, block: int, floats: Sequence[int], homes: Mapping[int, int]) -> array[int]:
        """Return the ops of a block, with some at their homes: behind what they use, before users.

        The others keep their order.
        """
        ops = self._ir.block_ops[block]
        is_fixed = bytearray(b"\x01") * len(ops)
        for place in floats:
            is_fixed[place] = 0
        ranks = {place: self._ranks[homes[self._numbers[ops[place]]]] for place in floats}
        slots = self._slots(block, is_fixed, ranks)
        fixed = array("i", compress(ops, is_fixed))
        order, end = array("i"), 0
        for place in sorted(floats, key=lambda place: (slots[place], ranks[place])):
            slot = slots[place]
            order += fixed[end:slot]
            order.append(ops[place])
            end = slot
        return order + fixed[end:]

    def _slots(self, block: int, is_fixed: bytearray, ranks: dict[int, int]) -> dict[int, int]:
        """Return, by the place of an op at home, before how many of the fixed ops it stands then.

        ``ranks`` has those of their homes. They become at least those of what the ops use.
        """
        by_rank, sorted_ranks = self._by_rank(block)
        slots = array("i", accumulate(is_fixed, initial=0))
        last = slots.pop() - 1
        is_fixed_by_rank = bytes(map(is_fixed.__getitem__, by_rank))
        fixed_by_rank = array("i", compress(by_rank, is_fixed_by_rank))
        fixed_ranks = array("i", compress(sorted_ranks, is_fixed_by_rank))
        for place, rank in ranks.items():
            behind = bisect_right(fixed_ranks, rank)
            slots[place] = slots[fixed_by_rank[behind]] if behind <= last else last
        edges = self._dump.dependences.by_value(block).touching(ranks)  # those to an op before those from it
        latest = dict.fromkeys(ranks, last)
        for used, user in reversed(edges):
            if not is_fixed[used]:
                latest[used] = min(latest[used], latest.get(user, slots[user]))
        for used, user in edges:
            if is_fixed[user]:
                continue
            if is_fixed[used]:
                slots[user] = max(slots[user], slots[used] + 1)
            else:
                ranks[user] = max(ranks[user], ranks[used])
                slots[user] = max(slots[user], min(slots[used], latest[used]))
        return {place: min(slots[place], before) for place, before in latest.items()}

    def _by_rank(self, block: int) -> tuple[array[int], array[int]]:
        """Return the places of a block by the rank of their homes, and these ranks."""
        if block not in self._ranks_of:
            homes = map(self._homes.__getitem__, map(self._numbers.__getitem__, self._ir.block_ops[block]))
            ranks = list(map(self._ranks.__getitem__, homes))
            self._ranks_of[block] = array("i", inverse(ranks)), array("i", sorted(ranks))
        return self._ranks_of[block]

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
