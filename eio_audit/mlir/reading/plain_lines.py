"""The fast path of the reader: read hundreds of simple lines at a time.

``line_columns.py`` splits a chunk of lines into columns. Each column is then processed as a whole, without a
step of Python per op. Lines that open or close a region take a few steps each.

The fast path makes no assumptions. It reads a line only if the exact reader confirmed its template
(``line_columns.py``). It leaves difficult lines to the exact reader, which reads them one by one: a name
defined twice, a value not visible yet, a bracket that does not balance. So both paths give the same result.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain, compress, islice, repeat
from operator import add, lt, mul, sub

from eio_audit.mlir.ir import IR, NO_OFFSET, packed
from eio_audit.mlir.reading.boundaries import Boundaries
from eio_audit.mlir.reading.builder import Builder, Mentions
from eio_audit.mlir.reading.line_columns import (
    CHUNK_BYTES,
    CLOSING,
    USE,
    AliasLines,
    Line,
    LineColumns,
    LineTemplates,
    OpLines,
    opens_list,
)
from eio_audit.mlir.source import Span
from eio_audit.mlir.tokens import GOES_ON_BELOW, OPEN_PAREN

FEWEST_AT_ONCE = 32
"""The number of lines tried together after a difficult line. The work may be wasted."""
_UNKNOWN = -1


class PlainLines:
    """Reads runs of plain lines of one dump into its IR.

    ``read_exactly`` reads a separate text with the exact reader and returns None if the text is damaged.
    """

    def __init__(
        self, builder: Builder, text: Boundaries, end: int, read_exactly: Callable[[bytes], IR | None]
    ) -> None:
        self._builder = builder
        self._ir = builder.ir
        self._data = builder.ir.source.data
        self._end = end
        self._templates = LineTemplates(read_exactly, text, builder.ir.op_table)
        self._lines = OpLines(self._data, end, end)
        self._columns = LineColumns(self._lines)
        self._numbers_of_names: dict[bytes, int] = {}
        self._aliases = AliasLines(self._data, end, end)
        self._slow_until = 0
        self._lines_at_once = CHUNK_BYTES  # no chunk has more lines than bytes

    def read(self, offset: int) -> int:
        """Read plain lines from ``offset``, a line start. Return where the first other line begins."""
        while self._slow_until <= offset < self._end and self._builder.ops:
            if not self._lines.holds(offset):
                self._load(offset)
            run = self._lines.run_from(offset)
            if run is None:
                return offset
            offset = self._lines.starts[self._read_run(*run)]
        return offset

    def read_aliases(self, offset: int) -> int:
        """Read lines ``#name = loc(...)`` from a line start. Return where the first other line begins."""
        aliases = self._ir.aliases
        while offset < self._end:
            if not self._aliases.holds(offset):
                self._ir.source.reached(offset)
                self._aliases = AliasLines(self._data, offset, self._end)
            run = self._aliases.run_from(offset)
            if run is None:
                return offset
            first, stop = run
            if GOES_ON_BELOW.match(self._data, self._aliases.starts[stop] - 1, self._end):
                stop -= 1
            if first == stop:
                return offset
            _, names, locations = zip(*self._aliases.rows[first:stop], strict=True)
            if len(set(names)) < len(names) or not aliases.keys().isdisjoint(names):
                return offset
            ends = [start - 2 for start in self._aliases.starts[first + 1 : stop + 1]]
            begins = map(sub, ends, map(len, locations))
            aliases.update(zip(names, map(Span, begins, ends), strict=True))
            offset = self._aliases.starts[stop]
        return offset

    def _load(self, offset: int) -> None:
        """Split the chunk that begins at a line start. Lines with an unconfirmed template are not plain."""
        self._ir.source.reached(offset)
        lines = self._lines = OpLines(self._data, offset, self._end)
        self._columns = LineColumns(lines)
        self._templates.refuse_others(lines, self._columns)

    def _read_run(self, first: int, stop: int) -> int:
        """Read lines that look plain, more at a time while that succeeds. Return the first line not read."""
        stop = min(stop, first + self._lines_at_once)
        ops = slice(self._lines.places[first], self._lines.places[stop])
        if not self._builder.has_room(sum(self._columns.result_counts[ops])):
            return self._leave(first, stop)
        binding = Binding(self._builder, self._columns, ops.start, ops.stop, self._numbers_of_names)
        line = self._read_region_lines(first, stop, binding)
        self._lines_at_once = min(2 * self._lines_at_once, CHUNK_BYTES)
        if line < stop:
            binding.rollback()
            self._lines_at_once = FEWEST_AT_ONCE
        return line

    def _read_region_lines(self, first: int, stop: int, binding: Binding) -> int:
        lines, places = self._lines, self._lines.places
        for line in lines.region_lines_in(first, stop):
            row = lines.rows[line]
            if row[Line.NAME] != CLOSING:
                can_open = row[Line.QUOTE] or self._templates.region_follows(lines, line, row[Line.NAME])
                has_one_name = not row[Line.MORE_RESULTS].startswith(b",")
                if not (can_open and has_one_name) or not binding.resolve(places[first], places[line + 1]):
                    return self._leave(first, line + 1)
                self._open(line)
            elif not binding.resolve(places[first], places[line]):
                return self._leave(first, line)
            elif not self._close(line):
                return self._leave(line, line + 1)
            first = line + 1
            if not self._builder.ops:
                return first
        return stop if binding.resolve(places[first], places[stop]) else self._leave(first, stop)

    def _leave(self, first: int, stop: int) -> int:
        self._slow_until = self._lines.starts[stop]
        return first

    def _open(self, line: int) -> None:
        ir, row, brace = self._ir, self._lines.rows[line], self._lines.starts[line + 1] - 2
        op, name = len(ir) - 1, row[Line.RESULT]
        results = [(name, ir.first_result[op], ir.op_start[op])] if name else ()
        current = self._builder.push_open_op(op, results)
        if opens_list(row[Line.TEXT]):
            current.in_region_list = True
            current.brackets.append((OPEN_PAREN, self._data.rfind(b"(", 0, brace)))
        self._builder.open_region(brace, current)

    def _close(self, line: int) -> bool:
        """Close a region, then end its op or open its next region; False if this needs the exact reader."""
        builder, lines = self._builder, self._lines
        row, start, end = lines.rows[line], lines.starts[line], lines.starts[line + 1] - 1
        current = builder.ops[-1]
        if not self._templates.ends_region(row, current):
            return False
        brace = start + len(row[Line.INDENT])
        location = row[Line.LOCATION]
        if not row[Line.TEXT].endswith(b"{"):
            builder.close_region(brace)
            builder.end_op(end, end - 1 - len(location) if location else NO_OFFSET)
            return True
        name = current.name.encode()
        if not current.is_generic and not self._templates.region_follows(lines, line, name):
            return False
        builder.close_region(brace)
        builder.open_region(end - 1, current)
        return True


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
        self._known_numbers = packed("i", [] if _UNKNOWN in known else known)
        self._ops = packed("i", range(len(builder.ir), len(builder.ir) + stop - first + 1))
        self._next_numbered = bisect_left(columns.numbered, columns.use_starts[first])
        values = self._add_columns(first, stop)
        # By use: the value it means must have a smaller number than this.
        self._limits = _repeated(values, columns.use_counts[first:stop])
        names = columns.results[first:stop]
        self._names, self._values = names, values
        self._name_starts: Sequence[int] = range(len(names) + 1)
        if columns.more_results:
            more = columns.more_results
            of_ops = [(name, *more.get(op, ())) if name else () for op, name in enumerate(names, first)]
            counts = list(map(len, of_ops))
            self._names = list(chain.from_iterable(of_ops))
            self._values = list(chain.from_iterable(map(range, values, map(add, values, counts))))
            self._name_starts = list(accumulate(counts, initial=0))
        elif not all(names):
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
        ir.first_result.extend(packed("i", values))
        ir.value_owner.extend(packed("i", [*_repeated(ops[:-1], results)]))
        ir.operand_start.pop()
        ir.operand_start.extend(packed("q", [*accumulate(uses, initial=len(ir.operands))]))
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
            or (operands := self._with_numbers(used, begin)) is None
        ):
            scopes.forget_all(names)
            return False
        if scopes.mentions is not None:
            self._add_mentions(scopes.mentions, first, stop, used)
        block = self._builder.current_block()
        ir.op_name.extend(self._op_names(first, stop))
        ir.op_block.extend(array("i", (block,)) * (stop - first))
        ir.operands.extend(packed("i", operands))
        ir.block_ops[block].extend(self._ops[first - self._first : stop - self._first])
        return True

    def _with_numbers(self, used: list[int], first_use: int) -> list[int] | None:
        """Turn the uses of ``%0#1`` from result 0 into result 1. Return None if an op has no such result.

        ``used`` has the value of each use. ``first_use`` is the position of the first of them in the columns.
        """
        columns, owners = self._columns, self._ir.value_owner
        if columns.numbered[self._next_numbered] >= first_use + len(used):
            return used
        stop = bisect_left(columns.numbered, first_use + len(used), lo=self._next_numbered)
        those = slice(self._next_numbered, stop)
        places = list(map(sub, columns.numbered[those], repeat(first_use)))
        firsts = list(map(used.__getitem__, places))
        values = list(map(add, firsts, columns.numbers[those]))
        if max(values) >= len(owners):
            return None
        if list(map(owners.__getitem__, values)) != list(map(owners.__getitem__, firsts)):
            return None
        operands = used.copy()
        for place, value in zip(places, values, strict=True):
            operands[place] = value
        self._next_numbered = stop
        return operands

    def _add_mentions(self, mentions: Mentions, first: int, stop: int, used: Iterable[int]) -> None:
        """Record where ops name values. Without its location, an op's text has no other ``%``."""
        columns, data, uses = self._columns, self._ir.source.data, iter(used)
        spans = zip(columns.op_starts, columns.op_ends, columns.location_starts, strict=True)
        for op, (start, end, location) in enumerate(islice(spans, first, stop), first):
            text_end = end if location == NO_OFFSET else location
            names = [match.start() for match in USE.finditer(data, start, text_end)]
            results = len(names) - columns.use_counts[op]
            if columns.results[op]:  # a region header defines its results when its op ends
                first_result = self._ir.first_result[self._ops[op - self._first]]
                for value, defined in enumerate(names[:results], first_result):
                    mentions.define(value, defined)
            used_names = names[results:]
            mentions.values.update(zip(used_names, islice(uses, len(used_names)), strict=True))

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
        return packed("i", [*map(numbers.__getitem__, names)])


def _repeated(numbers: Iterable[int], counts: Iterable[int]) -> Iterator[int]:
    """Repeat each number ``count`` times. Multiplying tuples is faster than ``itertools.repeat``."""
    return chain.from_iterable(map(mul, zip(numbers, strict=True), counts))
