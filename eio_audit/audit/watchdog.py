"""A program that outlives this one: it ends what this one leaves behind, however it ends.

Nothing can be done by a process that gets SIGKILL. So another one waits for its end: for that of a pipe. Then
it kills the programs that were run, and removes temporary folders. It knows the programs by a mark in their
environment, which their own processes inherit, in whatever session they are. This file is also that program,
so it imports little.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from signal import SIGKILL

MARK = "EIO_AUDIT_RUN"  # the environment variable with the mark
LEFT, KEPT = b"folder ", b"end"  # lines of the pipe: a folder to remove, and that no program is left
_PROCESSES = "/proc"
_SCANS = 3  # a program that was just starting has no mark yet
_PAUSE = 0.05  # the seconds between two scans


def end_marked(mark: str, scans: int = 1) -> None:
    """Kill all processes with a mark in their environment. Without ``/proc``, none is found."""
    for _ in range(scans):
        while found := list(_marked(mark.encode())):
            for process in found:
                try:
                    os.kill(process, SIGKILL)
                except OSError:  # it has ended
                    continue
        if scans > 1:
            time.sleep(_PAUSE)


def _marked(mark: bytes) -> Iterator[int]:
    for name in os.listdir(_PROCESSES) if os.path.isdir(_PROCESSES) else ():  # noqa: PTH112, PTH208
        if name.isdigit() and int(name) != os.getpid():
            try:
                with open(f"{_PROCESSES}/{name}/environ", "rb") as file:  # noqa: PTH123
                    is_marked = mark in file.read()
            except OSError:  # it has ended, or is another user's
                continue
            if is_marked:
                yield int(name)


def _watch(mark: str) -> None:
    lines = sys.stdin.buffer.read().split(b"\0")  # until the other process has ended
    if KEPT not in lines:
        end_marked(mark, _SCANS)
    folders = [line.removeprefix(LEFT) for line in lines if line.startswith(LEFT)]
    if folders:
        import shutil

        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    _watch(sys.argv[1])
