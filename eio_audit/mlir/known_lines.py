"""Lines that have been read before, in a text that has them in another order: they are not split again.

What a plain line holds depends on nothing around it, but for the values that its names mean
(line_shapes.py). So where a text goes on with the very bytes of lines that were read as plain, their columns
are known, but for the offsets. Their names are bound anew.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, compress, count, islice
from operator import add, mul, ne, not_
from typing import NamedTuple, TypeVar

from eio_audit.mlir.ir import IR
from eio_audit.mlir.op_columns import LineNames, OpColumns
from eio_audit.mlir.source import Text

OPS_AT_ONCE = 1 << 12
"""Ops after which no further stretch is looked for: more columns than these are slower to work on."""


class Stretch(NamedTuple):
    """Plain lines that follow each other in the old text and in the new one.

    Attributes:
        first, stop: the old ops in them, one in each.
        end: where the last line ends in the new text.
        shift: how much further on the new text has them.
    """

    first: int
    stop: int
    end: int
    shift: int


class KnownColumns(OpColumns):
    """The ops of some stretches, one behind the other.

    Attributes:
        end: where the lines end.
    """

    def __init__(self, ir: IR, names: LineNames, printed: Sequence[bytes], found: Sequence[Stretch]) -> None:
        ops = [slice(stretch.first, stretch.stop) for stretch in found]
        bounds = [(ir.operand_start[first], ir.operand_start[stop]) for first, stop, *_ in found]
        uses = [slice(*operands) for operands in bounds]
        lengths = (stop - first for first, stop, *_ in found)
        shifts = list(chain.from_iterable(map(mul, ((stretch.shift,) for stretch in found), lengths)))
        self.end = found[-1].end
        self.names = list(map(printed.__getitem__, _joined(ir.op_name, ops)))
        self.is_generic = b"".join(map(ir.op_is_generic.__getitem__, ops))
        self.result_counts = list(_joined(names.result_counts, ops))
        self.results = list(_joined(names.results, ops))
        self.use_counts = list(_joined(names.use_counts, ops))
        self.uses = list(_joined(names.uses, uses))
        self.use_starts = list(accumulate(self.use_counts, initial=0))
        self.name_numbers = list(_joined(ir.name_number, ops))
        self.op_starts = array("q", list(map(add, _joined(ir.op_start, ops), shifts)))
        self.op_ends = array("q", list(map(add, _joined(ir.op_end, ops), shifts)))
        self.location_starts = array("q", list(map(add, _joined(ir.location_start, ops), shifts)))
        self._add_numbers(names, bounds)

    def _add_numbers(self, names: LineNames, bounds: Sequence[tuple[int, int]]) -> None:
        """Adds the numbers behind names, given the operands of each stretch."""
        self.numbered, self.numbers, uses = [], [], 0
        for start, stop in bounds:
            first, last = bisect_left(names.numbered, start), bisect_left(names.numbered, stop)
            self.numbered += [operand - start + uses for operand in names.numbered[first:last]]
            self.numbers += names.numbers[first:last]
            uses += stop - start
        self.numbered.append(uses)


class KnownLines:
    """The plain lines of a dump, to be found in a text made from it.

    Args:
        ir: the dump, with ``line_names``.
        order: its ops as they should follow each other in that text, as ranges of their numbers. Nothing is
            taken on trust: where the text has something else, nothing is found.
    """

    def __init__(self, ir: IR, order: Sequence[range]) -> None:
        self._ir = ir
        self._names = ir.line_names or LineNames()
        self._printed = [name.encode() for name in ir.names]
        self._order = order
        self._starts = list(accumulate(map(len, order), initial=0))
        self._breaks = self._find_breaks()

    def _find_breaks(self) -> list[int]:
        """The ops that do not stand in the plain line behind the op before, ascending, and the end of all."""
        ir = self._ir
        is_plain = bytearray(len(ir))
        is_plain[: len(self._names.is_plain)] = self._names.is_plain
        for op in ir.regions_of:
            is_plain[op] = 0
        self._is_plain = is_plain
        others = compress(count(), map(not_, is_plain))
        others_blocks = compress(count(1), map(ne, islice(ir.op_block, 1, None), ir.op_block))
        return sorted({*others, *others_blocks, len(ir)})

    def columns_at(self, text: Text, offset: int, op: int) -> KnownColumns | None:
        """The ops of the lines from ``offset`` on; None where the next line is not known.

        Args:
            text: the new text.
            offset: where a line begins in it.
            op: the number that the next op there will have.
        """
        found = list(self._stretches(text, offset, op))
        return KnownColumns(self._ir, self._names, self._printed, found) if found else None

    def _stretches(self, text: Text, offset: int, op: int) -> Iterator[Stretch]:
        """Known lines from ``offset`` on, as far as they follow each other."""
        ir, data = self._ir, self._ir.source.data
        place = bisect_right(self._starts, op) - 1
        skipped, ops = op - self._starts[place], 0
        for run in islice(self._order, place, None):
            first = run.start + skipped
            if not self._is_plain[first]:
                return
            stop = min(run.stop, self._breaks[bisect_right(self._breaks, first)])
            start = data.rfind(b"\n", 0, ir.op_start[first]) + 1
            end = ir.op_end[stop - 1] + 1
            lines = data[start:end]
            if text[offset : offset + len(lines)] != lines:
                return
            shift, offset = offset - start, offset + len(lines)
            yield Stretch(first, stop, offset, shift)
            skipped, ops = 0, ops + stop - first
            if stop < run.stop or ops >= OPS_AT_ONCE:
                return


_Cell = TypeVar("_Cell")


def _joined(column: Sequence[_Cell], rows: Sequence[slice]) -> Iterator[_Cell]:
    """What a column has in these rows."""
    return chain.from_iterable(map(column.__getitem__, rows))
