"""Add ops to an IR column by column, from lines that are split already, and resolve their value names."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, compress, repeat
from operator import lt, mul

from eio_audit.mlir.fast.line_columns import LineColumns
from eio_audit.mlir.reading.builder import Builder

_UNKNOWN = -1


class Binding:
    """Adds ops from columns to an IR.

    The constructor adds everything that does not depend on names. ``resolve`` resolves names in textual
    order, one block at a time. ``rollback`` removes ops that were not resolved. Ops are given by their
    position in the columns. ``numbers_of_names`` caches op names that have their dialect.
    """

    def __init__(
        self,
        builder: Builder,
        columns: LineColumns,
        first: int,
        stop: int,
        numbers_of_names: dict[bytes, int],
    ) -> None:
        self._builder = builder
        self._ir = builder.ir
        self._columns = columns
        self._first = first
        self._numbers_of_names = numbers_of_names
        known = list(map(numbers_of_names.get, columns.names[first:stop], repeat(_UNKNOWN)))
        self._known_numbers = array("i", [] if _UNKNOWN in known else known)
        self._ops = array("i", list(range(len(builder.ir), len(builder.ir) + stop - first + 1)))
        self._next_numbered = bisect_left(columns.numbered, columns.use_starts[first])
        values = self._add_columns(first, stop)
        # By use: the value it means must have a smaller number than this.
        self._limits = _repeated(values, columns.use_counts[first:stop])
        names = columns.results[first:stop]
        self._names, self._values = names, values
        self._name_starts: Sequence[int] = range(len(names) + 1)
        if not all(names):
            self._names, self._values = list(filter(None, names)), list(compress(values, names))
            self._name_starts = list(accumulate(map(bool, names), initial=0))

    def _add_columns(self, first: int, stop: int) -> list[int]:
        """Add everything that does not depend on names. Return the first value of each op."""
        ir, columns, ops = self._ir, self._columns, self._ops
        uses, results = columns.use_counts[first:stop], columns.result_counts[first:stop]
        *values, _ = accumulate(results, initial=len(ir.value_owner))
        ir.op_start.extend(columns.op_starts[first:stop])
        ir.op_end.extend(columns.op_ends[first:stop])
        ir.op_is_generic.extend(columns.is_generic[first:stop])
        ir.location_start.extend(columns.location_starts[first:stop])
        ir.subtree_end.extend(ops[1:])
        ir.first_result.fromlist(values)
        ir.value_owner.fromlist(list(_repeated(ops[:-1], results)))
        ir.operand_start.pop()
        ir.operand_start.fromlist(list(accumulate(uses, initial=len(ir.operands))))
        return values

    def rollback(self) -> None:
        """Remove the columns of the ops that were not resolved."""
        ir, ops = self._ir, len(self._ir)
        if ops < len(ir.first_result):
            del ir.value_owner[ir.first_result[ops] :]
        for column in (
            ir.op_start,
            ir.op_end,
            ir.op_is_generic,
            ir.location_start,
            ir.subtree_end,
            ir.first_result,
        ):
            del column[ops:]
        del ir.operand_start[ops + 1 :]

    def resolve(self, first: int, stop: int) -> bool:
        """Resolve the next ops of the current block; False, and no change, if this needs the exact reader."""
        if first == stop:
            return True
        ir, scopes, columns = self._ir, self._builder.scopes, self._columns
        begin, end = self._name_starts[first - self._first], self._name_starts[stop - self._first]
        names = self._names[begin:end]
        if not scopes.define_all(names, self._values[begin:end]):
            return False
        begin, end = columns.use_starts[first], columns.use_starts[stop]
        used = scopes.values_of(columns.uses[begin:end])
        if (
            used is None
            or not all(map(lt, used, self._limits))
            or (columns.numbered[self._next_numbered] < end and not self._add_numbers(used, begin))
        ):
            scopes.forget_all(names)
            return False
        block = self._builder.current_block()
        ir.op_name.extend(self._op_names(first, stop))
        ir.op_block.extend(array("i", (block,)) * (stop - first))
        ir.operands.fromlist(used)
        ir.block_ops[block].extend(self._ops[first - self._first : stop - self._first])
        return True

    def _add_numbers(self, used: list[int], first_use: int) -> bool:
        """Turn the uses of ``%0#1`` from result 0 into result 1. Return False if an op has no such result.

        ``used`` has the value of each use. ``first_use`` is the position of the first of them in the columns.
        """
        columns, owners = self._columns, self._ir.value_owner
        stop = bisect_left(columns.numbered, first_use + len(used), lo=self._next_numbered)
        for numbered in range(self._next_numbered, stop):
            place, number = columns.numbered[numbered] - first_use, columns.numbers[numbered]
            value = used[place]
            if value + number >= len(owners) or owners[value + number] != owners[value]:
                return False
            used[place] = value + number
        self._next_numbered = stop
        return True

    def _op_names(self, first: int, stop: int) -> array[int]:
        """Return the name numbers of the ops. A name without dialect depends on the enclosing op."""
        if self._known_numbers:
            return self._known_numbers[first - self._first : stop - self._first]
        columns, numbers = self._columns, {}
        names = list(zip(columns.names[first:stop], columns.is_generic[first:stop], strict=True))
        for name, is_generic in dict.fromkeys(names):
            number = self._builder.intern(name, is_whole=bool(is_generic))
            numbers[name, is_generic] = number
            if b"." in name:
                self._numbers_of_names[name] = number
        return array("i", list(map(numbers.__getitem__, names)))


def _repeated(numbers: Iterable[int], counts: Iterable[int]) -> Iterator[int]:
    """Repeat each number ``count`` times. Multiplying tuples is faster than ``itertools.repeat``."""
    return chain.from_iterable(map(mul, zip(numbers, strict=True), counts))
