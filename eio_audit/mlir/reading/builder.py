"""Add ops, regions and blocks to an IR while a dump is read, and track which of them are open.

Both the exact reader (reader.py) and the fast path (plain_lines.py) report what they find in textual order.
So the open ops and regions never depend on which of them read the text so far.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence

from eio_audit.mlir.ir import IR, NO_OFFSET
from eio_audit.mlir.reading.scopes import Mentions, Scopes, split_use
from eio_audit.mlir.tokens import ARGUMENT, RESULT, Brackets
from eio_audit.mlir.traits import UNLISTED, OpTraits

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
        full = name.decode("utf-8", "replace")
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
