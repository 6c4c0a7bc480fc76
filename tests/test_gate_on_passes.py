"""The gate on programs before and after passes of mlir-opt: a legal pass passes, a shuffle fails.

``tests/data/gate`` has the programs, numbered before the pass. ``expected.json`` has the exit code of each.
``red-*.mlir`` are legal shuffles of such programs.
"""

import json
import subprocess
from pathlib import Path

import pytest

from eio_audit import AuditOptions, Gate, OriginalOrder, check, read, read_text, stamp
from tests.cli.running import run
from tests.rules import AVOIDABLE, REVERSED
from tests.tools import mlir_tool, needs_mlir_opt

GATE = Path(__file__).parent / "data" / "gate"
EXPECTED = json.loads((GATE / "expected.json").read_text())["default gate, exit code of check AFTER"]
OUT_OF_PLACE = Gate((AVOIDABLE, REVERSED))


@pytest.mark.parametrize("name", EXPECTED)
def test_a_legal_pass_passes(name: str) -> None:
    failed = Gate().failed_rules(check(read(GATE / f"{name}.after.mlir")).summary)
    assert bool(failed) == EXPECTED[name]


@pytest.mark.parametrize("name", EXPECTED)
def test_beside_its_original_a_legal_pass_passes(name: str) -> None:
    (before,) = read(GATE / f"{name}.before.mlir")
    audited = check(read(GATE / f"{name}.after.mlir"), AuditOptions(order_from=OriginalOrder(before)))
    assert bool(Gate().failed_rules(audited.summary)) == EXPECTED[name]


@pytest.mark.parametrize("path", sorted(GATE.glob("red-*.mlir")), ids=lambda path: path.stem)
def test_a_shuffle_fails(path: Path) -> None:
    figures = check(read(path)).summary
    assert Gate().failed_rules(figures) and OUT_OF_PLACE.failed_rules(figures)


def test_a_handle_that_serves_an_earlier_op_passes() -> None:
    assert not Gate().failed_rules(check(read(GATE / "get_device.mlir")).summary)


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--fail-on", "out-of-place"),
        ("--order-from", GATE / "reversed.before.mlir"),
        ("--max-inversions", "9"),
    ],
)
def test_a_reversed_dependence_fails_every_gate(options: tuple[str | Path, ...]) -> None:
    result = run("check", GATE / "reversed.after.mlir", *options)
    assert result.returncode == 1
    assert (
        b"EIO006 #2 memref.load %0 stands before #1 memref.store (line 3), and both touch %m" in result.stdout
    )


def test_a_reversed_dependence_passes_the_gate_that_never_fails() -> None:
    assert run("check", GATE / "reversed.after.mlir", "--fail-on", "never").returncode == 0


def test_a_reversed_dependence_is_not_relabelled_away() -> None:
    result = run("fix", "--relabel", GATE / "reversed.after.mlir")
    assert result.stdout == (GATE / "reversed.after.mlir").read_bytes()
    assert b"1 inversion remains (1 reversed dependence, left as it is)" in result.stderr


LOOPS = """\
func.func @f(%A: memref<6x6xf32>, %B: memref<6x6xf32>, %x: f32) {
  %y = arith.mulf %x, %x : f32
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 6 {
      %inv = arith.addf %x, %y : f32
      %0 = affine.load %A[%i, %j] : memref<6x6xf32>
      %1 = arith.addf %0, %inv : f32
      affine.store %1, %B[%i, %j] : memref<6x6xf32>
    }
  }
  return
}
"""
BRANCH = """\
func.func @f(%a: i32, %b: i32, %c: i1) -> i32 {
  %0 = arith.muli %a, %b : i32
  %1 = arith.subi %a, %b : i32
  %2 = arith.addi %0, %a : i32
  %r = scf.if %c -> (i32) {
    %x = arith.addi %b, %2 : i32
    %y = arith.muli %x, %1 : i32
    scf.yield %y : i32
  } else {
    scf.yield %b : i32
  }
  return %r : i32
}
"""
TENSORS = """\
func.func @f(%x: tensor<8xf32>, %i: index, %f: f32) -> (tensor<8xf32>, f32) {
  %c2 = arith.constant 2 : index
  %0 = tensor.insert %f into %x[%i] : tensor<8xf32>
  %1 = tensor.extract %0[%c2] : tensor<8xf32>
  %2 = tensor.cast %0 : tensor<8xf32> to tensor<?xf32>
  %3 = tensor.extract %2[%i] : tensor<?xf32>
  %4 = arith.mulf %3, %1 : f32
  return %0, %4 : tensor<8xf32>, f32
}
"""


@needs_mlir_opt
@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "passes", "fails"),
    [
        (LOOPS, "func.func(affine-loop-invariant-code-motion)", False),
        (LOOPS, "lower-affine,func.func(loop-invariant-code-motion)", False),
        (LOOPS, "func.func(affine-loop-unroll{unroll-factor=4 cleanup-unroll})", False),
        (LOOPS, "func.func(affine-loop-unroll{unroll-full-threshold=6})", False),
        (
            LOOPS,
            "func.func(affine-loop-unroll{unroll-full-threshold=6},affine-loop-unroll{unroll-full-threshold=6})",
            False,
        ),
        (LOOPS, "lower-affine,convert-scf-to-cf,convert-to-llvm,reconcile-unrealized-casts", False),
        (LOOPS, "lower-affine,convert-scf-to-cf,finalize-memref-to-llvm", False),
        (LOOPS, "lower-affine,convert-scf-to-cf,lift-cf-to-scf", False),
        (LOOPS, "func.func(affine-data-copy-generate{generate-dma=false})", False),
        (TENSORS, "one-shot-bufferize", False),
        (TENSORS, "one-shot-bufferize{bufferize-function-boundaries}", False),
        (BRANCH, "func.func(control-flow-sink)", True),
    ],
)
def test_a_pass_run_now(program: str, passes: str, fails: bool) -> None:
    command = [
        str(mlir_tool("mlir-opt")),
        f"--pass-pipeline=builtin.module({passes})",
        "--mlir-print-debuginfo",
    ]
    after = subprocess.run(command, input=stamp(read_text(program)), capture_output=True, check=True).stdout
    assert bool(Gate().failed_rules(check(read_text(after.decode())).summary)) == fails
