"""Ops on their way from lines of text into an IR, by column; and what of the columns can be kept."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from itertools import repeat
from operator import ne

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


class LineNames:
    """The names of values in plain lines, which an IR has no need of once they are bound.

    Attributes:
        is_plain: by op, 1 if it was read from a plain line and is named with its dialect, so that it would be
            the same op anywhere; shorter than the IR where the last ops were not.
        results: by op, as ``OpColumns`` has them; so are the next two. Those of other ops are void.
        result_counts: by op.
        use_counts: by op.
        uses: by operand, the name used.
        numbered: the operands that have a number, ascending.
        numbers: these numbers.
    """

    def __init__(self) -> None:
        self.is_plain = bytearray()
        self.results: list[bytes] = []
        self.result_counts: list[int] = []
        self.use_counts: list[int] = []
        self.uses: list[bytes] = []
        self.numbered: list[int] = []
        self.numbers: list[int] = []

    def note(self, columns: OpColumns, places: range, op: int, operand: int) -> None:
        """Keeps the names of ops that have been added to the IR.

        Args:
            columns: in which they were.
            places: which of them.
            op: the number that the first has got.
            operand: the place in ``IR.operands`` of the first operand of all.
        """
        ops, uses = places.start, columns.use_starts[places.start]
        ops_end, uses_end = places.stop, columns.use_starts[places.stop]
        missing = op - len(self.is_plain)
        self.is_plain += bytes(missing) + bytes(map(ne, columns.names[ops:ops_end], repeat(BARE_NAME)))
        self.results += [b""] * missing
        self.results += columns.results[ops:ops_end]
        self.result_counts += [0] * missing
        self.result_counts += columns.result_counts[ops:ops_end]
        self.use_counts += [0] * missing
        self.use_counts += columns.use_counts[ops:ops_end]
        self.uses += [b""] * (operand - len(self.uses))
        self.uses += columns.uses[uses:uses_end]
        numbered = slice(bisect_left(columns.numbered, uses), bisect_left(columns.numbered, uses_end))
        self.numbered += [use - uses + operand for use in columns.numbered[numbered]]
        self.numbers += columns.numbers[numbered]
