"""The functions that blocks stand in, and that a dump shows."""

from __future__ import annotations

from eio_audit.mlir.ir import IR
from eio_audit.mlir.traits import OpTraits


def functions_around(ir: IR) -> list[str | None]:
    """By block: the symbol of the innermost function, or unlisted op with a symbol, around it."""
    may_be_function = list(map(_may_be_function, map(ir.op_table.rows.get, ir.names)))
    functions: list[str | None] = []
    for op in map(ir.parent_op, range(ir.block_count)):
        function = functions[ir.op_block[op]] if op >= 0 else None
        if op >= 0 and may_be_function[ir.op_name[op]]:
            function = ir.symbol(op) or function
        functions.append(function)
    return functions


def function_symbol(ir: IR, op: int) -> str | None:
    """The symbol of a function, or of an unlisted op that has one; None for any other op."""
    return ir.symbol(op) if _may_be_function(ir.op_table.rows.get(ir.name(op))) else None


def only_function(ir: IR) -> str | None:
    """The symbol of the function that is all there is in a dump; None for a program."""
    is_one_op = ir.block_count > 0 and len(ir.block_ops[0]) == 1
    return function_symbol(ir, ir.block_ops[0][0]) if is_one_op else None


def _may_be_function(row: OpTraits | None) -> bool:
    return row is None or "function" in row.flags
