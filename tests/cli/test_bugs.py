"""An exception that only a bug can raise is the error of one dump. All others are read and reported."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from eio_audit.mlir.reading.builder import Builder
from tests.audit.test_fix import SHUFFLED, fixed
from tests.cli.running import run

FAULTY = SHUFFLED.replace("ttir.neg", "t.fault")
MARKER = "// -----// IR Dump After {} //----- //\n"
BUG = r"error: this is a bug of eio-audit: IndexError: out of range \(test_bugs.py:\d+\); please report it with the input"

FAULTY_PROGRAM = """
import os

from eio_audit.cli.main import main
from eio_audit.mlir.reading.builder import Builder

FIRST = os.getpid()
intern = Builder.intern


def faulty(self, name, **options):
    if name == b"t.fault":
        raise LookupError(os.getpid() == FIRST)
    return intern(self, name, **options)


Builder.intern = faulty
if __name__ == "__main__":
    main()
"""
"""The same, and the error says whether it happened in the first process."""


@pytest.fixture(autouse=True)
def _fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading an op ``t.fault`` raises an IndexError."""
    intern = Builder.intern

    def faulty(self: Builder, name: bytes, **options: Any) -> int:
        if name == b"t.fault":
            raise IndexError("out of range")
        return intern(self, name, **options)

    monkeypatch.setattr(Builder, "intern", faulty)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("a", SHUFFLED), ("b", FAULTY), ("c", SHUFFLED)):
        Path(f"{name}.mlir").write_text(text)
    log = [
        MARKER.format(name) + text for name, text in (("A", fixed(SHUFFLED)), ("B", FAULTY), ("C", SHUFFLED))
    ]
    Path("passes.log").write_text("".join(log))


@pytest.mark.usefixtures("files")
def test_check_reports_it_and_checks_the_other_files() -> None:
    done = run("check", "a.mlir", "b.mlir", "c.mlir", "--jobs", "1", "-v")
    assert done.returncode == 2
    assert re.match(rf"b.mlir:1:1: {BUG}", done.stderr.decode())
    assert b"a.mlir" in done.stdout
    assert b"c.mlir" in done.stdout


@pytest.mark.usefixtures("files")
def test_it_may_happen_in_another_process() -> None:
    Path("faulty.py").write_text(FAULTY_PROGRAM)
    command = [sys.executable, "faulty.py", "check", "a.mlir", "b.mlir", "c.mlir", "--jobs", "2", "-v"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert re.fullmatch(
        r"b.mlir:1:1: error: this is a bug of eio-audit: LookupError: False .*\n", done.stderr
    )
    assert "c.mlir" in done.stdout


@pytest.mark.usefixtures("files")
def test_fix_writes_the_other_files() -> None:
    done = run("fix", "a.mlir", "b.mlir", "c.mlir", "--in-place")
    assert done.returncode == 2
    assert re.search(rf"(?m)^b.mlir:1:1: {BUG}", done.stderr.decode())
    texts = [Path(f"{name}.mlir").read_text() for name in "abc"]
    assert texts == [fixed(SHUFFLED), FAULTY, fixed(SHUFFLED)]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("command", ["check", "trace"])
def test_the_other_dumps_of_a_log_are_reported(command: str) -> None:
    done = run(command, "passes.log")
    line = (fixed(SHUFFLED).count("\n")) + 2
    assert done.returncode == 2
    assert re.search(rf"(?m)^passes.log:{line}:1: {BUG}", done.stderr.decode())
    assert b"1 inversion" in done.stdout


@pytest.mark.usefixtures("files")
def test_history_follows_the_op_through_the_other_dumps() -> None:
    done = run("history", "passes.log", "%2")
    assert done.returncode == 2
    assert re.search(rf"(?m)^passes.log:\d+:1: {BUG}", done.stderr.decode())
    assert b"ttir.add" in done.stdout


@pytest.mark.usefixtures("files")
def test_diff_of_two_logs_compares_the_other_dumps() -> None:
    text = Path("passes.log").read_text()
    Path("other.log").write_text(text.replace("ttir.add", "ttir.mul"))
    done = run("diff", "passes.log", "other.log")
    assert done.returncode == 1
    assert b"3 of 3 dumps in both runs differ" in done.stdout
    Path("other.log").write_text(text.replace(FAULTY, FAULTY.replace("ttir.add", "ttir.mul")))
    done = run("diff", "passes.log", "other.log")
    assert done.returncode == 2


@pytest.mark.usefixtures("files")
def test_diff_of_two_files_ends_with_it() -> None:
    done = run("diff", "a.mlir", "b.mlir")
    assert (done.returncode, done.stdout) == (2, b"")
    assert re.match(rf"b.mlir:1:1: {BUG}", done.stderr.decode())
