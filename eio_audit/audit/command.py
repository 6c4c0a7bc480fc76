"""Run another program, and end all its processes with it."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO

_ENDING = signal.SIGTERM, signal.SIGHUP
"""The signals that end a program, of which the second says that its terminal is closed."""


class Running:
    """The programs that several threads run now."""

    def __init__(self) -> None:
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._is_ended = False
        self._lock = threading.RLock()  # a signal may come while the main thread holds it

    @contextmanager
    def holding(self, process: subprocess.Popen[bytes]) -> Iterator[None]:
        """Count a process as running in this block."""
        with self._lock:
            self._processes.add(process)
            if self._is_ended:
                _kill(process)
        try:
            yield
        finally:
            with self._lock:
                self._processes.discard(process)

    @contextmanager
    def ended_at_exit(self) -> Iterator[None]:
        """End all at the end of this block. In the main thread, SIGTERM and SIGHUP leave the block, too."""

        def leave(number: int, _: object) -> None:
            self.end()
            raise SystemExit(128 + number)

        is_main = threading.current_thread() is threading.main_thread()
        before = {number: signal.getsignal(number) for number in _ENDING} if is_main else {}
        for number, handler in before.items():
            if handler is not signal.SIG_IGN:  # as under nohup
                signal.signal(number, leave)
        try:
            yield
        finally:
            self.end()
            for number, handler in before.items():
                signal.signal(number, handler)

    def end(self) -> None:
        """Kill the processes of all that run, and of all that are run from now on."""
        with self._lock:
            self._is_ended = True
            for process in self._processes:
                _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def run_command(
    command: Sequence[str],
    timeout: float | None,
    *,
    stdin: int | IO[bytes] = subprocess.DEVNULL,
    stdout: int | IO[bytes] = subprocess.DEVNULL,
    stderr: int | IO[bytes] = subprocess.DEVNULL,
    running: Running | None = None,
) -> int:
    """Run a program, without a shell, and return its exit code: negative for the signal that ended it.

    Its processes are killed if it takes longer than ``timeout`` seconds, or if this process is to end. While
    it runs, it is among those that are ``running``.

    Raises:
        OSError: it cannot be started. A ``TimeoutError`` says that it took too long.
    """
    with subprocess.Popen(
        command, stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True
    ) as process:
        try:
            with _terminated_with_us(process) if running is None else running.holding(process):
                return process.wait(timeout)
        except subprocess.TimeoutExpired as error:
            raise TimeoutError from error
        finally:
            if process.poll() is None:
                _kill(process)


@contextmanager
def _terminated_with_us(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Kill the processes if SIGTERM ends this one, as it ends a worker. Only the main thread gets signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, _: object) -> None:
        _kill(process)
        signal.signal(number, before)
        os.kill(os.getpid(), number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
