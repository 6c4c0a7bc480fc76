"""Progress on standard error, for work that a person waits for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock, Timer
from typing import TYPE_CHECKING

from eio_audit.mlir.input.dumps import Dump

if TYPE_CHECKING:
    from rich.progress import Progress

SHOWN_AFTER_SECONDS = 1.0
"""Work that is done by then shows nothing."""

REFRESHES_PER_SECOND = 5

SHOWN_BYTES = 1 << 18
"""Inside a dump the bar moves in steps of at least so many bytes."""


@contextmanager
def progress(total_bytes: int | None, label: str) -> Iterator[Callable[[int], None]]:
    """Shows how much of the input is done, at what rate, for how long, and the time left.

    It appears on standard error once a second has passed, if that is a terminal, and is removed at the end.

    Args:
        total_bytes: what there is to do; None where that is not known, as for a pipe.
        label: what is done, ``checking``.

    Yields:
        ``advance(bytes_count)``: that many bytes more are done.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    delayed = _Delayed(total_bytes, label)
    try:
        yield delayed.advance
    finally:
        delayed.close()


def advancing(dumps: Sequence[Dump], advance: Callable[[int], None], total_bytes: int) -> Iterator[Dump]:
    """The dumps of a file in turn; what has been read of a dump counts as done.

    Together they count as ``total_bytes``, the size of the file, which may hold more, or be packed. It is 0
    for a pipe: then each counts as its length.
    """
    length_of_all = sum(dump.span.end - dump.span.start for dump in dumps)
    before = done = 0

    def show(read_bytes: int, least: int = 0) -> None:
        nonlocal done
        share = total_bytes * read_bytes // length_of_all if total_bytes else read_bytes
        if share - done >= least:
            advance(share - done)
            done = share

    for dump in dumps:

        def reached(offset: int, start: int = before - dump.span.start) -> None:
            show(start + offset, SHOWN_BYTES)

        dump.source.reached = reached
        yield dump
        before += dump.span.end - dump.span.start
        show(before)


class _Delayed:
    """A progress bar that a timer shows, so that a single large dump has one too."""

    def __init__(self, total_bytes: int | None, label: str) -> None:
        self._total_bytes = total_bytes
        self._label = label
        self._done_bytes = 0
        self._bar: Progress | None = None
        self._lock = Lock()
        self._timer = Timer(SHOWN_AFTER_SECONDS, self._show)
        self._timer.daemon = True
        self._timer.start()

    def advance(self, bytes_count: int) -> None:
        with self._lock:
            self._done_bytes += bytes_count
            if self._bar is not None:
                self._bar.update(self._bar.task_ids[0], completed=self._done_bytes)

    def close(self) -> None:
        """Takes the bar away, or sees to it that none is shown."""
        self._timer.cancel()
        self._timer.join()
        if self._bar is not None:
            self._bar.stop()

    def _show(self) -> None:
        from rich import progress as rich_progress
        from rich.console import Console
        from rich.table import Column

        bar = rich_progress.BarColumn(bar_width=None)
        done_bytes = rich_progress.DownloadColumn(table_column=Column(no_wrap=True))
        has_total = self._total_bytes is not None
        shown = rich_progress.Progress(
            rich_progress.TextColumn("{task.description}", markup=False),
            *((bar, done_bytes) if has_total else (rich_progress.FileSizeColumn(),)),
            rich_progress.TransferSpeedColumn(),
            rich_progress.TimeElapsedColumn(),
            *((rich_progress.TimeRemainingColumn(),) if has_total else ()),
            console=Console(file=sys.stderr),
            refresh_per_second=REFRESHES_PER_SECOND,
            transient=True,
            redirect_stdout=False,  # results go their own way
            redirect_stderr=False,
        )
        if not shown.console.is_interactive:  # a terminal that cannot take anything back
            return
        with self._lock:
            shown.add_task(self._label, total=self._total_bytes, completed=self._done_bytes)
            shown.start()
            self._bar = shown
