"""Find the programs that tests start, without an activated environment."""

from __future__ import annotations

import shutil
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
