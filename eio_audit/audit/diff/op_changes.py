"""What became of each op: unchanged, moved, modified, added or removed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from eio_audit.audit.check.keyed_block import KeyedBlock
from eio_audit.audit.check.keyed_dump import KeyedDump
from eio_audit.audit.diff.matching import Matching
from eio_audit.audit.diff.printing_forms import implied_ops, is_shorthand
from eio_audit.audit.diff.refinement import ComparedOps
from eio_audit.audit.locations.location_numbers import NO_LOCATION, Interned
from eio_audit.audit.op_label import OpLabel
from eio_audit.order.displaced import displaced


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


@dataclass(frozen=True, slots=True)
class Ancestor:
    """The op of the earlier dump that an added op came from."""

    op: OpLabel
    relation: Relation


@dataclass(frozen=True, slots=True)
class OpDifference:
    """One difference between an op before and after.

    Attributes:
        kind: ``operands``, ``attributes``, ``types`` or ``location``.
        name: the attribute's name, or the operand's position from 0. Empty for other kinds.
        before, after: as printed, with aliases expanded. Empty if there is nothing.
    """

    kind: str
    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class OpChange:
    """What became of one op.

    Attributes:
        function: the symbol of its function, or None. For a removed op, its former function.
        before: the op in the earlier dump. None if it was added.
        after: the op in the later dump. None if it was removed.
        place_before, place_after: its 0-based place in its block. None if it is not in that dump.
        block_before, block_after: its function and block in each dump, if the two differ. Else None.
        differences: what differs, in the order operands, attributes, types, location.
        moved: whether it left its place relative to the ops around it.
        derived: whether a pass made it from another op, whose index it has.
        ancestor: for an added op, the op it came from, if known.
        inversions_before, inversions_after: how many inversions it is in. None without the op or an index.
    """

    function: str | None
    before: OpLabel | None
    after: OpLabel | None
    place_before: int | None
    place_after: int | None
    block_before: str | None
    block_after: str | None
    differences: tuple[OpDifference, ...]
    moved: bool
    derived: bool
    ancestor: Ancestor | None
    inversions_before: int | None
    inversions_after: int | None

    @property
    def status(self) -> str:
        """``unchanged``, ``moved``, ``modified``, ``added`` or ``removed``."""
        if self.before is None or self.after is None:
            return "added" if self.before is None else "removed"
        return "modified" if self.differences else "moved" if self.moved else "unchanged"

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


@dataclass(frozen=True, slots=True)
class OpChanges:
    """Every op of both dumps, in one of five groups.

    Attributes:
        implied: ops that one dump prints and the other omits because of its printing form, such as implied
            terminators of custom assembly. They are in no group.
    """

    unchanged: int
    moved: tuple[OpChange, ...]
    modified: tuple[OpChange, ...]
    added: tuple[OpChange, ...]
    removed: tuple[OpChange, ...]
    implied: int

    @property
    def groups(self) -> dict[str, tuple[OpChange, ...]]:
        """The changed ops, by what became of them."""
        return {"moved": self.moved, "modified": self.modified, "added": self.added, "removed": self.removed}


@dataclass(frozen=True)
class ComparedDump:
    """A dump with its ops as they are compared."""

    dump: KeyedDump
    ops: ComparedOps

    def inversions(self) -> dict[int, int]:
        """By indexed op, the number of inversions it is in."""
        blocks = [KeyedBlock(self.dump, block) for block in range(self.ops.ir.block_count)]
        return {block.ops[place]: count for block in blocks for place, count in block.carried.items()}

    @cached_property
    def _places(self) -> dict[int, int]:
        return {op: place for ops in self.ops.ir.block_ops for place, op in enumerate(ops)}

    def place(self, op: int) -> int:
        """Return the op's 0-based place in its block."""
        return self._places[op]

    def block_name(self, block: int) -> str:
        """Return ``@main ^bb1``. A block of an op that is not a function is ``scf.for (line 8) in @main``.

        If the op has several regions, or the region several blocks, the name also says which one it is.
        """
        ir, function = self.ops.ir, self.ops.functions[block]
        parent = ir.parent_op(block)
        if parent < 0:
            return "the top level"
        symbol = self.ops.symbols[parent]
        if symbol is not None and symbol == function:
            return f"{function} {ir.block_name(block)}"
        name = " ".join(filter(None, (ir.name(parent), symbol)))
        where = f"{name} (line {ir.source.line_at(ir.op_start[parent])})"
        regions, region = ir.regions_of[parent], ir.block_region[block]
        if len(regions) > 1:
            where = f"region {regions.index(region)} of {where}"
        if len(ir.region_blocks[region]) > 1:
            where = f"{ir.block_name(block)} of {where}"
        return f"{where} in {function}" if function else where

    def block_place(self, block: int) -> str:
        """Return the name of a block and its line, ``@main ^bb1 (line 8)``."""
        source = self.ops.ir.source
        return f"{self.block_name(block)} (line {source.line_at(self.ops.ir.block_offset(block))})"

    def values(self, producers: Sequence[tuple[int, int]]) -> str:
        """Return ``%3 ttir.permute, argument 2 of ^bb0``. An only block has ``argument 0 of scf.for``."""
        return ", ".join(self._value(owner, number) for owner, number in producers)

    def _value(self, owner: int, number: int) -> str:
        ir = self.ops.ir
        if owner < 0:
            parent = ir.parent_op(-1 - owner)
            is_only_block = parent >= 0 and len(self.ops.blocks_of[parent]) == 1
            is_of_op = is_only_block and self.ops.symbols[parent] is None
            return f"argument {number} of {ir.name(parent) if is_of_op else ir.block_name(-1 - owner)}"
        return f"{ir.result_names(owner)[number]} {ir.name(owner)}"

    def location(self, op: int) -> str:
        """Return the op's location as printed. An alias is replaced by its definition."""
        ir = self.ops.ir
        text = ir.location_text(op) or b""
        return (ir.definition(text) or text).decode("utf-8", "replace").strip()


def compared(dump: KeyedDump, interned: Interned) -> ComparedDump:
    """Return a dump with its ops as they are compared with those of dumps that share ``interned``."""
    return ComparedDump(dump, ComparedOps(dump.ir, dump.indices, dump.functions, interned))


class DumpComparison:
    """Two dumps and the matching of their ops.

    Attributes:
        became: by op of the earlier dump, the op it became.
        was: the inverse of ``became``.
        moved: the ops of the later dump to move for the old order: the fewest per block, and those that
            changed blocks.
    """

    def __init__(self, before: ComparedDump, after: ComparedDump, matching: Matching) -> None:
        self.before = before
        self.after = after
        self.matching = matching
        self.became = matching.ops
        self.was = {new: old for old, new in matching.ops.items()}
        self._has_locations = before.ops.has_locations and after.ops.has_locations
        self._at_location: dict[int, list[int]] = defaultdict(list)
        for op, location in enumerate(before.ops.locations):
            if location != NO_LOCATION:
                self._at_location[location].append(op)
        self.moved = self._moved()

    def changes(self, commuted: Mapping[int, int]) -> OpChanges:
        """Return all ops, by what became of them.

        Args:
            commuted: by added op, the earlier op that was moved there, where locations do not show it.
        """
        by_status: dict[str, list[OpChange]] = defaultdict(list)
        for change in self.pairs(commuted, with_unchanged=False):
            by_status[change.status].append(change)
        groups = {status: tuple(by_status[status]) for status in ("moved", "modified", "added", "removed")}
        return OpChanges(
            unchanged=len(self.became) - len(groups["moved"]) - len(groups["modified"]),
            implied=sum(map(len, self._implied)),
            **groups,
        )

    def pairs(self, commuted: Mapping[int, int], *, with_unchanged: bool = True) -> Iterator[OpChange]:
        """Yield the ops in the order of the later dump. A removed op comes after the op that it followed."""
        not_printed_after, not_printed_before = self._implied
        for old, new in self._in_order():
            if old is None and new is not None and new not in not_printed_before:
                yield self._change(None, new, ancestor=self._described_ancestor(new, commuted))
            elif old is not None and new is None and old not in not_printed_after:
                yield self._change(old, None)
            elif old is not None and new is not None:
                differences = tuple(self._differences(old, new))
                if with_unchanged or differences or new in self.moved:
                    yield self._change(old, new, differences)

    def _in_order(self) -> Iterator[tuple[int | None, int | None]]:
        removed: dict[int, list[int]] = defaultdict(list)
        last = -1
        for old in range(len(self.before.ops)):
            last = self.became.get(old, last)
            if old not in self.became:
                removed[last].append(old)
        for new in range(-1, len(self.after.ops)):
            if new >= 0:
                yield self.was.get(new), new
            yield from ((old, None) for old in removed[new])

    @cached_property
    def _implied(self) -> tuple[set[int], set[int]]:
        """Return the ops of each dump that only its own printing form shows."""
        before, after = self.before.ops, self.after.ops
        added = [op for op in range(len(after)) if op not in self.was]
        removed = [op for op in range(len(before)) if op not in self.became]
        return (
            implied_ops(removed, before, after, self.became),
            implied_ops(added, after, before, self.was),
        )

    def came_back(self, new: int) -> bool:
        """Whether an op of both dumps is in fewer inversions than before: put back, not shuffled."""
        before, after = self._inversions
        return after.get(new, 0) < before.get(self.was[new], 0)

    def ancestor(self, new: int) -> tuple[int, Relation] | None:
        """Return the earlier op that an added op came from, by their locations."""
        before, after = self.before.ops, self.after.ops
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
        text = self.after.ops.texts[new]
        return min(
            ops, key=lambda op: (op in self.became, len(self.before.ops.texts[op].differs_from(text)), op)
        )

    def _described_ancestor(self, new: int, commuted: Mapping[int, int]) -> Ancestor | None:
        return self._as_ancestor(self.origin(new, commuted))

    def _as_ancestor(self, origin: tuple[int, Relation] | None) -> Ancestor | None:
        return None if origin is None else Ancestor(self.before.dump.label(origin[0]), origin[1])

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
        at_location = self._at_location.get(self.after.ops.locations[new], ())
        gone = [op for op in at_location if op not in self.became]
        stem = self.after.ops.names[new].partition(".")[2]
        namesakes = [op for op in gone if self.before.ops.names[op].partition(".")[2] == stem]
        found = next((ops for ops in (namesakes, gone) if len(ops) == 1), None)
        return None if found is None else (found[0], Relation.CONVERTED)

    @cached_property
    def added(self) -> list[int]:
        """Return the new ops of the later dump, without those that the other printing form omits."""
        return [op for op in range(len(self.after.ops)) if op not in self.was and op not in self._implied[1]]

    def change(self, old: int, new: int) -> OpChange:
        """Return what became of an op that both dumps have."""
        return self._change(old, new, tuple(self._differences(old, new)))

    def addition(self, new: int, origin: tuple[int, Relation] | None) -> OpChange:
        """Return an added op, and the earlier op that it came from, if known."""
        return self._change(None, new, ancestor=self._as_ancestor(origin))

    def replacements(self, old: int) -> str:
        """Return what the users of a removed op use instead, if they still exist."""
        before, after = self.before.ops.producers, self.after.ops.producers
        users = [(self.became.get(user, -1), user, place) for user, place in self.before.ops.users[old]]
        used = [
            after[new][place]
            for new, user, place in users
            if new >= 0 and len(before[user]) == len(after[new])
        ]
        return self.after.values(list(dict.fromkeys(used)))

    @cached_property
    def _inversions(self) -> tuple[dict[int, int], dict[int, int]]:
        return self.before.inversions(), self.after.inversions()

    def _moved(self) -> set[int]:
        old_block, new_block = self.before.ops.ir.op_block, self.after.ops.ir.op_block
        stayed: dict[int, list[tuple[int, int]]] = defaultdict(list)
        moved = set()
        for old, new in self.became.items():
            if self.matching.blocks.get(old_block[old]) == new_block[new]:
                stayed[new_block[new]].append((new, old))
            else:
                moved.add(new)
        for pairs in stayed.values():
            pairs.sort()
            moved.update(pairs[k][0] for k in displaced([old for _, old in pairs]))
        return moved

    def _differences(self, old: int, new: int) -> Iterator[OpDifference]:
        a, b = self.before.ops.texts[old], self.after.ops.texts[new]
        yield from self._other_operands(old, new)
        kinds = a.differs_from(b)
        if "attributes" in kinds and a.is_generic and b.is_generic:
            for name in sorted(a.attributes.keys() | b.attributes.keys()):
                was, now = a.attributes.get(name, ""), b.attributes.get(name, "")
                if was != now or (name in a.attributes) != (name in b.attributes):
                    yield OpDifference("attributes", name, was, now)
        elif "attributes" in kinds:
            yield OpDifference("attributes", "", *(text.text.decode("utf-8", "replace") for text in (a, b)))
        if "types" in kinds:
            yield OpDifference("types", "", a.signature, b.signature)
        if self._has_locations and self.before.ops.locations[old] != self.after.ops.locations[new]:
            yield OpDifference("location", "", self.before.location(old), self.after.location(new))

    def _other_operands(self, old: int, new: int) -> Iterator[OpDifference]:
        """Yield the operands that differ. They are unordered if the printing forms differ."""
        before, after = self.before.ops.producers[old], self.after.ops.producers[new]
        was = [self._value_before(*producer) for producer in before]
        now = [self._value_after(*producer) for producer in after]
        if was == now or is_shorthand(self.before.ops, old) or is_shorthand(self.after.ops, new):
            return
        if self.before.ops.names[old] not in self.matching.same_form:
            gone = [p for p, value in zip(before, was, strict=True) if value not in now]
            come = [p for p, value in zip(after, now, strict=True) if value not in was]
            if len(was) != len(now) or gone or come:
                yield OpDifference("operands", "", self.before.values(gone), self.after.values(come))
            return
        for place in range(max(len(was), len(now))):
            here = slice(place, place + 1)
            if was[here] != now[here]:
                values = self.before.values(before[here]), self.after.values(after[here])
                yield OpDifference("operands", str(place), *values)

    def _value_before(self, owner: int, number: int) -> Hashable:
        """Return the later value that an earlier value became, or None if it is gone."""
        if owner >= 0:
            return (self.became[owner], number) if owner in self.became else None
        parent = self.before.ops.ir.parent_op(-1 - owner)
        if parent in self.became and self._hides_blocks(parent):
            return "argument", self.became[parent], number
        return self.matching.arguments.get((owner, number))

    def _value_after(self, owner: int, number: int) -> Hashable:
        parent = self.after.ops.ir.parent_op(-1 - owner) if owner < 0 else -1
        if parent in self.was and self._hides_blocks(self.was[parent]):
            return "argument", parent, number
        return owner, number

    def _hides_blocks(self, old: int) -> bool:
        """Whether a form of the op may name the arguments of several regions once (``stablehlo.while``)."""
        return self.before.ops.names[old] not in self.matching.same_form

    def _change(
        self,
        old: int | None,
        new: int | None,
        differences: tuple[OpDifference, ...] = (),
        ancestor: Ancestor | None = None,
    ) -> OpChange:
        before, after = self.before, self.after
        blocks: tuple[str | None, str | None] = (None, None)
        if old is not None and new is not None:
            from_block, to_block = before.ops.ir.op_block[old], after.ops.ir.op_block[new]
            if self.matching.blocks.get(from_block) != to_block:
                blocks = before.block_name(from_block), after.block_name(to_block)
                if blocks[0] == blocks[1]:
                    blocks = before.block_place(from_block), after.block_place(to_block)
        side, op = (after, new) if new is not None else (before, old)
        assert op is not None
        return OpChange(
            function=side.ops.functions[side.ops.ir.op_block[op]],
            before=None if old is None else before.dump.label(old),
            after=None if new is None else after.dump.label(new),
            place_before=None if old is None else before.place(old),
            place_after=None if new is None else after.place(new),
            block_before=blocks[0],
            block_after=blocks[1],
            differences=differences,
            moved=new in self.moved,
            derived=new is not None and bool(after.dump.indices.derived_by_op[new]),
            ancestor=ancestor,
            inversions_before=None if old is None else self._inversions[0].get(old),
            inversions_after=None if new is None else self._inversions[1].get(new),
        )
