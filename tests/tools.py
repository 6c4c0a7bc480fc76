"""Where the programs are that tests start; no environment need be activated for them."""

from __future__ import annotations

import shutil
import sys
from functools import cache
from pathlib import Path

import pytest
from iree.compiler.tools import binaries

NO_MLIR_OPT = "there is no mlir-opt-22: it comes with LLVM, in Debian's package mlir-22-tools"


def find_tool(*names: str) -> str | None:
    """The first of some programs that there is: beside the interpreter, or else on the path."""
    folder = str(Path(sys.executable).parent)
    found = (shutil.which(name, path=folder) or shutil.which(name) for name in names)
    return next(filter(None, found), None)


def iree_opt() -> str:
    """The driver in iree-base-compiler itself: its script beside the interpreter starts a Python first.

    The extra ``test`` installs it, so where it is missing tests fail.
    """
    return str(binaries.find_tool("iree-opt"))


@cache
def mlir_tool(name: str) -> str | None:
    """A tool of MLIR, with Debian's suffix or without; no package of Python has them."""
    return find_tool(f"{name}-22", name)


needs_mlir_opt = pytest.mark.skipif(mlir_tool("mlir-opt") is None, reason=NO_MLIR_OPT)
