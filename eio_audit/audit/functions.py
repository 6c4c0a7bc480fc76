"""The functions that blocks stand in, and that a dump shows."""

from __future__ import annotations

from eio_audit.mlir.ir import IR


def functions_around(ir: IR) -> list[str | None]:
    """By block: the symbol of the innermost function, or unlisted op with a symbol, around it."""
    functions: list[str | None] = []
    for block in range(ir.block_count):
        op = ir.parent_op(block)
        if op < 0:
            functions.append(None)
            continue
        functions.append(function_symbol(ir, op) or functions[ir.op_block[op]])
    return functions


def function_symbol(ir: IR, op: int) -> str | None:
    """The symbol of a function, or of an unlisted op that has one; None for any other op."""
    row = ir.op_table.rows.get(ir.name(op))
    return ir.symbol(op) if row is None or "function" in row.flags else None


def only_function(ir: IR) -> str | None:
    """The symbol of the function that is all there is in a dump; None for a program."""
    is_one_op = ir.block_count > 0 and len(ir.block_ops[0]) == 1
    return function_symbol(ir, ir.block_ops[0][0]) if is_one_op else None
