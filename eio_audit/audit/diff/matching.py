"""Which op of one dump is which op of another, across renumbering, reordering and printing forms.

A pass leaves most of a program alone, so most ops are found by their surroundings: two ops are one when they
have the same location, name and text, are computed from the same, and are used by the same, at any distance
(``RefinementClasses``). From there on, the dataflow is followed: the user of a matched op at the same operand
with the same name and location is the same op, whatever became of its attributes. What is left is paired by
ever less, but never by name and location alone: one framework op is often several IR ops.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from eio_audit.audit.diff.match_keys import MatchKeys
from eio_audit.audit.diff.refinement import ComparedOps
from eio_audit.audit.locations.location_numbers import NO_LOCATION
from eio_audit.order.displaced import displaced

Key = Callable[[int, int], Hashable]
"""A key of an op, by side (0 before, 1 after) and op; None for an op without."""


@dataclass(frozen=True, slots=True)
class Matching:
    """What became of ops, blocks and block arguments.

    Attributes:
        ops: by op of the dump before, the op it became. Ops that are missing were removed.
        blocks: by block of the dump before, the block it became.
        arguments: by block argument before (block, number), the one it became.
        same_form: names of ops that both dumps print in one and the same form.
    """

    ops: dict[int, int]
    blocks: dict[int, int]
    arguments: dict[tuple[int, int], tuple[int, int]]
    same_form: frozenset[str] = field(default_factory=frozenset)


def match_ops(before: ComparedOps, after: ComparedOps) -> Matching:
    """Pairs the ops of two dumps.

    Complexity: near-linear in ops and operands: a fixed number of sweeps, each with sorting.
    """
    labels = MatchKeys(before, after)
    by_producers = _Pairing(before, after, labels)
    by_producers.pair_alike(upwards=False)
    if by_producers.is_ambiguous:
        by_users = _Pairing(before, after, labels)
        by_users.pair_alike(upwards=True)
        if by_users.moved_count() < by_producers.moved_count():
            by_producers = by_users
    return by_producers.complete()


class _Pairing:
    """Pairs that grow."""

    def __init__(self, before: ComparedOps, after: ComparedOps, labels: MatchKeys) -> None:
        self.sides = (before, after)
        self.labels = labels
        self.pairs: dict[int, int] = {}
        self.back: dict[int, int] = {}
        self.blocks: dict[int, int] = {}
        self.arguments: dict[tuple[int, int], tuple[int, int]] = {}
        self._new_arguments: set[tuple[int, int]] = set()
        self.is_ambiguous = False
        self._unseen: deque[tuple[int, int]] = deque()

    # ------------------------------------------------------------------ ops that are alike in everything

    def pair_alike(self, *, upwards: bool) -> None:
        """Pairs ops of one class, those with the same producers, or users (``upwards``), first."""
        classes = self.labels.classes
        for kind in ("exact", "around"):
            groups = self._groups(partial(_class_of, [getattr(side, kind) for side in classes]))
            ordered = sorted(groups, key=lambda g: -g[0][-1]) if upwards else sorted(groups)
            for old, new in ordered:
                self._pair_group(old, new, upwards=upwards)

    def _pair_group(self, old: list[int], new: list[int], *, upwards: bool) -> None:
        if len(old) == len(new) == 1:
            self._pair(old[0], new[0])
            return
        self.is_ambiguous = True
        neighbours = self._matched_users if upwards else self._matched_producers
        groups: dict[Hashable, tuple[list[int], list[int]]] = {}
        for side, ops in enumerate((old, new)):
            for op in ops:
                groups.setdefault(neighbours(side, op), ([], []))[side].append(op)
        left: tuple[list[int], list[int]] = ([], [])
        for together in groups.values():
            count = min(map(len, together))
            for a, b in zip(*together, strict=False):
                self._pair(a, b)
            for side in (0, 1):
                left[side].extend(together[side][count:])
        for a, b in zip(sorted(left[0]), sorted(left[1]), strict=False):
            self._pair(a, b)

    def moved_count(self) -> int:
        """How many ops the pairs so far say have moved."""
        blocks: dict[int, list[tuple[int, int]]] = {}
        for old, new in self.pairs.items():
            blocks.setdefault(self.sides[1].ir.op_block[new], []).append((new, old))
        return sum(len(displaced([old for _, old in sorted(pairs)])) for pairs in blocks.values())

    # ------------------------------------------------------------------ ops that something happened to

    def complete(self) -> Matching:
        """Pairs what else belongs together, the surest first."""
        self._pair_blocks()
        self._unseen.extend(self.pairs.items())
        self._follow_dataflow()
        for key, is_sure in (
            (self._same_place_and_text, True),
            (self._above, True),
            (self._same_place_and_producers, False),
            (self._location_and_text, False),
            (self._same_place, True),
            (self._text_and_producers, True),
            (self._text_and_users, True),
            (self._text_anywhere, False),
            (self._text_of_callee, False),
        ):
            self._pair_by(key, only_unique=is_sure)
            self._pair_blocks()
            self._follow_dataflow()
        self._pair_blocks()
        return Matching(self.pairs, self.blocks, self.arguments, self.labels.same_form)

    def _pair_by(self, key: Key, *, only_unique: bool) -> None:
        for old, new in self._groups(key):
            if only_unique and (len(old) != 1 or len(new) != 1):
                continue
            for a, b in zip(old, new, strict=False):
                if key != self._same_place or self._has_evidence(a, b):
                    self._pair(a, b)

    def _groups(self, key: Key) -> list[tuple[list[int], list[int]]]:
        """The unmatched ops of either dump that have a key in common."""
        groups: dict[Hashable, tuple[list[int], list[int]]] = {}
        for side, (ops, matched) in enumerate(zip(self.sides, (self.pairs, self.back), strict=True)):
            for op in range(len(ops)):
                if op not in matched and (value := key(side, op)) is not None:
                    groups.setdefault(value, ([], []))[side].append(op)
        return [group for group in groups.values() if all(group)]

    def _pair(self, old: int, new: int) -> None:
        self.pairs[old] = new
        self.back[new] = old
        self._unseen.append((old, new))

    # ------------------------------------------------------------------ keys

    def _scope(self, side: int, op: int) -> Hashable:
        return self.labels.scopes[side][self.sides[side].ir.op_block[op]]

    def _same_place(self, side: int, op: int) -> tuple[Hashable, ...]:
        return self._scope(side, op), self.labels.labels[side][op]

    def _same_place_and_text(self, side: int, op: int) -> tuple[Hashable, ...]:
        return *self._same_place(side, op), self.labels.contents[side][op]

    def _location_and_text(self, side: int, op: int) -> Hashable:
        is_known = self.labels.locations[side][op] != NO_LOCATION
        return self._same_place_and_text(side, op) if is_known else None

    def _above(self, side: int, op: int) -> Hashable:
        return self.labels.classes[side].above[op]

    def _same_place_and_producers(self, side: int, op: int) -> Hashable:
        producers = self._all_producers(side, op)
        return (*self._same_place(side, op), producers) if producers else None

    def _text_and_producers(self, side: int, op: int) -> Hashable:
        """For an op with another location than before."""
        producers, content = self._all_producers(side, op), self.labels.contents[side][op]
        if producers is None or content is None:
            return None
        return self._scope(side, op), self.sides[side].names[op], content, producers

    def _text_and_users(self, side: int, op: int) -> Hashable:
        users, content = self._matched_users(side, op), self.labels.contents[side][op]
        if not users or content is None:
            return None
        return self._scope(side, op), self.sides[side].names[op], content, users

    def _text_anywhere(self, side: int, op: int) -> Hashable:
        if self.labels.locations[side][op] == NO_LOCATION:
            return None
        return self.labels.labels[side][op], self.labels.contents[side][op]

    def _text_of_callee(self, side: int, op: int) -> Hashable:
        """For an op that was inlined: its location is that of the callee at the place of the call."""
        ops = self.sides[side]
        place = ops.locations[op] if side == 0 else ops.location_numbers.callee(op)
        if place is None or place == NO_LOCATION:
            return None
        return ops.names[op], place, self.labels.contents[side][op]

    def _has_evidence(self, old: int, new: int) -> bool:
        """Whether ops of one name and location have anything else in common."""
        a, b = self.sides[0].texts[old], self.sides[1].texts[new]
        if a.is_generic != b.is_generic or len(a.differs_from(b)) < 2:
            return True
        if a.attributes.items() & b.attributes.items():
            return True
        return self.sides[0].symbols[old] is not None or not self.sides[0].producers[old]

    # ------------------------------------------------------------------ dataflow

    def _matched(self, side: int, owner: int, number: int) -> tuple[int, int] | None:
        """A value as both sides know it: by the op, or block argument, of the dump after."""
        if side == 1:
            is_matched = owner in self.back if owner >= 0 else (owner, number) in self._new_arguments
            return (owner, number) if is_matched else None
        if owner >= 0:
            return (self.pairs[owner], number) if owner in self.pairs else None
        return self.arguments.get((owner, number))

    def _matched_producers(self, side: int, op: int) -> tuple[tuple[int, int] | None, ...]:
        found = [self._matched(side, *producer) for producer in self.sides[side].producers[op]]
        if self.sides[side].names[op] not in self.labels.same_form:
            found.sort(key=lambda value: value or (-1 << 31, 0))
        return tuple(found)

    def _all_producers(self, side: int, op: int) -> tuple[tuple[int, int] | None, ...] | None:
        """The producers, if all are matched."""
        found = self._matched_producers(side, op)
        return None if None in found else found

    def _matched_users(self, side: int, op: int) -> tuple[tuple[int, int], ...]:
        matched = self.pairs if side == 0 else self.back
        users = [(user, place) for user, place in self.sides[side].users[op] if user in matched]
        return tuple(
            sorted((self.pairs[user], place) if side == 0 else (user, place) for user, place in users)
        )

    def _follow_dataflow(self) -> None:
        """From every new pair, pairs the users, producers and terminators that can only be the same."""
        while self._unseen:
            old, new = self._unseen.popleft()
            users = [(user, place) for user, place in self.sides[0].users[old] if user not in self.pairs]
            if users:
                now = [(user, place) for user, place in self.sides[1].users[new] if user not in self.back]
                self._pair_users(users, now)
            for (a, i), (b, j) in zip(
                self.sides[0].producers[old], self.sides[1].producers[new], strict=False
            ):
                if i == j and self._is_same_free_op(a, b):
                    self._pair(a, b)

    def _is_same_free_op(self, old: int, new: int) -> bool:
        """Whether two owners of values are unmatched ops of one name and location."""
        if old < 0 or new < 0 or old in self.pairs or new in self.back:
            return False
        return self._same_place(0, old) == self._same_place(1, new)

    def _pair_users(self, old: Iterable[tuple[int, int]], new: Iterable[tuple[int, int]]) -> None:
        for with_content in (True, False):
            groups: dict[Hashable, tuple[list[int], list[int]]] = {}
            for side, users in enumerate((old, new)):
                matched = (self.pairs, self.back)[side]
                for user, place in users:
                    if user not in matched:
                        content = self.labels.contents[side][user] if with_content else None
                        key = (*self._same_place(side, user), place, content)
                        groups.setdefault(key, ([], []))[side].append(user)
            for was, now in groups.values():
                if len(was) == len(now) and (with_content or len(was) == 1):
                    for a, b in zip(was, now, strict=True):
                        if a not in self.pairs and b not in self.back:
                            self._pair(a, b)

    # ------------------------------------------------------------------ blocks

    def _pair_blocks(self) -> None:
        """Pairs blocks by where they stand, or else by the ops in them; and their arguments."""
        old_block, new_block = self.sides[0].ir.op_block, self.sides[1].ir.op_block
        self.blocks = dict(self._only_blocks())
        taken = set(self.blocks.values())
        votes = Counter((old_block[old], new_block[new]) for old, new in self.pairs.items())
        free = {pair: n for pair, n in votes.items() if pair[0] not in self.blocks and pair[1] not in taken}
        self.blocks |= _one_to_one(Counter(free))
        counts = [ops.argument_counts for ops in self.sides]
        self.arguments = {}
        for old, new in self.blocks.items():
            count = counts[0].get(old, 0)
            if count and count == counts[1].get(new, 0):
                self.arguments.update({(-1 - old, k): (-1 - new, k) for k in range(count)})
        self.arguments |= self._arguments_by_users()
        self._new_arguments = set(self.arguments.values())
        self._pair_terminators()

    def _only_blocks(self) -> Iterator[tuple[int, int]]:
        """The blocks that are alone in the same region of an op that both dumps have.

        A custom form may print the regions of an op in another order than the generic form does.
        """
        inside = [ops.blocks_of for ops in self.sides]
        for old, new in self.pairs.items():
            if old not in inside[0] or new not in inside[1]:
                continue
            if len(inside[0][old]) > 1 and self.sides[0].names[old] not in self.labels.same_form:
                continue
            was, now = (
                {self.sides[side].region_places[block]: block for block in inside[side][op]}
                for side, op in ((0, old), (1, new))
            )
            for (region, place), block in was.items():
                is_alone = place == 0 and (region, 1) not in was and (region, 1) not in now
                if is_alone and (region, 0) in now:
                    yield block, now[region, 0]

    def _arguments_by_users(self) -> dict[tuple[int, int], tuple[int, int]]:
        """The arguments of blocks that have more or fewer than before."""
        counts = [ops.argument_counts for ops in self.sides]
        votes: Counter[tuple[tuple[int, int], tuple[int, int]]] = Counter()
        if all(counts[0].get(old, 0) == counts[1].get(new, 0) for old, new in self.blocks.items()):
            return {}
        for old, new in self.pairs.items():
            for a, b in zip(self.sides[0].producers[old], self.sides[1].producers[new], strict=False):
                is_argument = a[0] < 0 and b[0] < 0 and self.blocks.get(-1 - a[0]) == -1 - b[0]
                if is_argument and counts[0].get(-1 - a[0]) != counts[1].get(-1 - b[0]):
                    votes[a, b] += 1
        return _one_to_one(votes)

    def _pair_terminators(self) -> None:
        for old, new in self.blocks.items():
            ops, others = self.sides[0].ir.block_ops[old], self.sides[1].ir.block_ops[new]
            if not ops or not others:
                continue
            a, b = ops[-1], others[-1]
            if a not in self.pairs and b not in self.back:
                is_end = not self.sides[0].users[a] and self.sides[0].ir.result_count(a) == 0
                if is_end and self.labels.labels[0][a] == self.labels.labels[1][b]:
                    self._pair(a, b)


def _class_of(classes: Sequence[Sequence[int]], side: int, op: int) -> int:
    return classes[side][op]


T = TypeVar("T", int, tuple[int, int])


def _one_to_one(votes: Counter[tuple[T, T]]) -> dict[T, T]:
    """What most votes say, each left and right side once."""
    chosen: dict[T, T] = {}
    taken: set[T] = set()
    for (left, right), _ in sorted(votes.items(), key=lambda item: (-item[1], item[0])):
        if left not in chosen and right not in taken:
            chosen[left] = right
            taken.add(right)
    return chosen
