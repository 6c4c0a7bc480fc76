"""Text in Markdown's code style, where ``#12`` is not a link to an issue and ``@main`` not a user."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from eio_audit.mlir.printable import printable
from eio_audit.report.wording.commands import Step

_ONE_LINE = str.maketrans("\t\r\n", "   ")
_BACKTICKS = re.compile(r"`+")


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], numbers: int = 0) -> list[str]:
    """Return the lines of a table. Its first columns, so many, hold numbers."""
    rules = ["---:"] * numbers + ["---"] * (len(headings) - numbers)
    return [f"| {' | '.join(cells)} |" for cells in (headings, rules, *rows)]


def code(text: str) -> str:
    r"""Return text in code style for a table, where the pipe is special.

    >>> code("#12 a|b")
    '`#12 a\\|b`'
    """
    return literal(text).replace("|", "\\|")


def literal(text: str) -> str:
    """Return text in code style, outside tables. Longer fences enclose backticks."""
    text = one_line(text)
    if not text.strip():
        return ""
    fence = "`" * (max(map(len, _BACKTICKS.findall(text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def shell_block(steps: Iterable[Step]) -> list[str]:
    """Return commands to type as a code block of its own, with an empty line above; nothing without any."""
    commands = [one_line(step.explained) for step in steps]
    return ["", "```sh", *commands, "```"] if commands else []


def one_line(text: str) -> str:
    """Return text with spaces for line ends and tabs, and with control characters escaped."""
    return printable(text.translate(_ONE_LINE))
