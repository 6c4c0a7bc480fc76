"""The ops that code generation makes functions of."""

from __future__ import annotations

import re
from collections.abc import Iterator

from eio_audit.audit.codegen.codegen_location import CodegenLocations, UnreadableLocation
from eio_audit.audit.dependence import arguments_of_blocks
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

    Where functions have a type (``tt.function_type``), those that do the work of the model on the
    device; else all that have a body. Functions without arguments are not cut.
    """
    with_arguments = arguments_of_blocks(ir)
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
    """The ops of a function that code generation looks at, in textual order, without those nested in them.

    Where there are ops of TTNN, only these; before the lowering to TTNN all that will be lowered: not
    terminators, calls and what TTCore does around them.
    """
    has_ttnn = any(ir.name(op).startswith(_DIALECT) for op in ir.nested_ops(caller))
    is_taken = [
        name.startswith(_DIALECT)
        if has_ttnn
        else not name.startswith(_LEFT_OUT) and not _LEFT_OUT_FLAGS & ir.op_table.flags(name)
        for name in ir.names
    ]
    ops: list[int] = []
    for op in ir.nested_ops(caller):
        is_inside = ops and op < ir.subtree_end[ops[-1]]
        if not is_inside and is_taken[ir.op_name[op]] and not ends_block(ir, op):
            ops.append(op)
    return ops


def ends_block(ir: IR, op: int) -> bool:
    """Whether an op, perhaps unlisted, is its block's terminator by its place and name."""
    is_last = op == ir.block_ops[ir.op_block[op]][-1]
    return is_last and ir.result_count(op) == 0 and ir.name(op).endswith((".return", ".yield"))


def unreadable_locations(ir: IR, locations: CodegenLocations) -> Iterator[tuple[int, UnreadableLocation]]:
    """The ops whose location is a name that code generation cannot read, in textual order.

    Raises:
        InputError: a location is malformed.
    """
    for caller in callers(ir):
        for op in codegen_ops(ir, caller):
            read = locations.of(op)
            if isinstance(read, UnreadableLocation):
                yield op, read
