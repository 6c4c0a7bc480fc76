"""Run another program, and end all its processes with it."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from types import FrameType
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

        def leave(number: int, _: FrameType | None) -> None:
            self.end()
            raise SystemExit(128 + number)

        with _taken(_ENDING, leave):
            try:
                yield
            finally:
                self.end()

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
    with (
        _ended_with_us() as hold,
        subprocess.Popen(
            command, stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True
        ) as process,
    ):
        try:
            with nullcontext() if running is None else running.holding(process):
                hold(process)
                return process.wait(timeout)
        except subprocess.TimeoutExpired as error:
            raise TimeoutError from error
        finally:
            if process.poll() is None:
                _kill(process)


@contextmanager
def _ended_with_us() -> Iterator[Callable[[subprocess.Popen[bytes]], None]]:
    """Kill the processes of a program if a signal ends this process. Only the main thread gets signals.

    A signal that comes while the program starts waits until its process is given to what is yielded: before,
    nothing could kill it.
    """
    started: list[subprocess.Popen[bytes]] = []
    late: list[int] = []

    def take(number: int, frame: FrameType | None) -> None:
        if not started:
            late.append(number)
            return
        if started[0].returncode is None:
            _kill(started[0])
        if callable(handler := before[number]):
            handler(number, frame)
        else:
            signal.signal(number, handler)
            os.kill(os.getpid(), number)

    def hold(process: subprocess.Popen[bytes]) -> None:
        started.append(process)
        while late:
            signal.raise_signal(late.pop(0))

    try:
        with _taken((signal.SIGINT, *_ENDING), take) as before:
            yield hold
    finally:
        for number in late:  # the program did not start
            signal.raise_signal(number)


@contextmanager
def interrupted_by_termination() -> Iterator[None]:
    """In this block, SIGTERM interrupts the main thread as Ctrl-C does."""
    with _taken([signal.SIGTERM], signal.default_int_handler):
        yield


@contextmanager
def _taken(
    numbers: Iterable[int], take: Callable[[int, FrameType | None], None]
) -> Iterator[Mapping[int, Callable[[int, FrameType | None], object] | int]]:
    """Let a function take signals in this block. Yields the handlers that it replaces, by signal.

    Only the main thread gets signals. A signal that is ignored, as under nohup, stays ignored.
    """
    before: dict[int, Callable[[int, FrameType | None], object] | int] = {}
    for number in numbers if threading.current_thread() is threading.main_thread() else ():
        usual = signal.getsignal(number)
        if usual is not None and usual is not signal.SIG_IGN:
            before[number] = usual
    try:
        for number in before:
            signal.signal(number, take)
        yield before
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
