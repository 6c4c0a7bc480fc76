"""A terminal, a pipe or a file that IR is printed to: exactly as it is, wrapped on terminals only.

rich wraps and colours. It takes longer to import than a small file to audit, so that plain text does without.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console as RichConsole
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


_FORCING = ("FORCE_COLOR", "TTY_COMPATIBLE")
"""Variables that make rich take anything for a terminal."""


class Console:
    """Where a report is printed; it leaves IR alone: no markup, no emoji, no highlighting.

    Args:
        file: where it prints. Only on a terminal are lines wrapped and tables fitted; anything else gets
            whole lines, however long.
        color: None for colour on terminals, subject to NO_COLOR and FORCE_COLOR.
        width: columns; the terminal's own for None. It has no effect but on a terminal.

    Attributes:
        wraps: lines are wrapped and tables fitted.
        is_plain: neither that nor colours.
        encoding: of the file; what it lacks is escaped.
    """

    def __init__(self, file: IO[str], *, color: bool | None = None, width: int | None = None) -> None:
        self._file = file
        self._color = color
        self._width = width
        self.wraps = file.isatty()
        may_color = color if color is not None else not os.environ.keys().isdisjoint(_FORCING)
        self.is_plain = not self.wraps and not may_color
        self.encoding = (getattr(file, "encoding", None) or "utf-8").lower()

    @cached_property
    def _rich(self) -> RichConsole:
        from rich.console import Console as RichConsole  # noqa: PLC0415  (slow to import)

        return RichConsole(
            file=self._file,
            width=self._width,
            markup=False,
            emoji=False,
            highlight=False,
            soft_wrap=not self.wraps,
            force_terminal=self._color,
            no_color=None if self._color is None else not self._color,
        )

    @property
    def width(self) -> int:
        """Columns of the terminal."""
        return self._rich.width

    def wrap(self, line: Text, width: int) -> Iterable[Text]:
        """The parts of a line that are not wider."""
        return line.wrap(self._rich, width, overflow="fold")

    def print_plain(self, line: str) -> None:
        """Prints a line as it is."""
        self._file.write(line.rstrip() + "\n")

    def print_styled(self, line: Text) -> None:
        """Prints a line that rich has prepared."""
        line.rstrip()
        self._rich.print(line)


def make_console(file: IO[str], *, color: bool | None = None, width: int | None = None) -> Console:
    """A console for a file; see ``Console``."""
    return Console(file, color=color, width=width)


def print_line(console: Console, *pieces: Piece, indent: int = 0) -> None:
    """Prints a line, on a terminal wrapped between words."""
    if console.is_plain:
        texts = (piece if isinstance(piece, str) else piece[0] for piece in pieces)
        console.print_plain(" " * indent + "".join(_escaped(console, text) for text in texts))
        return
    line = _shown(console, pieces)
    lines = [line]
    if console.wraps:
        lines = _wrapped(line, console, console.width - indent - HANGING)
    for number, part in enumerate(lines):
        console.print_styled(_indented(part, indent + (HANGING if number else 0)))


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
        return max(map(_cell_len, (self.title, *self.cells)))

    def padded(self, cell: str) -> str:
        """The cell with spaces up to the column's width."""
        space = " " * (self.width - _cell_len(cell))
        return space + cell if self.right else cell + space


def print_table(console: Console, columns: Sequence[Column], indent: int = 0) -> None:
    """Prints rows below their headings; columns without content are left out.

    On a terminal the last column is wrapped within itself or, where it is too narrow, below its row.
    """
    columns = [
        replace(column, cells=[_escaped(console, cell) for cell in column.cells])
        for column in columns
        if any(column.cells)
    ]
    if not columns:
        return
    if console.wraps:
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
    *fixed, end_column = columns
    padded = [column.padded(cell) + "  " for column, cell in zip(fixed, cells, strict=False)]
    padded.append(end_column.padded(cells[-1]) if end_column.right else cells[-1])
    *pieces, last = zip(padded, styles, strict=True)
    if not console.wraps:
        print_line(console, *pieces, last, indent=indent)
        return
    line, end = _indented(_shown(console, pieces), indent), _shown(console, [last])
    offset = line.cell_len
    if offset + end.cell_len <= console.width:
        lines = [line.append_text(end)]
    else:
        is_narrow = console.width - offset < WRAPPED
        start = indent + 2 * HANGING if is_narrow else offset
        parts = _wrapped(end, console, console.width - start)
        lines = [line] if is_narrow else [line.append_text(parts.pop(0))]
        lines += [_indented(part, start) for part in parts]
    for text in lines:
        console.print_styled(text)


def _wrapped(line: Text, console: Console, width: int) -> list[Text]:
    return list(console.wrap(line, max(width, SHORTENED))) or [line]


def _indented(line: Text, indent: int) -> Text:
    line.pad_left(indent)
    return line


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
    if _cell_len(text) <= width:
        return text
    start = len(text) - (width - 3)
    while _cell_len(text[start:]) > width - 3:
        start += 1
    return "..." + text[start:]


def _shown(console: Console, pieces: Sequence[Piece]) -> Text:
    """The pieces as a text that rich can print."""
    from rich.text import Text  # noqa: PLC0415

    line = Text()
    for piece in pieces:
        text, style = piece if isinstance(piece, tuple) else (piece, "")
        line.append(_escaped(console, text), style=style or None)
    return line


def _escaped(console: Console, text: str) -> str:
    """What would steer a terminal, or is not in the file's encoding, is escaped."""
    return printable(text).encode(console.encoding, "backslashreplace").decode(console.encoding)


def _cell_len(text: str) -> int:
    """Columns of the screen that a text takes."""
    from rich.cells import cell_len  # noqa: PLC0415

    return cell_len(text)
