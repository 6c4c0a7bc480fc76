"""A terminal, pipe or file that IR is printed to. The text is exact, and only terminals wrap it.

rich wraps and colours. Its import takes longer than the audit of a small file, so plain text does not use it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import IO, TYPE_CHECKING

from eio_audit.mlir.source import printable
from eio_audit.report.wording.commands import Step, next_lines

if TYPE_CHECKING:
    from rich.console import Console as RichConsole
    from rich.text import Text

Piece = str | tuple[str, str]
"""A part of a line: a text, or a text and its style."""

HANGING = 2
"""The indentation in columns of the continuation lines of a wrapped line."""

SHORTENED = 20
"""The least columns for text. An optional last column of a table without this room is left out."""

ELLIPSIS = "..."
"""The sign of what a narrow terminal omits."""

_BETWEEN = " | "

_FORCING = ("FORCE_COLOR", "TTY_COMPATIBLE")
"""Variables that make rich treat anything as a terminal."""


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

    Attributes:
        wraps: whether lines are wrapped and tables fitted.
        encoding: the encoding of the file. Characters that it lacks are escaped.
    """

    def __init__(self, file: IO[str], *, color: bool | None = None, width: int | None = None) -> None:
        self._file = file
        color = _chosen_color() if color is None else color
        self._color = color
        self._width = width
        self.wraps = file.isatty()
        may_color = color if color is not None else not os.environ.keys().isdisjoint(_FORCING)
        self._is_plain = not self.wraps and not may_color
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
            text, style = piece if isinstance(piece, tuple) else (piece, "")
            line.append(self.escaped(text), style=style or None)
        return line

    def wrapped(self, line: Text, width: int) -> list[Text]:
        """Return the line in parts of at most ``width`` columns, or of SHORTENED columns if that is more."""
        return list(line.wrap(self._rich, max(width, SHORTENED), overflow="fold")) or [line]

    def escaped(self, text: str) -> str:
        """Return the text with escapes for control characters and for those that the encoding lacks."""
        return printable(text).encode(self.encoding, "backslashreplace").decode(self.encoding)


def plain(piece: Piece) -> str:
    """Return a piece without its style."""
    return piece if isinstance(piece, str) else piece[0]


def hyperlink(source: str, line: int) -> str:
    """Return the style of a text that links to a line. Empty for standard input.

    A terminal without links (the escape sequence OSC 8) shows only the text. The line follows the ``#``.
    """
    return "" if source == "<stdin>" else f"link {Path(source).resolve().as_uri()}#{line}"


def print_next(steps: Iterable[Step], console: Console) -> None:
    """Print the commands to type next, each in a line of its own, whole and without a break."""
    show = console.print_unwrapped if console.wraps else console.print_plain
    for line in next_lines(steps, console.width if console.wraps else None):
        show(line)
