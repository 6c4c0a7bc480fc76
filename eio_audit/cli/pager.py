"""Show a report that is longer than the terminal in the user's pager, as git does."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import IO

LESS = "FRX"
"""The options of less where LESS has none: quit if it fits, show colours, keep the screen."""


class _Screen(io.StringIO):
    """What standard output, a terminal, would get."""

    def isatty(self) -> bool:
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]  # the base class has None
        return sys.stdout.encoding


def print_paged(print_to: Callable[[IO[str]], None]) -> None:
    """Print a report to standard output, a terminal, or to the pager if it has more lines than the terminal.

    PAGER names the pager; an empty one or ``cat`` is none. Without PAGER it is ``less``, if it is installed.
    """
    screen = _Screen()
    print_to(screen)
    text = screen.getvalue()
    pager = os.environ.get("PAGER", "less").strip()
    words = pager.split()
    is_long = text.count("\n") >= shutil.get_terminal_size().lines
    if not is_long or words in ([], ["cat"]) or shutil.which(words[0]) is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    environment = {"LESS": LESS, **os.environ}
    with subprocess.Popen(pager, shell=True, stdin=subprocess.PIPE, env=environment) as process:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the pager
        try:
            assert process.stdin is not None
            with contextlib.suppress(BrokenPipeError):  # its user has seen enough
                process.stdin.write(text.encode(sys.stdout.encoding, "backslashreplace"))
                process.stdin.close()
            process.wait()
        finally:
            signal.signal(signal.SIGINT, before)
