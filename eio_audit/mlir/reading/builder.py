"""Add ops, regions and blocks to an IR while a dump is read, and resolve uses of values to definitions.

Both the exact reader (reader.py) and the fast path (plain_lines.py) report what they find in textual order.
So the open ops and regions never depend on which of them read the text so far.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

from eio_audit.mlir.ir import IR, NO_OFFSET, Fault
from eio_audit.mlir.source import decoded
from eio_audit.mlir.tokens import ARGUMENT, RESULT, Brackets
from eio_audit.mlir.traits import UNLISTED, OpTraits

_NAMES_ARGUMENTS = (
    *("firrtl.match", "hal.dispatch.extern", "rtg.with_handlers"),
    *("flow.func", "stream.async.func", "stream.cmd.func", "util.func"),
)
"""Listed ops whose text names arguments that no region has: ``util.func private @f(%a: T) -> %a``."""


class Mentions:
    """Where a text names values. ``%0`` means all values of ``%0:2``, which count as the first."""

    def __init__(self) -> None:
        self.values: dict[int, int] = {}  # by byte offset of a name, the value it means
        self.definitions: dict[int, int] = {}  # by value, the offset where its name is defined
        self.same: dict[int, int] = {}  # by header argument that also means an outer value, that value

    def meaning(self, offset: int) -> int:
        """Return the value that the name at an offset means, or the outer value that it also means."""
        value = self.values[offset]
        while value in self.same:
            value = self.same[value]
        return value

    def define(self, value: int, offset: int) -> None:
        """Record where a name is defined."""
        self.definitions[value] = offset
        self.values[offset] = value


class _Use(NamedTuple):
    """A use of a value that was not visible. ``slot`` indexes ``operands``, or inverted late operands."""

    offset: int
    op: int
    slot: int
    number: int


class _Scope:
    def __init__(self, region: int, shadow_depth: int, outer_defs: dict[bytes, int] | None) -> None:
        self.region = region
        self.shadow_depth = shadow_depth  # its names may repeat those of regions that are less deep
        self.outer_defs = outer_defs  # the outer names, if none of them is visible inside
        self.names: list[bytes] = []  # those that had no meaning before
        self.undo: list[tuple[bytes, int | None]] = []  # what the others meant
        self.unresolved: dict[bytes, list[_Use]] = {}  # the uses before their definition


class Scopes:
    """Resolves names to values while a dump is read, and records operands in the IR.

    One dictionary holds all visible names. When a region closes, its names get their former meanings back. So
    a lookup costs the same at any depth. If the dump ``may_be_invalid``, what is wrong with a name is a fault
    of the IR; otherwise it is an error.
    """

    def __init__(
        self, ir: IR, listed_ops: Container[str], mentions: Mentions | None, *, may_be_invalid: bool
    ) -> None:
        self._ir = ir
        self._may_be_invalid = may_be_invalid
        self.mentions = mentions  # where to record the names, or None
        self._listed = listed_ops
        self._defs: dict[bytes, int] = {}
        self._hidden: list[dict[bytes, int]] = []  # the names around isolated regions, if there are any
        self._scopes: list[_Scope] = []
        self._reachable: dict[int, set[int]] = {}  # by region, as far as asked for

    def open(self, region: int, *, isolated: bool, may_shadow: bool) -> None:
        """Enter a region. ``may_shadow``: its names may repeat those around it."""
        depth = len(self._scopes)
        shadow_depth = depth if may_shadow or not depth else self._scopes[-1].shadow_depth
        self._scopes.append(_Scope(region, shadow_depth, self._defs if isolated else None))
        if isolated:
            if self._defs:
                self._hidden.append(self._defs)
            self._defs = {}

    def close(self) -> None:
        """Leave the region: resolve the uses that its definitions answer, then forget its names."""
        closed = self._scopes.pop()
        if closed.unresolved:
            self._resolve(closed)
        if closed.outer_defs is not None:
            self._defs = closed.outer_defs
            if self._defs:
                self._hidden.pop()
        else:
            self.restore(closed.undo)
            for name in closed.names:
                del self._defs[name]
        if not closed.unresolved:
            return
        if closed.outer_defs is None and self._scopes:
            _merge(closed, self._scopes[-1])
            return
        for use, name in sorted((use, name) for name, uses in closed.unresolved.items() for use in uses):
            if not self._may_only_mention(use.op):
                self._wrong_use(use, decoded(name), "undefined value", ", which is not defined in this scope")
            self._only_mention(use)

    def define(self, name: bytes, value: int, offset: int) -> None:
        """Define a name, ``%`` included, for values in the IR. ``%0:3`` defines ``%0`` as the first."""
        self.require_free(name, offset, self._ir.value_owner[value])
        self._scopes[-1].undo.append((name, self._defs.get(name)))
        if self.mentions is not None:
            self.mentions.define(value, offset)
        self._defs[name] = value

    def define_header_argument(self, name: bytes, block: int) -> tuple[bytes, int | None]:
        """Define an argument that a custom op names before its region. Return what undoes it."""
        old = self._defs.get(name)
        self._defs[name] = len(self._ir.value_owner)
        self._ir.value_owner.append(-1 - block)
        return name, old

    def is_argument(self, name: bytes, block: int) -> bool:
        """Whether the name already means an argument of this block."""
        value = self._defs.get(name)
        return value is not None and self._ir.value_owner[value] == -1 - block

    def mention(self, name: bytes, offset: int, *, as_outside: bool = False) -> None:
        """Record where an argument is named that is defined already.

        ``as_outside``: the name also means the outer value that has been used here.
        """
        if self.mentions is None:
            return
        value = self._defs[name]
        if as_outside:
            self.mentions.same[value] = self.mentions.values[offset]
        elif value in self.mentions.definitions:
            self.mentions.values[offset] = value
        else:
            self.mentions.define(value, offset)

    def restore(self, undo: list[tuple[bytes, int | None]]) -> None:
        """Undo definitions, the last first."""
        for name, value in reversed(undo):
            if value is None:
                self._defs.pop(name, None)
            else:
                self._defs[name] = value

    def is_visible(self, name: bytes) -> bool:
        """Whether the name means a value here."""
        return name in self._defs

    def require_free(self, name: bytes, offset: int, definer: int = -1) -> None:
        """Check that a name may be defined here: a region may repeat the arguments of its sibling, too.

        ``definer`` is the op that defines it; negative for an argument.
        """
        ir, shadow_depth = self._ir, self._scopes[-1].shadow_depth
        for names in (self._defs, *self._hidden):
            if (value := names.get(name)) is None:
                continue
            block = ir.block_of(value)
            region = ir.block_region[block]
            is_sibling = self._scopes[ir.block_depth[block]].region != region
            if not is_sibling and ir.block_depth[block] >= shadow_depth:
                self._redefinition(name, offset, definer, ir.value_owner[value])
            ir.repeats_names |= not is_sibling

    def define_all(self, names: Sequence[bytes], values: list[int]) -> bool:
        """Define new names in the current region. Return False, unchanged, if one is visible already."""
        if not all(hidden.keys().isdisjoint(names) for hidden in self._hidden):
            return False
        meanings = list(map(self._defs.setdefault, names, values))
        if meanings != values:
            for name, meaning, value in zip(names, meanings, values, strict=True):
                if meaning == value:
                    del self._defs[name]
            return False
        scope = self._scopes[-1]
        if scope.outer_defs is None:
            scope.names.extend(names)
        return True

    def forget_all(self, names: Sequence[bytes]) -> None:
        """Undo the last ``define_all``."""
        scope = self._scopes[-1]
        if scope.outer_defs is None:
            del scope.names[len(scope.names) - len(names) :]
        for name in names:
            del self._defs[name]

    def values_of(self, names: Sequence[bytes]) -> list[int] | None:
        """Return the values that the names mean, or None if one is not visible."""
        try:
            return list(map(self._defs.__getitem__, names))
        except KeyError:
            return None

    def use(self, op: int, token: bytes, offset: int) -> None:
        """Record an operand, ``%0`` or ``%0#1``, of an op whose text has not ended.

        A name that is not visible yet waits for its definition until the regions around it close.
        """
        name, number = split_use(token)
        value = self._defs.get(name)
        if value is None:
            slot = self._append_operand(op, -1)
            self._scopes[-1].unresolved.setdefault(name, []).append(_Use(offset, op, slot, number))
            return
        slot = self._append_operand(op, value + number)
        self._check_number(value, name, _Use(offset, op, slot, number))
        if self.mentions is not None:
            self.mentions.values[offset] = value

    def _append_operand(self, op: int, value: int) -> int:
        """Store one operand. Return its slot, negative for an operand after a region of its op."""
        ir = self._ir
        if op == len(ir) - 1:
            ir.operands.append(value)
            ir.operand_start[-1] = len(ir.operands)
            return len(ir.operands) - 1
        late = ir.late_operands.setdefault(op, [])
        late.append(value)
        return ~(len(late) - 1)

    def _set_operand(self, use: _Use, value: int) -> None:
        if use.slot >= 0:
            self._ir.operands[use.slot] = value
        else:
            self._ir.late_operands[use.op][~use.slot] = value

    def _check_number(self, value: int, name: bytes, use: _Use) -> None:
        """Check that a used result exists. If it need not, take the first one."""
        owners, number = self._ir.value_owner, value + use.number
        if number >= len(owners) or owners[number] != owners[value]:
            full, why = f"{decoded(name)}#{use.number}", ", but the op has fewer results"
            self._wrong_use(use, full, "undefined value", why)
            self._set_operand(use, value)

    def _resolve(self, scope: _Scope) -> None:
        ir = self._ir
        for name in [name for name in scope.unresolved if name in self._defs]:
            value = self._defs[name]
            owner = ir.value_owner[value]
            for use in scope.unresolved.pop(name):
                if owner == use.op and self._names_itself(use.op):
                    self._only_mention(use)
                    continue
                self._set_operand(use, value + use.number)
                self._check_number(value, name, use)
                if self.mentions is not None:
                    self.mentions.values[use.offset] = value
                if owner >= 0 and self._is_before(use.op, owner):
                    self._use_before_definition(owner, name, use)

    def _may_only_mention(self, op: int) -> bool:
        """Whether a name in the op's text may get its meaning from the op's own syntax.

        So it is in custom assembly that the op table does not know, as in ``case a(%arg0) { ... }``.
        """
        name = self._ir.name(op)
        is_known = name in self._listed and name not in _NAMES_ARGUMENTS
        return not self._ir.op_is_generic[op] and not is_known

    def _names_itself(self, op: int) -> bool:
        """Whether the op's own result in its text is no operand: it would come before its definition."""
        return self._may_only_mention(op) and self._is_ordered(self._ir.op_block[op])

    def _is_ordered(self, block: int) -> bool:
        """Whether a definition in the block must come before its uses. In an unlisted op it need not."""
        ir = self._ir
        region = ir.block_region[block]
        parent = ir.region_op[region]
        return not ir.region_is_graph[region] and parent >= 0 and ir.name(parent) in self._listed

    def _is_reachable(self, block: int) -> bool:
        """Whether control flow may reach a block. In others a use may come before its definition."""
        region = self._ir.block_region[block]
        if region not in self._reachable:
            self._reachable[region] = self._ir.reachable_blocks(region)
        return block in self._reachable[region]

    def _only_mention(self, use: _Use) -> None:
        """Record a use as a name that nothing defines. Its operand, which is -1, is removed at the end."""
        known = self._ir.undefined_names.get(use.op, use.offset)
        self._ir.undefined_names[use.op] = min(known, use.offset)

    def remove_undefined_operands(self) -> None:
        """Remove what names that nothing defines have left among the operands. All regions are closed."""
        ir = self._ir
        if not ir.undefined_names:
            return
        operands, starts = ir.operands, ir.operand_start
        ir.operands, ir.operand_start = array("i"), array("q", [0])
        for op in range(len(ir)):
            ir.operands.extend(value for value in operands[starts[op] : starts[op + 1]] if value >= 0)
            ir.operand_start.append(len(ir.operands))
        late = {op: [value for value in values if value >= 0] for op, values in ir.late_operands.items()}
        ir.late_operands = {op: values for op, values in late.items() if values}

    def _is_before(self, user: int, definer: int) -> bool:
        """Whether the use is in the definer's own block: inside the definer, or before it."""
        ir = self._ir
        ops = ir.block_ops[ir.op_block[definer]]
        place = bisect_right(ops, user) - 1
        return place >= 0 and user < ir.subtree_end[ops[place]] and ops[place] <= definer

    def _use_before_definition(self, definer: int, name: bytes, use: _Use) -> None:
        """Allow a use before its definition in a graph region. An unlisted op with such a use has one."""
        block, where = self._ir.op_block[definer], f", defined on line {self._line_of(definer)}"
        kind, region = "use before definition", self._ir.block_region[block]
        if self._is_ordered(block) and not self._is_reachable(self._ir.op_block[use.op]):
            if self._is_reachable(block):  # the use is nested in an op of the block
                self._set_operand(use, -1)
                self._only_mention(use)
            else:
                self._ir.unordered_blocks.add(block)
            return
        if self._is_ordered(block):
            self._wrong_use(use, decoded(name), kind, " before its definition", where)
        elif not self._ir.region_is_graph[region]:
            fault = Fault(use.op, kind, f"{self._operand(use)} uses {decoded(name)}{where}")
            self._ir.forward_uses.append(fault)
        self._ir.region_is_graph[region] = True

    def _wrong_use(self, use: _Use, name: str, kind: str, why: str, where: str = "") -> None:
        what = f"{self._operand(use)} uses {name}{where or why}"
        self._wrong(use.offset, f"use of value '{name}'{why}", Fault(use.op, kind, what))

    def _redefinition(self, name: bytes, offset: int, definer: int, old: int) -> None:
        before = f"on line {self._line_of(old)}" if old >= 0 else "as an argument"
        line = self._ir.source.line_at(offset)
        what = f"{decoded(name)} is defined on line {line}, and before that {before}"
        fault = Fault(max(definer, -1), "redefinition", what)
        self._wrong(offset, f"redefinition of value '{decoded(name)}'", fault)

    def _wrong(self, offset: int, message: str, fault: Fault) -> None:
        if not self._may_be_invalid:
            raise self._ir.source.error(offset, message)
        self._ir.faults.append(fault)

    def _operand(self, use: _Use) -> str:
        """Return ``operand 0 of tensor.extract (line 47)``."""
        ir, slot = self._ir, use.slot
        before = ir.operand_start[use.op]
        place = slot - before if slot >= 0 else ir.operand_start[use.op + 1] - before + ~slot
        if slot >= 0 and not ir.op_is_generic[use.op]:  # there, names not visible yet come last
            text = ir.source.data[ir.op_start[use.op] : use.offset]
            place = text.partition(b"= ")[2].count(b"%") if text.startswith(b"%") else text.count(b"%")
        return f"operand {place} of {ir.name(use.op)} (line {self._line_of(use.op)})"

    def _line_of(self, op: int) -> int:
        return self._ir.source.line_at(self._ir.op_start[op])


def split_use(token: bytes) -> tuple[bytes, int]:
    """Return the name and the result number of ``%0#1``. The number is 0 without ``#``."""
    name, _, number = token.partition(b"#")
    return name, int(number[:9]) if number else 0


def _merge(closed: _Scope, outer: _Scope) -> None:
    """Merge unresolved uses into the outer scope, the fewer into the more, so that depth is cheap."""
    few, many = sorted((closed.unresolved, outer.unresolved), key=len)
    for name, uses in few.items():
        fewer, more = sorted((uses, many.get(name, [])), key=len)
        more.extend(fewer)
        many[name] = more
    outer.unresolved = many


DEEPEST = 10_000  # how deeply regions may be nested: MLIR's own tools end before that
_Results = Sequence[tuple[bytes, int, int]]  # names of results, each with its first value and its offset


class OpenOp:
    """An op whose end has not been reached."""

    def __init__(self, ir: IR, op: int, traits: OpTraits, results: _Results) -> None:
        self.op = op
        self.name = ir.name(op)
        self.is_generic = bool(ir.op_is_generic[op])
        self.dialect = self.name.partition(".")[0]
        self.traits = traits
        self.is_isolated = "isolated" in traits.flags
        # Whether names in its regions may repeat those around it, as MLIR lets the custom syntax of an op
        # decide. Generic assembly does not, and none of MLIR's own functions and modules does.
        self.may_shadow = not self.is_generic and (
            traits is UNLISTED or (self.is_isolated and not traits.flags & {"symbol", "function"})
        )
        self.brackets = Brackets(ir.source)  # the open brackets in its text, without its open region
        self.has_region = False
        # Whether it may end at the next line end, as far as its text has been searched for that.
        self.is_whole, self.searched_to = False, 0
        self.in_region_list = False  # its outermost bracket is the `(` of a list of regions
        # Its results. They are defined where the op ends, so nothing inside it sees them.
        self.results = results
        # Values in its custom header that may be arguments of its region, each with its offset and
        # whether it also means an outer value. If so, it is recorded as a use: an extra dependence
        # is safe, a missing one is not.
        self.names: list[tuple[bytes, int, bool]] = []
        self.undo: list[tuple[bytes, int | None]] = []  # what these names meant before


class Builder:
    """Builds the IR of one dump."""

    def __init__(self, ir: IR, end: int, mentions: Mentions | None, *, may_be_invalid: bool) -> None:
        self.ir = ir
        self.traits: Mapping[str, OpTraits] = ir.op_table.rows
        self.scopes = Scopes(ir, self.traits, mentions, may_be_invalid=may_be_invalid)
        self.ops: list[OpenOp] = []  # the open ops, outermost first
        # The open regions, outermost first. The first is the implicit top-level region.
        self.regions: list[int] = []
        self._end = end
        self._numbers_of_names: dict[str, int] = {}
        self._blocks: list[int] = []  # the current block of each open region, -1 before the first
        self.open_region(NO_OFFSET, None)

    def begin_op(self, start: int, name: int, results: bytes, *, is_generic: bool) -> OpenOp:
        """Add an op to the current block. The op stays open.

        ``name`` is a number from ``intern``. ``results`` is the text of the results.
        """
        ir, op, block = self.ir, len(self.ir), self.current_block()
        ir.op_start.append(start)
        ir.op_end.append(NO_OFFSET)
        ir.op_name.append(name)
        ir.op_is_generic.append(is_generic)
        ir.op_block.append(block)
        ir.location_start.append(NO_OFFSET)
        ir.subtree_end.append(op + 1)
        ir.first_result.append(len(ir.value_owner))
        ir.operand_start.append(len(ir.operands))
        ir.block_ops[block].append(op)
        return self.push_open_op(op, self._add_results(op, results) if results else ())

    def push_open_op(self, op: int, results: _Results) -> OpenOp:
        """Open the text of an op that has been added. It stays open until ``end_op``."""
        current = OpenOp(self.ir, op, self.traits.get(self.ir.name(op), UNLISTED), results)
        self.ops.append(current)
        return current

    def end_op(self, end: int, location_start: int = NO_OFFSET) -> None:
        """End the innermost open op and define the names of its results."""
        ir, current = self.ir, self.ops.pop()
        self.scopes.restore(current.undo)
        for name, value, offset in current.results:
            self.scopes.define(name, value, offset)
        ir.location_start[current.op] = location_start
        ir.op_end[current.op] = end
        ir.subtree_end[current.op] = len(ir)

    def add_values(self, owner: int, count: int = 1) -> int:
        """Add values of one owner (see ``IR.value_owner``). Return the first."""
        owners = self.ir.value_owner
        owners.extend([owner] * count)
        return len(owners) - count

    def has_room(self, values: int) -> bool:
        """Whether the text is long enough for so many more values: each has a name or a type in it."""
        return len(self.ir.value_owner) + values <= len(self.ir.source.data)

    def _add_results(self, op: int, text: bytes) -> _Results:
        results = []
        for result in RESULT.finditer(text):
            offset = self.ir.op_start[op] + result.start()
            # 18 digits of a longer number are already more than any file has room for.
            count = int((result["count"] or b"1").lstrip(b"0")[:18] or b"0")
            if count == 0:
                raise self.ir.source.error(offset, "expected at least one result")
            if not self.has_room(count):
                raise self.ir.source.error(offset, "an op cannot have more results than the file has bytes")
            results.append((result["name"], self.add_values(op, count), offset))
        return results

    def intern(self, name: bytes, *, is_whole: bool) -> int:
        """Return the number of an op name. A name printed without quotes may lack its dialect."""
        full = decoded(name)
        if "." not in full and not is_whole:
            full = self._full_name(full)
        number = self._numbers_of_names.setdefault(full, len(self.ir.names))
        if number == len(self.ir.names):
            self.ir.names.append(full)
        return number

    def _full_name(self, name: str) -> str:
        """Return the full name of ``return``, which lacks its dialect where the enclosing op implies it."""
        around = self.ir.name(self.ir.region_op[self.regions[-1]]) if self.ops else ""
        dialects = (around.partition(".")[0], "func", "builtin")
        return next((full for d in dialects if (full := f"{d}.{name}") in self.traits), name)

    def open_region(self, brace: int, owner: OpenOp | None) -> None:
        """Open a region of ``owner``, the innermost open op, or the top-level region if ``owner`` is None."""
        ir, region = self.ir, len(self.ir.region_op)
        if len(self.regions) > DEEPEST:
            raise ir.source.error(brace, f"regions are nested more than {DEEPEST:,} deep")
        traits = owner.traits if owner else self.traits["builtin.module"]
        ir.region_op.append(owner.op if owner else -1)
        ir.region_start.append(brace)
        ir.region_end.append(self._end)
        ir.region_is_graph.append("graph_region" in traits.flags)
        self.regions.append(region)
        self._blocks.append(-1)
        isolated = owner is not None and owner.is_isolated
        self.scopes.open(region, isolated=isolated, may_shadow=owner is not None and owner.may_shadow)
        if owner is not None:
            owner.has_region = True
            ir.regions_of.setdefault(owner.op, []).append(region)
            if owner.names:
                self._add_header_arguments(owner)

    def close_region(self, brace: int) -> None:
        """Close the innermost region, of the innermost open op."""
        self.ir.region_end[self.regions.pop()] = brace
        self._blocks.pop()
        self.scopes.close()

    def _add_header_arguments(self, owner: OpenOp) -> None:
        """Define the names in a custom header as arguments of the region it opens."""
        block, data = self._begin_block(NO_OFFSET), self.ir.source.data
        arguments = {
            offset: split_use(token)[0]
            for token, offset, is_visible in owner.names
            if not is_visible or (owner.is_isolated and ARGUMENT.match(data, offset, self._end))
        }
        for offset, name in arguments.items():
            self.scopes.require_free(name, offset)
        for name in dict.fromkeys(split_use(token)[0] for token, *_ in owner.names):
            undo = self.scopes.define_header_argument(name, block)
            if not owner.is_isolated:  # other regions of the op see them too, until it ends
                owner.undo.append(undo)
        for token, offset, _ in owner.names:
            is_also_outside = offset not in arguments
            if not is_also_outside:
                self.ir.argument_names.append(offset)
            self.scopes.mention(split_use(token)[0], offset, as_outside=is_also_outside)
        owner.names.clear()

    def label_block(self, label: int) -> int:
        """Begin the block of a label: a new one, or the entry block whose arguments the op's header names."""
        block, owner = self._blocks[-1], self.ops[-1]
        if block < 0 and owner.undo:  # the entry of another region, which has its own arguments
            self.scopes.restore(owner.undo)
            owner.undo.clear()
        if block >= 0 and not self.ir.block_ops[block] and self.ir.block_label[block] == NO_OFFSET:
            self.ir.block_label[block] = label
            return block
        return self._begin_block(label)

    def current_block(self) -> int:
        """Return the block that ops go into: the one begun last, or an entry block without label."""
        return self._blocks[-1] if self._blocks[-1] >= 0 else self._begin_block(NO_OFFSET)

    def _begin_block(self, label: int) -> int:
        ir, block = self.ir, len(self.ir.block_region)
        self._blocks[-1] = block
        ir.block_region.append(self.regions[-1])
        ir.block_label.append(label)
        ir.block_depth.append(len(self.regions) - 1)
        ir.block_ops.append(array("i"))
        return block
