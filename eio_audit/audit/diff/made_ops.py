"""The ops that one step of a pass made or moved: what they replace, and whose location they carry.

A step is an application of a pattern to an op, its root, or all that a pass does.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, partial
from itertools import accumulate, compress, count
from operator import or_
from typing import NamedTuple

from eio_audit.audit.check.check import audit_keyed
from eio_audit.audit.check.keyed_dump import AuditedDump, SharedWork
from eio_audit.audit.diff.dump_comparison import DumpComparison, Relation
from eio_audit.audit.diff.homes import Homes
from eio_audit.audit.locations.original_index import OpLabel
from eio_audit.order.permutation import displaced_by_weight


class Kind(StrEnum):
    """What to change."""

    PLACE = "place"
    """The ops are inserted where the ops stood that they replace."""
    LOCATION = "location"
    """The ops get the location of the root, or of the op that they are made for."""

    __hash__ = str.__hash__  # groups are looked up per op: ten times as fast as that of an enum


class Carries(StrEnum):
    """Whose location an op carries, seen from the root."""

    ROOT = "root"
    USER = "user"
    OPERAND = "operand"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Root:
    """A pattern, and the op that it is applied to, as it is described."""

    pattern: str  # the pattern, without namespaces
    name: str
    result: str | None  # its first result, in a numbering of its own
    index: int | None  # its index; None if it has none, or if it is not told


class PassStep(NamedTuple):
    """A step of a pass."""

    comparison: DumpComparison | None  # of the states before and after it; None if it changes nothing
    before: Sequence[int] = ()  # the numbers of the ops before it
    after: Sequence[int] = ()  # the numbers of the ops after it
    # By added op, the earlier op that it was made from and how, if that is known.
    origins: Mapping[int, tuple[int, Relation]] | None = None
    root: Root | None = None  # the op that a pattern was applied to; None if it is no application
    is_whole: bool = False  # whether it is all that the pass does

    @property
    def pattern(self) -> str | None:
        """The pattern; None if there is none."""
        return None if self.root is None else self.root.pattern


class Group(NamedTuple):
    """Ops that change together."""

    pattern: str | None
    name: str | None  # None for all names
    kind: Kind


class MadeOp(NamedTuple):
    """An op that a step made or moved."""

    number: int
    name: str
    op_index: int
    source: int | None  # the number of the op before whose location it carries; None if there is none
    carries: Carries  # what that op is to the root
    replaced: int | None  # the number of the op that it replaces; its own if it was only moved
    is_in_place: bool  # whether it stands where that stood
    target: int | None  # the number of the op whose location it should carry, if its location changes
    is_moved: bool  # whether it was only moved
    # How it may change: at first its place, if it carries the location of the op that it replaces.
    place: Group | None
    location: Group | None
    beside: Callable[[], OpLabel] | None  # tells the target, for a report; None if it is the root
    home: int  # where the op stood that it replaces, among the homes


class MadeStep(NamedTuple):
    """What one step of a pass made and moved."""

    pattern: str | None
    root: int | None
    ops: Sequence[MadeOp]


class MadeOps:
    """The two sides of a step, and its root."""

    def __init__(self, step: PassStep) -> None:
        assert step.comparison is not None
        self._step, self._comparison = step, step.comparison
        self._origins = step.origins or {}
        self._old, self._new = self._comparison.before, self._comparison.after
        self._was_index = self._old.dump.indices.by_op
        self._index = self._new.dump.indices.by_op
        # By name, and whether ops were only moved, how they change together: very many ops have few groups.
        self._groups: dict[tuple[str, bool], tuple[Group | None, Group | None]] = {}
        # The root in the state before; None if it is not found, or has no index.
        self.root = None if step.root is None else self._find_root(step.root)

    def step(self, homes: Homes) -> MadeStep:
        """Return what the step made and moved. ``homes`` are those before it."""
        root = None if self.root is None else self._step.before[self.root]
        return MadeStep(self._step.pattern, root, [*self._made(homes)])

    def _find_root(self, root: Root) -> int | None:
        """Return the root by its name, and its index if that is told.

        Of several ops, it is one that the step changes, with the number that is closest.
        """
        names, indices = self._old.names, enumerate(self._was_index)
        found = [op for op, index in indices if names[op] == root.name and root.index in (None, index)]
        if len(found) > 1:
            changed = {op for _, op, _ in self._comparison.statuses()}
            number, name_of = number_in(root.result), self._old.ir.first_result_name
            found.sort(key=lambda op: (op not in changed, abs(number_in(name_of(op)) - number)))
        return found[0] if found and self._was_index[found[0]] is not None else None

    @cached_property
    def _root_after(self) -> int | None:
        """The root in the state after; if it was made anew, the closest op with its index and name."""
        root, became = self.root, self._comparison.became
        if root is None or root in became:
            return None if root is None else became[root]
        name, index = self._old.names[root], self._was_index[root]
        found = [op for op, one in enumerate(self._index) if one == index and self._new.names[op] == name]
        return min(found, key=lambda op: abs(op - root), default=None)

    def _made(self, homes: Homes) -> Iterator[MadeOp]:
        """Yield the ops with an index that are new, or that the step moved."""
        step, concerned, constants = self._step, self._concerned, self._new.dump.keys.constants_by_op
        was_behind, is_behind = self._stands_behind
        for op in self._changed:
            index, name = self._index[op], self._new.names[op]
            if index is None or name not in concerned:
                continue
            is_moved, number = not self._is_new[op], step.after[op]
            source = self._comparison.was[op] if is_moved else self._source(op, index)
            replaced = source if is_moved else self._replaced(op)
            is_right = replaced is not None and self._was_index[replaced] == index
            target, beside = self._target(op, replaced)
            place, location = self._groups_of(name, is_moved=is_moved)
            # All numbers of an op that was only moved are one object, as there may be very many.
            instead_of = number if is_moved else None if replaced is None else step.before[replaced]
            yield MadeOp(
                number,
                name,
                index,
                number if is_moved else None if source is None else step.before[source],
                Carries.OTHER if source is None or self.root is None else self._relation(source),
                instead_of,
                replaced is not None and is_behind[op] == was_behind[replaced],
                target,
                is_moved,
                place if is_right and not constants[op] else None,
                location,
                beside,
                -1 if instead_of is None else homes[instead_of],
            )

    @cached_property
    def _stands_behind(self) -> tuple[Sequence[int], Sequence[int]]:
        """By op of either dump, the last op before it that stayed, by its place in the later dump."""
        comparison = self._comparison
        became, was, moved = comparison.became, comparison.was, self.moved
        now = [-1 if is_moved or op not in was else op for op, is_moved in enumerate(moved)]
        stayed = (now[became[old]] if old in became else -1 for old in range(len(self._old)))
        return _before_each(stayed), _before_each(now)

    def _groups_of(self, name: str, *, is_moved: bool) -> tuple[Group | None, Group | None]:
        """Return the ops with which one of a name changes its place, and with which its location."""
        if (name, is_moved) not in self._groups:
            pattern = self._step.pattern
            in_location = name if is_moved or pattern is None else None
            groups = Group(pattern, name, Kind.PLACE), Group(pattern, in_location, Kind.LOCATION)
            has_groups = pattern is not None or self._step.is_whole
            self._groups[name, is_moved] = groups if has_groups else (None, None)
        return self._groups[name, is_moved]

    @cached_property
    def _is_new(self) -> bytearray:
        """By op, whether it is new.

        It is if its location is, or if it is now on the other side of the root and one used the other.
        """
        was, before = self._comparison.was, self._old.locations
        locations = enumerate(self._new.locations)
        is_new = bytearray(op not in was or before[was[op]] != location for op, location in locations)
        for op, old in was.items() if self._root_after is not None else ():
            is_new[op] = is_new[op] or self._went_past_root(op, old)
        return is_new

    @cached_property
    def _changed(self) -> Sequence[int]:
        """The ops that are new, or that the step moved."""
        return array("i", compress(count(), map(or_, self._is_new, self.moved)))

    @cached_property
    def _concerned(self) -> Collection[str]:
        """The names of the ops that may change: in a whole pass, of those that it put out of order."""
        if not self._step.is_whole:
            return {*self._new.names}
        found = set[str]()
        for op in self._changed:
            if self._new.names[op] not in found and self._is_worse(op):
                found.add(self._new.names[op])
        return found

    def _is_worse(self, op: int) -> bool:
        """Return whether an op is in more inversions than before."""
        found = self._comparison.converted_from(op)
        was = self._comparison.was.get(op) if found is None else found[0]
        before = 0 if was is None else self._old.inversions[was] or 0
        return (self._new.inversions[op] or 0) > before

    @cached_property
    def moved(self) -> bytearray:
        """By op, whether it was only moved: the fewest, among those that stayed and those that replace one.

        Of several choices, it is those that replace one, then those in most inversions.
        """
        comparison, ir, inversions = self._comparison, self._new.ir, self._new.inversions
        was, old_block, blocks = comparison.was, self._old.ir.op_block, comparison.matching.blocks
        stood = {op: old for op in comparison.added if (old := self._replaced(op)) is not None}
        moved = bytearray(len(self._new))
        for op in comparison.moved:
            moved[op] = True
        for block in {ir.op_block[op] for op in (*comparison.moved, *stood)}:
            here, places = array("i"), array("i")
            for op in ir.block_ops[block]:
                old = was[op] if op in was else stood.get(op, -1)
                if old >= 0 and blocks.get(old_block[old]) == block:
                    here.append(op)
                    places.append(old)
                    moved[op] = False
            costs = [inversions[op] or 0 for op in here]
            most = 1 + sum(costs)
            replacing = 2 + len(here) if self.root is None else 1  # patterns may insert anywhere
            weights = [
                most * (3 + len(here) if op not in stood else replacing) - cost
                for op, cost in zip(here, costs, strict=True)
            ]
            inserted = here if self.root is not None else ()  # a pattern inserts at its root
            for place, op in enumerate(inserted):
                if op in stood and stood[op] == self.root:
                    weights[place] = most * (3 + len(here)) * len(here)
            for place in displaced_by_weight(places, weights):
                moved[here[place]] = here[place] in was
        return moved

    def _target(self, op: int, replaced: int | None) -> tuple[int | None, Callable[[], OpLabel] | None]:
        """Return the number of the op whose location an op should carry if not its own, and its label."""
        step, before = self._step, self._old.dump
        if self.root is not None:
            return step.before[self.root], None
        if replaced is None:
            replaced = self._comparison.was.get(op)
        if replaced is not None and self._was_index[replaced] not in (None, self._index[op]):
            return step.before[replaced], partial(before.label, replaced)
        donor = self._donors.get(op) if step.is_whole else None
        if donor is None:
            return None, None
        keys = self._new.dump.keys.by_op
        if (keys[op] or 0) <= (keys[donor] or 0):
            return None, None
        return step.after[donor], partial(self._new.dump.label, donor)

    @cached_property
    def _donors(self) -> Mapping[int, int]:
        dump = self._new.dump
        if isinstance(dump, AuditedDump):
            return dump.donors
        return audit_keyed(dump, SharedWork(0, finds_classes=False)).donors

    def _replaced(self, op: int) -> int | None:
        """Return the removed op whose users now use a new op; one with its index if there are several.

        In a whole pass, the users may be converted, too, and so may the op.
        """
        index, found = self._index[op], self._used_instead.get(op, [])
        same = [old for old in found if self._was_index[old] == index]
        if found or op in self._comparison.was or not self._step.is_whole:
            return next(iter([*same, *reversed(found)]), None)
        converted = self._comparison.converted_from(op)
        return None if converted is None else converted[0]

    @cached_property
    def _used_instead(self) -> Mapping[int, list[int]]:
        """By new op, the removed ops whose users now use it."""
        comparison = self._comparison
        became = dict(comparison.became)
        for op in comparison.added if self._step.is_whole else ():
            if (converted := comparison.converted_from(op)) is not None:
                became.setdefault(converted[0], op)
        found = defaultdict[int, list[int]](list)
        added, before, after = {*comparison.added}, self._old.producers, self._new.producers
        for old in range(len(self._old)):
            if old in comparison.became:
                continue
            for user, place in self._old.users[old]:
                new = became.get(user, -1)
                if new >= 0 and len(before[user]) == len(after[new]):
                    used = after[new][place][0]
                    if used in added and old not in found[used]:
                        found[used].append(old)
        return found

    def _went_past_root(self, op: int, before: int) -> bool:
        """Return whether an op that stayed is now on the other side of the root, and one used the other."""
        assert self.root is not None and self._root_after is not None
        is_same_side = (before < self.root) == (op < self._root_after)
        return not is_same_side and before != self.root and self._relation(before) is not Carries.OTHER

    def _source(self, op: int, index: int) -> int | None:
        """Return the op whose location a new op carries; else one with its index.

        Of several, it is itself, else the op that it was made from if that is gone, else the root.
        """
        became, origin = self._comparison.became, self._origins.get(op, (None,))[0]
        same = self._with_index.get(index, [])
        gone = [old for old in same if old not in became]
        likely = [self._comparison.was.get(op), None if origin in became else origin, self.root, origin]
        found = [old for old in (*likely, *gone, *same) if old is not None and self._was_index[old] == index]
        location = self._new.locations[op]
        at_location = (old for old in found if self._old.locations[old] == location)
        return next(at_location, found[0] if found else None)

    @cached_property
    def _with_index(self) -> Mapping[int | None, list[int]]:
        """By index of a new op, the ops of the state before that carry it."""
        found = defaultdict[int | None, list[int]](list)
        wanted = {*compress(self._index, self._is_new)}
        for op, index in enumerate(self._was_index):
            if index in wanted:
                found[index].append(op)
        return found

    def _relation(self, op: int) -> Carries:
        """Return what an op of the state before is to the root."""
        if op == self.root:
            return Carries.ROOT
        users, used = self._around_root
        if op in users:
            return Carries.USER
        return Carries.OPERAND if op in used else Carries.OTHER

    @cached_property
    def _around_root(self) -> tuple[Collection[int], Collection[int]]:
        """The ops that use the root, directly or through others, and those that it uses; both with itself."""
        if self.root is None:
            return (), ()
        producers, users, used = self._old.producers, {self.root}, {self.root}
        for op in range(self.root + 1, len(producers)):
            if any(owner in users for owner, _ in producers[op]):
                users.add(op)
        for op in range(self.root, -1, -1):
            if op in used:
                used.update(owner for owner, _ in producers[op] if owner >= 0)
        return users, used


def _before_each(numbers: Iterable[int]) -> array[int]:
    """Return the largest of the numbers before each; -1 if there are none."""
    largest = array("i", accumulate(numbers, max, initial=-1))
    largest.pop()
    return largest


def number_in(name: str | None) -> int:
    """Return the digits of ``%12`` as a number; 0 for a name without any."""
    return int("0" + "".join(filter(str.isdecimal, name or "")))
