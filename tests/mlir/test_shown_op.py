"""The op that a dump shows."""

from __future__ import annotations

import pytest

from eio_audit import read_text
from eio_audit.mlir.input.function_texts import outermost_op, shown_op

MARKER = "// -----// IR Dump After P (p)"


@pytest.mark.parametrize(
    ("text", "op"),
    [
        ("func.func @main() {\n  return\n}", ("func.func", "@main")),
        ("func.func private @d(i32) -> i32", ("func.func", "@d")),
        ('func.func @"a b"() {\n  return\n}', ("func.func", '@"a b"')),
        ("module {\n}", ("builtin.module", None)),
        ("module @m {\n}", ("builtin.module", None)),
        ("builtin.module @m attributes {a = @x} {\n}", ("builtin.module", None)),
        ("util.initializer {\n  util.return\n}", ("util.initializer", None)),
        ("hal.executable private @e {\n}", ("hal.executable", "@e")),
        ('#loc = loc("{")\n#m = affine_map<(d0) -> (d0)>\nfunc.func @f() {\n  return\n}', ("func.func", "@f")),
        ('"func.func"() <{sym_name = "f"}> ({\n}) : () -> ()', ("func.func", "@f")),
        ('"func.func"() ({\n  "my.op"() : () -> ()\n}) {sym_name = "f"} : () -> ()', ("func.func", "@f")),
        ('%0 = "my.op"() ({\n}) : () -> i32', ("my.op", None)),
    ],
)  # fmt: skip
def test_the_outermost_op_of_a_text(text: str, op: tuple[str, str | None]) -> None:
    [dump] = read_text(f"{MARKER} //----- //\n{text}\n")
    assert outermost_op(dump) == shown_op(dump) == op


@pytest.mark.parametrize(
    ("scope", "op"),
    [
        (" ('func.func' operation: @f)", ("func.func", "@f")),
        (" ('builtin.module' operation: @m)", ("builtin.module", None)),
        (" ('builtin.module' operation)", ("builtin.module", None)),
    ],
)
def test_a_marker_names_the_op_of_the_pass(scope: str, op: tuple[str, str | None]) -> None:
    [dump] = read_text(f"{MARKER}{scope} //----- //\nmodule {{\n  func.func private @g()\n}}\n")
    assert (shown_op(dump), outermost_op(dump)) == (op, ("builtin.module", None))


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("func.func @f() {\n  return\n}", "@f"),
        ("module {\n}", ""),
        ("util.initializer {\n}", "util.initializer"),
    ],
)
def test_label(text: str, label: str) -> None:
    [dump] = read_text(f"{MARKER} //----- //\n{text}\n")
    assert shown_op(dump).label == label
