"""Lowers programs by ``mlir-opt`` and runs them by ``mlir-runner``: what the machine does is what counts.

Each function runs in a process of its own, a fork of the runner's, so that a trap is an outcome too.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.running.judging import Judge, Outcomes, Program
from tests.running.memref_programs import FLAT
from tests.running.native_programs import native_program
from tests.tools import mlir_tool

PASSES = (
    "--convert-elementwise-to-linalg",
    "--tosa-to-scf",
    "--one-shot-bufferize=allow-return-allocs-from-loops=1",
    "--convert-linalg-to-loops",
    "--expand-realloc",
    "--convert-vector-to-scf",
    "--expand-strided-metadata",
    "--lower-affine",
    "--convert-scf-to-cf",
    "--convert-vector-to-llvm",
    "--convert-to-llvm",
    "--reconcile-unrealized-casts",
)

_MARK = re.compile(r"^== (\w+)\n", re.M)
_SIGNATURE = re.compile(r"^func\.func @(\w+)\([^)]*\) -> \(([^)]*)\)", re.M)
_BUFFERS = {
    "one": range(10, 18),
    "other": range(30, 38),
    "g": range(1, 9),
    "h": range(8, 0, -1),
}

_DRIVER = """
llvm.mlir.global external @stdout() : !llvm.ptr
llvm.func @setvbuf(!llvm.ptr, !llvm.ptr, i32, i64) -> i32
llvm.func @fork() -> i32
llvm.func @wait(!llvm.ptr) -> i32
llvm.func @alarm(i32) -> i32
llvm.func @_exit(i32)
func.func @main() {
  %zero = arith.constant 0 : i32
  %unbuffered = arith.constant 2 : i32
  %size = arith.constant 0 : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %stdout_address = llvm.mlir.addressof @stdout : !llvm.ptr
  %stdout = llvm.load %stdout_address : !llvm.ptr -> !llvm.ptr
  llvm.call @setvbuf(%stdout, %null, %unbuffered, %size) : (!llvm.ptr, !llvm.ptr, i32, i64) -> i32
  %one = arith.constant 1 : i32
  %status = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
CALLS
  return
}
"""

_CALL = """
  vector.print str "== NAME\\n"
  %pid_NAME = llvm.call @fork() : () -> i32
  %is_child_NAME = arith.cmpi eq, %pid_NAME, %zero : i32
  scf.if %is_child_NAME {
    func.call @run_NAME() : () -> ()
    llvm.call @_exit(%zero) : (i32) -> ()
  }
  llvm.call @wait(%status) : (!llvm.ptr) -> i32
  %exit_NAME = llvm.load volatile %status : !llvm.ptr -> i32
  vector.print %exit_NAME : i32
"""


def is_here() -> bool:
    """Whether programs can be lowered and run."""
    return mlir_tool("mlir-opt") is not None and mlir_tool("mlir-runner") is not None


def run(program: Program) -> Outcomes:
    """What each function prints, returns and leaves in memory, and how it ends."""
    opt, runner = mlir_tool("mlir-opt"), mlir_tool("mlir-runner")
    assert opt is not None and runner is not None
    lowered = _checked([opt, *PASSES], program.text + _driver(program))
    # without the development package, Debian has the names with a version only
    libraries = sorted((Path(runner).resolve().parent.parent / "lib").glob("libmlir_*runner_utils.so*"))
    printed = _checked(
        [
            runner,
            "-O0",
            "-e",
            "main",
            "-entry-point-result=void",
            *(f"--shared-libs={path}" for path in libraries),
        ],
        lowered,
    )
    outcomes = _MARK.split(printed)[1:]
    return dict(zip(outcomes[::2], outcomes[1::2], strict=True))


def _checked(command: list[str], text: str) -> str:
    result = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
    if result.returncode:
        raise RuntimeError(f"{command[0]}: {result.stderr.decode(errors='replace')[:2000]}")
    return result.stdout.decode(errors="replace")


def _driver(program: Program) -> str:
    results = {name: types.count("i32") for name, types in _SIGNATURE.findall(program.text)}
    calls = "".join(_CALL.replace("NAME", name) for name in program.functions)
    runs = [_run_function(name, results[name]) for name in program.functions]
    return "".join([*runs, _DRIVER.replace("CALLS", calls)])


def _run_function(name: str, results: int) -> str:
    """A function that calls one of the program's with fresh buffers and prints what comes of it."""
    is_aliased = name.endswith(("3", "7"))
    lines = [
        f"func.func private @run_{name}() {{",
        "  %c0 = arith.constant 0 : index",
        "  %x = arith.constant 1003 : i32",
        f"  %y = arith.constant {len(name)} : i32",
        "  %seconds = arith.constant 10 : i32",
        "  llvm.call @alarm(%seconds) : (i32) -> i32",
        f"  %one = memref.alloc() : {FLAT}",
        f"  %other = memref.alloc() : {FLAT}",
        f"  %g = memref.get_global @g : {FLAT}",
        f"  %h = memref.get_global @h : {FLAT}",
    ]
    for buffer, numbers in _BUFFERS.items():
        lines += [
            f"  %{buffer}_before = arith.constant dense<{list(numbers)}> : vector<8xi32>",
            f"  vector.store %{buffer}_before, %{buffer}[%c0] : {FLAT}, vector<8xi32>",
        ]
    types = ", ".join(["i32"] * results)
    second = "%one" if is_aliased else "%other"
    lines.append(
        f"  %r:{results} = func.call @{name}(%one, {second}, %x, %y) : ({FLAT}, {FLAT}, i32, i32) -> ({types})"
    )
    lines += [f"  vector.print %r#{k} : i32" for k in range(results)]
    for buffer in _BUFFERS:
        lines += [
            f"  %{buffer}_after = vector.load %{buffer}[%c0] : {FLAT}, vector<8xi32>",
            f"  vector.print %{buffer}_after : vector<8xi32>",
        ]
    return "\n".join([*lines, "  return", "}", ""])


NATIVE = Judge(native_program, run, at_once=100)
