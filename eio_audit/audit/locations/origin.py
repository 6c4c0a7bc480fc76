"""What the name of a location tells of the model's source."""

from __future__ import annotations

from dataclasses import dataclass

LONGEST_LINE_NUMBER = 9
"""Digits, of which the last count: Python refuses to make an int of more than 4,300."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What a location says about where an op came from, as far as it says it.

    A name reads ``index|module|...|file:defline|function|opline|op``, so it is parsed from the back.
    """

    modules: tuple[str, ...]
    file: str | None
    function: str | None
    line: int | None
    op: str


@dataclass(frozen=True, slots=True)
class ModelLine:
    """A line of the model's source, as a location records it."""

    file: str
    line: int

    def __str__(self) -> str:
        """``model.py:51``."""
        return f"{self.file}:{self.line}"


def without_line(file: str) -> str:
    """``model.py`` of ``model.py:14``, which names the line of a definition."""
    name, _, line = file.rpartition(":")
    return name if name and line.isdigit() else file


def parse_origin(name: str) -> Origin:
    """Splits a location's name into its fields; fields that are missing stay empty."""
    fields = name.removeprefix("DEBUG|").split("|")
    op = fields.pop()
    has_line = len(fields) > 1 and fields[-1].isascii() and fields[-1].isdigit()
    line = int(fields.pop()[-LONGEST_LINE_NUMBER:]) if has_line else None
    function = fields.pop() if line is not None and len(fields) > 1 else None
    file = fields.pop() if function is not None and len(fields) > 1 else None
    return Origin(tuple(fields[1:]), file, function, line, op)
