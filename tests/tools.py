"""Find the programs that tests start, without an activated environment."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from iree.compiler.tools import binaries

NO_MLIR_OPT = "there is no mlir-opt-22: it comes with LLVM, in Debian's package mlir-22-tools"


def find_tool(*names: str) -> str | None:
    """Return the first of some programs that exists: beside the interpreter, or else on the path."""
    folder = str(Path(sys.executable).parent)
    found = (shutil.which(name, path=folder) or shutil.which(name) for name in names)
    return next(filter(None, found), None)


def iree_opt() -> str:
    """Return the driver in iree-base-compiler itself, since its script would start Python first.

    The extra ``test`` installs it. Tests fail if it is missing.
    """
    return str(binaries.find_tool("iree-opt"))


@cache
def mlir_tool(name: str) -> str | None:
    """Return a tool of MLIR, with or without Debian's suffix. No Python package has them."""
    return find_tool(f"{name}-22", name)


needs_mlir_opt = pytest.mark.skipif(mlir_tool("mlir-opt") is None, reason=NO_MLIR_OPT)


def iree_compile(folder: Path, program: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Compile a program for a CPU with IREE, whose output goes to standard output."""
    source = folder / "in.mlir"
    source.write_text(program)
    target = "--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu"
    command = [str(find_tool("iree-compile")), str(source), *target, *options]
    return subprocess.run(command, capture_output=True, text=True, check=True)


MATMUL = """\
func.func @main(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, %c: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %product = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x4xf32>)
      outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
  %sum = arith.addf %product, %c : tensor<8x4xf32>
  return %sum : tensor<8x4xf32>
}
"""
"""The example of docs/pass_logs.md, of which IREE prints 742 dumps."""


def iree_log(folder: Path) -> Path:
    """Compile the example with IREE and return its log of dumps after passes."""
    options = "--iree-llvmcpu-target-cpu=host", "--mlir-print-ir-after-all", "--mlir-disable-threading"
    log = folder / "iree.log"
    log.write_text(iree_compile(folder, MATMUL, *options, "-o", str(folder / "out.vmfb")).stderr)
    return log
