"""The data of pages that scripts sort, filter and show: tables, a list of passes, and the texts around each.

Without scripts a table shows its first rows. The list has the passes of a log, or the steps of one pass.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from hashlib import blake2b
from heapq import nsmallest
from itertools import chain, repeat
from math import log1p
from operator import itemgetter, or_
from typing import TYPE_CHECKING, Any

from eio_audit.audit.log.scope_steps import ChangedOp, ScopeSide, ScopeStep, changed_ops
from eio_audit.audit.programs.scope_text import Lines, ScopeText, extent_of
from eio_audit.mlir.input.function_texts import Aliases, DumpText
from eio_audit.mlir.source import count_lines
from eio_audit.report.wording.diff import SIGNS

if TYPE_CHECKING:
    from eio_audit.audit.diff.compared_dump import ComparedDump
    from eio_audit.audit.diff.dump_comparison import DumpComparison
    from eio_audit.audit.log.program_log import PassRun
    from eio_audit.audit.log.trace import Trace
    from eio_audit.mlir.input.dumps import Dump
    from eio_audit.report.document import Cell, FigureColumn, Figures

_LINE = re.compile(rb"[^\n]++\n?+|\n")
_NUMBER = re.compile(rb"%(0|[1-9][0-9]{0,8})")  # the name of a value; many lines differ in these only


class StoredLines:
    """Lines, each with a number. Lines that differ only in the numbers of values share a template."""

    def __init__(self) -> None:
        self.templates: dict[str, int] = {}  # the texts of lines, with a line end in the place of each number
        self.template_of = array("q")  # by line, the number of its template
        # The numbers of all lines, one after the other. The first of a line is stored as its
        # difference from the first of the last line that has one, the others as how far they are
        # below it.
        self.numbers = array("q")
        self._known: dict[bytes, int] = {}
        self._first = 0

    def add(self, line: bytes) -> int:
        """Return the number of a line."""
        name = blake2b(line, digest_size=16).digest()  # a line takes many times the memory
        known = self._known.get(name)
        if known is not None:
            return known
        parts = _NUMBER.split(line)
        template = b"%\n".join(parts[::2]).decode("utf-8", "surrogateescape")
        self.template_of.append(self.templates.setdefault(template, len(self.templates)))
        if len(parts) > 1:
            first, *others = map(int, parts[1::2])
            self.numbers.append(first - self._first)
            self.numbers.extend(first - other for other in others)
            self._first = first
        self._known[name] = number = len(self._known)
        return number


Line = tuple[bytes, int, int, Aliases, Sequence[int]]  # as ``Lines`` has it, by columns


class StoredTexts:
    """Texts, each with a number. Equal texts have the same."""

    def __init__(self) -> None:
        self.lines = StoredLines()  # the lines of all texts, each once
        self.sources: dict[str, int] = {}  # the names of the files, each with a number
        self._numbers: dict[tuple[int, tuple[bytes, ...]], int] = {}

    def add(self, source: str, lines: Iterable[Line]) -> int:
        """Return the number of a text of a file."""
        numbers, ops, places = array("q"), array("q"), array("q")
        aliases = dict[Aliases, None]()
        for text, place, _, own_aliases, begun in lines:
            numbers.append(self.lines.add(text))
            ops.append(begun[0] + 1 if begun else 0)
            places.append(place)
            aliases[own_aliases] = None
        definitions = reduce(or_, (one.definitions for one in aliases), dict[bytes, bytes]())
        defined = array("q", (self.lines.add(b"%b = %b" % one) for one in definitions.items()))
        columns = tuple(_differences(column).tobytes() for column in (numbers, ops, places, defined))
        state = self.sources.setdefault(source, len(self.sources)), columns
        return self._numbers.setdefault(state, len(self._numbers))

    def states(self) -> list[list[int | list[int]]]:
        """Return, per text, its file, the numbers of its lines, and per line its op plus one and its place.

        The numbers of the lines that define its aliases come last. Each number is stored as its difference
        from the one before, since most differences are 1.
        """
        return [
            [source, *(array("q", column).tolist() for column in columns)]
            for source, columns in self._numbers
        ]


def _differences(numbers: array[int]) -> array[int]:
    """Return each number less the one before; the first less 0."""
    return array("q", map(int.__sub__, numbers, chain([0], numbers)))


STATUSES = ("added", "removed", "modified", "moved")  # of ops, in the order of the page's counts
ITEMS_AT_ONCE = 10_000  # of a list in a piece of JSON
LEVEL = 9  # how hard zlib tries: the page is written once and read often


class StoredSteps:
    """The steps of a log, or the only step of a comparison, stored for a page."""

    def __init__(self) -> None:
        # By the index of a pass, how many ops it changed, by status.
        self.counts: dict[int, Counter[str]] = {}
        self._texts = StoredTexts()
        self._names: dict[str, int] = {}
        self._steps: list[list[Any]] = []
        self._keys: dict[tuple[str, int], int] = {}

    def watch(self, run: PassRun, program: str, step: ScopeStep, changes: Sequence[ChangedOp]) -> None:
        """Store what a pass did while a log is traced. ``trace`` calls this."""
        key = self._keys.setdefault((program, run.number), len(self._keys))
        if (before := step.before) is not None:
            texts = [(text.dump, zip(*text.lines.columns, strict=True)) for text in (before, step.after)]
            self.add(key, texts, changes, step.others)

    def of(self, trace: Trace) -> StoredSteps:
        """Return the steps that were watched, with the indices of their passes in the trace."""
        index_of = {self._keys.get((one.program, one.run), -1): one.index for one in trace.passes}
        self.counts = {index_of[key]: counts for key, counts in self.counts.items()}
        for step in self._steps:
            step[0] = index_of[step[0]]
        return self

    def add(
        self,
        index: int,
        texts: Iterable[tuple[Dump, Iterable[Line]]],
        changes: Sequence[ChangedOp],
        others: Mapping[int, int],
    ) -> None:
        """Store what a pass changed. ``index`` is that of its TracedPass in Trace.passes.

        ``texts`` are those before and after it: dumps that they are from, and lines. ``others`` are those of
        the ``ScopeStep``.
        """
        self.counts.setdefault(index, Counter()).update(change.status for change in changes)
        numbers = [self._texts.add(dump.source.name, lines) for dump, lines in texts]
        columns = [
            [STATUSES.index(change.status) for change in changes],
            [change.number for change in changes],
            [others.get(change.number, -1) for change in changes],
            [self._name(change.name) for change in changes],
            [-1 if change.function is None else self._name(change.function) for change in changes],
            [-1 if change.before is None else change.before for change in changes],
            [-1 if change.after is None else change.after for change in changes],
        ]
        self._steps.append([index, *numbers, *columns])

    @property
    def sources(self) -> list[str]:
        """The names of the files that the texts are from."""
        return [*self._texts.sources]

    def data(self) -> dict[str, object]:
        """Return all steps as scripts read them.

        ``templates``, ``templateOf`` and ``numbers`` are the lines of all texts (``StoredLines``). ``states``
        are the texts (``StoredTexts``). A step is the index of its pass, the numbers of the texts before and
        after it, and seven lists with an entry per changed op: its status in ``statuses``, its number, that
        of its other op (``ScopeStep.others``), its name and function in ``names``, and its lines before and
        after. -1 stands for none.
        """
        lines = self._texts.lines
        return {
            "statuses": STATUSES,
            "templates": [*lines.templates],
            "templateOf": lines.template_of.tolist(),
            "numbers": lines.numbers.tolist(),
            "sources": self.sources,
            "states": self._texts.states(),
            "names": [*self._names],
            "steps": self._steps,
        }

    def _name(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))


def pair_data(comparison: DumpComparison) -> dict[str, object]:
    """Return what an unknown pass did between two dumps, as scripts read the only pass of a page."""
    size = len(comparison.before.ir)
    numbers = (comparison.was.get(op, size + op) for op in range(len(comparison.after.ir)))
    sides = _side(comparison.before, range(size)), _side(comparison.after, array("q", numbers))
    no_text = ScopeText(comparison.before.dump.dump, Lines([], (), (), (), ()), {}, None)
    step, stored = ScopeStep(no_text, no_text, *sides, comparison), StoredSteps()
    texts = ((side.ops.dump.dump, _lines_of(side)) for side in sides)
    stored.add(0, texts, [*changed_ops(step)], step.others)
    counts = [stored.counts[0][status] for status in STATUSES]
    empty = dict.fromkeys(("function", "place", "time", "order", "command"), "")
    shown = {"name": "Before and after", **empty, "changed": True, "counts": counts}
    return {"passes": [shown], **stored.data()}


def _side(side: ComparedDump, numbers: Sequence[int]) -> ScopeSide:
    """Return the ops of a dump that was read as a whole, with their numbers."""
    dump, data = side.dump.dump, side.dump.dump.source.data
    ops = ScopeSide(range(-count_lines(data, 0, extent_of(dump).start), len(data)), side)
    ops.numbers = numbers
    return ops


def _lines_of(side: ScopeSide) -> Iterator[Line]:
    """Yield these lines, each with the number of the first op on it. They take much memory at once."""
    dump = side.ops.dump.dump
    extent, source = extent_of(dump), dump.source
    aliases = DumpText(dump, side.ops.ir.op_table).aliases
    start = source.line_at(extent.start)
    first = dict(zip(reversed(side.op_lines), reversed(side.numbers), strict=True))
    for place, line in enumerate(_LINE.finditer(source.data, *extent)):
        ops = (first[place],) if place in first else ()
        yield line[0].removesuffix(b"\n"), start + place, 0, aliases, ops


def packed(data: Mapping[str, object]) -> str:
    """Return data as JSON, deflated, in base64."""
    packer = zlib.compressobj(LEVEL)
    deflated = [packer.compress(piece.encode()) for piece in _json_pieces(data)]
    return base64.b64encode(b"".join([*deflated, packer.flush()])).decode()


def _json_pieces(data: Mapping[str, object]) -> Iterator[str]:
    """Yield JSON in ASCII, so broken encoding comes through. Of a long list, a piece has a part."""
    encode = json.JSONEncoder(separators=(",", ":")).encode
    for lead, (key, value) in zip(chain("{", repeat(",")), data.items(), strict=False):
        yield f"{lead}{encode(key)}:"
        if isinstance(value, list):
            for start in range(0, len(value) or 1, ITEMS_AT_ONCE):
                yield ("," if start else "[") + encode(value[start : start + ITEMS_AT_ONCE])[1:-1]
        yield "]" if isinstance(value, list) else encode(value)
    yield "}"


SHOWN_ROWS = 20  # how many rows are in the page itself; the others are data


@dataclass(frozen=True)
class Table:
    """A table of a page."""

    name: str  # its id in the page
    caption: str  # what its rows are
    figures: Figures  # its columns from left to right, and its rows in the order in which scripts number them
    # Keys of the columns to sort by at first, `-` for descending order: `disorder, -inversions`. Empty
    # cells come last.
    sorted_by: str
    # Key of the column whose cells are links, and their targets by row, or None.
    links: tuple[str, Sequence[str | None]] | None = None
    # Key of the column whose empty cells a tick box can hide, and the label of the box, or None.
    marked: tuple[str, str] | None = None

    def _number_of(self, key: str) -> int:
        return [column.key for column in self.figures.columns].index(key)

    def _column(self, number: int) -> list[Cell]:
        return list(map(itemgetter(number), self.figures.rows))

    @cached_property
    def most(self) -> list[int]:
        """By column, the largest number in it. 0 for a column without bars."""
        return [
            max(map(_number, self._column(k)), default=0) if column.sign == "##" else 0
            for k, column in enumerate(self.figures.columns)
        ]

    def data(self) -> dict[str, object]:
        """All rows, as scripts read them."""
        return {
            "columns": [
                _column_data(column, self._column(k), self.most[k])
                for k, column in enumerate(self.figures.columns)
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
        chosen = [k for k, mark in zip(range(len(self.figures.rows)), marks, strict=False) if mark]
        sorting = [(self._column(column), falls) for column, falls in self._sorting]
        chosen = nsmallest(SHOWN_ROWS, chosen, lambda k: [_rank(cells[k], falls) for cells, falls in sorting])
        linked, links = (self._number_of(self.links[0]), self.links[1]) if self.links else (None, [])
        return [
            [
                (cell, links[k] if column == linked else None)
                for column, cell in enumerate(self.figures.rows[k])
            ]
            for k in chosen
        ]


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
    sought: str = "pass, function, op or IR"  # what the filter finds
    has_choice: bool = False  # whether options of the report choose some entries

    @cached_property
    def most(self) -> float:
        """The logarithm of the largest number of ops that a pass changed, plus one."""
        return log1p(max((sum(entry.counts) for entry in self.entries), default=0))

    @property
    def data(self) -> str:
        """All passes as scripts unpack them."""
        return packed({"passes": [entry.data for entry in self.entries], **self.steps})
