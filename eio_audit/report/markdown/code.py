"""Text in the code style of Markdown, in which ``#12`` is no link to an issue and ``@main`` nobody's name."""

from __future__ import annotations

import re
from collections.abc import Iterable

from eio_audit.mlir.printable import printable

_ONE_LINE = str.maketrans("\t\r\n", "   ")
_BACKTICKS = re.compile(r"`+")


def row(cells: Iterable[str]) -> str:
    """A row of a table."""
    return f"| {' | '.join(cells)} |"


def code(text: str) -> str:
    r"""Text in code style in a table, where the pipe is special.

    >>> code("#12 a|b")
    '`#12 a\\|b`'
    """
    return literal(text).replace("|", "\\|")


def literal(text: str) -> str:
    """Text in code style, outside tables; longer fences hold backticks."""
    text = one_line(text)
    if not text.strip():
        return ""
    fence = "`" * (max(map(len, _BACKTICKS.findall(text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def one_line(text: str) -> str:
    """Text with spaces for line ends and tabs, and what would steer a terminal written out."""
    return printable(text.translate(_ONE_LINE))
