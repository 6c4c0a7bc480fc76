"""Links to a line of a file, for terminals that know them."""

from __future__ import annotations

from pathlib import Path


def hyperlink(source: str, line: int) -> str:
    """The style of text that leads to a line; empty for standard input.

    A terminal without links (the escape sequence OSC 8) shows the text as it is. The line is after the ``#``.
    """
    return "" if source == "<stdin>" else f"link {Path(source).resolve().as_uri()}#{line}"
