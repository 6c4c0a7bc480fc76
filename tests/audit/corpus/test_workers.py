"""Processes that do work: how they start, and what they import."""

from __future__ import annotations

import shutil
import subprocess
import sys
from concurrent.futures import Future
from itertools import count
from pathlib import Path
from typing import Any

import pebble
import pytest

from eio_audit.audit.corpus.workers import local_workers
from tests.logs import function

THREAD = """
import threading

threading.Thread(target=threading.Event().wait, daemon=True).start()
"""

IMPORTED = """
import sys

from eio_audit.audit.corpus.check_dumps import DumpCheck
from eio_audit.audit.corpus.workers import local_workers
from eio_audit.mlir.input.dumps import read

def imported(_):
    return {*sys.modules}

if __name__ == "__main__":
    with local_workers(1) as workers:
        run = workers.executor.submit
        before = run(imported, 0).result()
        [dump] = read(sys.argv[1])
        result = run(DumpCheck(), dump).result()
        print(result.audit.summary.avoidable, *run(imported, 0).result() - before)
"""

UNGUARDED = """
from eio_audit import check_many

print(check_many(["f.mlir"], jobs=2).check.summary.avoidable)
"""

KINDS = """
from multiprocessing import active_children

from eio_audit.audit.corpus.workers import local_workers

if __name__ == "__main__":
    with local_workers(2):
        print(*(type(child).__name__ for child in active_children()))
"""

FALSE = shutil.which("false")

NO_PYTHON = f"""
from multiprocessing import set_executable

set_executable({FALSE!r})
"""

AUTO = """
from eio_audit.audit.corpus import workers
from eio_audit.cli import jobs
from eio_audit.cli.main import main

jobs.ENOUGH_BYTES = 1
workers.os.sched_getaffinity = lambda _: {0, 1}
main()
"""

DIES_FOR_GOOD = f"""
import os
import signal
from multiprocessing import set_executable
from time import sleep

from eio_audit.audit.corpus.workers import local_workers

with local_workers(1) as workers:
    submit = workers.executor.submit
    pid = submit(os.getpid).result()
    set_executable({FALSE!r})
    futures = [submit(sleep, 60), *(submit(len, bytes(200_000)) for _ in range(3))]
    os.kill(pid, signal.SIGKILL)
    print(*(isinstance(future.exception(20), workers.deaths) for future in futures))
    try:
        submit(os.getpid)
    except workers.deaths:
        print("and no more")
"""


def run(folder: Path, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script beside a dump with three inversions."""
    (folder / "f.mlir").write_text(function("f", 3, 2, 1))
    (folder / "script.py").write_text(script)
    command = [sys.executable, "script.py", *arguments, "f.mlir"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("thread", ["", THREAD])
def test_a_process_imports_nothing_for_a_check(thread: str, tmp_path: Path) -> None:
    done = run(tmp_path, thread + IMPORTED)
    assert (done.stdout, done.stderr) == ("3\n", "")


def test_a_process_with_one_thread_is_forked(tmp_path: Path) -> None:
    assert run(tmp_path, KINDS).stdout == "ForkProcess ForkProcess\n"


def test_a_process_with_threads_is_not_forked(tmp_path: Path) -> None:
    assert run(tmp_path, THREAD + KINDS).stdout == "ForkServerProcess ForkServerProcess\n"


def test_a_script_without_a_guard_is_forked(tmp_path: Path) -> None:
    assert run(tmp_path, UNGUARDED).stdout == "3\n"


def test_a_script_that_processes_would_run_again_is_an_error(tmp_path: Path) -> None:
    done = run(tmp_path, THREAD + UNGUARDED)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "ChildProcessError: the processes ended at once; a script must start them below: if __name__ == '__main__':"
    )


class Forgetful:
    """A pool whose processes end before it has handed on its first work, which it then forgets."""

    def __init__(self, **_: Any) -> None:
        self.stop = self.join = lambda: None
        self._looks = count()

    @property
    def active(self) -> bool:
        return next(self._looks) < 2

    def schedule(self, *_: Any, **__: Any) -> Future[None]:
        return Future()


def test_work_that_a_pool_forgets_when_its_processes_end_does_not_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pebble, "ProcessPool", Forgetful)
    with pytest.raises(ChildProcessError, match="the processes ended at once"), local_workers(1):
        pass


def test_processes_that_cannot_begin_are_an_error_if_nobody_asked_for_them(tmp_path: Path) -> None:
    (tmp_path / "g.mlir").write_text(function("g", 1, 2))
    done = run(tmp_path, THREAD + NO_PYTHON + AUTO, "check", "g.mlir")
    assert (done.returncode, done.stdout) == (2, "")
    lines = done.stderr.splitlines()  # at the end, multiprocessing may complain of its own process too
    assert "Error: cannot start processes: they ended at once" in lines


def test_all_work_fails_if_no_process_takes_the_place_of_one_that_died(tmp_path: Path) -> None:
    """More of it than a pipe holds, so that some was not sent yet."""
    assert run(tmp_path, DIES_FOR_GOOD).stdout == "True True True True\nand no more\n"
