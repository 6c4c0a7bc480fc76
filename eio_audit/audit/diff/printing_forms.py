"""Ops that one printing form shows and another omits: no pass added or removed them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eio_audit.audit.diff.refinement import ComparedOps


def implied_ops(
    ops: Sequence[int], side: ComparedOps, other: ComparedOps, pairs: Mapping[int, int]
) -> set[int]:
    """Return the unmatched ops that the other dump's printing form omits or abbreviates."""
    implied: set[int] = set()
    for op in ops:
        parent = side.ir.parent_op(side.ir.op_block[op])
        if parent < 0:
            is_bare_module = side.names[op] == "builtin.module" and side.symbols[op] is None
            if is_bare_module and "builtin.module" not in other.names:
                implied.add(op)
        elif parent in implied:
            if side.names[parent] != "builtin.module":
                implied.add(op)
        elif parent in pairs and _is_left_out(op, side, other, pairs[parent]):
            implied.add(op)
    return implied


def _is_left_out(op: int, side: ComparedOps, other: ComparedOps, counterpart: int) -> bool:
    """Whether the custom form of its parent (the ``counterpart``, or the parent itself) omits an op."""
    ir = side.ir
    parent = ir.parent_op(ir.op_block[op])
    is_generic = side.texts[parent].is_generic
    if is_generic == other.texts[counterpart].is_generic:
        return False
    if not is_generic:
        return is_shorthand(side, op)
    contents = [
        inner for block in other.blocks_of.get(counterpart, ()) for inner in other.ir.block_ops[block]
    ]
    if counterpart not in other.blocks_of or any(is_shorthand(other, inner) for inner in contents):
        return True
    is_terminator = "terminator" in ir.op_table.flags(side.names[op])
    return is_terminator and not side.producers[op] and op == ir.block_ops[ir.op_block[op]][-1]


def is_shorthand(side: ComparedOps, op: int) -> bool:
    """Whether an op is short for a region with it and a terminator: ``linalg.map { arith.addf }``."""
    name = side.names[op]
    is_name_alone = side.texts[op].text == name.encode() and side.ir.result_count(op) == 0
    return is_name_alone and "terminator" not in side.ir.op_table.flags(name)
