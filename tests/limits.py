"""A limit on the CPU time of what a test runs in its own process."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TooSlowError(BaseException):
    """It is no exception that a command may take for one of its own."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise a TooSlowError after so many seconds of CPU time."""

    def fail(_: int, __: FrameType | None) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGVTALRM, fail)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
