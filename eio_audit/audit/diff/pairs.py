"""Pairs of ops that grow, and by what ops and blocks are paired: text, place, producers and users."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from operator import itemgetter
from typing import TypeVar

from eio_audit.audit.diff.compared_dump import ComparedOps
from eio_audit.audit.diff.refinement import NO_CLASS, MatchKeys, RefinementClasses
from eio_audit.audit.locations.parsed_locations import NO_LOCATION, Numbers

NONE = -1  # stands for an op, block or value that has no partner
_OWN = itemgetter(0)  # the op of a value, or of a use


class SameOps:
    """The ops that a pass left alone.

    Complexity: linear in ops and operands.
    """

    def __init__(self, before: ComparedOps, after: ComparedOps, keys: MatchKeys) -> None:
        self._sides = (before, after)
        self._keys = keys
        self._partner = [NONE] * len(before)
        others = self._only_ops(1)
        for key, old in self._only_ops(0).items():
            self._partner[old] = others.get(key, NONE)
        self._keep_confirmed()
        # By op of the dump before, the op it is.
        self.pairs = {old: new for old, new in enumerate(self._partner) if new != NONE}

    @cached_property
    def untouched(self) -> bytearray:
        """By op of the dump before, whether it and its producers are in pairs.

        Its operands are then the same, whatever other pairs there will be.
        """
        ir, functions = self._sides[0].ir, self._keys.functions
        is_safe = bytearray(new != NONE or old in functions for old, new in enumerate(self._partner))
        parents = [ir.parent_op(block) for block in range(ir.block_count)]
        is_safe_block = [parent >= 0 and is_safe[parent] for parent in parents]
        is_safe_value = bytes(
            is_safe[owner] if owner >= 0 else is_safe_block[-1 - owner] for owner in ir.value_owner
        )
        is_safe_use = bytes(map(is_safe_value.__getitem__, ir.operands))
        untouched = bytearray(
            new != NONE and is_safe_use.find(0, start, end) < 0
            for new, (start, end) in zip(self._partner, pairwise(ir.operand_start), strict=True)
        )
        for op, late in ir.late_operands.items():
            untouched[op] &= all(map(is_safe_value.__getitem__, late))
        return untouched

    def _only_ops(self, side: int) -> dict[Hashable, int]:
        """Return, by function, label and text, the only op that has them, if its text can be compared."""
        contents, scopes = self._keys.contents[side], self._keys.scopes[side]
        around = map(scopes.__getitem__, self._sides[side].ir.op_block)
        keys: list[Hashable] = list(zip(around, self._keys.labels[side], contents, strict=True))
        found = dict(zip(keys, range(len(keys)), strict=True))
        if len(found) == len(keys) and None not in contents:  # this takes half the time
            return found
        times = Counter(keys)
        return {key: op for key, op in found.items() if times[key] == 1 and contents[op] is not None}

    def _keep_confirmed(self) -> None:
        """Drop the pairs whose block, operands or users are not the same."""
        before, after = self._sides
        blocks = self._blocks()
        values = self._values(blocks)
        operands = [list(map(values.__getitem__, before.ir.operands)), list(after.ir.operands)]
        starts, others = before.ir.operand_start, after.ir.operand_start
        old_block, new_block = before.ir.op_block, after.ir.op_block
        dropped = [old for old, new in enumerate(self._partner) if new == NONE]
        for old, new in enumerate(self._partner):
            if new == NONE:
                continue
            if (
                blocks[old_block[old]] != new_block[new]
                or operands[0][starts[old] : starts[old + 1]] != operands[1][others[new] : others[new + 1]]
            ):
                self._partner[old] = NONE
                dropped.append(old)
        for op, late in before.ir.late_operands.items():
            new = self._partner[op]
            if new != NONE and [values[value] for value in late] != after.ir.late_operands.get(new, []):
                self._partner[op] = NONE
                dropped.append(op)
        if not dropped and len(before) == len(after):
            return
        found = set(self._partner)
        self._drop_near(dropped, [new for new in range(len(after)) if new not in found])

    def _blocks(self) -> list[int]:
        """Return, by block of the dump before, the block at the same place now."""
        before, after = self._sides
        holders = {op: new for op in before.blocks_of if op >= 0 and (new := self._partner[op]) != NONE}
        holders |= self._keys.functions
        at = {(after.ir.parent_op(block), place): block for block, place in enumerate(after.region_places)}
        blocks = []
        for block, place in enumerate(before.region_places):
            parent = before.ir.parent_op(block)
            holder = NONE if parent < 0 else holders.get(parent, len(after))
            blocks.append(at.get((holder, place), NONE))
        return blocks

    def _values(self, blocks: Sequence[int]) -> list[int]:
        """Return, by value of the dump before, the value it is now."""
        before, after = self._sides
        values = [NONE] * len(before.ir.value_owner)
        counts, firsts = after.ir.result_counts, (before.ir.first_result, after.ir.first_result)
        for old, (new, count) in enumerate(zip(self._partner, before.ir.result_counts, strict=True)):
            if new != NONE and counts[new] == count:
                first, other = firsts[0][old], firsts[1][new]
                if count == 1:
                    values[first] = other
                else:
                    values[first : first + count] = range(other, other + count)
        for block, was in before.ir.block_arguments.items():
            now = after.ir.block_arguments.get(blocks[block], [])
            if len(was) == len(now):
                for value, other in zip(was, now, strict=True):
                    values[value] = other
        return values

    def _drop_near(self, dropped: Iterable[int], added: Iterable[int]) -> None:
        """Drop the pairs next to what has no partner: producers, users, and the ops around it."""
        before, after = self._sides
        old, new = _near(before, dropped), _near(after, added)
        for op, other in enumerate(self._partner):
            if op in old or other in new:
                self._partner[op] = NONE


def _near(ops: ComparedOps, changed: Iterable[int]) -> set[int]:
    near, blocks = set[int](), set[int]()  # what defines an argument of a block is no op, which does no harm
    for op in changed:
        near.update(map(_OWN, ops.producers[op]), map(_OWN, ops.users[op]))
        blocks.add(ops.ir.op_block[op])
    around = set[int]()
    for block in blocks:
        for parent in ops.ir.enclosing_ops(block):
            if parent in around or ops.symbols[parent] is not None:
                break
            around.add(parent)
    return near | around


Value = tuple[int, int]
"""A value by its op and the number of the result, or by ``-1 - block`` and the number of the argument."""

T = TypeVar("T", int, Value, str)


def _one_to_one(votes: Counter[tuple[T, T]]) -> dict[T, T]:
    """The pairs with most votes, each left and right side once."""
    chosen: dict[T, T] = {}
    taken: set[T] = set()
    for (left, right), _ in sorted(votes.items(), key=lambda item: (-item[1], item[0])):
        if left not in chosen and right not in taken:
            chosen[left] = right
            taken.add(right)
    return chosen


class Pairs:
    """Pairs that grow. ``matched[0]`` has them by op of the dump before, ``matched[1]`` by op of that after.

    The methods that are keys give what ops of a side (0 before, 1 after) are paired by; None pairs nothing.
    """

    def __init__(self, before: ComparedOps, after: ComparedOps) -> None:
        self.sides = (before, after)
        self.keys = MatchKeys(before, after)
        self.same = SameOps(before, after, self.keys)
        self.matched = self.same.pairs, {new: old for old, new in self.same.pairs.items()}
        self.blocks: dict[int, int] = {}
        self.arguments: dict[Value, Value] = {}
        # By side and argument, the argument of the dump after.
        self._known_arguments: Sequence[Mapping[Value, Value]] = ({}, {})
        self._count_with_blocks = -1
        self._unseen: deque[tuple[int, int]] = deque()
        self._free = self._free_at_first = [
            [op for op in range(len(ops)) if op not in matched]
            for ops, matched in zip(self.sides, self.matched, strict=True)
        ]

    @property
    def is_open(self) -> bool:
        """Whether both dumps have ops without a partner."""
        self._free = [
            [op for op in ops if op not in matched]
            for ops, matched in zip(self._free, self.matched, strict=True)
        ]
        return all(self._free)

    @cached_property
    def _classes(self) -> list[RefinementClasses]:
        """By side, the classes of the ops that had no partner at first."""
        own = zip(self.keys.labels, self.keys.contents, strict=True)
        return self._classes_of(self.sides, [list(zip(*of_side, strict=True)) for of_side in own])

    def _classes_of(
        self, sides: Sequence[ComparedOps], labels: Sequence[Sequence[Hashable]]
    ) -> list[RefinementClasses]:
        """Classes of the ops without a partner. A pair is known by its op of the dump after."""
        number = Numbers().__getitem__  # forgotten with the pairs
        return [
            RefinementClasses(ops, labels[side], self.keys.scopes[side], number, self._known(side))
            for side, ops in enumerate(sides)
        ]

    def _known(self, side: int) -> list[int]:
        known = [NO_CLASS] * len(self.sides[side])
        for old, new in self.matched[0].items():
            known[new if side else old] = -2 - new
        return known

    def _unmatched(self, key: Callable[[int, int], Hashable]) -> list[tuple[list[int], list[int]]]:
        return [group for group in groups_of(self._free, key) if all(group)] if self.is_open else []

    def _pair(self, old: int, new: int) -> None:
        self.matched[0][old] = new
        self.matched[1][new] = old
        self._unseen.append((old, new))

    def _same_place(self, side: int, op: int) -> tuple[Hashable, ...]:
        return self._scope(side, op), self.keys.labels[side][op]

    def _same_place_and_text(self, side: int, op: int) -> tuple[Hashable, ...]:
        return *self._same_place(side, op), self.keys.contents[side][op]

    def _above(self, side: int, op: int) -> Hashable:
        return self._classes[side].above[op]

    def _same_place_and_producers(self, side: int, op: int) -> Hashable:
        producers = self._all_producers(side, op)
        return (*self._same_place(side, op), producers) if producers else None

    def _text_and_producers(self, side: int, op: int) -> Hashable:
        """For an op with another location than before."""
        producers = self._all_producers(side, op)
        return None if producers is None else self._text_and(side, op, producers)

    def _text_and_users(self, side: int, op: int) -> Hashable:
        users = self._matched_users(side, op)
        return self._text_and(side, op, users) if users else None

    def _text_anywhere(self, side: int, op: int) -> Hashable:
        text = self.keys.labels[side][op], self.keys.contents[side][op]
        return None if self.keys.locations[side][op] == NO_LOCATION else text

    def _name_and_text(self, side: int, op: int) -> Hashable:
        """For an op without a location that is in another function than before."""
        content = self.keys.contents[side][op]
        if content is None or self.keys.locations[side][op] != NO_LOCATION:
            return None
        return self.sides[side].names[op], content

    def _text_of_callee(self, side: int, op: int) -> Hashable:
        """For an op that was inlined: its location is that of the callee at the place of the call."""
        ops = self.sides[side]
        place = ops.locations[op] if side == 0 else ops.location_numbers.callee(op)
        if place is None or place == NO_LOCATION:
            return None
        return ops.names[op], place, self.keys.contents[side][op]

    def _scope(self, side: int, op: int) -> Hashable:
        return self.keys.scopes[side][self.sides[side].ir.op_block[op]]

    def _text_and(self, side: int, op: int, neighbours: Hashable) -> Hashable:
        content = self.keys.contents[side][op]
        text = self._scope(side, op), self.sides[side].names[op], content, neighbours
        return None if content is None else text

    def _matched_value(self, side: int, value: Value) -> Value | None:
        """A value as both sides know it: by the op, or block argument, of the dump after."""
        owner, number = value
        if owner < 0:
            return self._known_arguments[side].get(value)
        if owner not in self.matched[side]:
            return None
        return (self.matched[0][owner], number) if side == 0 else value

    def _matched_producers(self, side: int, op: int) -> tuple[Value | None, ...]:
        found = [self._matched_value(side, value) for value in self.sides[side].producers[op]]
        if self.sides[side].names[op] not in self.keys.same_form:
            found.sort(key=lambda value: value or (-1 << 31, 0))
        return tuple(found)

    def _all_producers(self, side: int, op: int) -> tuple[Value | None, ...] | None:
        found = self._matched_producers(side, op)
        return None if None in found else found

    def _matched_users(self, side: int, op: int) -> tuple[tuple[int, int], ...]:
        matched = self.matched[side]
        users = [(user, place) for user, place in self.sides[side].users[op] if user in matched]
        return tuple(sorted((matched[user], place) if side == 0 else (user, place) for user, place in users))

    def _disagrees(self, old: int, new: int) -> bool:
        """Whether an operand of one op is known to be another value than that of the other op."""
        was, now = (ops.producers[op] for ops, op in zip(self.sides, (old, new), strict=True))
        return any(
            self._matched_value(0, a) != self._matched_value(1, b) for a, b in zip(was, now, strict=False)
        )

    def _match_blocks(self) -> None:
        """Match blocks by their place in an op that both dumps have, or else by the ops in them.

        The entry block of a function stays the entry block, even if the op itself is another one now.
        """
        (before, after), ops = self.sides, self.matched[0]
        self.blocks = {
            before.blocks_of[old][0]: after.blocks_of[new][0]
            for old, new in self.keys.functions.items()
            if ops.get(old, new) == new
        }
        self.blocks |= self._only_blocks()
        taken = set(self.blocks.values())
        votes = Counter(
            (block, after.ir.op_block[ops[old]])
            for block, inside in enumerate(before.ir.block_ops)
            if block not in self.blocks
            for old in inside
            if old in ops and after.ir.op_block[ops[old]] not in taken
        )
        self.blocks |= _one_to_one(votes)

    def _only_blocks(self) -> Iterator[tuple[int, int]]:
        """The blocks that are alone in the same region of an op that both dumps have.

        A custom form may print the regions of an op in another order than the generic form does.
        """
        before, after = self.sides
        for old, old_blocks in before.blocks_of.items():
            new = self.matched[0].get(old)
            if new is None or (len(old_blocks) > 1 and before.names[old] not in self.keys.same_form):
                continue
            new_blocks = after.blocks_of.get(new, ())
            if len(old_blocks) == len(new_blocks) == 1:  # as of most ops
                if before.region_places[old_blocks[0]] == after.region_places[new_blocks[0]]:
                    yield old_blocks[0], new_blocks[0]
                continue
            was = {before.region_places[block]: block for block in old_blocks}
            now = {after.region_places[block]: block for block in new_blocks}
            for (region, place), block in was.items():
                is_alone = place == 0 and (region, 1) not in was and (region, 1) not in now
                if is_alone and (region, 0) in now:
                    yield block, now[region, 0]

    def _match_arguments(self) -> None:
        """Match arguments of matched blocks by number; by their users where a block has more or fewer now."""
        was, now = (side.argument_counts for side in self.sides)
        self.arguments = {
            (-1 - old, number): (-1 - new, number)
            for old, new in self.blocks.items()
            if was[old] == now[new]
            for number in range(was[old])
        }
        changed = {-1 - old: -1 - new for old, new in self.blocks.items() if was[old] != now[new]}
        votes: Counter[tuple[Value, Value]] = Counter()
        for old, new in self.matched[0].items() if changed else ():
            for a, b in zip(self.sides[0].producers[old], self.sides[1].producers[new], strict=False):
                if changed.get(a[0]) == b[0]:
                    votes[a, b] += 1
        self.arguments |= _one_to_one(votes)
        self._known_arguments = self.arguments, {new: new for new in self.arguments.values()}

    def _is_free(self, old: int, new: int) -> bool:
        return old not in self.matched[0] and new not in self.matched[1]


def groups_of(
    sides: Sequence[Iterable[T]], key: Callable[[int, T], Hashable]
) -> list[tuple[list[T], list[T]]]:
    """What of either side has the same key, in order of appearance; without what has the key None."""
    groups: dict[Hashable, tuple[list[T], list[T]]] = {}
    for side, members in enumerate(sides):
        for member in members:
            if (value := key(side, member)) is None:
                continue
            group = groups.get(value)
            if group is None:
                group = groups[value] = ([], [])
            group[side].append(member)
    return list(groups.values())
