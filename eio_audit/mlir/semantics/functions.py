"""Find the functions of a dump, the functions around blocks, the ops around functions, and terminators."""

from __future__ import annotations

from itertools import compress, count

from eio_audit.mlir.ir import IR
from eio_audit.mlir.traits import OpTraits


def runs_ahead(symbol: str | None) -> bool:
    """Return whether a function runs once, ahead of the model: tt-mlir evaluates constants in such ones."""
    return symbol is not None and "_const_eval_" in symbol


def functions_around(ir: IR) -> list[str | None]:
    """Return, by block, the symbol of the innermost function or unlisted op with a symbol around it."""
    may_be_function = list(map(_may_be_function, map(ir.op_table.rows.get, ir.names)))
    functions: list[str | None] = []
    for op in map(ir.parent_op, range(ir.block_count)):
        function = functions[ir.op_block[op]] if op >= 0 else None
        if op >= 0 and may_be_function[ir.op_name[op]]:
            function = ir.symbol(op) or function
        functions.append(function)
    return functions


def outermost_functions(ir: IR) -> list[int]:
    """Return, by block, the outermost function around it that is in no other; -1 for none."""
    may_be_function = list(map(_may_be_function, map(ir.op_table.rows.get, ir.names)))
    functions: list[int] = []
    for op in map(ir.parent_op, range(ir.block_count)):
        function = functions[ir.op_block[op]] if op >= 0 else -1
        if function < 0 <= op and may_be_function[ir.op_name[op]] and ir.symbol(op) is not None:
            function = op
        functions.append(function)
    return functions


def function_symbol(ir: IR, op: int) -> str | None:
    """Return the symbol of a function, or of an unlisted op that has one. None for any other op."""
    return ir.symbol(op) if _may_be_function(ir.op_table.rows.get(ir.name(op))) else None


def ends_block(ir: IR, op: int) -> bool:
    """Whether an op, perhaps unlisted, is its block's terminator by its place and name."""
    is_last = op == ir.block_ops[ir.op_block[op]][-1]
    return is_last and ir.result_count(op) == 0 and ir.name(op).endswith((".return", ".yield"))


def only_function(ir: IR) -> str | None:
    """Return the symbol of the only function, if a dump contains nothing else. None for a program."""
    is_one_op = ir.block_count > 0 and len(ir.block_ops[0]) == 1
    return function_symbol(ir, ir.block_ops[0][0]) if is_one_op else None


def find_scopes(ir: IR) -> set[int]:
    """Return the functions, the modules, and all other ops that contain a function.

    - an op that the op table marks as a function or a symbol table,
    - an unlisted op with a symbol and a region, but without operands and results: a function or a module of
      an unlisted dialect. It is outside all ops, in a symbol table, or in an unlisted op that contains only
      ops with symbols. Elsewhere the symbol may be one that the op uses,
    - every op around one of these.
    """
    scopes: set[int] = set()
    may_have_scopes = {-1}
    rows = [ir.op_table.rows.get(name) for name in ir.names]
    may_be_scope = [
        row is None or not row.flags.isdisjoint(("function", "symbol_table")) for row in rows
    ]  # most ops are listed as something else
    for op in compress(count(), map(may_be_scope.__getitem__, ir.op_name)):
        row = rows[ir.op_name[op]]
        if row is not None:
            is_scope = not row.flags.isdisjoint(("function", "symbol_table"))
            has_scopes = "symbol_table" in row.flags
        else:
            is_inside = ir.parent_op(ir.op_block[op]) in may_have_scopes
            has_values = ir.operands_of(op) or ir.result_count(op)
            is_scope = is_inside and op in ir.regions_of and not has_values and ir.symbol(op) is not None
            blocks = (b for region in ir.regions_of.get(op, ()) for b in ir.region_blocks[region])
            has_scopes = is_inside and all(ir.symbol(inner) for b in blocks for inner in ir.block_ops[b])
        if is_scope:
            scopes.update((op, *ir.enclosing_ops(ir.op_block[op])))
        if has_scopes:
            may_have_scopes.add(op)
    return scopes


def find_without_order(ir: IR) -> set[int]:
    """Return the ops whose order cannot be wrong: scopes (``find_scopes``), declarations and terminators."""
    fixed = [not ir.op_table.flags(name).isdisjoint(("symbol", "terminator")) for name in ir.names]
    return find_scopes(ir) | {op for op, number in enumerate(ir.op_name) if fixed[number]}


def _may_be_function(row: OpTraits | None) -> bool:
    return row is None or "function" in row.flags
