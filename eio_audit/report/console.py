"""A terminal, a pipe or a file that IR is printed to: exactly as it is, wrapped on terminals only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import IO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from eio_audit.report.printable import printable

Piece = str | tuple[str, str]
"""A part of a line: a text, or a text and its style."""

HANGING = 2
"""Columns by which the second and further lines of a wrapped line are indented."""

SHORTENED = 20
"""Columns that text gets at the least; an optional last column of a table without so many is left out."""

WRAPPED = 36
"""Columns that the last column of a table must have to be wrapped within itself, not below its row."""


def make_console(file: IO[str], *, color: bool | None = None, width: int | None = None) -> Console:
    """A console that leaves IR alone: no markup, no emoji, no highlighting.

    Args:
        file: where it prints. Only on a terminal are lines wrapped and tables fitted; anything else gets
            whole lines, however long.
        color: None for colour on terminals, subject to NO_COLOR and FORCE_COLOR.
        width: columns; the terminal's own for None. It has no effect but on a terminal.
    """
    return Console(
        file=file,
        width=width,
        markup=False,
        emoji=False,
        highlight=False,
        soft_wrap=not file.isatty(),
        force_terminal=color,
        no_color=None if color is None else not color,
    )


def print_line(console: Console, *pieces: Piece, indent: int = 0) -> None:
    """Prints a line, on a terminal wrapped between words."""
    line = _shown(console, pieces)
    lines = [line]
    if not console.soft_wrap:
        lines = _wrapped(console, line, console.width - indent - HANGING)
    for number, part in enumerate(lines):
        _print(console, Text(" " * (indent + (HANGING if number else 0))).append_text(part))


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        title: its heading; "" in a table without headings.
        cells: one per row.
        right: numbers stand at its right edge.
        style: of its cells.
        optional: a terminal too narrow for the table does without it, or, where it is the last, has the
            ends of its cells only. Any other column is always there and whole.
    """

    title: str
    cells: Sequence[str]
    right: bool = False
    style: str = ""
    optional: bool = False

    @cached_property
    def width(self) -> int:
        """Columns of the screen that its widest cell takes."""
        return max(map(cell_len, (self.title, *self.cells)))

    def padded(self, cell: str) -> str:
        """The cell with spaces up to the column's width."""
        space = " " * (self.width - cell_len(cell))
        return space + cell if self.right else cell + space


def print_table(console: Console, columns: Sequence[Column], indent: int = 0) -> None:
    """Prints rows below their headings; columns without content are left out.

    On a terminal the last column is wrapped within itself or, where it is too narrow, below its row.
    """
    columns = [column for column in columns if any(column.cells)]
    if not columns:
        return
    if not console.soft_wrap:
        columns = _fitted(columns, console.width - indent)
    rows = zip(*(column.cells for column in columns), strict=True)
    styles = [column.style for column in columns]
    if any(column.title for column in columns):
        _print_row(console, columns, [column.title for column in columns], ["dim"] * len(columns), indent)
    for cells in rows:
        _print_row(console, columns, cells, styles, indent)


def _print_row(
    console: Console, columns: Sequence[Column], cells: Sequence[str], styles: Sequence[str], indent: int
) -> None:
    *fixed, _ = columns
    padded = [column.padded(cell) + "  " for column, cell in zip(fixed, cells, strict=False)]
    line = Text(" " * indent).append_text(_shown(console, list(zip(padded, styles, strict=False))))
    end = _shown(console, [(cells[-1], styles[-1])])
    offset = line.cell_len
    if console.soft_wrap or offset + end.cell_len <= console.width:
        lines = [line.append_text(end)]
    else:
        is_narrow = console.width - offset < WRAPPED
        start = indent + 2 * HANGING if is_narrow else offset
        parts = _wrapped(console, end, console.width - start)
        lines = [line] if is_narrow else [line.append_text(parts.pop(0))]
        lines += [Text(" " * start).append_text(part) for part in parts]
    for text in lines:
        _print(console, text)


def _wrapped(console: Console, line: Text, width: int) -> list[Text]:
    return list(line.wrap(console, max(width, SHORTENED), overflow="fold")) or [line]


def _print(console: Console, line: Text) -> None:
    line.rstrip()
    console.print(line)


def _fitted(columns: Sequence[Column], width: int) -> list[Column]:
    """The columns without as many optional ones, from the last, as do not fit."""
    kept = list(columns)
    while (excess := sum(column.width + 2 for column in kept) - 2 - width) > 0:
        optional = [column for column in kept if column.optional]
        if not optional:
            break
        last = kept[-1]
        room = last.width - excess
        if last.optional and room >= SHORTENED:
            kept[-1] = replace(last, cells=[_end_of(cell, room) for cell in last.cells])
            break
        kept.remove(optional[-1])
    return kept


def _end_of(text: str, width: int) -> str:
    if cell_len(text) <= width:
        return text
    start = len(text) - (width - 3)
    while cell_len(text[start:]) > width - 3:
        start += 1
    return "..." + text[start:]


def _shown(console: Console, pieces: Sequence[Piece]) -> Text:
    """The pieces as a text that the console can print: what would steer a terminal is escaped."""
    line = Text()
    for piece in pieces:
        text, style = piece if isinstance(piece, tuple) else (piece, "")
        text = printable(text).encode(console.encoding, "backslashreplace").decode(console.encoding)
        line.append(text, style=style or None)
    return line
