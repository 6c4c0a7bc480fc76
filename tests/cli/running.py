"""Runs the command as a user does."""

from __future__ import annotations

import gc
import io
import os
import pty
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import TextIO
from unittest import mock

import pytest

from eio_audit.cli.main import main

SAMPLES = Path(__file__).parent.parent.parent / "sample_irs"


FORMATS = [
    "text",
    "json",
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("concise", "github", "html", "junit")),
]
"""Of ``check``; a test that runs it several times for each has the others in longer runs."""


def run(*args: str | Path, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    """The command in this process: to start another one takes longer than most commands do."""
    command = ["eio-audit", *map(str, args)]
    given = io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin)), "utf-8")
    printed, errors = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    code = _run(command, (given, printed, errors), environment)
    return subprocess.CompletedProcess(command, code, _written(printed), _written(errors))


def run_process(
    *args: str | Path, stdin: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own, where a test asks for real streams."""
    command = [sys.executable, "-m", "eio_audit", *map(str, args)]
    return subprocess.run(
        command, input=stdin, capture_output=True, env=_environment(environment), check=False, timeout=60
    )


def run_on_terminal(
    *args: str | Path,
    columns: int = 80,
    cwd: Path | None = None,
    stdin: int | None = None,
    **environment: str,
) -> tuple[int, str]:
    """The exit code of the command, and what a terminal of so many columns gets of its output and errors.

    The terminal stands in for the three streams of this process, so that a pager writes to it, too. ``stdin`` is
    a file descriptor that is read instead.
    """
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, columns))
    shown: list[bytes] = []
    reader = Thread(target=_read_all, args=(ours, shown))
    reader.start()
    saved = [os.dup(stream) for stream in range(3)]
    for stream in range(3):
        os.dup2(theirs if stream or stdin is None else stdin, stream)
    os.close(theirs)
    streams = [open(stream, mode, encoding="utf-8", closefd=False) for stream, mode in enumerate("rww")]  # noqa: SIM115
    try:
        with chdir(cwd or Path.cwd()):
            code = _run(
                ["eio-audit", *map(str, args)], streams, {"TERM": "xterm", "PAGER": "cat"} | environment
            )
    finally:
        with suppress(OSError):  # a reader that stopped
            streams[1].flush()
        for stream, kept in enumerate(saved):
            os.dup2(kept, stream)
            os.close(kept)
        reader.join()
        os.close(ours)
    return code, b"".join(shown).replace(b"\r\n", b"\n").decode()


def _read_all(terminal: int, shown: list[bytes]) -> None:
    with suppress(OSError):  # nobody writes any more
        while part := os.read(terminal, 1 << 16):
            shown.append(part)


def _run(command: list[str], streams: Sequence[TextIO], environment: dict[str, str]) -> int:
    """The exit code of a command in this process."""
    stdin, stdout, stderr = streams
    on_interrupt = signal.getsignal(signal.SIGINT)
    with (
        mock.patch.multiple(sys, argv=command, stdin=stdin, stdout=stdout, stderr=stderr),
        mock.patch.dict(os.environ, _environment(environment), clear=True),
        mock.patch.object(gc, "freeze"),  # for the end of a process, which this is not
    ):
        try:
            main()
        except SystemExit as end:
            return int(end.code or 0)
        finally:
            signal.signal(signal.SIGINT, on_interrupt)
    return 0


def _written(stream: io.TextIOWrapper) -> bytes:
    stream.seek(0)
    return stream.buffer.read()


def _environment(added: dict[str, str]) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "NO_COLOR", "COLUMNS")}
    return kept | added


@contextmanager
def pipe_of(data: bytes) -> Iterator[str]:
    """The path of a pipe that holds some bytes, as a shell's ``<(command)`` is; at most 64 KB."""
    read_end, write_end = os.pipe()
    os.write(write_end, data)
    os.close(write_end)
    try:
        yield f"/dev/fd/{read_end}"
    finally:
        os.close(read_end)
