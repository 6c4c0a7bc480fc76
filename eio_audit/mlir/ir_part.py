"""One op of a dump with all ops inside it, as if its text had been read alone."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from itertools import count

from eio_audit.mlir.ir import IR, NO_OFFSET
from eio_audit.mlir.source import Span
from eio_audit.mlir.traits import UNLISTED

TOP_LEVEL_OP = "builtin.module"
"""The op whose region is like the top level of a dump."""


def part_of(ir: IR, op: int) -> IR | None:
    """Return an op and the ops inside it as the only ones of a dump. Offsets are those of the whole text.

    None if one of them uses a value that is defined outside: alone it could not be read.

    Complexity: linear in the ops inside, and in the blocks and regions of the dump.
    """
    end = ir.subtree_end[op]
    regions = range(
        bisect_left(ir.region_start, ir.op_start[op]), bisect_left(ir.region_start, ir.op_end[op])
    )
    blocks = [block for block, region in enumerate(ir.block_region) if region in regions]
    first_block, first_region = (blocks[0] if blocks else 0) - 1, regions.start - 1  # after the top level
    values = _values_in(ir, op, end, first_block + 1, first_block + 1 + len(blocks))
    operands = ir.operands[ir.operand_start[op] : ir.operand_start[end]]
    late = {user - op: used for user, used in ir.late_operands.items() if op <= user < end}
    if any(
        min(used) < values.start or max(used) >= values.stop for used in (operands, *late.values()) if used
    ):
        return None

    part = IR(ir.source, Span(ir.op_start[op], ir.op_end[op]), ir.op_table)
    part.aliases = ir.aliases
    for column in ("op_start", "op_end", "op_is_generic", "location_start"):
        setattr(part, column, getattr(ir, column)[op:end])
    numbers = dict(zip(dict.fromkeys(ir.op_name[op:end]), count()))
    part.names = [ir.names[name] for name in numbers]
    part.op_name = array("i", [numbers[name] for name in ir.op_name[op:end]])
    part.op_block = array("i", [0, *(block - first_block for block in ir.op_block[op + 1 : end])])
    part.subtree_end = _shifted("i", ir.subtree_end[op:end], op)
    part.first_result = _shifted("i", ir.first_result[op:end], values.start)
    part.operand_start = _shifted("q", ir.operand_start[op : end + 1], ir.operand_start[op])
    part.operands = _shifted("i", operands, values.start)
    part.late_operands = {user: [value - values.start for value in used] for user, used in late.items()}
    part.undefined_names = {one - op: at for one, at in ir.undefined_names.items() if op <= one < end}
    part.regions_of = {
        one - op: [region - first_region for region in found]
        for one, found in ir.regions_of.items()
        if op <= one < end
    }
    owners = ir.value_owner[values.start : values.stop]
    part.value_owner = array("i", [one - op if one >= 0 else one + first_block for one in owners])
    names = (bisect_left(ir.argument_names, offset) for offset in part.span)
    part.argument_names = ir.argument_names[slice(*names)]

    inside = slice(first_block + 1, first_block + 1 + len(blocks))
    part.block_region = array("i", [0, *(region - first_region for region in ir.block_region[inside])])
    part.block_label = array("q", [NO_OFFSET, *ir.block_label[inside]])
    depth = ir.block_depth[ir.op_block[op]]
    part.block_depth = array("i", [0, *(one - depth for one in ir.block_depth[inside])])
    part.block_ops = [array("i", [0]), *(_shifted("i", ops, op) for ops in ir.block_ops[inside])]
    shown = slice(regions.start, regions.stop)
    part.region_op = array("i", [-1, *(one - op for one in ir.region_op[shown])])
    part.region_start = array("q", [NO_OFFSET, *ir.region_start[shown]])
    part.region_end = array("q", [part.span.end, *ir.region_end[shown]])
    is_graph = "graph_region" in ir.op_table.rows.get(TOP_LEVEL_OP, UNLISTED).flags
    part.region_is_graph = bytearray([is_graph, *ir.region_is_graph[shown]])
    return part


def _values_in(ir: IR, op: int, end: int, first_block: int, end_block: int) -> range:
    """Return the values that ops from ``op`` to ``end`` define, and arguments of blocks in them."""
    stop = ir.first_result[end] if end < len(ir) else len(ir.value_owner)
    while stop > ir.first_result[op]:
        owner = ir.value_owner[stop - 1]
        if owner >= 0 or first_block <= -1 - owner < end_block:
            break
        stop -= 1
    return range(ir.first_result[op], stop)


def _shifted(code: str, numbers: array[int], less: int) -> array[int]:
    return array(code, [number - less for number in numbers])
