"""Translates EmitC programs to C++ by ``mlir-translate``, compiles them by ``g++`` and runs them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.running.emitc_programs import emitc_program
from tests.running.judging import Judge, Outcomes, Program
from tests.tools import mlir_tool

_DRIVER = """
#include <cstdio>
int main() {
  int32_t found;
CALLS
}
"""
_CALL = """  counter = 1; cell = 4; found = NAME(7, 3);
  std::printf("NAME %d %d %d\\n", found, counter, cell);"""


def is_here() -> bool:
    """Whether programs can be translated and compiled."""
    return mlir_tool("mlir-translate") is not None and shutil.which("g++") is not None


def run(program: Program) -> Outcomes:
    """What each function returns, and what it leaves in the counter and in the global."""
    translate = mlir_tool("mlir-translate")
    assert translate is not None
    calls = "\n".join(_CALL.replace("NAME", name) for name in program.functions)
    code = _output([translate, "--mlir-to-cpp"], program.text) + _DRIVER.replace("CALLS", calls)
    with TemporaryDirectory() as folder:
        executable = Path(folder, "program")
        _output(["g++", "-O0", "-fwrapv", "-w", "-x", "c++", "-", "-o", str(executable)], code)
        lines = _output([str(executable)], "").splitlines()
    return {name: outcome for name, _, outcome in (line.partition(" ") for line in lines)}


def _output(command: list[str], text: str) -> str:
    result = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if result.returncode:
        raise RuntimeError(f"{command[0]}: {result.stderr[:2000]}")
    return result.stdout


EMITC = Judge(emitc_program, run, at_once=200)
