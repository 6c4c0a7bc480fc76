"""Processes that do work: what they import, and how they start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.audit.test_trace import function

IMPORTED = """
import sys

from eio_audit.audit.corpus.dump_check import DumpCheck
from eio_audit.audit.corpus.workers import local_workers
from eio_audit.mlir.input.dumps import read

def imported(_):
    return {*sys.modules}

if __name__ == "__main__":
    with local_workers(1) as workers:
        run = workers.executor.submit
        before = run(imported, 0).result()
        [result] = run(DumpCheck(), read(sys.argv[1])).result()
        print(result.audit.summary.avoidable, *run(imported, 0).result() - before)
"""

UNGUARDED = """
from eio_audit import check_many

check_many(["f.mlir"], jobs=2)
"""


def run(folder: Path, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "script.py").write_text(script)
    command = [sys.executable, "script.py", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def test_a_process_imports_nothing_for_a_check(tmp_path: Path) -> None:
    """The fork server has imported it, once for all processes."""
    (tmp_path / "f.mlir").write_text(function("f", 3, 2, 1))
    done = run(tmp_path, IMPORTED, "f.mlir")
    assert (done.stdout, done.stderr) == ("3\n", "")


def test_a_script_that_processes_run_again_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "f.mlir").write_text(function("f", 2, 1))
    done = run(tmp_path, UNGUARDED)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "OSError: the processes ended at once; a script must start them below: if __name__ == '__main__':"
    )
