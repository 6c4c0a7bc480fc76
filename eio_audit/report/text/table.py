"""Tables on a console: fitted to a terminal, in full width in a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from eio_audit.report.document import Figures
from eio_audit.report.text.console import HANGING, SHORTENED, Console

WRAPPED = 36
"""The least width for which the last column is wrapped within itself, not below its row."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        title: its heading; "" in a table without headings.
        cells: one per row.
        right: cells are aligned to the right.
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


def print_table(
    console: Console,
    columns: Sequence[Column],
    indent: int = 0,
    row_styles: Sequence[str] = (),
    print_below: Callable[[int], None] = lambda _: None,
) -> None:
    """Prints rows below their headings; columns without content are left out.

    On a terminal the last column is wrapped within itself or, where it is too narrow, below its row.

    Args:
        console: where.
        columns: from left to right.
        indent: columns of the screen to the left of the table.
        row_styles: by row, a style instead of those of the columns; empty for these.
        print_below: called with the number of each row after it is printed.
    """
    columns = [
        replace(column, cells=[console.escaped(cell) for cell in column.cells])
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
    for number, cells in enumerate(rows):
        own = row_styles[number] if row_styles else ""
        _print_row(console, columns, cells, [own] * len(styles) if own else styles, indent)
        print_below(number)


def print_figures(table: Figures, console: Console, *, verbose: bool) -> int:
    """Prints a table of figures; returns how many rows it left out."""
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


def _cell_len(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)
