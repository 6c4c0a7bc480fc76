"""The fast path of the reader: lines that need no care, hundreds at a time.

A stretch of lines is split into columns (line_columns.py), and each column is processed as a whole, without a
step of Python per op. Lines that open or close a region take a few steps each.

Nothing is taken on trust. A line is read here only when the exact reader has read its shape as what it
looks like (line_shapes.py). And whatever needs care (a name defined twice, a value not visible yet, a
bracket that does not balance) is left to the exact reader, which then reads the lines one by one. So both
paths give the same result.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import accumulate, chain, compress, repeat
from operator import lt, sub

from eio_audit.mlir.boundaries import Boundaries
from eio_audit.mlir.builder import Builder
from eio_audit.mlir.ir import IR
from eio_audit.mlir.line_columns import CHUNK_BYTES, CLOSING, AliasLines, Line, OpColumns, OpLines
from eio_audit.mlir.line_shapes import LineShapes, opens_list
from eio_audit.mlir.source import Span
from eio_audit.mlir.tokens import OPEN_PAREN

FEWEST_AT_ONCE = 32
"""Lines that are tried together behind some that needed care; what is done for all of them may be in vain."""


class PlainLines:
    """Reads runs of plain lines of one dump into its IR.

    Args:
        builder: what is read into.
        text: looks at what follows a brace.
        end: where the dump ends.
        read_exactly: the exact reader, for a text of its own; None where it is damaged.
    """

    def __init__(
        self, builder: Builder, text: Boundaries, end: int, read_exactly: Callable[[bytes], IR | None]
    ) -> None:
        self._builder = builder
        self._ir = builder.ir
        self._data = builder.ir.source.data
        self._end = end
        self._shapes = LineShapes(read_exactly, text)
        self._name_numbers: dict[bytes, int] = {}
        self._lines = OpLines(self._data, end, end)
        self._columns: OpColumns | None = None
        self._aliases = AliasLines(self._data, end, end)
        self._first_added = 0
        self._names: Sequence[bytes] = []
        self._named_values: list[int] = []
        self._name_starts: Sequence[int] = []
        self._limits: list[int] = []
        self._next_numbered = 0
        self._known_numbers: list[int] = []
        self._slow_until = 0
        self._lines_at_once = CHUNK_BYTES  # no stretch has more

    def read(self, offset: int) -> int:
        """Reads plain lines from ``offset``, a line start; returns where the first other line begins."""
        while self._slow_until <= offset < self._end and self._builder.ops:
            if not self._lines.holds(offset):
                self._load(offset)
            run = self._lines.run_from(offset)
            if run is None:
                return offset
            offset = self._lines.starts[self._read_run(*run)]
        return offset

    def read_aliases(self, offset: int) -> int:
        """Reads lines ``#name = loc(...)`` from a line start; returns where the first other line begins."""
        aliases = self._ir.aliases
        while offset < self._end:
            if not self._aliases.holds(offset):
                self._aliases = AliasLines(self._data, offset, self._end)
            run = self._aliases.run_from(offset)
            if run is None:
                return offset
            first, stop = run
            names, locations = zip(*self._aliases.rows[first:stop], strict=True)
            if len(set(names)) < len(names) or not aliases.keys().isdisjoint(names):
                return offset
            ends = [start - 2 for start in self._aliases.starts[first + 1 : stop + 1]]
            begins = map(sub, ends, map(len, locations))
            aliases.update(zip(names, map(Span, begins, ends), strict=True))
            offset = self._aliases.starts[stop]
        return offset

    def _load(self, offset: int) -> None:
        """Splits the stretch that begins at a line start; lines of unproven shape are not plain."""
        lines = self._lines = OpLines(self._data, offset, self._end)
        if lines.places[-1]:
            self._columns = OpColumns(lines)
            self._shapes.refuse_others(lines, self._columns)

    # ------------------------------------------------------------------ regions

    def _read_run(self, first: int, stop: int) -> int:
        """Reads lines that look plain, more at a time while all goes well; returns the first not read."""
        stop = min(stop, first + self._lines_at_once)
        if not self._add_columns(self._lines.places[first], self._lines.places[stop]):
            return self._leave(first, stop)
        line = self._read_seams(first, stop)
        self._lines_at_once = min(2 * self._lines_at_once, CHUNK_BYTES)
        if line < stop:
            self._cut_columns()
            self._lines_at_once = FEWEST_AT_ONCE
        return line

    def _read_seams(self, first: int, stop: int) -> int:
        """Opens and closes regions and binds the ops between."""
        lines, places = self._lines, self._lines.places
        for seam in lines.seams_in(first, stop):
            if lines.rows[seam][Line.NAME] != CLOSING:
                if not self._can_open(seam) or not self._bind(places[first], places[seam + 1]):
                    return self._leave(first, seam + 1)
                self._open(seam)
            elif not self._bind(places[first], places[seam]):
                return self._leave(first, seam)
            elif not self._close(seam):
                return self._leave(seam, seam + 1)
            first = seam + 1
            if not self._builder.ops:
                return first
        return stop if self._bind(places[first], places[stop]) else self._leave(first, stop)

    def _leave(self, first: int, stop: int) -> int:
        """Leaves a range of lines to the exact reader."""
        self._slow_until = self._lines.starts[stop]
        return first

    def _can_open(self, line: int) -> bool:
        row = self._lines.rows[line]
        return bool(row[Line.QUOTE]) or self._shapes.region_follows(self._lines, line, row[Line.NAME])

    def _open(self, line: int) -> None:
        """Opens the region at the end of a line whose op has been added last."""
        ir, row, brace = self._ir, self._lines.rows[line], self._lines.starts[line + 1] - 2
        op, name = len(ir) - 1, row[Line.RESULT]
        current = self._builder.hold_open(op, [(name, ir.first_result[op], ir.op_start[op])] if name else ())
        if opens_list(row[Line.TEXT]):
            current.in_region_list = True
            current.brackets.push(OPEN_PAREN, self._data.rfind(b"(", 0, brace))
        self._builder.open_region(brace, current)

    def _close(self, line: int) -> bool:
        """Closes a region, and ends its op or opens its next region; False where that needs care."""
        builder, row, start, end = (
            self._builder,
            self._lines.rows[line],
            self._lines.starts[line],
            self._lines.starts[line + 1] - 1,
        )
        current = builder.ops[-1]
        name = self._ir.name(current.op)
        if not self._shapes.ends_region(row, current, name):
            return False
        brace = start + len(row[Line.INDENT])
        location = row[Line.LOCATION]
        if location:
            builder.close_region(brace)
            builder.end_op(end, end - 1 - len(location))
            return True
        if not current.is_generic and not self._shapes.region_follows(self._lines, line, name.encode()):
            return False
        builder.close_region(brace)
        builder.open_region(end - 1, current)
        return True

    # ------------------------------------------------------------------ ops

    def _add_columns(self, first: int, stop: int) -> bool:
        """Adds what is known of the ops before any name is bound; False where there are too many values."""
        ir, columns = self._ir, self._columns
        if first == stop:
            return True
        assert columns is not None
        op, results, names = len(ir), columns.result_counts[first:stop], columns.results[first:stop]
        *values, values_end = accumulate(results, initial=len(ir.value_owner))
        if values_end > self._builder.most_values:
            return False
        ops, uses = range(op, op + stop - first), columns.use_counts[first:stop]
        self._first_added = first
        known = list(map(self._name_numbers.get, columns.names[first:stop], repeat(-1)))
        self._known_numbers = [] if -1 in known else known
        self._next_numbered = bisect_left(columns.numbered, columns.use_starts[first])
        self._limits = list(chain.from_iterable(map(repeat, values, uses)))
        self._names, self._named_values = names, values
        self._name_starts = range(len(names) + 1)
        if b"" in names:
            self._names, self._named_values = list(filter(None, names)), list(compress(values, names))
            self._name_starts = list(accumulate(map(bool, names), initial=0))
        ir.op_start.extend(columns.op_starts[first:stop])
        ir.op_end.extend(columns.op_ends[first:stop])
        ir.op_is_generic.extend(columns.is_generic[first:stop])
        ir.location_start.extend(columns.location_starts[first:stop])
        ir.name_number.fromlist(columns.name_numbers[first:stop])
        ir.subtree_end.fromlist(list(range(op + 1, op + 1 + stop - first)))
        ir.first_result.fromlist(values)
        ir.value_owner.fromlist(list(chain.from_iterable(map(repeat, ops, results))))
        ir.operand_start.pop()
        ir.operand_start.fromlist(list(accumulate(uses, initial=len(ir.operands))))
        return True

    def _cut_columns(self) -> None:
        """Takes back the columns of ops that were not bound."""
        ir, ops = self._ir, len(self._ir)
        if ops < len(ir.first_result):
            del ir.value_owner[ir.first_result[ops] :]
        for column in (
            ir.op_start,
            ir.op_end,
            ir.op_is_generic,
            ir.location_start,
            ir.name_number,
            ir.subtree_end,
            ir.first_result,
        ):
            del column[ops:]
        del ir.operand_start[ops + 1 :]

    def _bind(self, first: int, stop: int) -> bool:
        """Binds the ops of one block, results and uses; False, and nothing changed, where that needs care."""
        if first == stop:
            return True
        ir, scopes, columns, added = self._ir, self._builder.scopes, self._columns, self._first_added
        assert columns is not None
        begin, end = self._name_starts[first - added], self._name_starts[stop - added]
        names = self._names[begin:end]
        if not scopes.define_all(names, self._named_values[begin:end]):
            return False
        use_starts = columns.use_starts
        begin, end, before = use_starts[first], use_starts[stop], use_starts[added]
        used = scopes.values_of(columns.uses[begin:end])
        if (
            used is None
            or not all(map(lt, used, self._limits[begin - before : end - before]))
            or (columns.numbered[self._next_numbered] < end and not self._add_numbers(used, begin))
        ):
            scopes.forget_all(names)
            return False
        block, op = self._builder.current_block(), len(ir.op_block)
        ir.op_name.fromlist(self._numbers_of_names(first, stop))
        ir.op_block.fromlist([block] * (stop - first))
        ir.operands.fromlist(used)
        ir.block_ops[block].fromlist(list(range(op, op + stop - first)))
        return True

    def _add_numbers(self, used: list[int], first_use: int) -> bool:
        """Turns the uses of ``%0#1`` from result 0 to result 1; False when an op has no such result.

        Args:
            used: by use, the value it names.
            first_use: the place of the first of them in the columns.
        """
        columns, owners = self._columns, self._ir.value_owner
        assert columns is not None
        stop = bisect_left(columns.numbered, first_use + len(used), lo=self._next_numbered)
        for numbered in range(self._next_numbered, stop):
            place, number = columns.numbered[numbered] - first_use, columns.numbers[numbered]
            value = used[place]
            if value + number >= len(owners) or owners[value + number] != owners[value]:
                return False
            used[place] = value + number
        self._next_numbered = stop
        return True

    def _numbers_of_names(self, first: int, stop: int) -> list[int]:
        """The numbers of the ops' names; one without dialect depends on the op around it."""
        if self._known_numbers:
            return self._known_numbers[first - self._first_added : stop - self._first_added]
        columns, numbers = self._columns, {}
        assert columns is not None
        names = list(zip(columns.names[first:stop], columns.is_generic[first:stop], strict=True))
        for name, is_generic in dict.fromkeys(names):
            number = self._builder.intern(name, is_whole=bool(is_generic))
            numbers[name, is_generic] = number
            if b"." in name:
                self._name_numbers[name] = number
        return list(map(numbers.__getitem__, names))
