"""Tables on a console: fitted to a terminal, in full width in a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Literal

from eio_audit.report.text.console import ELLIPSIS, HANGING, Console
from eio_audit.report.wording.numbers import if_any

if TYPE_CHECKING:
    from eio_audit.report.document import Figures

WRAPPED = 36
"""The least width at which a column of prose wraps within itself. If narrower, it wraps below its row."""

NARROW = 24
"""The width to which a narrow terminal shortens a column of names."""

NARROWEST = 8
"""The least columns that a table leaves of its last column."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        title: its heading; "" in a table without headings.
        cells: one per row.
        right: whether cells are aligned to the right.
        style: the style of its cells.
        optional: whether a narrow terminal may omit it.
        least: the width to which a narrow terminal may shorten its cells; 0 for a column that is always
            complete, but for a last one that does not fit alone.
        cut: what a narrow terminal omits of a cell: its start, as of a path, or its end, as of a sentence.
            ``never`` wraps the last column: the prose of a list of definitions.
    """

    title: str
    cells: Sequence[str]
    right: bool = False
    style: str = ""
    optional: bool = False
    least: int = 0
    cut: Literal["start", "end", "never"] = "start"

    @cached_property
    def width(self) -> int:
        """The width of its widest cell on the screen."""
        return max(map(_cell_len, (self.title, *self.cells)))

    def padded(self, cell: str) -> str:
        """Return the cell padded with spaces to the column's width."""
        space = " " * (self.width - _cell_len(cell))
        return space + cell if self.right else cell + space

    def within(self, width: int) -> Column:
        """Return the column with its cells cut to a width."""
        return replace(self, cells=[_cut(cell, width, at_start=self.cut == "start") for cell in self.cells])


def numbers(title: str, values: Iterable[int], style: str = "", *, optional: bool = False) -> Column:
    """Return a column of numbers. A cell with 0 is empty."""
    return Column(title, list(map(if_any, values)), right=True, style=style, optional=optional)


def print_table(
    console: Console,
    columns: Sequence[Column],
    indent: int = 0,
    row_styles: Sequence[str] = (),
    print_below: Callable[[int], None] = lambda _: None,
) -> None:
    """Print rows below their headings, one line each; then the headings of columns that do not fit.

    Columns without content are left out. On a terminal, cells that are too wide are cut.

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
        return
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
    if left_out := [title for title in titles if title not in shown]:
        console.print((f"not shown at this width: {', '.join(left_out)}", "dim"), indent=indent)


def print_figures(table: Figures, console: Console, *, verbose: bool) -> int:
    """Print a table of figures. Return how many rows it left out."""
    rows = table.rows if verbose else table.short
    columns = [
        Column(
            heading,
            [row[k] for row in rows],
            right=k < table.numbers,
            style=table.styles.get(heading, ""),
            optional=k > table.numbers,
            least=NARROW if k == table.numbers else 0,
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
    """Return the columns that fit, shortened as far as they must be.

    An optional column is left out, from the last, if it does not fit even when the others are shortened.
    """
    kept = list(columns)
    while _width(kept, _least) > width and (optional := [column for column in kept if column.optional]):
        kept.remove(optional[-1])
    for place, column in enumerate(kept):
        excess = _width(kept) - width
        if excess > 0 and column.least:
            kept[place] = column.within(max(column.width - excess, _least(column)))
    excess = _width(kept) - width
    if excess > 0 and kept[-1].cut != "never":
        kept[-1] = kept[-1].within(max(kept[-1].width - excess, NARROWEST))
    return kept


def _least(column: Column) -> int:
    """Return the width to which a column may be shortened before another one is left out."""
    return min(column.width, column.least) if column.least else column.width


def _width(columns: Sequence[Column], width_of: Callable[[Column], int] = attrgetter("width")) -> int:
    return sum(width_of(column) + 2 for column in columns) - 2


def _cut(text: str, width: int, *, at_start: bool) -> str:
    if _cell_len(text) <= width:
        return text
    room = max(width - len(ELLIPSIS), 0)
    kept = len(text)
    while _cell_len(shown := text[len(text) - kept :] if at_start else text[:kept]) > room:
        kept -= 1
    return ELLIPSIS + shown if at_start else shown + ELLIPSIS


def _cell_len(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)
