"""No input and no Ctrl-C causes a traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from tests.cli.running import SAMPLES, run
from tests.internals import cli

INTERRUPTED_WHILE_IT_STARTS = """
import os, signal, sys, threading

seconds = float(sys.argv.pop(1))
from eio_audit.cli import main

begin = main._open_closed_streams  # the first that it does after it has taken Ctrl-C


def interrupted():
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()
    begin()


main._open_closed_streams = interrupted
main.main()
"""
"""Before, only Python itself and a few imports run, of which no program takes Ctrl-C."""


@pytest.mark.parametrize(
    "milliseconds",
    [
        *range(1, 200, 40),
        *(pytest.param(late, marks=pytest.mark.slow) for late in range(21, 200, 40)),
    ],
)
def test_ctrl_c_while_it_starts_prints_no_traceback(milliseconds: int) -> None:
    command = [sys.executable, "-c", INTERRUPTED_WHILE_IT_STARTS, str(milliseconds / 1000)]
    done = subprocess.run(
        [*command, "check", SAMPLES / "small" / "after_alias.mlir"], capture_output=True, check=False
    )
    assert (done.returncode in (1, 130), done.stderr.strip()) == (True, b"")  # click ends the line


def test_ctrl_c_stays_ignored_if_it_was() -> None:
    script = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)" + INTERRUPTED_WHILE_IT_STARTS
    command = [sys.executable, "-c", script, "0.02", "check", SAMPLES / "small" / "after_alias.mlir"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1


@pytest.mark.parametrize("error", [NameError("no\x1b[31m\nname"), RecursionError("deep"), MemoryError()])
def test_an_exception_is_one_line_that_calls_it_a_bug(error: Exception) -> None:
    with mock.patch.object(cli, "main", side_effect=error):
        done = run("check", "x.mlir")
    [line] = done.stderr.decode().splitlines()
    assert line.startswith(f"error: this is a bug of eio-audit: {type(error).__name__}: ")
    assert line.isprintable()
    assert done.returncode == 2


def test_history_of_an_op_in_a_dump_with_a_malformed_location(tmp_path: Path) -> None:
    file = tmp_path / "a.mlir"
    file.write_text('%0 = "t.a"() : () -> i32 loc("x"12:5)\n')
    done = run("history", file, "%0")
    assert done.returncode == 2
    assert done.stderr.decode().startswith(f"{file}:1:33: error: expected the end of the location\n")


def test_a_test_of_a_compiler_that_drops_the_added_flags(tmp_path: Path) -> None:
    log = tmp_path / "after_only.log"
    log.write_text("// -----// IR Dump After Canonicalizer (canonicalize) //----- //\nmodule {\n}\n")
    done = run("bisect", "--test", "grep -q addi", "--", "sh", "-c", f"cat {log} >&2")
    assert done.returncode == 2
    assert done.stderr == b"sh: error: it prints no pass with a dump before it and one after it\n"
