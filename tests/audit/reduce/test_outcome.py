"""How a run ended, without names and numbers."""

from pathlib import Path

import pytest

from eio_audit.audit.reduce.property import Outcome, outcome_of
from tests.internals import CompilerCommand, CompilerRun

TRACE = """PLEASE submit a bug report
Stack dump:
 #0 0x00007f0 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) (/lib/libLLVM.so+0x1)
 #1 0x00007f1 (/lib/libc.so.6+0x2)
 #2 0x00007f2 mlir::affine::fuse(mlir::Block*) (/lib/libMLIR.so+0x3)
"""


@pytest.mark.parametrize(
    ("code", "messages", "outcome"),
    [
        (0, "in.mlir:1:1: error: expected", Outcome("succeeds")),
        (1, "in.mlir:4:2: error: operand #1 of 'a.b' uses %x\nerror: second", Outcome("fails", "operand #_ of 'a.b' uses _")),
        (1, "nothing said", Outcome("fails", "exit code 1")),
        (-11, TRACE, Outcome("crashes", "signal 11, mlir::affine::fuse")),
        (-6, "x.cpp:12: void f(): Assertion `a > 1' failed.\n", Outcome("crashes", "signal 6, Assertion `a > _' failed.")),
        (134, "LLVM ERROR: out of 12 things\n", Outcome("crashes", "signal 6, LLVM ERROR: out of _ things")),
    ],
)  # fmt: skip
def test_the_first_error_or_the_place_of_a_crash_tells_what_happened(
    code: int, messages: str, outcome: Outcome, tmp_path: Path
) -> None:
    path = tmp_path / "messages"
    path.write_text(messages)
    assert outcome_of(CompilerRun(CompilerCommand(("opt",)), code, path)) == outcome
