"""What a report says, as data: sections of sentences, tables, lists and commands to type next.

``documents/`` has what each command says. ``text/document.py`` prints it, and ``markdown.py`` writes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from eio_audit.audit.check.figures import DumpAudit
    from eio_audit.audit.diff.dump_comparison import OpChange, RepeatedChange
    from eio_audit.audit.gate.findings import Finding
    from eio_audit.mlir.source import InputError
    from eio_audit.report.wording.conclusion import Step

Cell = str | int | None
Cells = Mapping[str, Callable[[Any], Cell]]  # by key of a column, what returns the cell of a thing


class FigureColumn(NamedTuple):
    """A column of a table."""

    key: str  # its name for scripts and styles
    title: str  # its heading
    sign: str  # how `columns_of` marks it
    is_optional: bool  # whether a narrow terminal may omit it

    @property
    def is_number(self) -> bool:
        """Whether its cells are numbers."""
        return self.sign not in ("", ">")

    def text(self, cell: Cell) -> str:
        """Return a cell as text."""
        if isinstance(cell, int):
            hides_zero = self.sign in ("~", "+")
            return "" if hides_zero and not cell else f"{cell:+,}" if self.sign == "+" else f"{cell:,}"
        return cell or ""


_COLUMN = re.compile(r"(?P<sign>[#~>+]*)(?P<key>\w+)(?P<optional>\??)(?:=(?P<title>.*))?")


def columns_of(spec: str) -> list[FigureColumn]:
    """Parse the columns of a table: ``op, #line, ~lost?, #fixed=after a fix``.

    ``#`` marks numbers, ``##`` those with bars, ``~`` those whose 0 is not shown, ``+`` those with a sign,
    ``>`` text that is aligned to the right, and ``?`` what a narrow terminal may omit.

    >>> columns_of("#fixed=after a fix")
    [FigureColumn(key='fixed', title='after a fix', sign='#', is_optional=False)]
    """
    found = [match for word in spec.split(", ") if (match := _COLUMN.fullmatch(word))]
    return [
        FigureColumn(m["key"], m["key"] if m["title"] is None else m["title"], m["sign"], bool(m["optional"]))
        for m in found
    ]


def columns_if_any(things: Sequence[object], titles: Mapping[str, str]) -> str:
    """Return the columns of the figures that any of the things has, for ``columns_of``. Titles are by key."""
    kept = {key: title for key, title in titles.items() if any(getattr(one, key) for one in things)}
    return "".join(f"#{key}={title}, " for key, title in kept.items())


class Figures(NamedTuple):
    """A table of figures for a terminal, Markdown and a page: rows of cells, one for each column."""

    columns: Sequence[FigureColumn]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str] = ()  # what is to know of it, below it
    left_out: str = ""  # the rows that only a verbose report has: `... and 3 more models`
    indent: int = 2

    def __bool__(self) -> bool:
        return bool(self.rows or self.notes)

    def texts(self) -> list[list[str]]:
        """Return all cells as text."""
        return [
            [column.text(cell) for column, cell in zip(self.columns, row, strict=True)] for row in self.rows
        ]


def figures_of(things: Iterable[Any], columns: str, cells: Cells | None = None, indent: int = 2) -> Figures:
    """Return a row for each thing: its attributes of the keys of ``columns``, or its ``cells``."""
    listed = columns_of(columns)
    getters = [(cells or {}).get(column.key) or attrgetter(column.key) for column in listed]
    rows = [[cell_of(thing) for cell_of in getters] for thing in things]
    return Figures(listed, rows, indent=indent)


class Changes(NamedTuple):
    """Ops with the same kind of change: ``8 modified``. ``note`` has details: ``: operands of 6``."""

    title: str
    note: str
    groups: Sequence[RepeatedChange]

    def examples(self, *, verbose: bool) -> Iterator[tuple[OpChange, RepeatedChange | None]]:
        """Yield one op of each change, or all if ``verbose``. The first comes with its repetitions."""
        for group in self.groups:
            for number, change in enumerate(group.worst(None if verbose else 1)):
                yield change, None if number else group


class Hunks(NamedTuple):
    """Ops in the order of the later dump. A hunk has changed ops and the unchanged ops around them."""

    hunks: Sequence[Sequence[OpChange]]


class Listing(NamedTuple):
    """A list under its title. ``style`` is the style of the title on a terminal."""

    title: str
    style: str
    items: Sequence[str]


class Link(NamedTuple):
    """A part of a line that names a place. A terminal opens the place on a click."""

    text: str
    source: str
    line: int
    style: str = ""


Piece = str | tuple[str, str] | Link  # a part of a line: a text, or a text and its style on a terminal


class Sentence(NamedTuple):
    """A line of text. Those that are indented are items of a list."""

    pieces: Sequence[Piece]
    indent: int = 0


class Conclusion(Sentence):
    """The verdict, which comes last, or first where a report may be shown in part."""


def line(*pieces: Piece, indent: int = 0) -> Sentence:
    """Return a line of these pieces."""
    return Sentence(pieces, indent)


def plain(piece: Piece) -> str:
    """Return a piece without its style."""
    if isinstance(piece, Link):
        return piece.text
    return piece if isinstance(piece, str) else piece[0]


def heading_of(dump: DumpAudit, title: str = "") -> Sentence:
    """Return where a dump is, and which pass it belongs to."""
    place = Link(f"{dump.source}:{dump.line}:1", dump.source, dump.line, "bold")
    return line(title, place, f"  {dump.moment}".rstrip())


class Rest(NamedTuple):
    """What a report leaves out: ``... and 12 more findings``."""

    text: str
    indent: int = 0
    is_in_verbose: bool = True  # whether a verbose report has more of it

    def __bool__(self) -> bool:
        return bool(self.text)


class Shown(NamedTuple):
    """A finding, the style of its code, and a note about it."""

    finding: Finding
    style: str
    note: str = ""


class Findings(list[Shown]):
    """Findings, the worst first. Each format shows as many as it has room for."""


class Errors(list["InputError"]):
    """Inputs that cannot be read. A terminal gets them on standard error."""


class Steps(list["Step"]):
    """The commands to type next."""


class Bars(NamedTuple):
    """Numbers from 0 to 1, which a terminal draws."""

    title: str
    heights: Sequence[float]
    indent: int = 0


class Details(NamedTuple):
    """The titles of what a verbose report has besides, and the changes that this one leaves out."""

    titles: Sequence[str]


Part = Sentence | Rest | Figures | Listing | Changes | Hunks | Findings | Bars | Errors | Details | Steps


class Section(NamedTuple):
    """A part of a report: its title, which may be empty, its details, and a note beside the title."""

    title: str
    parts: Sequence[Part]
    note: str = ""


Document = Sequence[Section]  # what a command reports; no section is empty


def document(*sections: Section | Iterable[Part | Piece]) -> Document:
    """Return the sections without what is empty. Parts alone are a section without a title.

    A piece alone is a sentence.
    """
    made = [one if isinstance(one, Section) else Section("", _parts(one)) for one in sections]
    kept = [one._replace(parts=[part for part in one.parts if part]) for one in made]
    return [one for one in kept if one.parts]


def with_verdict_first(sections: Document) -> Document:
    """Return the sections without their verdict, below a section with the verdict alone."""
    verdicts = [part for one in sections for part in one.parts if isinstance(part, Conclusion)]
    others = (one._replace(parts=[p for p in one.parts if not isinstance(p, Conclusion)]) for one in sections)
    return document(verdicts, *others)


def _parts(parts: Iterable[Part | Piece]) -> list[Part]:
    """Return a sentence for each piece that has a text, and the other parts."""
    made: list[Part] = []
    for part in parts:
        if isinstance(part, Part):
            made.append(part)
        elif plain(part):
            made.append(line(part))
    return made
