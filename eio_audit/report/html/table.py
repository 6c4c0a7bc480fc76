"""What scripts sort, filter and page: tables, and the list of passes beside the chosen one.

Without scripts a table shows its first rows. The list has the passes of a log, or the steps of one pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest
from itertools import repeat
from math import log1p
from operator import itemgetter
from typing import Any

from eio_audit.report.document import Cell, Cells, FigureColumn, figures_of
from eio_audit.report.html.stored_steps import STATUSES, packed
from eio_audit.report.wording.diff import SIGNS

SHOWN_ROWS = 20  # how many rows are in the page itself; the others are data


@dataclass(frozen=True)
class Table:
    """Rows of cells, one cell for each column."""

    name: str  # its id in the page
    caption: str  # what its rows are
    columns: Sequence[FigureColumn]  # from left to right
    rows: Sequence[Sequence[Cell]]  # in the order in which scripts number them
    # Keys of the columns to sort by at first, `-` for descending order: `disorder, -inversions`. Empty
    # cells come last.
    sorted_by: str
    # Key of the column whose empty cells a tick box can hide, and the label of the box, or None.
    marked: tuple[str, str] | None = None
    # Key of the column whose cells are links, and their targets by row, or None.
    links: tuple[str, Sequence[str | None]] | None = None

    def _number_of(self, key: str) -> int:
        return [column.key for column in self.columns].index(key)

    def _column(self, number: int) -> list[Cell]:
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


def table_of(
    name: str,
    caption: str,
    things: Iterable[Any],
    columns: str,
    sorted_by: str,
    cells: Cells | None = None,
    links: tuple[str, Sequence[str | None]] | None = None,
    marked: tuple[str, str] | None = None,
) -> Table:
    """Return a table of figures: a row for each thing, as in ``figures_of``."""
    figures = figures_of(things, columns, cells)
    return Table(name, caption, figures.columns, figures.rows, sorted_by, marked, links)


def _rank(cell: Cell, falls: bool) -> tuple[bool, int, str]:
    number = _number(cell)
    return cell in {None, ""}, -number if falls else number, cell if isinstance(cell, str) else ""


def _number(cell: Cell) -> int:
    return cell if isinstance(cell, int) else 0


def _column_data(column: FigureColumn, cells: Sequence[Cell], most: int) -> dict[str, object]:
    if column.is_number:
        return {"key": column.key, "number": True, "values": cells} | ({"most": most} if most else {})
    number_of: dict[Cell, int] = {}
    numbers = [number_of.setdefault(cell or "", len(number_of)) for cell in cells]
    return {"key": column.key, "strings": [*number_of], "values": numbers}


@dataclass(frozen=True, slots=True)
class PassEntry:
    """A pass in the list."""

    name: str  # its name
    subject: str  # what it ran on: its functions, or an op
    place: str  # where it is, for the list: `line 12`, `attempt 431`
    counts: tuple[int, ...]  # how many ops it changed, in the order of `STATUSES`
    note: str  # what the list says of the order; empty if no op has an index
    order: str  # what it did to the order; empty if no op has an index
    source: str  # where it is, for the chosen pass: `passes.log:12`
    time: str  # its wall time; empty if it is not known
    command: str  # the command that shows what it did; empty if there is none
    changed: bool | None  # whether it changed something; None if there is no dump before it
    is_unchanged: bool  # whether it changed nothing, as far as the log shows
    is_guilty: bool  # whether it left ops out of order
    is_culprit: bool  # whether the page opens at it, as the worst
    is_chosen: bool = True  # whether the list shows it at first
    mark: str = ""  # the class of its colour in a picture; empty for none

    @property
    def signed_counts(self) -> list[tuple[str, str, int]]:
        """The sign, the name and the number of each kind of change that there is."""
        counts = zip(STATUSES, self.counts, strict=True)
        return [(SIGNS[status], status, number) for status, number in counts if number]

    def widths(self, most: float) -> list[tuple[str, str]]:
        """Return the widths of the bars of its changes, together a logarithm; the largest is ``most``."""
        total = sum(self.counts)
        share = log1p(total) / most / total
        return [(status, f"{number * share:.1%}") for _, status, number in self.signed_counts]

    @property
    def data(self) -> dict[str, object]:
        """The pass as scripts read it."""
        return {
            "name": self.name,
            "function": self.subject,
            "time": self.time,
            "place": self.source,
            "counts": self.counts,
            "order": self.order,
            "command": self.command,
            "changed": self.changed,
        }


@dataclass(frozen=True)
class PassList:
    """The passes of a page, and what each did to the ops."""

    entries: Sequence[PassEntry]  # the passes, by the index of their `TracedPass`
    steps: Mapping[str, object]  # what each did, as `StoredSteps.data` gives it
    one: str = "pass"  # what an entry is called
    many: str = "passes"  # what several are called
    sought: str = "pass, function or op"  # what the filter finds
    has_choice: bool = False  # whether options of the report choose some entries

    @cached_property
    def most(self) -> float:
        """The logarithm of the largest number of ops that a pass changed, plus one."""
        return log1p(max((sum(entry.counts) for entry in self.entries), default=0))

    @property
    def data(self) -> str:
        """All passes as scripts unpack them."""
        return packed({"passes": [entry.data for entry in self.entries], **self.steps})
