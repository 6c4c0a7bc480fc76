"""Text from dumps and file names, made harmless for terminals and logs."""

from __future__ import annotations

import re

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
"""A character that steers terminals; none of IR needs one within a line."""


def printable(text: str) -> str:
    r"""The text on one line, with control characters and broken encoding written out.

    >>> print(printable("a\x1b[1m"))
    a\x1b[1m
    """
    text = CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)
    return text.encode("utf-8", "backslashreplace").decode()
