"""Two dumps, the matching of their ops, and what became of each op: added, removed, modified or moved.

Changes repeat if a pass does the same in many layers. ``repeated_changes`` groups them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from eio_audit.audit.diff.compared_dump import ComparedDump, implied_ops, is_shorthand
from eio_audit.audit.diff.matching import match_ops
from eio_audit.audit.diff.pairs import Value
from eio_audit.audit.locations.original_index import OpLabel
from eio_audit.audit.locations.parsed_locations import NO_LOCATION
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.source import decoded
from eio_audit.order.permutation import displaced

_NUMBER = pattern(r"(\d+)")
_VALUE = pattern(r"%[\w$.-]+(?:#\d+)?|argument \d+ of \^\w+")


class Relation(StrEnum):
    """How an added op came from an op of the earlier dump."""

    DERIVED = "derived"
    """Its location contains that of the other op: ``"X_tm0"("X")``, a call site, a fused location."""
    CLONED = "cloned"
    """It has the same location, name and attributes as another op."""
    COMMUTED = "commuted"
    """It is a permute, transpose or reshape that a pass moved past other ops, by the dataflow."""
    CONVERTED = "converted"
    """It has the location of a removed op and another name. Only a history follows this relation."""


class Ancestor(NamedTuple):
    """The op of the earlier dump that an added op came from."""

    op: OpLabel
    relation: Relation


class OpDifference(NamedTuple):
    """One difference between an op before and after."""

    kind: str  # `operands`, `attributes`, `types` or `location`
    # The attribute's name, the operand's position from 0, or the block argument that has the location, as
    # `argument 0 of ^bb1`. Empty for other kinds.
    name: str
    before: str  # as printed, with aliases expanded; empty if there is nothing
    after: str


class OpChange(NamedTuple):
    """What became of one op."""

    function: str | None  # the symbol of its function, for a removed op of its former function, or None
    before: OpLabel | None  # the op in the earlier dump; None if it was added
    after: OpLabel | None  # the op in the later dump; None if it was removed
    place_before: int | None  # its 0-based place in its block; None if it is not in that dump
    place_after: int | None
    block_before: str | None  # its function and block in each dump, if the two differ; else None
    block_after: str | None
    differences: tuple[OpDifference, ...]  # in the order operands, attributes, types, location
    moved: bool  # whether it left its place relative to the ops around it
    derived: bool  # whether a pass made it from another op, whose index it has
    ancestor: Ancestor | None  # for an added op, the op it came from, if known
    inversions_before: int | None  # how many inversions it is in; None without the op or an index
    inversions_after: int | None
    status: str  # `unchanged`, `moved`, `modified`, `added` or `removed`

    @property
    def op(self) -> OpLabel:
        """The op in the later dump. If it was removed, the op in the earlier dump."""
        op = self.after or self.before
        assert op is not None
        return op

    @property
    def changed(self) -> tuple[str, ...]:
        """The kinds of difference, each once: of ``operands``, ``attributes``, ``types`` and ``location``."""
        return tuple(dict.fromkeys(difference.kind for difference in self.differences))


class FoundChange(NamedTuple):
    """What became of one op, as found: a report describes only those that it shows, as an `OpChange`."""

    old: int | None  # the op in the earlier dump; None if it was added
    new: int | None  # the op in the later dump; None if it was removed
    differences: tuple[OpDifference, ...]
    moved: bool
    origin: tuple[int, Relation] | None  # for an added op, the earlier op it came from, if known

    @property
    def status(self) -> str:
        """As that of an `OpChange`."""
        if self.old is None or self.new is None:
            return "added" if self.old is None else "removed"
        return "modified" if self.differences else "moved" if self.moved else "unchanged"


def _group(status: str) -> cached_property[tuple[OpChange, ...]]:
    return cached_property(lambda ops: tuple(map(ops.comparison.described, ops.found[status])))


@dataclass(frozen=True)
class OpChanges:
    """Every op of both dumps, in one of five groups."""

    unchanged: int
    # Ops that one dump prints and the other omits because of its printing form, such as implied
    # terminators of custom assembly. They are in no group.
    implied: int
    found: Mapping[str, Sequence[FoundChange]] = field(repr=False)  # by status, the changes of ops
    comparison: DumpComparison = field(compare=False, repr=False)  # describes them

    moved = _group("moved")
    modified = _group("modified")
    added = _group("added")
    removed = _group("removed")

    @property
    def groups(self) -> dict[str, tuple[OpChange, ...]]:
        """The changed ops, by what became of them."""
        return {"moved": self.moved, "modified": self.modified, "added": self.added, "removed": self.removed}


@dataclass(frozen=True)
class RepeatedChange:
    """Changes that differ only in names of values, indices and layer numbers."""

    places: tuple[int, ...]  # their positions among the compared changes
    changes: Sequence[FoundChange]  # the changes, those in most inversions first
    comparison: DumpComparison = field(repr=False)  # of their dumps

    def worst(self, most: int | None) -> list[OpChange]:
        """Return the first of the changes, at most so many."""
        return [self.comparison.described(change) for change in self.changes[:most]]

    @property
    def modules(self) -> int:
        """The number of modules they are in. 0 if locations name none."""
        return len(self._modules - {None})

    @property
    def module(self) -> str | None:
        """The module, with ``*`` for numbers that differ: ``BatchNorm2d[net.stages.*.norm]``."""
        if None in self._modules:
            return None
        words = zip(*(_NUMBER.split(module or "") for module in self._modules), strict=True)
        return "".join(word[0] if len(set(word)) == 1 else "*" for word in words)

    @cached_property
    def _modules(self) -> set[str | None]:
        return {side.module_of(op) for side, op in map(self.comparison.shown, self.changes)}


def repeated_changes(comparison: DumpComparison, changes: Sequence[FoundChange]) -> list[RepeatedChange]:
    """Group equal changes. Groups with moved ops and most inversions come first, then the most frequent.

    Two changes are equal if the same words of the same kind of op changed in the same way. Numbers in the
    words may differ, such as tensor sizes, if the ops are in the same module of different layers.
    """
    groups: dict[Hashable, list[int]] = {}
    for place, change in enumerate(changes):
        groups.setdefault(_kind(comparison, change), []).append(place)

    def badness(change: FoundChange) -> tuple[bool, int]:
        inversions = None if change.new is None else comparison.after.inversions[change.new]
        return not change.moved, -(inversions or 0)

    repeated = [
        RepeatedChange(tuple(places), sorted((changes[k] for k in places), key=badness), comparison)
        for places in groups.values()
    ]
    return sorted(repeated, key=lambda one: (*badness(one.changes[0]), -len(one.changes)))


def _kind(comparison: DumpComparison, change: FoundChange) -> Hashable:
    old, new, differences, moved, origin = change
    side, op = comparison.shown(change)
    before, after, module = comparison.before.ir, comparison.after.ir, side.module_of(op)
    return (
        comparison.function_of(change),
        change.status,
        moved,
        *(None if op is None else ir.name(op) for ir, op in ((before, old), (after, new))),
        module and _NUMBER.sub("*", module),
        origin and (origin[1], before.name(origin[0])),
        *(
            (
                one.kind,
                one.name,
                *(_words(text, has_module=module is not None) for text in (one.before, one.after)),
            )
            if one.kind != "location"
            else one.kind
            for one in differences
        ),
    )


def _words(text: str, *, has_module: bool) -> str:
    text = _VALUE.sub("%", text)
    return _NUMBER.sub("*", text) if has_module else text


class DumpComparison:
    """Two dumps and the matching of their ops."""

    def __init__(self, before: ComparedDump, after: ComparedDump) -> None:
        self.before = before
        self.after = after
        self.matching = match_ops(before, after)
        self.became = self.matching.ops  # by op of the earlier dump, the op it became
        self.was = self.matching.was  # the inverse of `became`
        self._has_locations = before.has_locations and after.has_locations
        # The ops of the later dump to move for the old order: the fewest per block, and those that
        # changed blocks.
        self.moved = self._moved()

    @property
    def location_numbers(self) -> tuple[Sequence[int], Sequence[int]]:
        """By op of each dump, the number of its location."""
        return self.before.locations, self.after.locations

    @cached_property
    def _at_location(self) -> dict[int, list[int]]:
        """By location, the ops of the earlier dump that have it."""
        found: dict[int, list[int]] = defaultdict(list)
        for op, location in enumerate(self.before.locations):
            if location != NO_LOCATION:
                found[location].append(op)
        return found

    def changes(self, commuted: Mapping[int, int]) -> OpChanges:
        """Return all ops, by what became of them.

        Args:
            commuted: by added op, the earlier op that was moved there, where locations do not show it.
        """
        by_status: dict[str, list[FoundChange]] = defaultdict(list)
        for change in self._found(commuted, with_unchanged=False):
            by_status[change.status].append(change)
        found = {status: by_status[status] for status in ("moved", "modified", "added", "removed")}
        unchanged = len(self.became) - len(found["moved"]) - len(found["modified"])
        return OpChanges(unchanged, sum(map(len, self._implied)), found, self)

    def pairs(self, commuted: Mapping[int, int]) -> Iterator[OpChange]:
        """Yield the ops in the order of the later dump. A removed op comes after the op that it followed."""
        return map(self.described, self._found(commuted, with_unchanged=True))

    def _found(self, commuted: Mapping[int, int], *, with_unchanged: bool) -> Iterator[FoundChange]:
        for old, new in self._in_order(() if with_unchanged else self._quiet):
            differences, moved = self._all_differences(old, new), new in self.moved
            if with_unchanged or differences or moved or old is None or new is None:
                origin = self.origin(new, commuted) if old is None and new is not None else None
                yield FoundChange(old, new, differences, moved, origin)

    def statuses(self) -> Iterator[tuple[str, int | None, int | None]]:
        """Yield the status of each changed op, and the op in each dump, in the order of ``pairs``.

        The status is that of ``OpChange``. This is much less work than ``changes``.
        """
        for old, new in self._in_order(self._quiet):
            if old is None or new is None:
                yield "added" if old is None else "removed", old, new
            elif not self._is_untouched(old, new) and self._is_modified(old, new):
                yield "modified", old, new
            elif new in self.moved:
                yield "moved", old, new

    @cached_property
    def _quiet(self) -> set[int]:
        """The ops of the later dump that are proven unchanged, in their places: most ops."""
        untouched = [old for old, is_untouched in enumerate(self.matching.untouched) if is_untouched]
        pairs = zip(untouched, map(self.became.__getitem__, untouched), strict=True)
        was, now = self.location_numbers
        own = {new for old, new in pairs if not self._has_locations or was[old] == now[new]}
        return own - self.moved - {*map(self.became.get, self._arguments_elsewhere)}

    def _in_order(self, without: Container[int]) -> Iterator[tuple[int | None, int | None]]:
        """Yield the pairs of ops, but those of some ops of the later dump."""
        not_printed_after, not_printed_before = self._implied
        removed: dict[int, list[int]] = defaultdict(list)
        last, previous = -1, -1
        for old in (op for op in range(len(self.before)) if op not in self.became):
            if old != previous + 1:  # the op above it is in both dumps
                last = self.became[old - 1]
            previous = old
            if old not in not_printed_after:
                removed[last].append(old)
        yield from ((old, None) for old in removed[-1])
        for new in range(len(self.after)):
            if new not in without and new not in not_printed_before:
                yield self.was.get(new), new
            if new in removed:
                yield from ((old, None) for old in removed[new])

    @cached_property
    def _implied(self) -> tuple[set[int], set[int]]:
        """Return the ops of each dump that only its own printing form shows."""
        before, after = self.before, self.after
        added = [op for op in range(len(after)) if op not in self.was]
        removed = [op for op in range(len(before)) if op not in self.became]
        return (implied_ops(removed, before, after, self.became), implied_ops(added, after, before, self.was))

    def came_back(self, new: int) -> bool:
        """Whether an op of both dumps is in fewer inversions than before: put back, not shuffled."""
        return (self.after.inversions[new] or 0) < (self.before.inversions[self.was[new]] or 0)

    def ancestor(self, new: int) -> tuple[int, Relation] | None:
        """Return the earlier op that an added op came from, by their locations."""
        before, after = self.before, self.after
        inside = filter(self._at_location.__contains__, after.location_numbers.inside(new))
        holding = [self._at_location[number] for number in inside]
        namesakes = [[op for op in ops if before.names[op] == after.names[new]] for ops in holding]
        for ops in filter(None, (*namesakes, *holding[:1])):
            return self._likest(ops, new), Relation.DERIVED
        for op in self._at_location.get(after.locations[new], ()):
            is_namesake = before.names[op] == after.names[new]
            if is_namesake and not before.texts[op].differs_from(after.texts[new]):
                return op, Relation.CLONED
        return None

    def _likest(self, ops: Sequence[int], new: int) -> int:
        """Return the op of one location that an added op came from, preferably a removed and similar one."""
        text = self.after.texts[new]
        return min(ops, key=lambda op: (op in self.became, len(self.before.texts[op].differs_from(text)), op))

    def origin(self, new: int, commuted: Mapping[int, int]) -> tuple[int, Relation] | None:
        """Return ``ancestor``, or the op that was moved there where locations do not show it."""
        found = self.ancestor(new)
        if new in commuted and (found is None or found[0] != commuted[new]):
            return commuted[new], Relation.COMMUTED
        return found

    def converted_from(self, new: int) -> tuple[int, Relation] | None:
        """Return the removed op with the location of an added op, if it is unique.

        Of several removed ops, it is the one with the same name in another dialect.
        """
        has_vanished = len(self.became) < len(self.before)
        at_location = self._at_location.get(self.after.locations[new], ()) if has_vanished else ()
        vanished = [op for op in at_location if op not in self.became]
        stem = self.after.names[new].partition(".")[2]
        namesakes = [op for op in vanished if self.before.names[op].partition(".")[2] == stem]
        found = next((ops for ops in (namesakes, vanished) if len(ops) == 1), None)
        return None if found is None else (found[0], Relation.CONVERTED)

    @cached_property
    def added(self) -> list[int]:
        """Return the new ops of the later dump, without those that the other printing form omits."""
        return [op for op in range(len(self.after)) if op not in self.was and op not in self._implied[1]]

    def change(self, old: int | None, new: int, origin: tuple[int, Relation] | None = None) -> OpChange:
        """Return what became of an op that both dumps have, or an added op with the op it came from."""
        differences = self._all_differences(old, new)
        return self.described(FoundChange(old, new, differences, new in self.moved, origin))

    def replacements(self, old: int) -> str:
        """Return what the users of a removed op use instead, if they still exist."""
        before, after = self.before.producers, self.after.producers
        users = [(self.became.get(user, -1), user, place) for user, place in self.before.users[old]]
        used = [
            after[new][place]
            for new, user, place in users
            if new >= 0 and len(before[user]) == len(after[new])
        ]
        return self.after.values(list(dict.fromkeys(used)))

    def _moved(self) -> set[int]:
        before, after, blocks = self.before.ir, self.after.ir, self.matching.blocks
        was, old_block = self.was, before.op_block
        moved: set[int] = set()
        for block, ops in enumerate(after.block_ops):
            here = [op for op in ops if op in was]
            stayed = [op for op in here if blocks.get(old_block[was[op]]) == block]
            moved.update({*here}.difference(stayed) if len(stayed) < len(here) else ())
            places = [was[op] for op in stayed]
            if places != sorted(places):
                moved.update(stayed[k] for k in displaced(places))
        return moved

    def _is_untouched(self, old: int, new: int) -> bool:
        if not self.matching.untouched[old] or old in self._arguments_elsewhere:
            return False
        return not self._has_locations or self.before.locations[old] == self.after.locations[new]

    @cached_property
    def _arguments_elsewhere(self) -> dict[int, list[OpDifference]]:
        """By op of the earlier dump, the arguments in it whose locations changed, if both dumps show them."""
        found: dict[int, list[OpDifference]] = defaultdict(list)
        for old, new in self.matching.blocks.items() if self._has_locations else ():
            was, now = self.before.argument_locations(old), self.after.argument_locations(new)
            holder = self.before.ir.parent_op(old)
            is_same = was == now or self.became.get(holder) != self.after.ir.parent_op(new)
            for place, location in enumerate(() if is_same else was):
                argument = self.matching.arguments.get((-1 - old, place), (0, 0))
                if argument[0] == -1 - new and argument[1] < len(now) and now[argument[1]] != location:
                    name = self.after.values([argument])
                    found[holder].append(OpDifference("location", name, location, now[argument[1]]))
        return found

    def _all_differences(self, old: int | None, new: int | None) -> tuple[OpDifference, ...]:
        if old is None or new is None or self._is_untouched(old, new):
            return ()
        return tuple(self._differences(old, new))

    def _is_modified(self, old: int, new: int) -> bool:
        """Whether there are ``_differences``, which take longer to name than to find."""
        if self._is_elsewhere(old, new) or old in self._arguments_elsewhere:
            return True
        others = self._other_operands(old, new)
        return any(others) or bool(self.before.texts[old].differs_from(self.after.texts[new]))

    def _differences(self, old: int, new: int) -> Iterator[OpDifference]:
        a, b = self.before.texts[old], self.after.texts[new]
        for place, vanished, appeared in self._other_operands(old, new):
            yield OpDifference("operands", place, *self._told_apart(vanished, appeared))
        kinds = a.differs_from(b)
        if "attributes" in kinds and a.is_generic and b.is_generic:
            for name in sorted(a.attributes.keys() | b.attributes.keys()):
                was, now = a.attributes.get(name, ""), b.attributes.get(name, "")
                if was != now or (name in a.attributes) != (name in b.attributes):
                    yield OpDifference("attributes", name, was, now)
        elif "attributes" in kinds and a.is_generic != b.is_generic:
            yield OpDifference("attributes", "", *a.literals_beside(b))
        elif "attributes" in kinds:
            yield OpDifference("attributes", "", *(decoded(text.text) for text in (a, b)))
        if "types" in kinds and a.is_generic != b.is_generic:
            yield OpDifference("types", "", *a.types_beside(b))
        elif "types" in kinds:
            yield OpDifference("types", "", a.signature, b.signature)
        if self._is_elsewhere(old, new):
            yield OpDifference("location", "", self.before.location(old), self.after.location(new))
        yield from self._arguments_elsewhere.get(old, ())

    def _is_elsewhere(self, old: int, new: int) -> bool:
        return self._has_locations and self.before.locations[old] != self.after.locations[new]

    def loses_location(self, old: int, new: int) -> bool:
        """Return whether an op that both dumps have has no known location any more."""
        had, has = self.before.locations[old], self.after.locations[new]
        return self._has_locations and had != NO_LOCATION == has

    def _other_operands(self, old: int, new: int) -> Iterator[tuple[str, Sequence[Value], Sequence[Value]]]:
        """Yield the places of operands that differ, with the values before and after.

        All are in one place, the empty one, if the printing forms differ.
        """
        before, after = self.before.producers[old], self.after.producers[new]
        was = [self._value_before(*producer) for producer in before]
        now = [self._value_after(*producer) for producer in after]
        if was == now or is_shorthand(self.before, old) or is_shorthand(self.after, new):
            return
        if self.before.names[old] not in self.matching.same_form:
            vanished = [p for p, value in zip(before, was, strict=True) if value not in now]
            appeared = [p for p, value in zip(after, now, strict=True) if value not in was]
            if len(was) != len(now) or vanished or appeared:
                yield "", vanished, appeared
            return
        for place in range(max(len(was), len(now))):
            here = slice(place, place + 1)
            if was[here] != now[here]:
                yield str(place), before[here], after[here]

    def _told_apart(self, before: Sequence[Value], after: Sequence[Value]) -> tuple[str, str]:
        """Return the names of values that differ, with their places if others now have the same names."""
        names = self.before.values(before), self.after.values(after)
        if names[0] != names[1]:
            return names
        return self.before.values(before, with_places=True), self.after.values(after, with_places=True)

    def _value_before(self, owner: int, number: int) -> Hashable:
        """Return the later value that an earlier value became, or None if it vanished."""
        if owner >= 0:
            return (self.became[owner], number) if owner in self.became else None
        parent = self.before.ir.parent_op(-1 - owner)
        if parent in self.became and self._hides_blocks(parent):
            return "argument", self.became[parent], number
        return self.matching.arguments.get((owner, number))

    def _value_after(self, owner: int, number: int) -> Hashable:
        parent = self.after.ir.parent_op(-1 - owner) if owner < 0 else -1
        if parent in self.was and self._hides_blocks(self.was[parent]):
            return "argument", parent, number
        return owner, number

    def _hides_blocks(self, old: int) -> bool:
        """Whether a form of the op may name the arguments of several regions once (``stablehlo.while``)."""
        return self.before.names[old] not in self.matching.same_form

    def shown(self, change: FoundChange) -> tuple[ComparedDump, int]:
        """Return the op in the later dump. If it was removed, the op in the earlier dump."""
        side, op = (self.before, change.old) if change.new is None else (self.after, change.new)
        assert op is not None
        return side, op

    def function_of(self, change: FoundChange) -> str | None:
        """Return the symbol of the function of an op, for a removed op of its former function, or None."""
        side, op = self.shown(change)
        return side.dump.functions[side.ir.op_block[op]]

    def described(self, change: FoundChange) -> OpChange:
        """Return what became of an op, as reports tell it."""
        old, new, differences, moved, origin = change
        before, after = self.before, self.after
        blocks: tuple[str | None, str | None] = (None, None)
        if old is not None and new is not None:
            from_block, to_block = before.ir.op_block[old], after.ir.op_block[new]
            if self.matching.blocks.get(from_block) != to_block:
                blocks = before.block_name(from_block), after.block_name(to_block)
                if blocks[0] == blocks[1]:
                    blocks = before.block_place(from_block), after.block_place(to_block)
        return OpChange(
            function=self.function_of(change),
            before=None if old is None else before.dump.label(old),
            after=None if new is None else after.dump.label(new),
            place_before=None if old is None else before.place_of(old),
            place_after=None if new is None else after.place_of(new),
            block_before=blocks[0],
            block_after=blocks[1],
            differences=differences,
            moved=moved,
            derived=new is not None and bool(after.dump.indices.derived_by_op[new]),
            ancestor=origin and Ancestor(before.dump.label(origin[0]), origin[1]),
            inversions_before=None if old is None else before.inversions[old],
            inversions_after=None if new is None else after.inversions[new],
            status=change.status,
        )
