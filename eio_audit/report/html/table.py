"""A table that can be sorted, filtered and paged; without scripts its first rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eio_audit.report.html.page import escaped, island

SHOWN_ROWS = 20
"""How many rows stand in the page itself; the others are data."""

Cell = str | int | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        key: what scripts call it.
        title: what people read above it.
        cells: by row; all of them text, or all of them numbers, None for none.
        is_number: which of the two.
    """

    key: str
    title: str
    cells: Sequence[Cell]
    is_number: bool = False

    @property
    def data(self) -> dict[str, object]:
        """As scripts read it; texts are kept once, rows refer to them."""
        if self.is_number:
            return {"key": self.key, "number": True, "values": list(self.cells)}
        number_of: dict[Cell, int] = {}
        values = [number_of.setdefault(cell or "", len(number_of)) for cell in self.cells]
        return {"key": self.key, "strings": list(number_of), "values": values}


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of an equal number of cells.

    Attributes:
        name: its id in the page.
        caption: what its rows are.
        columns: from left to right.
        sorted_by: key of the column of numbers by which its rows are sorted first.
        descending: from the largest.
        marked: key of the column whose empty cells a tick box can hide, and what the box says; None for none.
    """

    name: str
    caption: str
    columns: Sequence[Column]
    sorted_by: str
    descending: bool = False
    marked: tuple[str, str] | None = None

    def html(self) -> str:
        """The table and its data."""
        keys = [column.key for column in self.columns]
        data = {
            "columns": [column.data for column in self.columns],
            "marked": self.marked[0] if self.marked else None,
            "sorting": [keys.index(self.sorted_by), self.descending],
        }
        heads = "".join(
            f'<th scope="col"{_class(column)}><button type="button">{escaped(column.title)}</button></th>'
            for column in self.columns
        )
        tick = ""
        if self.marked:
            tick = f'<label><input type="checkbox" checked> {escaped(self.marked[1])}</label>'
        return "\n".join(
            [
                f'<div class="table" id="{self.name}" data-rows="{self.name}-rows">',
                '<div class="bar" hidden><label>Filter <input type="search" autocomplete="off"></label>',
                f'{tick}<output aria-live="polite"></output></div>',
                f'<div class="scroll" tabindex="0" role="region" aria-label="{escaped(self.caption)}">',
                f"<table><caption>{escaped(self.caption)}</caption><thead><tr>{heads}</tr></thead>",
                f"<tbody>{self._first_rows()}</tbody></table></div>",
                '<div class="bar pages" hidden><button type="button">Previous</button>',
                '<button type="button">Next</button></div>',
                island(f"{self.name}-rows", data),
                "</div>",
            ]
        )

    def _first_rows(self) -> str:
        """The rows that are seen where no script runs: those that scripts show first."""
        cells_of = {column.key: column.cells for column in self.columns}
        rows = list(range(len(cells_of[self.sorted_by])))
        if self.marked:
            rows = [row for row in rows if cells_of[self.marked[0]][row]]
        rows.sort(key=lambda row: int(cells_of[self.sorted_by][row] or 0), reverse=self.descending)
        return "".join(f"<tr>{self._row(row)}</tr>" for row in rows[:SHOWN_ROWS])

    def _row(self, row: int) -> str:
        return "".join(
            f"<td{_class(column)}>{escaped('' if column.cells[row] is None else str(column.cells[row]))}</td>"
            for column in self.columns
        )


def _class(column: Column) -> str:
    return f' class="{column.key}{" number" if column.is_number else ""}"'
