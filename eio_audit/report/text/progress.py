"""Progress on standard error, for work that a person waits for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, Timer
from time import monotonic
from typing import TYPE_CHECKING

from eio_audit.mlir.source import printable

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, Task
    from rich.table import Column

    from eio_audit.mlir.input.dumps import Dump

SHOWN_AFTER_SECONDS = 1.0  # shorter work shows no bar

REFRESHES_PER_SECOND = 5

LEAST_BAR = 10  # the least width of the bar, in columns
SHOWN_BYTES = 1 << 18  # the least step of the bar inside a dump, in bytes


class Advance:
    """What has been done so far. Each change is shown if there is a bar."""

    def __init__(self, files: int, total_bytes: int | None = None, label: str = "", then: str = "") -> None:
        self._files = files
        self._total_bytes = total_bytes
        self._label, self._then = label, then
        self._done_files = self._done_bytes = 0
        self._file = ""
        self._begin = monotonic()
        self._bar: Progress | None = None
        self._lock = Lock()

    def __call__(self, bytes_count: int) -> None:
        """Report that so many more bytes are done."""
        with self._lock:
            self._done_bytes += bytes_count
            self._update()

    def file_done(self) -> None:
        """Report that one more file is done."""
        with self._lock:
            self._done_files += 1
            self._update()

    def waits_for(self, file: str) -> None:
        """Report the file that is being worked on; of several, the one that began first."""
        if file != self._file:
            with self._lock:
                self._file = file
                self._update()

    def show_in(self, bar: Progress) -> None:
        """Start a bar and show all changes in it from now on."""
        with self._lock:
            bar.add_task(self._label, total=self._total_bytes, files="", file="")
            bar.tasks[0].start_time = self._begin
            self._bar = bar
            self._update()
            bar.start()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Remove the bar while something else is printed."""
        with self._lock:
            if self._bar is not None:
                self._bar.stop()
            yield
            if self._bar is not None:
                self._bar.start()

    def end(self) -> None:
        """Remove the bar, if there is one."""
        if self._bar is not None:
            self._bar.stop()

    def _update(self) -> None:
        if self._bar is not None:
            files = f"{self._done_files:,}/{self._files:,} files" if self._files > 1 else ""
            file = _shown(self._file) if self._files > 1 else ""
            is_read = self._total_bytes is not None and self._done_bytes >= self._total_bytes
            self._bar.update(
                self._bar.task_ids[0],
                description=self._then if is_read and self._then else self._label,
                completed=self._done_bytes,
                files=files,
                file=file,
            )


@contextmanager
def progress(total_bytes: int | None, label: str, files: int = 1, then: str = "") -> Iterator[Advance]:
    """Show how much of the input is done, the rate, the elapsed time and the time left.

    Of several files, the bar also shows how many are done, and which one the work waits for. It appears
    after one second if standard error is a terminal, and is removed at the end.

    Args:
        total_bytes: the size of the input. None if unknown, as for a pipe.
        label: the work, ``checking``.
        files: how many files the input has.
        then: the work that is left when all input is read; empty if it is the same.

    Yields:
        What to call when something is done.
    """
    advance = Advance(files, total_bytes, label, then)

    def show() -> None:
        bar = _bar(has_total=total_bytes is not None, has_files=files > 1)
        if bar.console.is_interactive:  # other terminals cannot erase the bar
            advance.show_in(bar)

    try:
        with _after_a_second(show):
            yield advance
    finally:
        advance.end()


@contextmanager
def _after_a_second(show: Callable[[], None]) -> Iterator[None]:
    """Show something about work that lasts longer than a second, if standard error is a terminal.

    A timer does it, because the work may be a single large dump.
    """
    if not sys.stderr.isatty():
        yield
        return
    timer = Timer(SHOWN_AFTER_SECONDS, show)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


@contextmanager
def status(label: str) -> Iterator[Callable[[str], None]]:
    """Show a line about work whose length is not known, with the time that it takes; for terminals.

    It appears after one second, and is removed at the end.

    Yields:
        What to call with another text for the line.
    """
    said, begin = label, monotonic()
    bar: Progress | None = None

    def say(text: str) -> None:
        nonlocal said
        said = text
        if bar is not None:
            bar.update(bar.task_ids[0], description=text)

    def show() -> None:
        from rich import progress as rich_progress

        nonlocal bar
        text = rich_progress.TextColumn("{task.description}", markup=False)
        line = _live([rich_progress.SpinnerColumn(), rich_progress.TimeElapsedColumn(), text])
        if line.console.is_interactive:
            line.add_task(said)
            line.tasks[0].start_time = begin
            bar = line
            line.start()

    try:
        with _after_a_second(show):
            yield say
    finally:
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


def _bar(*, has_total: bool, has_files: bool) -> Progress:
    from rich import progress as rich_progress
    from rich.table import Column

    def whole() -> Column:
        return Column(no_wrap=True)

    def text(field: str, column: Column) -> rich_progress.TextColumn:
        return rich_progress.TextColumn(f"{{task.fields[{field}]}}", markup=False, table_column=column)

    columns: list[rich_progress.ProgressColumn] = [
        rich_progress.TextColumn("{task.description}", markup=False)
    ]
    if has_files:
        columns.append(text("files", whole()))
    if has_total:
        columns.append(rich_progress.BarColumn(bar_width=None, table_column=Column(min_width=LEAST_BAR)))
        columns.append(rich_progress.DownloadColumn(table_column=whole()))
    else:
        columns.append(rich_progress.FileSizeColumn())
    if not has_files:
        columns.append(_speed_column(whole()))
    columns.append(_elapsed_column(whole()))
    if has_total:
        columns.append(rich_progress.TimeRemainingColumn(table_column=whole()))
    if has_files:
        columns.append(text("file", Column(overflow="ellipsis")))  # cut where the terminal is too narrow
    return _live(columns)


def _speed_column(layout: Column) -> ProgressColumn:
    """Return a column with the rate, and without content as long as it is unknown."""
    from rich import progress as rich_progress
    from rich.text import Text

    class Speed(rich_progress.TransferSpeedColumn):
        def render(self, task: Task) -> Text:
            return Text() if task.speed is None and task.finished_speed is None else super().render(task)

    return Speed(table_column=layout)


def _elapsed_column(layout: Column) -> ProgressColumn:
    """Return a column with the time that has passed, which runs on after all input is read."""
    from datetime import timedelta

    from rich.progress import ProgressColumn
    from rich.text import Text

    class Elapsed(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(str(timedelta(seconds=int(task.elapsed or 0))), style="progress.elapsed")

    return Elapsed(table_column=layout)


def _live(columns: Sequence[ProgressColumn]) -> Progress:
    """Return a line on standard error that changes while work goes on, and is removed at the end."""
    from rich.console import Console
    from rich.progress import Progress

    return Progress(
        *columns,
        console=Console(file=sys.stderr),
        refresh_per_second=REFRESHES_PER_SECOND,
        transient=True,
        redirect_stdout=False,  # results are not part of the bar
        redirect_stderr=False,
    )


def _shown(path: str) -> str:
    """Return the end of a path: the folder and the file, which the model's name is in. It is one word."""
    return printable("/".join(Path(path).parts[-2:])).replace(" ", "\N{NO-BREAK SPACE}")
