"""A terminal, pipe or file that IR and tables are printed to. The text is exact; only terminals wrap and fit.

rich wraps and colours. Its import takes longer than the audit of a small file, so plain text does not use it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from operator import attrgetter
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal

from eio_audit.mlir.source import printable
from eio_audit.report.document import Link, Piece, plain
from eio_audit.report.wording import IN_VERBOSE
from eio_audit.report.wording.conclusion import Step, next_lines

if TYPE_CHECKING:
    from rich.console import Console as RichConsole
    from rich.text import Text

    from eio_audit.report.document import Figures


HANGING = 2  # the indentation in columns of the continuation lines of a wrapped line
SHORTENED = 20  # the least columns for text; an optional last column of a table without this room is left out
ELLIPSIS = "..."  # the sign of what a narrow terminal omits
_BETWEEN = " | "
_FORCING = ("FORCE_COLOR", "TTY_COMPATIBLE")  # variables that make rich treat anything as a terminal


def _chosen_color() -> bool | None:
    """Return whether CLICOLOR_FORCE or CLICOLOR asks for colours or for none; None if neither says so.

    NO_COLOR and FORCE_COLOR, which rich reads, have precedence.
    """
    if os.environ.get("NO_COLOR") or not os.environ.keys().isdisjoint(_FORCING):
        return None
    if os.environ.get("CLICOLOR_FORCE", "0") != "0":
        return True
    return False if os.environ.get("CLICOLOR") == "0" else None


class Console:
    """The target of a report. It leaves IR alone: no markup, no emoji, no highlighting.

    Args:
        file: where it prints. Only on a terminal are lines wrapped and tables fitted. Other files get whole
            lines, however long.
        color: None for colour on terminals, subject to NO_COLOR, FORCE_COLOR, CLICOLOR and CLICOLOR_FORCE.
        width: in columns; None for the terminal's own. It affects only terminals.
        verbose: whether reports name everything, not only the worst.
    """

    def __init__(
        self, file: IO[str], *, color: bool | None = None, width: int | None = None, verbose: bool = False
    ) -> None:
        self._file = file
        self.verbose = verbose
        color = _chosen_color() if color is None else color
        self._color = color
        self._width = width
        self.wraps = file.isatty()  # whether lines are wrapped and tables fitted
        may_color = color if color is not None else not os.environ.keys().isdisjoint(_FORCING)
        self._is_plain = not self.wraps and not may_color
        # The encoding of the file. Characters that it lacks are escaped.
        self.encoding = (getattr(file, "encoding", None) or "utf-8").lower()

    @cached_property
    def _rich(self) -> RichConsole:
        from rich.console import Console as RichConsole

        return RichConsole(
            file=self._file,
            width=self._width,
            markup=False,
            emoji=False,
            highlight=False,
            soft_wrap=not self.wraps,
            force_terminal=self._color,
            no_color=None if self._color is None else not self._color,
        )

    @property
    def width(self) -> int:
        """The columns of the terminal."""
        return self._rich.width

    @property
    def height(self) -> int:
        """The lines of the terminal."""
        return self._rich.height

    @property
    def has_color(self) -> bool:
        """Whether styles show as colours."""
        return not self._is_plain and self._rich.color_system is not None and not self._rich.no_color

    def print(self, *pieces: Piece, indent: int = 0) -> None:
        """Print a line. A terminal wraps it between words."""
        if self._is_plain:
            self.print_plain(" " * indent + "".join(map(plain, pieces)))
            return
        parts = [self.styled(pieces)]
        if self.wraps:
            parts = self.wrapped(parts[0], self.width - indent - HANGING)
        for number, part in enumerate(parts):
            self.print_styled(part, indent + (HANGING if number else 0))

    def print_rest(self, said: str, indent: int = 0, *, hints: bool = True) -> None:
        """Print what a report leaves out, if anything, and that a verbose one has it if that is so."""
        if said:
            hint = IN_VERBOSE if hints and not self.verbose else ""
            self.print((said + hint, "dim"), indent=indent)

    def print_plain(self, line: str) -> None:
        """Print a line without styles, however long."""
        self._file.write(self.escaped(line).rstrip() + "\n")

    def print_unwrapped(self, line: str, style: str = "") -> None:
        """Print a line unchanged, with its tabs and final carriage return, however long."""
        from rich.segment import Segment, Segments

        body = line.removesuffix("\r")
        text = "\t".join(map(self.escaped, body.split("\t"))) + line[len(body) :]
        shown = self._rich.get_style("" if self._rich.no_color else style)
        self._rich.print(Segments([Segment(text, shown), Segment.line()]), soft_wrap=True, end="")

    def print_styled(self, line: Text, indent: int = 0) -> None:
        """Print a line that rich has prepared."""
        line.pad_left(indent)
        line.rstrip()
        self._rich.print(line)

    def print_side_by_side(self, left: Sequence[Piece], right: Sequence[Piece], indent: int = 0) -> None:
        """Print two texts on a terminal, each wrapped in its half."""
        width = (self.width - indent - len(_BETWEEN)) // 2
        halves = [self.wrapped(self.styled(half), width) for half in (left, right)]
        for was, now in zip_longest(*halves):
            line = was or self.styled([])
            line.rstrip()
            line.pad_right(width - line.cell_len)
            self.print_styled(line.append(_BETWEEN, "dim").append_text(now or self.styled([])), indent)

    def styled(self, pieces: Sequence[Piece]) -> Text:
        """Return the pieces as a text that rich can print."""
        from rich.text import Text

        line = Text()
        for piece in pieces:
            line.append(self.escaped(plain(piece)), style=_style_of(piece) or None)
        return line

    def wrapped(self, line: Text, width: int) -> list[Text]:
        """Return the line in parts of at most ``width`` columns, or of SHORTENED columns if that is more."""
        return list(line.wrap(self._rich, max(width, SHORTENED), overflow="fold")) or [line]

    def escaped(self, text: str) -> str:
        """Return the text with escapes for control characters and for those that the encoding lacks."""
        return printable(text).encode(self.encoding, "backslashreplace").decode(self.encoding)


def _style_of(piece: Piece) -> str:
    """Return the style of a piece. A place in a file is a link, which standard input has not."""
    if isinstance(piece, Link):
        is_file = piece.source != "<stdin>"
        link = f" link {Path(piece.source).resolve().as_uri()}#{piece.line}" if is_file else ""
        return f"{piece.style}{link}".strip()
    return "" if isinstance(piece, str) else piece[1]


def print_next(steps: Iterable[Step], console: Console) -> None:
    """Print the commands to type next, each in a line of its own, whole and without a break.

    On a terminal, the last line says what explains the words.
    """
    show = console.print_unwrapped if console.wraps else console.print_plain
    lines = next_lines(steps, console.width if console.wraps else None)
    for line in lines:
        show(line)
    if lines and console.wraps:
        console.print(("'eio-audit help WORD' explains a word of this report", "dim"))


WRAPPED = 36  # the least width of a column of prose that wraps within itself, not below its row
NARROW = 24  # the width to which a narrow terminal shortens a column of names
NARROWEST = 8  # the least columns that a table leaves of its last column


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    title: str  # its heading; "" in a table without headings
    cells: Sequence[str]  # one per row
    right: bool = False  # whether cells are aligned to the right
    style: str = ""  # the style of its cells
    optional: bool = False  # whether a narrow terminal may omit it
    # The width to which a narrow terminal may shorten its cells; 0 for a column that is always
    # complete, but for a last one that does not fit alone.
    least: int = 0
    # What a narrow terminal omits of a cell: its start, as of a path, or its end, as of a sentence.
    # `never` wraps the last column: the prose of a list of definitions.
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


def print_table(
    console: Console,
    columns: Sequence[Column],
    indent: int = 0,
    row_styles: Sequence[str] = (),
    print_below: Callable[[int], None] = lambda _: None,
) -> None:
    """Print rows below their headings, one line each; then the headings of columns that do not fit.

    Columns without content are left out. On a terminal, cells that are too wide are cut. The style of a row,
    if it has one, replaces those of the columns. ``print_below`` is called with the number of each row after
    it is printed.
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


STYLES = {
    **{"added": "green", "removed": "red", "modified": "yellow", "moved": "cyan"},
    **{"made": "yellow", "undone": "green", "left": "red", "pieces": "red"},
    **{"attempt": "bold", "then": "bold", "by": "dim", "by_name": "cyan", "value": "dim", "dump": "dim"},
}
"""The styles of columns of figures, by key."""

LEAST = {"pattern": 41, "line": NARROW // 2}
"""The widths to which a narrow terminal shortens names, by key. The ends of patterns tell them apart."""


SENTENCES = {"what", "text"}
"""Columns whose ends are cut, by key. Of others the start is cut: the ends of names tell them apart."""


def print_figures(figures: Figures, console: Console) -> None:
    """Print a table of figures, what is to know of it, and what it leaves out."""
    end: Literal["end", "never"] = "never" if console.verbose else "end"
    columns = [
        Column(
            column.title,
            [cells[k] for cells in figures.texts()],
            right=bool(column.sign),
            style=STYLES.get(column.key, ""),
            optional=column.is_optional,
            least=0 if column.sign else LEAST.get(column.key, NARROW),
            cut=end if column.key in SENTENCES else "start",
        )
        for k, column in enumerate(figures.columns)
    ]
    if figures.rows:
        print_table(console, columns, figures.indent)
    for note in figures.notes:
        console.print((note, "dim"), indent=figures.indent)
    console.print_rest(figures.left_out, figures.indent)


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
    """Return the columns that fit, shortened as far as they must be, without optional ones from the last."""
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
