"""Programs of many dialects are cut to one op of a chosen name, and no further."""

import random
import subprocess
from pathlib import Path

import pytest

from tests.audit.reduce.cutting import program_of, reduced
from tests.tools import mlir_tool, needs_mlir_opt

PROGRAMS = sorted((Path(__file__).parent.parent.parent / "data" / "gate").glob("*.mlir"))
LOCAL = "--mlir-print-local-scope", "--mlir-print-debuginfo"


def generic(text: str, *flags: str) -> str | None:
    command = [str(mlir_tool("mlir-opt")), "--allow-unregistered-dialect", "--mlir-print-op-generic", *flags]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
    return None if done.returncode else done.stdout.decode()


@pytest.mark.slow
@needs_mlir_opt
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_one_op_is_left_and_a_second_run_cuts_nothing(path: Path) -> None:
    text = path.read_text()
    typed = generic(text, *LOCAL)
    if typed is None:
        pytest.skip("mlir-opt does not know its dialects")
    program = program_of(text, typed)
    ops = sorted({op.name for op in program.walk() if op.name != "builtin.module"})
    chosen = random.Random(path.stem).choice(ops)

    def holds(candidate: str) -> bool:
        return f'"{chosen}"' in (generic(candidate) or "")

    small = reduced(text, holds, 2, typed)
    typed = generic(small, *LOCAL)
    assert typed is not None
    assert program_of(small, typed).op_count <= 1
    assert reduced(small, holds, 1, typed) == small
