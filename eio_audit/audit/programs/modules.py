"""The functions and modules of a dump, to which its ops belong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from eio_audit.audit.programs.scope_text import Scope, scopes_of
from eio_audit.mlir.ir import IR
from eio_audit.mlir.semantics.functions import function_symbol

FunctionOrModule: TypeAlias = str | Scope | None
"""The symbol of a function, or the scope of a module; None outside both."""


def parts_of(ir: IR, functions: Sequence[str | None]) -> list[FunctionOrModule]:
    """Return, per op, the function that it is or is in, else the module.

    Modules are listed ops with a symbol table. ``functions`` has, per block, the function around it.
    """
    rows = map(ir.op_table.rows.get, ir.names)
    is_module = [row is not None and "symbol_table" in row.flags for row in rows]
    scopes = {op: scope for scope, op in scopes_of(ir).items() if op >= 0}
    of_op: list[FunctionOrModule] = []
    for op, block in enumerate(ir.op_block):
        parent = ir.parent_op(block)
        part: FunctionOrModule = functions[block]
        if part is None and op in ir.regions_of:
            part = scopes.get(op) if is_module[ir.op_name[op]] else function_symbol(ir, op)
        of_op.append(part if part is not None or parent < 0 else of_op[parent])
    return of_op
