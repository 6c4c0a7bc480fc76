"""Bisections of real compilers: each state is what the compiler prints when it stops there."""

import shlex
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

import eio_audit
from eio_audit import Application, Bisection
from tests.cli.running import run_process
from tests.tools import iree_opt, mlir_tool, needs_mlir_opt

DATA = Path(__file__).parent / "data"
PROGRAM = DATA / "bisected.mlir"
FUSED = DATA / "real_passes" / "linalg-fuse-elementwise-ops.mlir"


class Case(NamedTuple):
    """A command, the pass to bisect, the flags that run only it, and what it finds.

    ``found`` has the pattern, the root op and its line for each application that changes the IR.
    """

    tool: str
    flags: str
    program: Path
    pass_name: str
    alone: str
    found: list[tuple[str, str, int]]


def compiler(name: str) -> str:
    tool = iree_opt() if name == "iree-opt" else mlir_tool(name)
    assert tool is not None
    return tool


CANONICALIZED = [
    ("ConvertTrivialIfToSelect", "scf.if", 5),
    ("RemoveDeadRegionBranchOpSuccessorInputs", "scf.for", 18),
    ("FoldSelfCopy", "memref.copy", 22),
    ("SimplifyPassThroughCondBranch", "cf.cond_br", 23),
    ("SimplifyCondBranchIdenticalSuccessors", "cf.cond_br", 23),
    ("(unnamed pattern) on cf.br", "cf.br", 23),
]

CONVERTED = [
    ("FuncOpConversion", "func.func", 2),
    ("ConstantOpLowering", "arith.constant", 3),
    ("ReturnOpLowering", "func.return", 11),
    ("ConstantOpLowering", "arith.constant", 15),
    ("ConstantOpLowering", "arith.constant", 16),
    ("MemRefCopyOpLowering", "memref.copy", 22),
    ("CondBranchOpLowering", "cf.cond_br", 23),
    ("BranchOpLowering", "cf.br", 25),
    ("FuncOpConversion", "func.func", 30),
    ("VectorConvertToLLVMPattern<MulIOp, MulOp, AttrConvertOverflowToLLVM>", "arith.muli", 31),
    ("VectorConvertToLLVMPattern<MulIOp, MulOp, AttrConvertOverflowToLLVM>", "arith.muli", 32),
    ("VectorConvertToLLVMPattern<AddIOp, AddOp, AttrConvertOverflowToLLVM>", "arith.addi", 33),
    ("ReturnOpLowering", "func.return", 34),
]

CASES = [
    pytest.param(
        Case("iree-opt", "--canonicalize", PROGRAM, "canonicalize", "--canonicalize", CANONICALIZED),
        id="iree-opt --canonicalize",
        marks=pytest.mark.slow,
    ),
    pytest.param(
        Case(
            "iree-opt",
            "--pass-pipeline=builtin.module(func.func(canonicalize,cse))",
            PROGRAM,
            "canonicalize",
            "--pass-pipeline=builtin.module(func.func(canonicalize))",
            CANONICALIZED,
        ),
        id="iree-opt nested",
        marks=pytest.mark.slow,
    ),
    pytest.param(
        Case(
            "iree-opt",
            "--linalg-fuse-elementwise-ops --cse",
            FUSED,
            "linalg-fuse-elementwise-ops",
            "--linalg-fuse-elementwise-ops",
            [("FuseElementwiseOps", "linalg.generic", 14), ("FuseElementwiseOps", "linalg.generic", 22)],
        ),
        id="iree-opt --linalg-fuse-elementwise-ops --cse",
    ),
    pytest.param(
        Case("mlir-opt", "--canonicalize", PROGRAM, "canonicalize", "--canonicalize", CANONICALIZED),
        id="mlir-opt --canonicalize",
        marks=[needs_mlir_opt, pytest.mark.slow],
    ),
    pytest.param(
        Case("mlir-opt", "--convert-to-llvm", PROGRAM, "convert-to-llvm", "--convert-to-llvm", CONVERTED),
        id="mlir-opt --convert-to-llvm",
        marks=[needs_mlir_opt, pytest.mark.slow],
    ),
]


def printed(command: list[str]) -> bytes:
    """What a command prints on standard output."""
    return subprocess.run(command, capture_output=True, check=True).stdout.strip()


def by_hand(command: str) -> bytes:
    """What a command prints in a shell. If MLIR rejects the IR between two patterns, the dump after the pass."""
    result = subprocess.run(command, shell=True, capture_output=True, check=False)
    if result.returncode == 0:
        return result.stdout.strip()
    result = subprocess.run(
        f"{command} --mlir-print-ir-after-all", shell=True, capture_output=True, check=False
    )
    return eio_audit.read_text(result.stderr)[-1].text.strip()


def root_of(one: Application) -> tuple[str | None, str, int]:
    """The pattern of an application, its root op and the op's line in the program."""
    assert one.attempt is not None
    assert one.attempt.model is not None
    return one.pattern, one.attempt.op, one.attempt.model.line


def bisected(case: Case, folder: Path) -> Bisection:
    command = [compiler(case.tool), *shlex.split(case.flags), str(case.program)]
    return eio_audit.bisect(command, pass_name=case.pass_name, folder=folder)


@pytest.mark.parametrize("case", CASES)
def test_the_states_are_what_the_compiler_prints(case: Case, tmp_path: Path) -> None:
    found = bisected(case, tmp_path)
    states = [dump.text.strip() for dump in eio_audit.read(tmp_path / "states.log")][1:]
    own = [compiler(case.tool), "--mlir-print-debuginfo", *shlex.split(case.alone), str(case.program)]
    assert states[-1] == printed(own)
    assert found.why_one_step == ""
    assert [by_hand(found.reproduction.at(one.last)) for one in found.applications] == states
    assert [root_of(one) for one in found.of_patterns] == case.found


def test_a_pass_on_several_functions_is_bisected_in_all_whichever_is_named() -> None:
    command = [iree_opt(), "--pass-pipeline=builtin.module(func.func(canonicalize,cse))", str(PROGRAM)]
    found = eio_audit.bisect(command, pass_name="canonicalize", number=1)
    assert [root_of(one) for one in found.of_patterns] == CANONICALIZED


def without_pipelines(folder: Path) -> str:
    """A compiler that knows no pipelines, so that no pass can be cut out of one."""
    path = folder / "compiler"
    message = "compiler: Unknown command line argument '--dump-pass-pipeline'. error: no pipelines"
    path.write_text(
        f'#!/bin/sh\ncase "$*" in *-pass-pipeline*) echo "{message}" >&2; exit 1;; esac\nexec {iree_opt()} "$@"\n'
    )
    path.chmod(0o755)
    return str(path)


TWO_PASSES = """\
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %a, %a : tensor<4xf32>
  %1 = arith.mulf %0, %a : tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""


WHY_NOT_ALONE = (
    "alone on its dump, no dump after linalg-fuse-elementwise-ops: ended with exit code 1: compiler: Unknown command"
    " line argument '--dump-pass-pipeline'. error: no pipelines"
)


def test_a_pass_that_cannot_be_cut_out_runs_with_all_others(tmp_path: Path) -> None:
    program = tmp_path / "program.mlir"
    program.write_text(TWO_PASSES)
    passes, last = (
        ["--convert-elementwise-to-linalg", "--linalg-fuse-elementwise-ops"],
        "linalg-fuse-elementwise-ops",
    )
    logs, found = [], []
    for tool in (iree_opt(), without_pipelines(tmp_path)):
        found.append(eio_audit.bisect([tool, *passes, str(program)], pass_name=last, folder=tmp_path))
        logs.append([dump.text.strip() for dump in eio_audit.read(tmp_path / "states.log")])
    assert [one.is_alone for one in found] == [True, False]
    assert [one.why_not_alone for one in found] == ["", WHY_NOT_ALONE]
    assert [[root_of(step) for step in one.of_patterns] for one in found] == [
        [
            ("RemoveOutsDependency", "linalg.generic", 2),
            ("DeduplicateAndRemoveDeadOperandsAndResults", "linalg.generic", 2),
            ("RemoveOutsDependency", "linalg.generic", 3),
            ("FuseElementwiseOps", "linalg.generic", 3),
            ("DeduplicateAndRemoveDeadOperandsAndResults", "linalg.generic", 3),
        ]
    ] * 2
    assert logs[0] == logs[1]
    assert [one.attempts[0] for one in found] == [1, 3]  # the other pass attempts two patterns
    assert found[1].of_patterns[0].last == found[0].of_patterns[0].last + 2


@pytest.mark.parametrize("name", ["iree-opt", pytest.param("mlir-opt", marks=needs_mlir_opt)])
def test_a_pass_without_patterns_is_one_step(name: str, tmp_path: Path) -> None:
    found = eio_audit.bisect([compiler(name), "--cse", str(PROGRAM)], folder=tmp_path)
    assert (found.why_one_step, found.of_patterns) == ("it applies no patterns", ())
    last = eio_audit.read(tmp_path / "states.log")[-1].text.strip()
    assert last == printed([compiler(name), "--mlir-print-debuginfo", "--cse", str(PROGRAM)])


@needs_mlir_opt
def test_the_pass_that_hoists_a_store_out_of_a_loop_without_trips_is_named(tmp_path: Path) -> None:
    """LLVM 22 does; its issue 128273 is public."""
    for name in ("mlir-opt", "mlir-runner"):
        tool = mlir_tool(name)
        if tool is None:
            pytest.skip(f"there is no {name}-22")
        (tmp_path / f"{name}-22").symlink_to(tool)
    folder = Path(__file__).parent.parent / "sample_irs" / "miscompile"
    passes = ["--cse", "--affine-loop-invariant-code-motion", "--affine-scalrep"]
    command = ["mlir-opt-22", *passes, str(folder / "zero_trips.mlir")]
    test = str(folder / "returns_1.sh")
    result = run_process(
        *("bisect", "--stop-after-pass", "--test", test, "--", *command),
        PATH=f"{tmp_path}:/usr/bin:/bin",
    )
    assert result.stdout.decode().splitlines()[:2] == [
        f"{test} fails first after affine-loop-invariant-code-motion on @main",
        "the compiler ran 2 times",
    ]
