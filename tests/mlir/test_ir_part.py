"""A part of an IR is what its text alone would give."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from tests.internals import IR, OpTable, Source, Span, part_of, read_ir
from tests.programs import programs
from tests.reading import ir_of
from tests.test_samples import DUMP_FILES

FIELDS = [
    name
    for name in vars(IR(Source("", b""), Span(0, 0), OpTable()))
    if name not in ("source", "op_table", "aliases")
]


def expect_as_read_alone(ir: IR, op: int) -> None:
    part = part_of(ir, op)
    alone = read_ir(ir.source, Span(ir.op_start[op], ir.op_end[op]), ir.op_table)
    for field in FIELDS:
        assert getattr(part, field) == getattr(alone, field), field


@pytest.mark.parametrize("path", DUMP_FILES, ids=str)
def test_a_function_of_a_sample(path: Path) -> None:
    ir = ir_of(path.read_bytes())
    functions = [op for op in ir.regions_of if ir.name(op) in {"func.func", "builtin.module"}]
    assert functions
    for op in functions:
        expect_as_read_alone(ir, op)


@given(programs(), programs())
def test_each_function_of_a_module(one: str, other: str) -> None:
    ir = ir_of(f"module {{\n{one}{other}}}\n")
    for op in ir.block_ops[1]:
        expect_as_read_alone(ir, op)


def test_blocks_with_arguments_that_follow_the_op_are_not_in_it() -> None:
    ir = ir_of(
        'func.func @f() {\n  "t.a"() ({\n    %0 = "t.b"() : () -> i32\n  }) : () -> ()\n'
        "  cf.br ^bb1\n^bb1(%x: i32):\n  return\n}\n"
    )
    part = part_of(ir, 1)
    assert part is not None
    assert [part.name(op) for op in range(len(part))] == ["t.a", "t.b"]
    assert list(part.value_owner) == [1]


def test_an_op_that_uses_a_value_from_outside_has_no_part() -> None:
    ir = ir_of('%0 = "t.a"() : () -> i32\n"t.b"() ({\n  "t.c"(%0) : (i32) -> ()\n}) : () -> ()\n')
    assert part_of(ir, 1) is None
