"""Ops on their way from lines of text into an IR, by column."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

BARE_NAME = b"return"
"""The only op that plain lines have without its dialect."""


class OpColumns:
    """The ops of a stretch of lines, by column.

    Attributes:
        names: as printed.
        is_generic: by op 1 where that is in quotes, else 0.
        result_counts: how many values the op defines.
        results: the name that its results get where the line ends, or nothing: in a line that opens a region
            the op does not end.
        use_counts: how many values the op uses.
        uses: the names used by all ops in turn; those of op k begin at ``use_starts[k]``.
        numbered: the places in ``uses`` that have a number (``%0#1``), ascending, and the number
            of uses.
        numbers: these numbers.
        op_starts, op_ends, location_starts: byte offsets; the last is void where a region opens.
    """

    names: Sequence[bytes]
    is_generic: bytes
    result_counts: list[int]
    results: Sequence[bytes]
    use_counts: list[int]
    uses: list[bytes]
    use_starts: list[int]
    numbered: list[int]
    numbers: list[int]
    op_starts: array[int]
    op_ends: array[int]
    location_starts: array[int]
