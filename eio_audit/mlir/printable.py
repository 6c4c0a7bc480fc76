"""Text from dumps and file names, made harmless for terminals, logs and pages."""

from __future__ import annotations

import re

STEERING = (
    "[\x00-\x1f\x7f-\x9f"  # control characters, those of 8 bits too
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"  # line ends and changes of direction of Unicode
    "\ufffe\uffff\ud800-\udfff]"  # no characters; broken encoding
)
"""A character that steers terminals, turns text around, or has no place in XML; no line of IR needs one."""

_STEERING_IN_JSON = rf"(?![\x00-\x1f]){STEERING}"


def printable(text: str) -> str:
    r"""The text on one line, with characters that steer what shows it and broken encoding written out.

    >>> print(printable("a\x1b[1m\u202e"))
    a\x1b[1m\u202e
    """
    return text if text.isprintable() else re.sub(STEERING, _written_out, text)


def printable_lines(text: str) -> str:
    """The same for a text of several lines."""
    return "\n".join(map(printable, text.split("\n")))


def printable_in_json(text: str) -> str:
    r"""JSON in which such characters are written as JSON escapes them, so that it means the same.

    >>> print(printable_in_json('"\u202e"'))
    "\u202e"
    """
    return re.sub(_STEERING_IN_JSON, lambda match: f"\\u{ord(match[0]):04x}", text)


def _written_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
