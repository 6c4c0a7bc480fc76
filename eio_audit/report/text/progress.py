"""Progress on standard error, for work that a person waits for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Lock, Timer
from time import monotonic
from typing import TYPE_CHECKING, Self

from eio_audit.mlir.source import printable

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, Task

    from eio_audit.mlir.input.dumps import Dump

SHOWN_AFTER_SECONDS = 1.0  # shorter work shows no bar
REFRESHES_PER_SECOND = 5
LEAST_BAR = 10  # the least width of the bar, in columns
SHOWN_BYTES = 1 << 18  # the least step of the bar inside a dump, in bytes


class Advance:
    """What has been done so far. Each change is shown if there is a line for it on the terminal."""

    def __init__(self, label: str, then: str = "", total_bytes: int | None = None, files: int = 1) -> None:
        self._label, self._then = label, then or label
        self._total_bytes, self._files = total_bytes, files
        self._done_files = self._done_bytes = 0
        self._file = ""
        self._begin = monotonic()
        self._bar: Progress | None = None
        self._lock = Lock()

    def __call__(self, bytes_count: int) -> None:
        """Report that so many more bytes are done."""
        with self._change():
            self._done_bytes += bytes_count

    def file_done(self) -> None:
        """Report that one more file is done."""
        with self._change():
            self._done_files += 1

    def waits_for(self, file: str) -> None:
        """Report the file that is being worked on; of several, the one that began first."""
        if file != self._file:
            with self._change():
                self._file = file

    def say(self, text: str) -> None:
        """Report what the work is now."""
        with self._change():
            self._label = self._then = text

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Remove the line while something else is printed."""
        with self._lock:
            if self._bar is not None:
                self._bar.stop()
            yield
            if self._bar is not None:
                self._bar.start()

    @contextmanager
    def shown(self, columns: Callable[[], Sequence[ProgressColumn]]) -> Iterator[Self]:
        """Show a line after one second, if standard error is a terminal, and remove it at the end."""
        if not sys.stderr.isatty():
            yield self
            return
        timer = Timer(SHOWN_AFTER_SECONDS, lambda: self._show(columns()))
        timer.daemon = True
        timer.start()
        try:
            yield self
        finally:
            timer.cancel()
            timer.join()
            if self._bar is not None:
                self._bar.stop()

    def _show(self, columns: Sequence[ProgressColumn]) -> None:
        from rich.console import Console
        from rich.progress import Progress

        bar = Progress(
            *columns,
            console=Console(file=sys.stderr),
            refresh_per_second=REFRESHES_PER_SECOND,
            transient=True,
            redirect_stdout=False,  # results are not part of the line
            redirect_stderr=False,
        )
        if bar.console.is_interactive:  # other terminals cannot erase the line
            bar.add_task(self._label, total=self._total_bytes, files="", file="")
            bar.tasks[0].start_time = self._begin
            with self._change():
                self._bar = bar
            bar.start()

    @contextmanager
    def _change(self) -> Iterator[None]:
        with self._lock:
            yield
            if self._bar is not None:
                has_files = self._files > 1
                total, done = self._total_bytes, self._done_bytes
                is_read = total is not None and done >= total
                self._bar.update(
                    self._bar.task_ids[0],
                    description=self._then if is_read else self._label,
                    completed=done if total is None else min(done, total),  # a file may be read twice
                    files=f"{self._done_files:,}/{self._files:,} files" if has_files else "",
                    file=_shown(self._file) if has_files else "",
                )


def progress(
    total_bytes: int | None, label: str, files: int = 1, then: str = ""
) -> AbstractContextManager[Advance]:
    """Show how much of the input is done, the rate, the elapsed time and the time left.

    Of several files, the bar also shows how many are done, and which one the work waits for. ``total_bytes``
    is None for a pipe. ``label`` is the work, and ``then`` what is left of it when all input is read, if it
    is another. What is returned is called when something is done.
    """
    advance = Advance(label, then, total_bytes, files)
    return advance.shown(lambda: _columns(has_total=total_bytes is not None, has_files=files > 1))


@contextmanager
def status(label: str) -> Iterator[Callable[[str], None]]:
    """Show a line about work whose length is not known. Yield what to call with another text for it."""
    with Advance(label).shown(_columns_of_status) as advance:
        yield advance.say


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


def _columns_of_status() -> list[ProgressColumn]:
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    return [SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False)]


def _columns(*, has_total: bool, has_files: bool) -> list[ProgressColumn]:
    from datetime import timedelta

    from rich import progress as shown
    from rich.table import Column
    from rich.text import Text

    class Speed(shown.TransferSpeedColumn):  # without content as long as it is unknown
        def render(self, task: Task) -> Text:
            return Text() if task.speed is None and task.finished_speed is None else super().render(task)

    class Elapsed(shown.ProgressColumn):  # it runs on after all input is read
        def render(self, task: Task) -> Text:
            return Text(str(timedelta(seconds=int(task.elapsed or 0))), style="progress.elapsed")

    def whole() -> Column:
        return Column(no_wrap=True)

    def text(field: str, column: Column) -> shown.TextColumn:
        return shown.TextColumn(f"{{task.fields[{field}]}}", markup=False, table_column=column)

    columns: list[ProgressColumn] = [shown.TextColumn("{task.description}", markup=False)]
    if has_files:
        columns.append(text("files", whole()))
    if has_total:
        columns.append(shown.BarColumn(bar_width=None, table_column=Column(min_width=LEAST_BAR)))
        columns.append(shown.DownloadColumn(table_column=whole()))
    else:
        columns.append(shown.FileSizeColumn())
    if not has_files:
        columns.append(Speed(table_column=whole()))
    columns.append(Elapsed(table_column=whole()))
    if has_total:
        columns.append(shown.TimeRemainingColumn(table_column=whole()))
    if has_files:
        columns.append(text("file", Column(overflow="ellipsis")))  # cut where the terminal is too narrow
    return columns


def _shown(path: str) -> str:
    return printable("/".join(Path(path).parts[-2:])).replace(" ", "\N{NO-BREAK SPACE}")
