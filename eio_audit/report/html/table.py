"""A table that can be sorted, filtered and paged; without scripts its first rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

SHOWN_ROWS = 20
"""How many rows are in the page itself; the others are data."""

Cell = str | int | None


class Column(NamedTuple):
    """A column of a table: what scripts call it, what people read above it, whether its cells are numbers."""

    key: str
    title: str
    is_number: bool


def columns_of(spec: str) -> list[Column]:
    """The columns of a table, separated by commas: ``op, #line, #fixed=after a fix``; ``#`` is for numbers.

    >>> columns_of("#fixed=after a fix")
    [Column(key='fixed', title='after a fix', is_number=True)]
    """
    columns = []
    for word in spec.split(", "):
        key, _, title = word.removeprefix("#").partition("=")
        columns.append(Column(key, title or key, is_number=word.startswith("#")))
    return columns


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells, as many as there are columns.

    Attributes:
        name: its id in the page.
        caption: what its rows are.
        columns: from left to right.
        rows: in the order in which scripts number them.
        sorted_by: key of the column of numbers by which its rows are sorted first.
        descending: from the largest.
        marked: key of the column whose empty cells a tick box can hide, and its label; None for none.
    """

    name: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    sorted_by: str
    descending: bool = False
    marked: tuple[str, str] | None = None

    def _number_of(self, key: str) -> int:
        return [column.key for column in self.columns].index(key)

    @property
    def data(self) -> dict[str, object]:
        """All rows, as scripts read them."""
        return {
            "columns": [
                _column_data(column, [row[k] for row in self.rows]) for k, column in enumerate(self.columns)
            ],
            "marked": self.marked[0] if self.marked else None,
            "sorting": [self._number_of(self.sorted_by), self.descending],
        }

    @property
    def first_rows(self) -> list[Sequence[Cell]]:
        """The rows that are seen where no script runs: those that scripts show first."""
        rows = list(self.rows)
        if self.marked:
            mark = self._number_of(self.marked[0])
            rows = [row for row in rows if row[mark]]
        key = self._number_of(self.sorted_by)
        return sorted(rows, key=lambda row: int(row[key] or 0), reverse=self.descending)[:SHOWN_ROWS]


def _column_data(column: Column, cells: Sequence[Cell]) -> dict[str, object]:
    """Texts are kept once, rows refer to them."""
    if column.is_number:
        return {"key": column.key, "number": True, "values": cells}
    number_of: dict[Cell, int] = {}
    values = [number_of.setdefault(cell or "", len(number_of)) for cell in cells]
    return {"key": column.key, "strings": list(number_of), "values": values}
