"""Tables on a console: fitted to a terminal, in full width in a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from eio_audit.report.text.console import HANGING, SHORTENED, Console

if TYPE_CHECKING:
    from eio_audit.report.document import Figures

WRAPPED = 36
"""The least width at which the last column wraps within itself. If narrower, it wraps below its row."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        title: its heading; "" in a table without headings.
        cells: one per row.
        right: whether cells are aligned to the right.
        style: the style of its cells.
        optional: whether a narrow terminal may omit it or, if it is the last column, show only the ends of
            its cells.
        least: the width to which a narrow terminal may shorten its cells, which then show their ends; 0 for a
            column that is always complete.
    """

    title: str
    cells: Sequence[str]
    right: bool = False
    style: str = ""
    optional: bool = False
    least: int = 0

    @cached_property
    def width(self) -> int:
        """The width of its widest cell on the screen."""
        return max(map(_cell_len, (self.title, *self.cells)))

    def padded(self, cell: str) -> str:
        """Return the cell padded with spaces to the column's width."""
        space = " " * (self.width - _cell_len(cell))
        return space + cell if self.right else cell + space


def print_table(
    console: Console,
    columns: Sequence[Column],
    indent: int = 0,
    row_styles: Sequence[str] = (),
    print_below: Callable[[int], None] = lambda _: None,
) -> list[str]:
    """Print rows below their headings; return the headings of columns that do not fit on the terminal.

    Columns without content are left out.

    On a terminal, the last column wraps within itself or, if too narrow, below its row.

    Args:
        console: the target.
        columns: from left to right.
        indent: screen columns to the left of the table.
        row_styles: by row, a style that replaces those of the columns, or an empty text.
        print_below: called with the number of each row after it is printed.
    """
    columns = [
        replace(column, cells=[console.escaped(cell) for cell in column.cells])
        for column in columns
        if any(column.cells)
    ]
    if not columns:
        return []
    titles = [column.title for column in columns]
    if console.wraps:
        columns = _fitted(columns, console.width - indent)
    rows = zip(*(column.cells for column in columns), strict=True)
    styles = [column.style for column in columns]
    if any(column.title for column in columns):
        _print_row(console, columns, [column.title for column in columns], ["dim"] * len(columns), indent)
    for number, cells in enumerate(rows):
        own = row_styles[number] if row_styles else ""
        _print_row(console, columns, cells, [own] * len(styles) if own else styles, indent)
        print_below(number)
    shown = {column.title for column in columns}
    return [title for title in titles if title not in shown]


def print_figures(table: Figures, console: Console, *, verbose: bool) -> int:
    """Print a table of figures. Return how many rows it left out."""
    rows = table.rows if verbose else table.short
    columns = [
        Column(
            heading, [row[k] for row in rows], right=k < table.numbers, style=table.styles.get(heading, "")
        )
        for k, heading in enumerate(table.headings)
    ]
    if rows:
        print_table(console, columns, indent=2)
    return len(table.rows) - len(rows)


def _print_row(
    console: Console, columns: Sequence[Column], cells: Sequence[str], styles: Sequence[str], indent: int
) -> None:
    *fixed, end_column = columns
    padded = [column.padded(cell) + "  " for column, cell in zip(fixed, cells, strict=False)]
    padded.append(end_column.padded(cells[-1]) if end_column.right else cells[-1])
    *pieces, last = zip(padded, styles, strict=True)
    if not console.wraps:
        console.print(*pieces, last, indent=indent)
        return
    line, end = console.styled(pieces), console.styled([last])
    line.pad_left(indent)
    offset = line.cell_len
    if offset + end.cell_len <= console.width:
        console.print_styled(line.append_text(end))
    elif console.width - offset < WRAPPED:
        start = indent + 2 * HANGING
        console.print_styled(line)
        for part in console.wrapped(end, console.width - start):
            console.print_styled(part, start)
    else:
        first, *rest = console.wrapped(end, console.width - offset)
        console.print_styled(line.append_text(first))
        for part in rest:
            console.print_styled(part, offset)


def _fitted(columns: Sequence[Column], width: int) -> list[Column]:
    """Return the columns without the optional ones, from the last, that do not fit.

    The others are shortened before one is left out.
    """
    kept = list(columns)
    excess = sum(column.width + 2 for column in kept) - 2 - width
    for place, column in enumerate(kept):
        if column.least and excess > 0:
            room = max(column.width - excess, column.least)
            excess -= column.width - room
            kept[place] = replace(column, cells=[_end_of(cell, room) for cell in column.cells])
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


def _cell_len(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)
