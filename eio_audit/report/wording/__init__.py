"""Sentences of the reports, without layout; here numbers, lists and long texts in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eio_audit.audit.options import AuditOptions

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"  # of a cut in a picture, where there is little room


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number and its noun.

    >>> count(1, "op"), count(9812, "op"), count(2, "pass", "passes")
    ('1 op', '9,812 ops', '2 passes')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {plural or noun + 's'}"


def span(least: int, most: int) -> str:
    """Return ``8 to 41``, or the number if both are equal."""
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def if_any(number: int) -> str:
    """Return a number for a table. Empty for 0."""
    return f"{number:,}" if number else ""


def shortened(text: str, width: int, ellipsis: str = "...") -> str:
    """Return the text, cut to a width.

    >>> shortened("tensor<1x16x32x32xbf16>", 12)
    'tensor<1x...'
    """
    return text if len(text) <= width else text[: width - len(ellipsis)] + ellipsis


LEFT = "left at the end"  # of a log: out of order there
IN_VERBOSE = " (-v)"  # what follows it if a verbose report has the rest


def more(number: int, noun: str = "", plural: str = "") -> str:
    """Return what a report says of what it leaves out. Empty if there is nothing.

    >>> more(12, "finding"), more(1, "pass", "passes"), more(3), more(0)
    ('... and 12 more findings', '... and 1 more pass', '... and 3 more', '')
    """
    many = (plural or f"{noun}s") if noun else ""
    return f"... and {count(number, f'more {noun}', f'more {many}')}".rstrip() if number else ""


def shortened_list(names: Sequence[str], most: int = 3) -> str:
    """Return ``@a, @b, @c and 4 more``."""
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown


def configured(options: AuditOptions) -> str:
    """Return ``; by ci/eio-audit.toml: fail-on, assume-pure`` if a file changed what counts, else nothing."""
    return f"; {options.configuration}" if options.configuration else ""
