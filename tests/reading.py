"""Shorthand for tests that read MLIR text."""

from __future__ import annotations

import pytest

from eio_audit import InputError
from tests.internals import IR, OpTable, Source, read_ir

TABLE = OpTable()  # what the reader learns of lines, it learns for a table


def ir_of(text: str | bytes) -> IR:
    return read_ir(Source("test.mlir", text.encode() if isinstance(text, str) else text), op_table=TABLE)


def names(text: str | bytes) -> list[str]:
    """Return the ops of a text, indented by the nesting depth of their blocks."""
    ir = ir_of(text)
    return ["  " * ir.block_depth[ir.op_block[op]] + ir.name(op) for op in range(len(ir))]


def uses(text: str | bytes) -> list[tuple[str, str]]:
    """Return (defining op, using op) for every operand that an op defines, by full name."""
    ir = ir_of(text)
    return [
        (ir.name(ir.value_owner[value]), ir.name(op))
        for op in range(len(ir))
        for value in ir.operands_of(op)
        if ir.value_owner[value] >= 0
    ]


def check_error(text: str | bytes, line: int, column: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        ir_of(text)
    assert message in caught.value.message
    assert caught.value.position == (line, column)
