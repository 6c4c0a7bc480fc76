"""A table that scripts sort, filter and page. Without scripts it shows its first rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest
from itertools import repeat
from operator import itemgetter
from typing import NamedTuple, overload

SHOWN_ROWS = 20
"""How many rows are in the page itself. The others are data."""

CLASSES = {
    "avoidable_constants": "of constants",
    "avoidable_splits": "of splits",
    "wrong_indices": "wrong indices",
}
"""Figures of the classes of inversions that many dumps lack, and the titles of their columns."""


def classes_in(rows: Iterable[object]) -> tuple[list[str], str]:
    """Return those of these figures that any row has, and their columns."""
    rows = list(rows)
    names = [name for name in CLASSES if any(getattr(row, name) for row in rows)]
    return names, "".join(f"#{name}={CLASSES[name]}, " for name in names)


Cell = str | int | None


class PageColumn(NamedTuple):
    """A column of a table.

    Attributes:
        key: its name for scripts.
        title: its heading.
        is_number: whether its cells are numbers.
        has_bars: whether bars show how large they are.
    """

    key: str
    title: str
    is_number: bool
    has_bars: bool = False


def columns_of(spec: str) -> list[PageColumn]:
    """Parse the columns of a table: ``op, #line, #fixed=after a fix``. ``#`` marks numbers, ``##`` adds bars.

    >>> columns_of("#fixed=after a fix")
    [PageColumn(key='fixed', title='after a fix', is_number=True, has_bars=False)]
    """
    columns = []
    for word in spec.split(", "):
        key, _, title = word.lstrip("#").partition("=")
        columns.append(PageColumn(key, title or key, word.startswith("#"), word.startswith("##")))
    return columns


class MadeRows(Sequence[Sequence[Cell]]):
    """Rows that are made when they are asked for, since a table of many ops takes much memory.

    Args:
        size: how many rows there are.
        columns: by column, what returns the cell of a row, by the number of the row.
    """

    def __init__(self, size: int, columns: Sequence[Callable[[int], Cell]]) -> None:
        self._size = size
        self._columns = columns

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, row: int) -> list[Cell]: ...
    @overload
    def __getitem__(self, row: slice) -> list[list[Cell]]: ...
    def __getitem__(self, row: int | slice) -> list[Cell] | list[list[Cell]]:
        if isinstance(row, slice):
            return [self[k] for k in range(*row.indices(self._size))]
        if not -self._size <= row < self._size:
            raise IndexError(row)
        return [cell_of(row % self._size) for cell_of in self._columns]

    def column(self, number: int) -> list[Cell]:
        """Return the cells of a column."""
        return list(map(self._columns[number], range(self._size)))


@dataclass(frozen=True)
class Table:
    """Rows of cells, one cell for each column.

    Attributes:
        name: its id in the page.
        caption: what its rows are.
        columns: from left to right.
        rows: in the order in which scripts number them.
        sorted_by: keys of the columns to sort by at first, ``-`` for descending order:
            ``disorder, -inversions``. Empty cells come last.
        marked: key of the column whose empty cells a tick box can hide, and the label of the box, or None.
        links: key of the column whose cells are links, and their targets by row, or None.
    """

    name: str
    caption: str
    columns: Sequence[PageColumn]
    rows: Sequence[Sequence[Cell]]
    sorted_by: str
    marked: tuple[str, str] | None = None
    links: tuple[str, Sequence[str | None]] | None = None

    def _number_of(self, key: str) -> int:
        return [column.key for column in self.columns].index(key)

    def _column(self, number: int) -> list[Cell]:
        if isinstance(self.rows, MadeRows):
            return self.rows.column(number)
        return list(map(itemgetter(number), self.rows))

    @cached_property
    def most(self) -> list[int]:
        """By column, the largest number in it. 0 for a column without bars."""
        return [
            max(map(_number, self._column(k)), default=0) if column.has_bars else 0
            for k, column in enumerate(self.columns)
        ]

    def data(self) -> dict[str, object]:
        """All rows, as scripts read them."""
        return {
            "columns": [
                _column_data(column, self._column(k), self.most[k]) for k, column in enumerate(self.columns)
            ],
            "marked": self.marked[0] if self.marked else None,
            "sorting": self._sorting,
            "links": self.links and [self._number_of(self.links[0]), self.links[1]],
        }

    @property
    def _sorting(self) -> list[tuple[int, bool]]:
        """The columns to sort by, and whether the largest comes first."""
        keys = self.sorted_by.split(", ")
        return [(self._number_of(key.removeprefix("-")), key.startswith("-")) for key in keys]

    @property
    def first_rows(self) -> list[list[tuple[Cell, str | None]]]:
        """The rows to show without scripts, which scripts also show first: cells and links."""
        marks = self._column(self._number_of(self.marked[0])) if self.marked else repeat(True)
        chosen = [k for k, mark in zip(range(len(self.rows)), marks, strict=False) if mark]
        sorting = [(self._column(column), falls) for column, falls in self._sorting]
        chosen = nsmallest(SHOWN_ROWS, chosen, lambda k: [_rank(cells[k], falls) for cells, falls in sorting])
        linked, links = (self._number_of(self.links[0]), self.links[1]) if self.links else (None, [])
        return [
            [(cell, links[k] if column == linked else None) for column, cell in enumerate(self.rows[k])]
            for k in chosen
        ]


def _rank(cell: Cell, falls: bool) -> tuple[bool, int, str]:
    number = _number(cell)
    return cell in {None, ""}, -number if falls else number, cell if isinstance(cell, str) else ""


def _number(cell: Cell) -> int:
    return cell if isinstance(cell, int) else 0


def _column_data(column: PageColumn, cells: Sequence[Cell], most: int) -> dict[str, object]:
    """Store each text once. Rows refer to it."""
    if column.is_number:
        return {"key": column.key, "number": True, "values": cells} | ({"most": most} if most else {})
    number_of: dict[Cell, int] = {}
    numbers = [number_of.setdefault(cell or "", len(number_of)) for cell in cells]
    return {"key": column.key, "strings": [*number_of], "values": numbers}
