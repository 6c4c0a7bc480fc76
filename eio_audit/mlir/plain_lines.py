"""The fast path of the reader: whole lines that are one operation each, hundreds at a time.

Nearly all of a printed dump is lines of the form ``%r = "name"(%a, %b) ... loc(...)`` or the same in custom
assembly, without regions. One regular expression splits a megabyte of them into columns, and each column is
processed as a whole, without a step of Python per op.

Nothing is taken on trust. A line is plain only when the exact reader reads its *shape* as one op that ends
with its location; a shape is the line without its value names, operands and location, so there are few. And
whatever needs care (a name defined twice, a value not visible yet, a bracket that does not balance) is
left to the exact reader, which then reads the lines one by one. So both paths give the same result.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate, chain, compress, islice, repeat
from operator import add, lt, sub

from eio_audit.mlir.ir import IR
from eio_audit.mlir.scopes import Scopes
from eio_audit.mlir.source import Span

CHUNK_BYTES = 1 << 18
LONGEST_SHAPE = 1 << 12
MOST_SHAPES = 1 << 16
FEWEST_JUDGED = 64
SHAPES_JUDGED = 8
"""Of how many lines one may have a new shape; a judgement costs as much as reading several lines exactly."""

_VALUE = rb"%[\w$.-]++(?:#\d++)?"
_STRING = rb'"[^"\\\n%]{0,4096}+"'
_TEXT = rb'(?:[^"\n/l%]++|' + _STRING + rb"|/(?!/)|l(?!oc\())*+"
_TEXT_WITH_USES = rb'(?:[^"\n/l%]++|' + _STRING + rb"|/(?!/)|l(?!oc\()|" + _VALUE + rb")*+"
_NAME_LOCATION = rb'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
_LOCATION = (
    rb"#[\w$.-]++|unknown|"
    + _NAME_LOCATION
    + rb"(?:\((?:#[\w$.-]++|unknown|"
    + _NAME_LOCATION
    + rb"(?:\("
    + _NAME_LOCATION
    + rb"\))?)\))?"
)
_LINE = re.compile(
    rb"^([ \t]*+)(?:(%[\w$.-]++)(?::(\d{1,4}+))? = )?+"
    rb'(?:"([\w.$-]++)"\((' + _VALUE + rb"(?:, " + _VALUE + rb")*+|)\)(" + _TEXT + rb")"
    rb"|([A-Za-z_][\w$]*+\.[\w$.]*+|return)(?![\w$.])(" + _TEXT_WITH_USES + rb"))"
    rb"loc\((" + _LOCATION + rb")\)$|^[^\n]*+$",
    re.MULTILINE,
)
_ALIAS_LINE = re.compile(rb"^(#[A-Za-z_][\w$.-]*+) = loc\((" + _LOCATION + rb")\)$|^[^\n]*+$", re.MULTILINE)
_USE = re.compile(_VALUE)
_USED_NAME = re.compile(rb"%[\w$.-]++")
_USED_NUMBER = re.compile(rb"%[\w$.-]++(?:#(\d{1,9}))?+")


class _Chunk:
    """The lines of one stretch of a dump, each split by a pattern with an alternative for every other line.

    Attributes:
        rows: the pattern's groups, by line; the last group is empty for every other line.
        starts: where the lines begin, and where the next chunk does.
        others: the lines that are to be read otherwise, ascending, and the number of lines.
    """

    __slots__ = ("others", "rows", "starts")

    def __init__(self, data: bytes, offset: int, end: int, pattern: re.Pattern[bytes]) -> None:
        chunk_end = _last_line_end(data, offset, end)
        self.rows: list[tuple[bytes, ...]] = []
        self.starts = [offset]
        if chunk_end > offset:
            self.rows = pattern.findall(data, offset, chunk_end)
            lengths = map(len, data[offset:chunk_end].split(b"\n"))
            self.starts = list(accumulate(map(add, lengths, repeat(1)), initial=offset))
        self.others = [k for k, row in enumerate(self.rows) if not row[-1]]
        self.others.append(len(self.rows))

    def holds(self, offset: int) -> bool:
        """Whether a line of the chunk begins at ``offset``, or may."""
        return self.starts[0] <= offset < self.starts[-1] and bool(self.rows)

    def run_from(self, offset: int) -> tuple[int, int] | None:
        """The lines from ``offset`` on that match, as a range; None when the first does not."""
        first = bisect_left(self.starts, offset)
        stop = self.others[bisect_left(self.others, first)]
        return (first, stop) if self.starts[first] == offset and first < stop else None


class _Columns:
    """What is needed of the op lines of a chunk, by column; each list has one entry per line.

    Attributes:
        results: the result's name, or nothing.
        result_counts: how many values the op defines.
        generic, custom: the op's name, in the one of both that is its form.
        use_counts: how many values the op uses.
        uses: the names used by all lines in turn; those of line k begin at ``use_starts[k]``.
        numbers: for each of ``uses`` the number behind ``#``, or nothing; empty when there is none at all.
        op_starts, op_ends, location_starts: byte offsets.
    """

    def __init__(self, chunk: _Chunk) -> None:
        indents, self.results, counts, self.generic, operands, _, self.custom, bodies, locations = zip(
            *chunk.rows, strict=True
        )
        self.result_counts = _result_counts(self.results, counts)
        texts = list(map(add, operands, bodies))
        joined = b"\n".join(texts)
        self.use_counts = list(map(bytes.count, texts, repeat(b"%")))
        self.use_starts = list(accumulate(self.use_counts, initial=0))
        self.uses: list[bytes] = _USED_NAME.findall(joined)
        self.numbers: list[bytes] = _USED_NUMBER.findall(joined) if b"#" in joined else []
        self.op_starts = list(map(add, chunk.starts, map(len, indents)))
        self.op_ends = list(map(sub, chunk.starts[1:], repeat(1)))
        self.location_starts = list(map(sub, map(sub, self.op_ends, repeat(1)), map(len, locations)))


def _last_line_end(data: bytes, offset: int, end: int) -> int:
    """The end of the last line of the chunk that begins at ``offset``; ``offset`` if a line is too long."""
    limit = min(offset + CHUNK_BYTES, end)
    if limit == end and b"\n" not in data[max(offset, end - 1) : end]:
        return end
    return max(data.rfind(b"\n", offset, limit), offset)


class PlainLines:
    """Reads runs of plain lines of one dump into its IR.

    Args:
        ir: what is read into.
        scopes: the names that are visible.
        end: where the dump ends.
        is_one_op: the exact reader's verdict on a line of text: is it one op that ends with its location?
        intern: gives an op name its number.
        current_block: the block that ops go into, begun if need be.
    """

    def __init__(
        self,
        ir: IR,
        scopes: Scopes,
        end: int,
        is_one_op: Callable[[bytes], bool],
        intern: Callable[..., int],
        current_block: Callable[[], int],
    ) -> None:
        self._ir = ir
        self._data = ir.source.data
        self._scopes = scopes
        self._end = end
        self._is_one_op = is_one_op
        self._intern = intern
        self._current_block = current_block
        self._shapes: dict[bytes, bool] = {}
        self._names: dict[bytes, int] = {}
        self._chunk = _Chunk(self._data, end, end, _LINE)
        self._columns: _Columns | None = None
        self._aliases = _Chunk(self._data, end, end, _ALIAS_LINE)
        self._slow_until = 0

    def read(self, offset: int) -> int:
        """Reads plain lines from ``offset``, a line start; returns where the first other line begins."""
        while self._slow_until <= offset < self._end:
            if not self._chunk.holds(offset):
                self._load(offset)
            run = self._chunk.run_from(offset)
            if run is None:
                return offset
            first, stop = run
            if not self._bind(first, stop):
                self._slow_until = self._chunk.starts[stop]
                return offset
            offset = self._chunk.starts[stop]
        return offset

    def read_aliases(self, offset: int) -> int:
        """Reads lines ``#name = loc(...)`` from a line start; returns where the first other line begins."""
        aliases = self._ir.aliases
        while offset < self._end:
            if not self._aliases.holds(offset):
                self._aliases = _Chunk(self._data, offset, self._end, _ALIAS_LINE)
            run = self._aliases.run_from(offset)
            if run is None:
                return offset
            first, stop = run
            rows = self._aliases.rows[first:stop]
            names = [row[0] for row in rows]
            if len(set(names)) < len(names) or not aliases.keys().isdisjoint(names):
                return offset
            ends = [start - 2 for start in self._aliases.starts[first + 1 : stop + 1]]
            spans = (Span(end - len(row[1]), end) for end, row in zip(ends, rows, strict=True))
            aliases.update(zip(names, spans, strict=True))
            offset = self._aliases.starts[stop]
        return offset

    def _load(self, offset: int) -> None:
        """Splits the chunk that begins at a line start; lines of unproven shape are not plain."""
        chunk = self._chunk = _Chunk(self._data, offset, self._end, _LINE)
        if len(chunk.others) > len(chunk.rows):  # no line looks plain
            return
        self._columns = _Columns(chunk)
        shapes = [row[5] if row[3] else row[6] + _USE.sub(b"%", row[7]) for row in chunk.rows]
        if len(self._shapes) > MOST_SHAPES:
            self._shapes.clear()
        new = {shape: row for shape, row in zip(shapes, chunk.rows, strict=True) if shape not in self._shapes}
        for shape, row in islice(new.items(), FEWEST_JUDGED + len(shapes) // SHAPES_JUDGED):
            self._judge(row, shape)
        if not all(map(self._shapes.get, shapes)):
            refused = (k for k, shape in enumerate(shapes) if not self._shapes.get(shape))
            chunk.others = sorted({*chunk.others, *refused})

    def _judge(self, row: tuple[bytes, ...], shape: bytes) -> None:
        """Asks the exact reader about a shape it has not seen."""
        line = b'"x.x"()' + shape if row[3] else shape.replace(b"%", b"%v")
        is_short = len(shape) <= LONGEST_SHAPE
        self._shapes[shape] = bool(row[-1]) and is_short and self._is_one_op(line + b"loc(unknown)")

    def _bind(self, first: int, stop: int) -> bool:
        """Defines results, binds uses, appends the ops; False, and nothing changed, where that needs care."""
        ir, scopes, block, columns = self._ir, self._scopes, self._current_block(), self._columns
        assert columns is not None
        op, size = len(ir), stop - first
        results = columns.results[first:stop]
        result_counts = columns.result_counts[first:stop]
        values = list(accumulate(result_counts, initial=len(ir.value_owner)))
        definitions = dict(zip(results, values, strict=False))
        definitions.pop(b"", None)
        if len(definitions) + results.count(b"") < size or not scopes.are_new(definitions):
            return False
        use_counts = columns.use_counts[first:stop]
        uses = slice(columns.use_starts[first], columns.use_starts[stop])
        used = scopes.bind_all(definitions, columns.uses[uses])
        limits = chain.from_iterable(map(repeat, values, use_counts))
        numbers = columns.numbers[uses]
        if -1 in used or not all(map(lt, used, limits)) or not self._add_numbers(numbers, used, values):
            scopes.forget_all(definitions)
            return False
        scopes.keep_all(definitions)
        ops = array("i", range(op, op + size))
        generic = columns.generic[first:stop]
        ir.op_start.fromlist(columns.op_starts[first:stop])
        ir.op_end.fromlist(columns.op_ends[first:stop])
        ir.op_name.fromlist(self._name_numbers(generic, columns.custom[first:stop]))
        ir.op_is_generic.extend(map(bool, generic))
        ir.op_block.extend(array("i", [block]) * size)
        ir.location_start.fromlist(columns.location_starts[first:stop])
        ir.subtree_end.extend(ops[1:])
        ir.subtree_end.append(op + size)
        ir.first_result.fromlist(values[:-1])
        ir.value_owner.extend(chain.from_iterable(map(repeat, ops, result_counts)))
        ir.operand_start.fromlist(list(accumulate(use_counts, initial=len(ir.operands)))[1:])
        ir.operands.fromlist(used)
        ir.block_ops[block].extend(ops)
        return True

    def _add_numbers(self, numbers: Sequence[bytes], used: list[int], values: Sequence[int]) -> bool:
        """Turns the uses of ``%0#1`` from result 0 to result 1; False when an op has no such result.

        Args:
            numbers: by use, the number behind ``#`` or nothing.
            used: by use, the value it names.
            values: the first values of the new ops.
        """
        if not any(numbers):
            return True
        owners = self._ir.value_owner
        for place in compress(range(len(numbers)), numbers):
            base = used[place]
            value = used[place] = base + int(numbers[place])
            if base < len(owners):
                exists = value < len(owners) and owners[value] == owners[base]
            else:
                exists = bisect_right(values, value) == bisect_right(values, base)
            if not exists:
                return False
        return True

    def _name_numbers(self, generic: Sequence[bytes], custom: Sequence[bytes]) -> list[int]:
        names = list(map(bytes.__add__, generic, custom))
        for name in dict.fromkeys(names):
            if b"." in name and name not in self._names:
                self._names[name] = self._intern(name, is_whole=True)
        if all(map(self._names.__contains__, names)):
            return list(map(self._names.__getitem__, names))
        # A name without dialect: in quotes it is whole, else it depends on the op around it.
        return [
            self._names[name] if b"." in name else self._intern(name, is_whole=bool(quoted))
            for name, quoted in zip(names, generic, strict=True)
        ]


def _result_counts(results: Sequence[bytes], counts: Sequence[bytes]) -> list[int]:
    """How many values each op defines, from its result's name and the number behind it."""
    if not any(counts):
        return list(map(bool, results))
    return [int(count) if count else 1 if name else 0 for name, count in zip(results, counts, strict=True)]
