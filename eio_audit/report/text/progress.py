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
"""Shorter work shows no bar."""

REFRESHES_PER_SECOND = 5

SHOWN_BYTES = 1 << 18
"""The least step of the bar inside a dump, in bytes."""


@contextmanager
def progress(total_bytes: int | None, label: str) -> Iterator[Callable[[int], None]]:
    """Show how much of the input is done, the rate, the elapsed time and the time left.

    It appears after one second if standard error is a terminal, and is removed at the end.

    Args:
        total_bytes: the size of the input. None if unknown, as for a pipe.
        label: the work, ``checking``.

    Yields:
        ``advance(bytes_count)``, which reports that so many more bytes are done.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    bar: Progress | None = None
    done_bytes, lock = 0, Lock()

    def advance(bytes_count: int) -> None:
        nonlocal done_bytes
        with lock:
            done_bytes += bytes_count
            if bar is not None:
                bar.update(bar.task_ids[0], completed=done_bytes)

    def show() -> None:
        nonlocal bar
        shown = _bar(has_total=total_bytes is not None)
        if shown.console.is_interactive:  # other terminals cannot erase the bar
            with lock:
                shown.add_task(label, total=total_bytes, completed=done_bytes)
                shown.start()
                bar = shown

    timer = Timer(SHOWN_AFTER_SECONDS, show)  # a single large dump also has a bar
    timer.daemon = True
    timer.start()
    try:
        yield advance
    finally:
        timer.cancel()
        timer.join()
        if bar is not None:
            bar.stop()


def advancing(dumps: Sequence[Dump], advance: Callable[[int], None], total_bytes: int) -> Iterator[Dump]:
    """Yield the dumps of a file. The part of a dump that has been read counts as done.

    Together they count as ``total_bytes``, the size of the file. The file may contain other text or be
    compressed. For a pipe it is 0. Then each dump counts as its length.
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


def _bar(*, has_total: bool) -> Progress:
    from rich import progress as rich_progress
    from rich.console import Console
    from rich.table import Column

    bar = rich_progress.BarColumn(bar_width=None)
    done_bytes = rich_progress.DownloadColumn(table_column=Column(no_wrap=True))
    return rich_progress.Progress(
        rich_progress.TextColumn("{task.description}", markup=False),
        *((bar, done_bytes) if has_total else (rich_progress.FileSizeColumn(),)),
        rich_progress.TransferSpeedColumn(),
        rich_progress.TimeElapsedColumn(),
        *((rich_progress.TimeRemainingColumn(),) if has_total else ()),
        console=Console(file=sys.stderr),
        refresh_per_second=REFRESHES_PER_SECOND,
        transient=True,
        redirect_stdout=False,  # results are not part of the bar
        redirect_stderr=False,
    )
