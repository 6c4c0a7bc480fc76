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
        sorted_by: keys of the columns by which its rows are sorted first, ``-`` for falling order:
            ``disorder, -inversions``. Empty cells come last.
        marked: key of the column whose empty cells a tick box can hide, and its label; None for none.
        links: key of the column whose cells are links, and where to, by row; None for none.
    """

    name: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    sorted_by: str
    marked: tuple[str, str] | None = None
    links: tuple[str, Sequence[str | None]] | None = None

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
            "sorting": self._sorting,
            "links": self.links and [self._number_of(self.links[0]), self.links[1]],
        }

    @property
    def _sorting(self) -> list[tuple[int, bool]]:
        """The columns by which it is sorted, and whether from the largest."""
        keys = self.sorted_by.split(", ")
        return [(self._number_of(key.removeprefix("-")), key.startswith("-")) for key in keys]

    @property
    def first_rows(self) -> list[list[tuple[Cell, str | None]]]:
        """The rows that are seen where no script runs, those that scripts show first: cells and links."""
        mark = self._number_of(self.marked[0]) if self.marked else None
        chosen = [k for k, row in enumerate(self.rows) if mark is None or row[mark]]
        sorting = self._sorting
        chosen.sort(key=lambda k: [_rank(self.rows[k][column], falls) for column, falls in sorting])
        linked, links = (self._number_of(self.links[0]), self.links[1]) if self.links else (None, [])
        return [
            [(cell, links[k] if column == linked else None) for column, cell in enumerate(self.rows[k])]
            for k in chosen[:SHOWN_ROWS]
        ]


def _rank(cell: Cell, falls: bool) -> tuple[bool, int, str]:
    number = cell if isinstance(cell, int) else 0
    return cell in {None, ""}, -number if falls else number, cell if isinstance(cell, str) else ""


def _column_data(column: Column, cells: Sequence[Cell]) -> dict[str, object]:
    """Texts are kept once, rows refer to them."""
    if column.is_number:
        return {"key": column.key, "number": True, "values": cells}
    number_of: dict[Cell, int] = {}
    values = [number_of.setdefault(cell or "", len(number_of)) for cell in cells]
    return {"key": column.key, "strings": list(number_of), "values": values}
