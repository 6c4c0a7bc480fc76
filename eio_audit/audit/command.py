"""Run another program, and end all its processes with it."""

from __future__ import annotations

import atexit
import os
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from types import FrameType
from typing import IO

from eio_audit.audit import watchdog

_ENDING = signal.SIGTERM, signal.SIGHUP
"""The signals that end a program, of which the second says that its terminal is closed."""
_interrupted = threading.Event()  # whether SIGTERM has interrupted the main thread


_GLANCE = 0.02  # the seconds between two looks at how much a program has printed


class TooMuchOutputError(OSError):
    """A program printed more than so many bytes."""

    def __init__(self, most_bytes: int) -> None:
        super().__init__(f"more than {most_bytes:,} bytes (--config max-size=SIZE allows more)")


class Running:
    """The programs that several threads run now."""

    def __init__(self) -> None:
        self._processes: set[subprocess.Popen[bytes]] = set()
        self.is_ended = False  # whether what runs from now on is killed at once
        self._lock = threading.RLock()  # a signal may come while the main thread holds it

    @contextmanager
    def holding(self, process: subprocess.Popen[bytes]) -> Iterator[None]:
        """Count a process as running in this block."""
        with self._lock:
            self._processes.add(process)
            if self.is_ended:
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
            if number == signal.SIGTERM and _interrupted.is_set():
                return  # it is about to report what it found
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
            self.is_ended = True
            for process in self._processes:
                _kill(process)
        if _watchdogs:
            watchdog.end_marked(_watchdogs[-1].mark)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):  # nothing of it is left
        os.killpg(process.pid, signal.SIGKILL)


def run_command(
    command: Sequence[str],
    timeout: float | None,
    *,
    stdin: int | IO[bytes] = subprocess.DEVNULL,
    stdout: int | IO[bytes] = subprocess.DEVNULL,
    stderr: int | IO[bytes] = subprocess.DEVNULL,
    running: Running | None = None,
    written: Sequence[Path | int] = (),
    most_bytes: int | None = None,
) -> int:
    """Run a program, without a shell, and return its exit code: negative for the signal that ended it.

    Its processes are killed when it ends, if it takes longer than ``timeout`` seconds, if one of the files
    ``written`` (paths or file descriptors) gets more than ``most_bytes``, or if this process ends, however it
    does. While it runs, it is among those that are ``running``.

    Raises:
        OSError: it cannot be started. A ``TimeoutError`` says that it took too long, and a
            ``TooMuchOutputError`` that it printed too much.
    """
    mark = secrets.token_hex(8)
    marks = f"{os.environ.get(watchdog.MARK, '')} {_watchdog().mark} {mark}"
    with (
        _ended_with_us() as hold,
        subprocess.Popen(
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            env={**os.environ, watchdog.MARK: marks.strip()},
        ) as process,
    ):
        is_ended = False
        try:
            with nullcontext() if running is None else running.holding(process):
                hold(process)
                _wait(process, timeout, written, most_bytes)
                is_ended = True
        finally:
            _kill(process)  # also what it left running in its session
            if not is_ended:
                watchdog.end_marked(mark)
    return process.returncode


def _wait(
    process: subprocess.Popen[bytes],
    timeout: float | None,
    written: Sequence[Path | int],
    most_bytes: int | None,
) -> None:
    """Wait until a process has ended. Its number stays its own: its exit code is not taken yet."""
    deadline = None if timeout is None else time.monotonic() + timeout
    is_capped = most_bytes is not None and bool(written)
    with _end_of(process) as ends_within:
        while True:
            left = None if deadline is None else max(deadline - time.monotonic(), 0)
            glance = _GLANCE if is_capped else left
            if ends_within(glance if left is None or glance is None else min(glance, left)):
                break
            if left == 0:
                raise TimeoutError
            if is_capped:
                _require_less(written, most_bytes)
    if is_capped:
        _require_less(written, most_bytes)


def _require_less(written: Sequence[Path | int], most_bytes: int | None) -> None:
    for file in written:
        with suppress(FileNotFoundError):
            if most_bytes is not None and os.stat(file).st_size > most_bytes:  # noqa: PTH116
                raise TooMuchOutputError(most_bytes)


@contextmanager
def _end_of(process: subprocess.Popen[bytes]) -> Iterator[Callable[[float | None], bool]]:
    """Yield a function that waits for the end of a process, and says whether it came within some seconds."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except (AttributeError, OSError):  # not on Linux, or not allowed

        def ends_within(seconds: float | None) -> bool:
            with suppress(subprocess.TimeoutExpired):
                process.wait(seconds)
            return process.returncode is not None

        yield ends_within
        return
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    try:
        yield lambda seconds: bool(poll.poll(None if seconds is None else seconds * 1000))
    finally:
        os.close(descriptor)


class _Watchdog:
    """The process that ends what this one leaves behind."""

    def __init__(self) -> None:
        self.mark, self.process_id = secrets.token_hex(8), os.getpid()
        command = [sys.executable, "-I", "-S", watchdog.__file__, self.mark]
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, start_new_session=True, bufsize=0
        )
        atexit.register(self._end)

    def say(self, line: bytes) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):  # somebody killed it
            self._process.stdin.write(line + b"\0")

    def _end(self) -> None:
        if os.getpid() == self.process_id:
            self.say(watchdog.KEPT)
            self._process.communicate()


_watchdogs: list[_Watchdog] = []
_starting = threading.Lock()


def _watchdog() -> _Watchdog:
    """Return the watchdog of this process. It is started when a program is first run."""
    with _starting:
        if not _watchdogs or _watchdogs[-1].process_id != os.getpid():
            _watchdogs[:] = [_Watchdog()]
        return _watchdogs[-1]


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a folder for what programs write. It is gone at the end of the block, or of this process.

    In the main thread, SIGTERM and SIGHUP leave the block.
    """

    def leave(number: int, _: FrameType | None) -> None:
        if number != signal.SIGTERM or not _interrupted.is_set():
            raise SystemExit(128 + number)

    folder = Path(tempfile.gettempdir(), f"eio-audit-{secrets.token_hex(8)}")
    _watchdog().say(watchdog.LEFT + os.fsencode(folder))  # before it exists
    with _taken(_ENDING, leave):
        folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


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
    """In this block, the first SIGTERM interrupts the main thread as Ctrl-C does, and others do nothing."""

    def interrupt(number: int, _: FrameType | None) -> None:
        if not _interrupted.is_set():
            _interrupted.set()
            raise KeyboardInterrupt

    _interrupted.clear()
    with _taken([signal.SIGTERM], interrupt):
        yield


@contextmanager
def termination_waits() -> Iterator[None]:
    """In this block, SIGTERM does nothing: what was found is about to be reported."""
    with _taken([signal.SIGTERM], lambda *_: None):
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
