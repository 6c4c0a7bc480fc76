"""Make text from dumps and file names harmless for terminals, logs and pages."""

from __future__ import annotations

import re

STEERING = (
    "[\x00-\x1f\x7f-\x9f"  # control characters, including those of 8 bits
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"  # Unicode line ends and changes of direction
    "\ufffe\uffff\ud800-\udfff]"  # noncharacters and broken encoding
)
"""A character that controls terminals, reverses text, or is invalid in XML. No line of IR needs one."""

_STEERING_IN_JSON = rf"(?![\x00-\x1f]){STEERING}"


def printable(text: str) -> str:
    r"""Return the text on one line, with control characters and broken encoding escaped.

    >>> print(printable("a\x1b[1m\u202e"))
    a\x1b[1m\u202e
    """
    return text if text.isprintable() else re.sub(STEERING, _written_out, text)


def printable_lines(text: str) -> str:
    """Return a text of several lines with the same characters escaped."""
    return "\n".join(map(printable, text.split("\n")))


def printable_in_json(text: str) -> str:
    r"""Return the JSON with the same characters as JSON escapes, so that its meaning stays.

    >>> print(printable_in_json('"\u202e"'))
    "\u202e"
    """
    return re.sub(_STEERING_IN_JSON, lambda match: f"\\u{ord(match[0]):04x}", text)


def _written_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
