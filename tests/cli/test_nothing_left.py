"""What ``repeat`` and ``bisect`` run ends with them, whatever ends them, and their temporary folders go."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.cli.test_bisect import is_gone

MARK = "EIO_AUDIT_TEST"
COMPILER = [sys.executable, str(Path(__file__).with_name("misbehaving_compiler.py"))]
FLEES = "setsid sleep 60 & sleep 60"  # a process in another session, and one in that of the compiler
FLOODS = ["sh", "-c", "exec yes >&2"]


def processes(mark: str) -> list[int]:
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208
        try:
            is_marked = f"{MARK}={mark}\0".encode() in Path("/proc", name, "environ").read_bytes() + b"\0"
        except OSError:
            continue
        if is_marked:
            found.append(int(name))
    return found


def what_is_left(command: list[str], signal_: signal.Signals, seconds: float, folder: Path) -> list[object]:
    """The processes and files that are left soon after a signal ends the command."""
    folder.mkdir()
    environment = {**os.environ, MARK: str(folder), "TMPDIR": str(folder)}
    with subprocess.Popen(
        [sys.executable, "-m", "eio_audit", *command],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        time.sleep(seconds)
        process.send_signal(signal_)
        process.wait(30)
    left: list[object] = []
    for _ in range(200):
        left = [*processes(str(folder)), *folder.iterdir()]
        if not left:
            break
        time.sleep(0.05)
    return left


COMMANDS = {
    "repeat": ["repeat", "--", "sh", "-c", FLEES],
    "bisect": ["bisect", "--", "sh", "-c", FLEES],
    "search": ["bisect", "--", *COMPILER, "fine"],
    "test": ["bisect", "--test", "sh -c 'sleep 60 & sleep 60'", "--", *COMPILER, "fine"],
}


@pytest.mark.parametrize("signal_", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("name", ["repeat", "bisect"])
def test_nothing_is_left_after_a_signal(name: str, signal_: signal.Signals, tmp_path: Path) -> None:
    assert what_is_left(COMMANDS[name], signal_, 1, tmp_path / "temporary") == []


@pytest.mark.slow
def test_nothing_is_left_after_fifty_signals(tmp_path: Path) -> None:
    left = {}
    for number in range(50):
        signal_ = (signal.SIGTERM, signal.SIGKILL)[number % 2]
        name = [*COMMANDS][number // 2 % len(COMMANDS)]
        seconds = random.uniform(0.1, 1.2)
        left[name, signal_, seconds] = what_is_left(COMMANDS[name], signal_, seconds, tmp_path / str(number))
    assert not {key: found for key, found in left.items() if found}


@pytest.mark.parametrize("command", ["repeat", "bisect"])
def test_a_compiler_that_prints_without_end_is_stopped(command: str, tmp_path: Path) -> None:
    done = run(command, "--config", "max-size=10MB", "--", *FLOODS, TMPDIR=str(tmp_path))
    name = "sh -c 'exec yes >&2'" if command == "repeat" else "sh"
    assert done.stderr.decode() == (
        f"{name}: error: stopped after it printed more than 10,000,000 bytes "
        "(--config max-size=SIZE allows more)\n"
    )
    assert (done.returncode, done.stdout) == (2, b"")


def test_what_a_compiler_leaves_running_ends_with_it(tmp_path: Path) -> None:
    kept = tmp_path / "pid"
    dump = "func.func @f() {\n}\n"
    script = f"sleep 60 & echo $! > {kept}; printf '{dump}'"
    assert run("repeat", "--runs", "2", "--", "sh", "-c", script).returncode == 0
    assert is_gone(int(kept.read_text()))
