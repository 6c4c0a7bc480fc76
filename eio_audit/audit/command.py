"""Run another program, and end all its processes with it."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO


def run_command(
    command: Sequence[str],
    timeout: float | None,
    *,
    stdin: int | IO[bytes] = subprocess.DEVNULL,
    stdout: int | IO[bytes] = subprocess.DEVNULL,
    stderr: int | IO[bytes] = subprocess.DEVNULL,
) -> int:
    """Run a program, without a shell, and return its exit code: negative for the signal that ended it.

    Its processes are killed if it takes longer than ``timeout`` seconds, or if this process is to end.

    Raises:
        OSError: it cannot be started. A ``TimeoutError`` says that it took too long.
    """
    with subprocess.Popen(
        command, stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True
    ) as process:
        try:
            with _terminated_with_us(process):
                return process.wait(timeout)
        except subprocess.TimeoutExpired as error:
            raise TimeoutError from error
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def _terminated_with_us(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Kill the processes if SIGTERM ends this one, as it ends a worker. Only the main thread gets signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, _: object) -> None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        signal.signal(number, before)
        os.kill(os.getpid(), number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
