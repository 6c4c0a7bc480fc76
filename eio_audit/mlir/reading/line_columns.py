"""Split a chunk of lines with one regular expression and turn the ops into columns.

Nearly all lines of a dump are ops, generic or custom, with or without a location. The others open a region,
as ``%r = scf.if %c {`` does, or close one, as ``} else {`` and ``}) : () -> () loc(...)`` do. This module
does not decide whether a line is what it looks like.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate, compress, count, repeat
from operator import add, itemgetter, not_, sub

from eio_audit.mlir.files import Text
from eio_audit.mlir.ir import NO_OFFSET
from eio_audit.mlir.tokens import ALIAS_NAME, all_but

CHUNK_BYTES = 1 << 17
BARE_NAME = b"return"
"""The only op in plain lines that is printed without its dialect."""

_LETTER = rb"[0-9A-Za-z_$.-]"  # the same as [\w$.-], but matched by a table
_VALUE = rb"%" + _LETTER + _LETTER + rb"*+(?:#\d++)?"
_STRING = rb'"' + all_but(b'"\\\n%') + rb'{0,4096}+"'
_PLAIN_TEXT = _STRING + rb"|/(?!/)|l(?!oc\()|" + all_but(b'"\n/l%') + rb"++"
_TEXT = rb"(?:" + _PLAIN_TEXT + rb")*+"
_TEXT_WITH_USES = rb"(?:" + _VALUE + rb"|" + _PLAIN_TEXT + rb")*+"
_IN_NAME = all_but(b'"\\\n') + rb"*+"
_NAME_LOCATION = rb'"' + _IN_NAME + rb"(?:\\." + _IN_NAME + rb')*+"'
_INNER_LOCATION = _NAME_LOCATION + rb"(?::\d++:\d++|\(" + _NAME_LOCATION + rb"\))?|#[\w$.-]++|unknown"
_LOCATION = _NAME_LOCATION + rb"(?::\d++:\d++|\((?:" + _INNER_LOCATION + rb")\))?|#[\w$.-]++|unknown"
_ONLY_NAME = rb'"(?=.*"\)$)[^"]*+(?<!\\)"(?=\)$)|'  # most locations; twice as fast as a class of bytes
_LINE = (
    rb"^(([ \t]*+)(?>(%" + _LETTER + rb"++)(?::([1-9]\d{0,3}+))? = |)"
    rb'(")?+((?(5)' + _LETTER + rb"++|(?:[A-Za-z_][\w$]*+\.[\w$.]*+|" + BARE_NAME + rb"(?![\w$.])|\})))"
    rb'(?(5)"\((' + _VALUE + rb"(?:, " + _VALUE + rb")*+|)\))"
    rb"((?(5)" + _TEXT + rb"|" + _TEXT_WITH_USES + rb"))"
    rb"(?:loc\((" + _ONLY_NAME + _LOCATION + rb")\)|)\n|.*+\n|.++)"
)
_ALIAS_LINE = rb"^((" + ALIAS_NAME + rb") = loc\((" + _LOCATION + rb")\)\n|.*+\n|.++)"
USE = re.compile(_VALUE)
_USE_OR_END = re.compile(_VALUE + rb"|\n")
CLOSING = b"}"
"""Replaces the op name in a line that closes a region."""

IS_CUSTOM = OPENS_REGION = b"\n"
NO_LOCATION = b"\n\n"
"""Marks of templates. Other parts of templates come from one line."""
_END_OF_HEADER = b"{\n"


class Line:
    """The columns of a row of ``OpLines``: the groups of the pattern. A missing group is empty."""

    GROUPS = range(9)
    LINE, INDENT, RESULT, RESULT_COUNT, QUOTE, NAME, OPERANDS, TEXT, LOCATION = GROUPS


class LineChunk:
    """The lines of one chunk of a dump. The pattern has an alternative that matches all other lines.

    Attributes:
        rows: by line, the pattern's groups. The first group is the whole line with its line end.
        starts: the offset of each line, then the offset of the next chunk.
        others: the lines that are not plain, ascending, then the number of lines.
    """

    def __init__(self, data: Text, offset: int, end: int, pattern: bytes) -> None:
        chunk_end = _last_line_end(data, offset, end)
        self.rows: list[tuple[bytes, ...]] = []
        if chunk_end > offset:
            self.rows = re.compile(pattern, re.MULTILINE).findall(data, offset, chunk_end)
        self.starts = list(accumulate(map(len, map(itemgetter(Line.LINE), self.rows)), initial=offset))
        self.others = [len(self.rows)]

    def holds(self, offset: int) -> bool:
        """Whether a line of the chunk may begin at ``offset``."""
        return self.starts[0] <= offset < self.starts[-1] and bool(self.rows)

    def refuse(self, lines: Iterable[int]) -> None:
        """Add lines to ``others``."""
        self.others = sorted({*self.others, *lines})

    def run_from(self, offset: int) -> tuple[int, int] | None:
        """Return the range of lines from ``offset`` to the next of ``others``, or None if it is empty."""
        first = bisect_left(self.starts, offset)
        stop = self.others[bisect_left(self.others, first)]
        return (first, stop) if self.starts[first] == offset and first < stop else None


class AliasLines(LineChunk):
    """Lines ``#name = loc(...)``. A row is the line, the name and the location's text."""

    def __init__(self, data: Text, offset: int, end: int) -> None:
        super().__init__(data, offset, end, _ALIAS_LINE)
        self.refuse(line for line, (_, name, _) in enumerate(self.rows) if not name)


class OpLines(LineChunk):
    """Lines that may be ops, or that open or close regions. ``Line`` names the columns of a row.

    Without a location, an op ends at its line end only if the next line shows it.

    Attributes:
        region_lines: the lines that open or close regions, ascending.
        columns: by group, the values for each op.
        is_op: by line, 1 if an op begins in it. Empty if every line is an op.
        places: by line, the number of ops that begin before it. One entry more than there are lines.
    """

    def __init__(self, data: Text, offset: int, end: int) -> None:
        super().__init__(data, offset, end, _LINE)
        rows, name = self.rows, Line.NAME
        self.region_lines: list[int] = []
        self.is_op = bytearray()
        self.places: Sequence[int] = range(len(rows) + 1)
        self.columns: list[Sequence[bytes]] = []
        if all(map(itemgetter(Line.LOCATION), rows)):
            self.columns = list(zip(*rows, strict=True)) or [()] * len(Line.GROUPS)
            if all(self.columns[Line.QUOTE]):
                return
        no_plain = [k for k, row in enumerate(rows) if not row[Line.LOCATION] or row[name] == CLOSING]
        self.is_op = bytearray(b"\1") * len(rows)
        others = []
        for line in no_plain:
            row = rows[line]
            self.is_op[line] = row[name] not in (b"", CLOSING)
            if row[name] and (row[Line.LOCATION] or row[Line.LINE].endswith(_END_OF_HEADER)):
                self.region_lines.append(line)
            elif not (self.is_op[line] and line + 1 < len(rows) and rows[line + 1][name]):
                others.append(line)
        self.refuse(others)
        self.columns = list(zip(*compress(rows, self.is_op), strict=True)) or [()] * len(Line.GROUPS)
        self.places = list(accumulate(self.is_op, initial=0))

    def lines_of_ops(self) -> list[int]:
        """Return the line of each op."""
        return list(compress(count(), self.is_op or repeat(1, len(self.rows))))

    def region_lines_in(self, first: int, stop: int) -> list[int]:
        """Return the lines in a range that open or close regions."""
        return self.region_lines[bisect_left(self.region_lines, first) : bisect_left(self.region_lines, stop)]


class LineColumns:
    """The ops of the lines that a pattern has split, by column.

    Attributes:
        names: the op names as printed.
        is_generic: by op, 1 if its name is in quotes, else 0.
        result_counts: by op, the number of values it defines.
        results: by op, the name of its results. Empty for a region header, since the op does not end there.
        use_counts: by op, the number of values it uses.
        uses: the names that the ops use, in order. Those of op k begin at ``use_starts[k]``.
        numbered: the positions in ``uses`` with a result number (``%0#1``), ascending, then the number of
            uses.
        numbers: these result numbers.
        op_starts, op_ends, location_starts: byte offsets. ``location_starts`` is NO_OFFSET without a
            location.
        templates: by op, the text after name and operands. In custom assembly IS_CUSTOM and all text from the
            name on, with ``%`` for each use. OPENS_REGION or NO_LOCATION follows if it applies.
    """

    def __init__(self, lines: OpLines) -> None:
        starts, ends = lines.starts[:-1], lines.starts[1:]
        if lines.is_op:
            starts, ends = list(compress(starts, lines.is_op)), list(compress(ends, lines.is_op))
        whole, indents, results, counts, quotes, self.names, operands, texts, locations = lines.columns
        self.is_generic = bytes(map(len, quotes))
        self.templates: list[bytes] = list(texts)
        self._add_uses(operands if all(quotes) else self._custom_uses(operands))
        self.result_counts: list[int] = list(map(bool, results))
        for op in compress(count(), counts):
            self.result_counts[op] = int(counts[op])
        self.results = results if all(locations) else self._marked(results, whole, locations)
        self.op_starts = array("q", list(map(add, starts, map(len, indents))))
        self.op_ends = array("q", [end - 1 for end in ends])
        before = [end - 2 for end in ends]  # the parenthesis of ``loc(...)`` and the line end come after it
        self.location_starts = array("q", list(map(sub, before, map(len, locations))))
        for op in compress(count(), map(not_, locations)):
            self.location_starts[op] = NO_OFFSET

    def _custom_uses(self, operands: Sequence[bytes]) -> list[bytes]:
        """Return the operands, including those of custom assembly, and turn custom texts into templates."""
        custom = [op for op, is_generic in enumerate(self.is_generic) if not is_generic]
        texts = b"\n".join(map(self.templates.__getitem__, custom))
        with_uses = list(operands)
        without_names = USE.sub(b"%", texts).split(b"\n")
        uses = b", ".join(_USE_OR_END.findall(texts)).replace(b", \n", b"\n").replace(b"\n, ", b"\n")
        for op, template, with_uses[op] in zip(custom, without_names, uses.split(b"\n"), strict=True):
            self.templates[op] = IS_CUSTOM + self.names[op] + template
        return with_uses

    def _add_uses(self, operands: Sequence[bytes]) -> None:
        listed = b", ".join(filter(None, operands))
        numbered = listed.split(b"#")
        self.use_counts = list(map(bytes.count, operands, repeat(b"%")))
        self.use_starts = list(accumulate(self.use_counts, initial=0))
        self.numbered = [uses - 1 for uses in accumulate(map(bytes.count, numbered[:-1], repeat(b"%")))]
        self.numbered.append(self.use_starts[-1])
        self.numbers = [int(text.partition(b",")[0][:9]) for text in numbered[1:]]
        self.uses = b"".join(map(bytes.lstrip, numbered, repeat(b"0123456789"))).split(b", ")

    def _marked(
        self, results: Sequence[bytes], lines: Sequence[bytes], locations: Sequence[bytes]
    ) -> list[bytes]:
        """Mark the templates of ops without a location. Return the result names, empty for region headers."""
        others = list(results)
        for op in compress(count(), map(not_, locations)):
            is_header = lines[op].endswith(_END_OF_HEADER)
            self.templates[op] += OPENS_REGION if is_header else NO_LOCATION
            if is_header:
                others[op] = b""
        return others


def _last_line_end(data: Text, offset: int, end: int) -> int:
    """Return the end of the last line of the chunk at ``offset``, or ``offset`` if a line is too long."""
    limit = min(offset + CHUNK_BYTES, end)
    if limit == end and b"\n" not in data[max(offset, end - 1) : end]:
        return end
    return max(data.rfind(b"\n", offset, limit) + 1, offset)
