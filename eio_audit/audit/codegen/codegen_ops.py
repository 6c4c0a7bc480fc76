"""The ops that code generation makes functions of."""

from __future__ import annotations

import re
from collections.abc import Iterator

from eio_audit.audit.functions import function_symbol
from eio_audit.mlir.ir import IR

FREE = "ttnn.deallocate"
"""The op that only frees what others have made."""

_DIALECT = "ttnn."
_FUNCTION_TYPE = re.compile(rb'\btt\.function_type = "(\w+)"')
_TAKEN_TYPE = b"forward_device"
_LEFT_OUT = ("ttcore.",)
_LEFT_OUT_FLAGS = frozenset({"terminator", "call", "function", "symbol"})


def callers(ir: IR) -> list[int]:
    """The functions that code generation cuts into others, in textual order.

    Where functions say what they are for (``tt.function_type``), those that do the work of the model on the
    device; else all that have a body. Functions without arguments are not cut.
    """
    with_arguments = {-1 - owner for owner in ir.value_owner if owner < 0}
    entry_blocks: dict[int, int] = {}
    for block in range(ir.block_count):
        entry_blocks.setdefault(ir.parent_op(block), block)
    functions: list[int] = []
    for op, block in sorted(entry_blocks.items()):
        is_inside = functions and op < ir.subtree_end[functions[-1]]
        if op >= 0 and block in with_arguments and not is_inside and function_symbol(ir, op) is not None:
            functions.append(op)
    types = {op: _FUNCTION_TYPE.search(ir.own_text(op)) for op in functions}
    if any(types.values()):
        return [op for op, match in types.items() if match and match[1] == _TAKEN_TYPE]
    return functions


def codegen_ops(ir: IR, caller: int) -> list[int]:
    """The ops of a function that code generation looks at, in textual order.

    Where there are ops of TTNN, only these; before the lowering to TTNN all that will be lowered: not
    terminators, calls and what TTCore does around them. An op stands for what is nested in it.
    """
    has_ttnn = any(ir.name(op).startswith(_DIALECT) for op in ir.nested_ops(caller))
    is_taken = [
        name.startswith(_DIALECT)
        if has_ttnn
        else not name.startswith(_LEFT_OUT) and not _LEFT_OUT_FLAGS & ir.op_table.flags(name)
        for name in ir.names
    ]
    return list(_outermost(ir, caller, is_taken))


def _outermost(ir: IR, caller: int, is_taken: list[bool]) -> Iterator[int]:
    op = caller + 1
    while op < ir.subtree_end[caller]:
        if is_taken[ir.op_name[op]] and not _ends_block(ir, op):
            yield op
            op = ir.subtree_end[op]
        else:
            op += 1


def _ends_block(ir: IR, op: int) -> bool:
    """Whether an op, perhaps unlisted, is its block's terminator by all appearance."""
    last = ir.block_ops[ir.op_block[op]][-1]
    return op == last and ir.result_count(op) == 0 and ir.name(op).endswith((".return", ".yield"))
