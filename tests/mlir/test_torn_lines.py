"""An op may go on on the next line after any of its tokens."""

from __future__ import annotations

from pathlib import Path

import pytest

from eio_audit import fix, read
from tests.mlir.test_both_paths import assert_same
from tests.mlir_texts import SPLIT, places, read_by_mlir, torn_at
from tests.reading import ir_of, names
from tests.tools import needs_mlir_opt

DATA = Path(__file__).parent.parent / "data"
TORN = sorted((DATA / "torn").glob("*.mlir"))
PROGRAMS = (DATA / "upstream_ops.mlir").read_bytes().split(SPLIT)
"""Ops of MLIR's own dialects, in all the syntax that their custom assembly has."""


def ops(text: bytes) -> list[tuple[str, int, list[int]]]:
    ir = ir_of(text.decode())
    return [(ir.name(op), ir.result_count(op), sorted(ir.operands_of(op))) for op in range(len(ir))]


@pytest.mark.parametrize("every", [151, pytest.param(1, marks=pytest.mark.slow)])
def test_an_op_that_is_torn_at_any_place_is_read_as_before(every: int) -> None:
    cases = [(text, place, whole) for text in PROGRAMS for whole in [ops(text)] for place in places(text)]
    assert len(cases) > 3000
    for text, place, whole in cases[::every]:
        for torn in torn_at(text, place):
            assert ops(torn) == whole, torn[place[0] - 40 : place[0] + 40].decode()
            if every > 1:
                assert_same(torn)


@pytest.mark.slow
@needs_mlir_opt
def test_mlir_reads_ops_that_are_torn() -> None:
    texts = [torn for text in PROGRAMS for place in [*places(text)][::40] for torn in torn_at(text, place)]
    assert None not in read_by_mlir(texts)


@pytest.mark.parametrize("path", TORN, ids=lambda path: path.stem)
def test_fix_leaves_a_torn_op_before_what_uses_it(path: Path) -> None:
    assert fix(read(path)).text == path.read_bytes()


def below(line: str, above: str = "%0 = my.op %a", around: str = "my.func") -> list[str]:
    return names(f"{around} @f(%a: i32) {{\n  {above}\n  {line}\n  my.end\n}}\n")[1:-1]


@pytest.mark.parametrize(
    "line", ["slt, %a", "fastmath<fast> : i32", "volatile %a", "from my", "x : i32", "i32"]
)
def test_a_word_with_more_text_begins_no_op_below_an_op_without_type(line: str) -> None:
    assert below(line) == ["  my.op"]


@pytest.mark.parametrize("line", ["slt, %a", "fastmath<fast> : i32", "volatile %a", "erase", "my_op @s"])
def test_it_begins_one_below_an_op_with_a_type(line: str) -> None:
    assert below(line, "%0 = my.op %a : i32") == [
        "  my.op",
        "  " + line.replace(",", " ").split("<")[0].split()[0],
    ]


@pytest.mark.parametrize("line", ["erase %a", "slt, %a", "x<3>"])
def test_it_begins_one_below_an_op_that_is_printed_without_dialect_too(line: str) -> None:
    assert len(below(line, "%0 = other %a")) == 2


@pytest.mark.parametrize("line", ["erase %a", "slt, %a : i32", "done"])
def test_it_begins_none_where_mlir_prints_no_such_ops(line: str) -> None:
    assert below(line, "arith.negf %a : f32", around="func.func") == ["  arith.negf"]


@pytest.mark.parametrize("line", ["return %a", "return", "call @g(%a) : (i32) -> ()"])
def test_the_ops_that_mlir_prints_without_dialect_begin_anywhere(line: str) -> None:
    assert below(line, "%0 = arith.constant true", around="func.func")[1:] == [
        f"  func.{line.split(maxsplit=1)[0]}"
    ]


def test_ops_of_old_mlir_are_without_dialect_in_any_region() -> None:
    text = """func @f(%i: index, %x: f32, %m: memref<4xf32>) {
  affine.for %j = 0 to 4 {
    %k = affine.apply #map(%j)
    store %x, %m[%k] : memref<4xf32>
  }
  return
}
#map = affine_map<(d0) -> (d0)>
"""
    assert [name.split()[-1] for name in names(text)] == [
        "func.func", "affine.for", "affine.apply", "affine.store", "func.return",
    ]  # fmt: skip


def test_a_successor_at_the_start_of_a_line_is_no_label() -> None:
    text = "llvm.func @f() {\n  llvm.invoke @g() to ^a unwind\n  ^b : () -> ()\n^a:\n  llvm.return\n^b:\n  llvm.return\n}\n"
    assert [name.strip() for name in names(text)] == [
        "llvm.func",
        "llvm.invoke",
        "llvm.return",
        "llvm.return",
    ]
