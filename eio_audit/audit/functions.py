"""The functions that blocks stand in."""

from __future__ import annotations

from eio_audit.mlir.ir import IR


def functions_around(ir: IR) -> list[str | None]:
    """By block: the symbol of the innermost function, or unlisted op with a symbol, around it."""
    traits = ir.op_table.rows
    functions: list[str | None] = []
    for block in range(ir.block_count):
        op = ir.parent_op(block)
        if op < 0:
            functions.append(None)
            continue
        row = traits.get(ir.name(op))
        has_symbol = row is None or "function" in row.flags
        functions.append((ir.symbol(op) if has_symbol else None) or functions[ir.op_block[op]])
    return functions
