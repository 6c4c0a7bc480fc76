"""Pairs of ops that grow, and by what ops and blocks are paired: text, place, producers and users."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from eio_audit.audit.diff.compared_dump import ComparedOps
from eio_audit.audit.diff.refinement import NO_CLASS, MatchKeys, RefinementClasses
from eio_audit.audit.diff.same_ops import SameOps
from eio_audit.audit.locations.location_numbers import NO_LOCATION

Value = tuple[int, int]
"""A value by its op and the number of the result, or by ``-1 - block`` and the number of the argument."""

T = TypeVar("T", int, Value)


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
        return [
            RefinementClasses(ops, labels[side], self.keys.scopes[side], known=self._known(side))
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

    def _name_and_users(self, side: int, op: int) -> Hashable:
        """For an op of another type or with other attributes that feeds what it fed."""
        users = self._matched_users(side, op)
        return (*self._same_place(side, op), users) if users else None

    def _text_anywhere(self, side: int, op: int) -> Hashable:
        text = self.keys.labels[side][op], self.keys.contents[side][op]
        return text if self._is_located(side, op) else None

    def _name_and_text(self, side: int, op: int) -> Hashable:
        """For an op without a location that is in another function than before."""
        content = self.keys.contents[side][op]
        if content is None or self._is_located(side, op):
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

    def _is_located(self, side: int, op: int) -> bool:
        return self.keys.locations[side][op] != NO_LOCATION

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
            was = {before.region_places[block]: block for block in old_blocks}
            now = {after.region_places[block]: block for block in after.blocks_of.get(new, ())}
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
            if value not in groups:
                groups[value] = ([], [])
            groups[value][side].append(member)
    return list(groups.values())
