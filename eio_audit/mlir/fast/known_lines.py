"""Lines that have been read before, in a text that has them in another order: they are not split again.

What a plain line holds depends on nothing around it, but for the values that its names mean
(line_templates.py). So where a text goes on with the very bytes of lines that were read as plain, their
columns are known, but for the offsets. Their names are bound anew.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, compress, count
from operator import add, mul, not_, sub
from typing import TypeVar

from eio_audit.mlir.input.files import Text
from eio_audit.mlir.ir import IR
from eio_audit.mlir.op_columns import LineNames, OpColumns

OPS_AT_ONCE = 1 << 12
"""Ops that are looked for together: longer columns take more time for each."""

FEWEST_AT_ONCE = 1 << 2
"""Ops that are looked for where others stood just before: the search for them may be in vain as well."""

_Cell = TypeVar("_Cell")


class KnownColumns(OpColumns):
    """The ops of some stretches of lines, one behind the other.

    Args:
        ir: the dump in which they were read.
        names: those of values in its plain lines.
        printed: those of ops, by their number there.
        stretches: the ops of each, by their numbers there.
        shifts: by stretch, how much further on the new text has it.
        end: where the last one ends there.

    Attributes:
        end: where the lines end in the new text.
    """

    def __init__(
        self,
        ir: IR,
        names: LineNames,
        printed: Sequence[bytes],
        stretches: Sequence[range],
        shifts: Iterable[int],
        end: int,
    ) -> None:
        ops = [slice(stretch.start, stretch.stop) for stretch in stretches]
        bounds = [(ir.operand_start[rows.start], ir.operand_start[rows.stop]) for rows in ops]
        shift_of = list(chain.from_iterable(map(mul, zip(shifts), map(len, stretches))))
        self.end = end
        self.names = list(map(printed.__getitem__, _joined(ir.op_name, ops)))
        self.is_generic = b"".join(map(ir.op_is_generic.__getitem__, ops))
        self.result_counts = list(_joined(names.result_counts, ops))
        self.results = list(_joined(names.results, ops))
        self.use_counts = list(_joined(names.use_counts, ops))
        self.uses = list(_joined(names.uses, [slice(*operands) for operands in bounds]))
        self.use_starts = list(accumulate(self.use_counts, initial=0))
        self.op_starts = array("q", list(map(add, _joined(ir.op_start, ops), shift_of)))
        self.op_ends = array("q", list(map(add, _joined(ir.op_end, ops), shift_of)))
        self.location_starts = array("q", list(map(add, _joined(ir.location_start, ops), shift_of)))
        self._add_numbers(names, bounds)

    def _add_numbers(self, names: LineNames, bounds: Sequence[tuple[int, int]]) -> None:
        """Adds the numbers behind names, given the operands of each stretch."""
        self.numbered, self.numbers, uses = [], [], 0
        for start, stop in bounds:
            first = bisect_left(names.numbered, start)
            last = bisect_left(names.numbered, stop, lo=first)
            self.numbered += [operand - start + uses for operand in names.numbered[first:last]]
            self.numbers += names.numbers[first:last]
            uses += stop - start
        self.numbered.append(uses)


class KnownLines:
    """The plain lines of a dump, to be found in a text made from it.

    Args:
        ir: the dump, with ``line_names``.
        order: its ops as they should follow each other in that text, as ranges of their numbers, none empty.
            Nothing is taken on trust: where the text has something else, nothing is found.
    """

    def __init__(self, ir: IR, order: Sequence[range]) -> None:
        self._ir = ir
        self._names = ir.line_names or LineNames()
        self._printed = [name.encode() for name in ir.names]
        self._order = order
        self._at_once = OPS_AT_ONCE
        self._starts = list(accumulate(map(len, order), initial=0))
        self._is_plain = self._find_plain()
        self._breaks = self._find_breaks()

    def _find_plain(self) -> bytearray:
        """By op, 1 if a plain line holds all of it."""
        is_plain = bytearray(len(self._ir))
        is_plain[: len(self._names.is_plain)] = self._names.is_plain
        for op in self._ir.regions_of:
            is_plain[op] = 0
        return is_plain

    def _find_breaks(self) -> list[int]:
        """The ops that do not stand in the plain line behind the op before, ascending, and the end of all."""
        ir = self._ir
        others = compress(count(), map(not_, self._is_plain))
        first_in_blocks = (ops[0] for ops in ir.block_ops if ops)
        behind_regions = map(ir.subtree_end.__getitem__, ir.regions_of)
        return sorted({*others, *first_in_blocks, *behind_regions, len(ir)})

    def columns_at(self, text: Text, offset: int, op: int) -> KnownColumns | None:
        """The ops of the lines from ``offset`` on; None where the next line is not known.

        Args:
            text: the new text.
            offset: where a line begins in it.
            op: the number that the next op there will have.
        """
        ir, data = self._ir, self._ir.source.data
        stretches = list(self._expected(op))
        starts = [data.rfind(b"\n", 0, ir.op_start[stretch.start]) + 1 for stretch in stretches]
        ends = [ir.op_end[stretch.stop - 1] + 1 for stretch in stretches]
        offsets = list(accumulate(map(sub, ends, starts), initial=offset))
        found = _leading(list(map(data.__getitem__, map(slice, starts, ends))), text, offset)
        ops = sum(map(len, stretches[:found]))
        self._at_once = min(max(2 * ops, FEWEST_AT_ONCE), OPS_AT_ONCE)
        if not found:
            return None
        shifts = map(sub, offsets, starts[:found])
        return KnownColumns(ir, self._names, self._printed, stretches[:found], shifts, offsets[found])

    def _expected(self, op: int) -> Iterator[range]:
        """The plain lines that should follow, as ranges of old ops, with the new op of that number."""
        place, ops = bisect_right(self._starts, op) - 1, 0
        skipped = op - self._starts[place]
        for run in map(self._order.__getitem__, range(place, len(self._order))):
            first = run.start + skipped
            if not self._is_plain[first]:
                return
            stop = min(run.stop, self._breaks[bisect_right(self._breaks, first)], first + self._at_once - ops)
            yield range(first, stop)
            skipped, ops = 0, ops + stop - first
            if stop < run.stop or ops == self._at_once:
                return


def _leading(pieces: Sequence[bytes], text: Text, offset: int) -> int:
    """How many of the pieces a text has at ``offset``, one behind the other."""
    joined = b"".join(pieces)
    if text[offset : offset + len(joined)] == joined:
        return len(pieces)
    for found, piece in enumerate(pieces):
        if text[offset : offset + len(piece)] != piece:
            return found
        offset += len(piece)
    return len(pieces)


def _joined(column: Sequence[_Cell], rows: Iterable[slice]) -> Iterator[_Cell]:
    """What a column has in these rows."""
    return chain.from_iterable(map(column.__getitem__, rows))
