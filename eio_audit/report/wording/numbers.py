"""Numbers, lists and long texts in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
"""The sign of a cut in a picture, where each character takes room. Text has three dots."""


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number and its noun.

    >>> count(1, "op"), count(9812, "op"), count(2, "pass", "passes")
    ('1 op', '9,812 ops', '2 passes')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {plural or noun + 's'}"


def from_to(before: int, after: int) -> str:
    """Return ``22 -> 5``, or the number if both are equal."""
    return f"{before:,}" if before == after else f"{before:,} -> {after:,}"


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


def shortened_list(names: Sequence[str], most: int = 3) -> str:
    """Return ``@a, @b, @c and 4 more``."""
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown


def numbers_of(numbers: Sequence[int]) -> str:
    """Return functions by number from 1, consecutive ones as a range, at most six: ``1-3, 7``."""
    texts = [f"{a + 1}" if a == b else f"{a + 1}-{b + 1}" for a, b in ranges(numbers)]
    return ", ".join(texts if len(texts) <= 6 else [*texts[:6], "..."])


def ranges(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Return ascending numbers as ranges of consecutive ones, each with its first and last number.

    >>> ranges([0, 1, 2, 6])
    [(0, 2), (6, 6)]
    """
    runs = groupby(enumerate(numbers), key=lambda at: at[1] - at[0])
    consecutive = ([number for _, number in run] for _, run in runs)
    return [(run[0], run[-1]) for run in consecutive]
