"""The op that a dump shows."""

from __future__ import annotations

import pytest

from eio_audit import read_text
from tests.internals import ShownOp, outermost_op, shown_op

MARKER = "// -----// IR Dump After P (p)"


@pytest.mark.parametrize(
    ("text", "op"),
    [
        ("func.func @main() {\n  return\n}", ShownOp("func.func", "@main")),
        ("func.func private @d(i32) -> i32", ShownOp("func.func", "@d")),
        ('func.func @"a b"() {\n  return\n}', ShownOp("func.func", '@"a b"')),
        ("module {\n}", ShownOp("builtin.module", None)),
        ("module @m {\n}", ShownOp("builtin.module", None)),
        ("builtin.module @m attributes {a = @x} {\n}", ShownOp("builtin.module", None)),
        ("util.initializer {\n  util.return\n}", ShownOp("util.initializer", None)),
        ("hal.executable private @e {\n}", ShownOp("hal.executable", "@e")),
        ('#loc = loc("{")\n#m = affine_map<(d0) -> (d0)>\nfunc.func @f() {\n  return\n}', ShownOp("func.func", "@f")),
        ('"func.func"() <{sym_name = "f"}> ({\n}) : () -> ()', ShownOp("func.func", "@f")),
        ('"func.func"() ({\n  "my.op"() : () -> ()\n}) {sym_name = "f"} : () -> ()', ShownOp("func.func", "@f")),
        ('%0 = "my.op"() ({\n}) : () -> i32', ShownOp("my.op", None)),
    ],
)  # fmt: skip
def test_the_outermost_op_of_a_text(text: str, op: ShownOp) -> None:
    [dump] = read_text(f"{MARKER} //----- //\n{text}\n")
    assert outermost_op(dump) == shown_op(dump) == op


@pytest.mark.parametrize(
    ("scope", "op"),
    [
        (" ('func.func' operation: @f)", ShownOp("func.func", "@f")),
        (" ('builtin.module' operation: @m)", ShownOp("builtin.module", None)),
        (" ('builtin.module' operation)", ShownOp("builtin.module", None)),
    ],
)
def test_a_marker_names_the_op_of_the_pass(scope: str, op: ShownOp) -> None:
    [dump] = read_text(f"{MARKER}{scope} //----- //\nmodule {{\n  func.func private @g()\n}}\n")
    assert (shown_op(dump), outermost_op(dump)) == (op, ShownOp("builtin.module", None))


@pytest.mark.parametrize(
    ("op", "label"),
    [
        (ShownOp("func.func", "@f"), "@f"),
        (ShownOp("builtin.module", None), ""),
        (ShownOp("util.initializer", None), "util.initializer"),
    ],
)
def test_label(op: ShownOp, label: str) -> None:
    assert op.label == label
