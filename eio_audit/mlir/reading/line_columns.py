"""Split a chunk of lines with one regular expression into columns, and decide which lines are plain.

Nearly all lines of a dump are ops, generic or custom, with or without a location. The others open a region,
as ``%r = scf.if %c {`` does, or close one, as ``} else {`` and ``}) : () -> () loc(...)`` do. This module
does not decide whether a line is what it looks like.

The fast path may read the lines whose template the exact reader confirmed. A template is a line without value
names, operands and location. A dump of a million lines has a few dozen. The exact reader reads each template
once, between known lines.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, compress, count, repeat
from operator import add, itemgetter, not_, sub
from typing import TypeAlias
from weakref import WeakKeyDictionary

from eio_audit.mlir.ir import IR, NO_OFFSET, packed
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.reading.boundaries import Boundaries
from eio_audit.mlir.reading.builder import OpenOp
from eio_audit.mlir.source import Text
from eio_audit.mlir.tokens import ALIAS_NAME, OR_FAIL, STRING, SUFFIX_ID, all_but
from eio_audit.mlir.traits import OpTable

CHUNK_BYTES = 1 << 17
BARE_NAME = b"return"  # the only op in plain lines that is printed without its dialect
_LETTER = rb"[0-9A-Za-z_$.-]"  # the same as [\w$.-], but matched by a table
_NAME = rb"%(?:[0-9]++(?![0-9A-Za-z_$.])|[A-Za-z_$.-]" + _LETTER + rb"*+)"  # the same as VALUE
_VALUE = _NAME + rb"(?:#\d++)?"
_MORE_RESULTS = rb":[1-9]\d{0,3}+|, " + _NAME + rb"(?:, " + _NAME + OR_FAIL + rb")*+|"
"""``:2`` of ``%0:2``, and ``, %b`` of ``%a, %b``."""
_OPERANDS = rb"(?:#\d++(?=[,)])|[%0-9A-Za-z_$., -]++)*+"
"""Operands, or what only looks like them. ``_uses_of`` tells, for all ops of a chunk at once."""
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
    rb"^(([ \t]*+)(?>(" + _NAME + rb")(" + _MORE_RESULTS + rb") = |)"
    rb'(")?+((?(5)'
    + _LETTER
    + rb"++|(?:[A-Za-z_][\w$]*+\.[\w$.]*+|"
    + BARE_NAME
    + rb"(?![\w$.])|(?(3)(?!)|\}))))"
    rb'(?(5)"\((' + _OPERANDS + rb")\))"
    rb"((?(5)" + _TEXT + rb"|" + _TEXT_WITH_USES + rb"))"
    rb"(?:loc\((" + _ONLY_NAME + _LOCATION + rb")\)|)\n|.*+\n|.++)"
)
_ALIAS_LINE = rb"^((" + ALIAS_NAME + rb") = loc\((" + _LOCATION + rb")\)\n|.*+\n|.++)"
USE = pattern(_VALUE)
_LIST = pattern(_VALUE + rb"(?:, " + _VALUE + OR_FAIL + rb")*+")
_NUMBER_OF_USE = pattern(rb"#(\d{1,9})")
_USE_OR_END = pattern(_VALUE + rb"|\n")
CLOSING = b"}"  # replaces the op name in a line that closes a region
IS_CUSTOM = OPENS_REGION = b"\n"
NO_LOCATION = b"\n\n"
"""Marks of templates. Other parts of templates come from one line."""
_END_OF_HEADER = b"{\n"
LONGEST_TEMPLATE = 1 << 12
MOST_TEMPLATES = 1 << 16
FEWEST_JUDGED = 64
TEMPLATES_JUDGED = 8
"""The fewest lines per new template. To judge one costs as much as to read several lines."""
_SYMBOL_OR_NUMBER = pattern(
    rb"(?P<string>"
    + STRING
    + rb")|(?<![\w$.@])@"
    + SUFFIX_ID
    + rb"|(?P<number>(?<![\w$.@#!%^-])[0-9]++(?:[.x][0-9]++"
    + OR_FAIL
    + rb")*+(?:e[+-][0-9]++)?)"
)
"""A symbol, or a number with any sizes or fraction behind it: ``8x17``, ``1.5e-05``. No digits of a name."""
_IN_NAMES = bytes(byte for byte in range(256) if byte not in b"%, \n")
_ONES = bytes.maketrans(b"0123456789", b"1" * 10)
_VERDICTS: WeakKeyDictionary[OpTable, dict[bytes, bool]] = WeakKeyDictionary()
"""By op table, the exact reader's verdict on a template in which all symbols have one name, and numbers only
the digit 1."""
_OPS: WeakKeyDictionary[OpTable, dict[bytes, bool]] = WeakKeyDictionary()
"""The same by template as printed, which is faster to look up."""
_End: TypeAlias = tuple[str, bool, bool, bytes, bool]
"""A line that begins with a brace: its op's name and form, whether it is in a list, its text, if located."""
_END_VERDICTS: WeakKeyDictionary[OpTable, dict[_End, bool]] = WeakKeyDictionary()
"""The same for lines that may end a region."""
_BEFORE = b'"judge"() ({\n^bb0(%v: i1):\n'
_INSIDE = b'\n"judge.inside"() : () -> ()\n'
_AFTER = b"\n}) : () -> ()"
_UNKNOWN_LOCATION = b"loc(unknown)"


class Line:
    """The columns of a row of ``OpLines``: the groups of the pattern. A missing group is empty."""

    GROUPS = range(9)
    LINE, INDENT, RESULT, MORE_RESULTS, QUOTE, NAME, OPERANDS, TEXT, LOCATION = GROUPS


class LineChunk:
    """The lines of one chunk of a dump. The pattern has an alternative that matches all other lines."""

    def __init__(self, data: Text, offset: int, end: int, pattern: bytes) -> None:
        chunk_end = _last_line_end(data, offset, end)
        # By line, the pattern's groups. The first group is the whole line with its line end.
        self.rows: list[tuple[bytes, ...]] = []
        if chunk_end > offset:
            self.rows = re.compile(pattern, re.MULTILINE).findall(data, offset, chunk_end)
        # The offset of each line, then the offset of the next chunk.
        self.starts = list(accumulate(map(len, map(itemgetter(Line.LINE), self.rows)), initial=offset))
        self.others = [len(self.rows)]  # the lines that are not plain, ascending, then the number of lines

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

    Without a location, an op ends at its line end, or behind its last region, only if the next line shows it.
    """

    def __init__(self, data: Text, offset: int, end: int) -> None:
        super().__init__(data, offset, end, _LINE)
        rows, name = self.rows, Line.NAME
        self.region_lines: list[int] = []  # the lines that open or close regions, ascending
        self.is_op = bytearray()  # by line, 1 if an op begins in it; empty if every line is an op
        # By line, the number of ops that begin before it. One entry more than there are lines.
        self.places: Sequence[int] = range(len(rows) + 1)
        self.columns: list[Sequence[bytes]] = []  # by group, the values for each op
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
            opens_or_ends = row[Line.LOCATION] or row[Line.LINE].endswith(_END_OF_HEADER)
            may_end = opens_or_ends or (line + 1 < len(rows) and rows[line + 1][name])
            if not row[name] or not may_end:
                others.append(line)
            elif opens_or_ends or row[name] == CLOSING:
                self.region_lines.append(line)
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
    """The ops of the lines that a pattern has split, by column. ``names`` are the op names as printed."""

    def __init__(self, lines: OpLines) -> None:
        starts, ends = lines.starts[:-1], lines.starts[1:]
        if lines.is_op:
            starts, ends = list(compress(starts, lines.is_op)), list(compress(ends, lines.is_op))
        whole, indents, results, several, quotes, self.names, operands, texts, locations = lines.columns
        self.is_generic = bytes(map(len, quotes))  # by op, 1 if its name is in quotes, else 0
        # By op, the text after name and operands. In custom assembly IS_CUSTOM and all text from
        # the name on, with `%` for each use. OPENS_REGION or NO_LOCATION follows if it applies.
        self.templates: list[bytes] = list(texts)
        self._add_uses(lines, operands if all(quotes) else self._custom_uses(operands))
        self.result_counts: list[int] = list(map(bool, results))  # by op, the number of values it defines
        self.more_results: dict[int, list[bytes]] = {}  # by op with several names, those after the first
        for op, more in zip(compress(count(), several), filter(None, several), strict=True):
            if more.startswith(b":"):
                self.result_counts[op] = int(more[1:])
            else:
                self.more_results[op] = more.split(b", ")[1:]
                self.result_counts[op] += len(self.more_results[op])
        # By op, the first name of its results. Empty for a region header, since the op does not end there.
        self.results = results if all(locations) else self._marked(results, whole, locations)
        self.op_starts = packed("q", [*map(add, starts, map(len, indents))])  # byte offsets
        self.op_ends = packed("q", [end - 1 for end in ends])
        before = [end - 2 for end in ends]  # the parenthesis of ``loc(...)`` and the line end come after it
        self.location_starts = packed("q", [*map(sub, before, map(len, locations))])  # or NO_OFFSET
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

    def _add_uses(self, lines: OpLines, operands: Sequence[bytes]) -> None:
        uses, lists = _uses_of(operands), list(filter(None, operands))
        if not (uses.count(b"%") == uses.count(b"\n%") == len(lists)) or b"," in uses or b" " in uses:
            operands = _only_lists(lines, operands)
            uses, lists = _uses_of(operands), list(filter(None, operands))
        listed = b", ".join(lists)
        numbered = listed.split(b"#")
        # By op, how many values it uses. One pass over all is faster than ``bytes.count`` for each.
        self.use_counts = list(map(len, uses.split(b"\n")[1:]))
        self.use_starts = list(accumulate(self.use_counts, initial=0))  # by op, where they begin in `uses`
        # The positions in `uses` with a result number (`%0#1`), ascending, then the number of uses.
        self.numbered = [uses - 1 for uses in accumulate(map(bytes.count, numbered[:-1], repeat(b"%")))]
        self.numbered.append(self.use_starts[-1])
        self.numbers = list(map(int, _NUMBER_OF_USE.findall(listed)))  # these result numbers
        # The names that the ops use, in order.
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


def _only_lists(lines: OpLines, operands: Sequence[bytes]) -> list[bytes]:
    """Return the operands by op, but none for those that are no list of names. Refuse the lines of these."""
    line_of, lists = lines.lines_of_ops(), list(operands)
    no_lists = [op for op, text in enumerate(operands) if text and not _LIST.fullmatch(text)]
    lines.refuse(map(line_of.__getitem__, no_lists))
    for op in no_lists:
        lists[op] = b""
    return lists


def _uses_of(operands: Sequence[bytes]) -> bytes:
    """Return, after a line end for each op, ``%`` for the value it uses first and ``+`` for each other.

    If some operands are no list of names, there are other bytes, or not each op with operands has one ``%``,
    at its start.
    """
    return b"\n".join([b"", *operands]).translate(None, _IN_NAMES).replace(b", %", b"+")


def _last_line_end(data: Text, offset: int, end: int) -> int:
    """Return the end of the last line of the chunk at ``offset``, or ``offset`` if a line is too long."""
    limit = min(offset + CHUNK_BYTES, end)
    if limit == end and b"\n" not in data[max(offset, end - 1) : end]:
        return end
    return max(data.rfind(b"\n", offset, limit) + 1, offset)


def _general(template: bytes) -> bytes:
    """Return one template for all that differ only in the names of symbols and in the digits of numbers."""
    return _SYMBOL_OR_NUMBER.sub(_any_symbol_or_number, template)


def _any_symbol_or_number(match: re.Match[bytes]) -> bytes:
    number: bytes = match["number"]
    return number.translate(_ONES) if number else match["string"] or b"@s"


class LineTemplates:
    """The exact reader's verdict on each template. All dumps read with one op table share the verdicts.

    ``read_exactly`` reads a text line by line and returns None if the text is damaged.
    """

    def __init__(
        self, read_exactly: Callable[[bytes], IR | None], text: Boundaries, op_table: OpTable
    ) -> None:
        self._read_exactly = read_exactly
        self._text = text
        self._ops = _OPS.setdefault(op_table, {})
        self._verdicts = _VERDICTS.setdefault(op_table, {})
        self._end_verdicts = _END_VERDICTS.setdefault(op_table, {})
        self._ends: dict[_End, bool] = {}
        self._ends_seen = 0

    def refuse_others(self, lines: OpLines, columns: LineColumns) -> None:
        """Refuse the lines that look like an op or a region header but are not."""
        templates = columns.templates
        if all(map(self._ops.get, templates)):
            return
        if len(self._ops) > MOST_TEMPLATES:
            self._ops.clear()
        if len(self._verdicts) > MOST_TEMPLATES:
            self._verdicts.clear()
        new = [template for template in dict.fromkeys(templates) if template not in self._ops]
        can_judge = FEWEST_JUDGED + len(templates) // TEMPLATES_JUDGED
        for template in new:
            general = _general(template) if len(template) <= LONGEST_TEMPLATE else b""
            if general and general not in self._verdicts and can_judge:
                can_judge -= 1
                self._verdicts[general] = self._is_op(general)
            if not general or general in self._verdicts:
                self._ops[template] = bool(general) and self._verdicts[general]
        line_of = lines.lines_of_ops()
        lines.refuse(line_of[op] for op, template in enumerate(templates) if not self._ops.get(template))

    def _is_op(self, template: bytes) -> bool:
        has_location = not template.endswith(NO_LOCATION)
        line = template.removesuffix(OPENS_REGION if has_location else NO_LOCATION)
        if line.startswith(IS_CUSTOM):
            line = line.removeprefix(IS_CUSTOM).replace(b"%", b"%v")
        else:
            line = b'"judge.op"()' + line
        if not has_location:
            return self._is_one_op(line, None, _INSIDE)
        if template.endswith(OPENS_REGION):
            return self._opens_region(line)
        return self._is_one_op(line + _UNKNOWN_LOCATION, b"unknown", b"")

    def _is_one_op(self, line: bytes, location: bytes | None, below: bytes) -> bool:
        ir = self._read_exactly(_BEFORE + line + below + _AFTER)
        return (
            ir is not None
            and len(ir) == 2 + bool(below)
            and list(ir.region_op) == [-1, 0]
            and ir.text(1) == line
            and ir.location_text(1) == location
            and len(ir.operands) == line.count(b"%")
        )

    def _opens_region(self, line: bytes) -> bool:
        """Whether a line is the header of one op and ends with the brace of its first region.

        False if the header names arguments of the region, since these depend on what is visible.
        """
        end = (b")" if opens_list(line) else b"") + b" : () -> ()" * line.startswith(b'"')
        ir = self._read_exactly(_BEFORE + line + _INSIDE + b"}" + end + _AFTER)
        return (
            ir is not None
            and len(ir) == 3
            and list(ir.region_op) == [-1, 0, 1]
            and ir.region_start[2] == len(_BEFORE) + len(line) - 1
            and ir.op_start[1] == len(_BEFORE)
            and -1 - ir.op_block[2] not in ir.value_owner
            and len(ir.operands) == line.count(b"%")
        )

    def ends_region(self, row: tuple[bytes, ...], current: OpenOp) -> bool:
        """Whether a line that begins with a brace closes a region, and ends its op or opens its next region.

        False if the line names values between the braces, since these may be arguments of the next region.
        """
        text, has_location = row[Line.TEXT], bool(row[Line.LOCATION])
        if row[Line.RESULT] or b"%" in text or len(current.brackets) != current.in_region_list:
            return False
        key = (current.name, current.is_generic, current.in_region_list, text, has_location)
        verdict = self._ends.get(key)
        self._ends_seen += 1
        if verdict is None:
            if len(self._ends) > min(FEWEST_JUDGED + self._ends_seen // TEMPLATES_JUDGED, MOST_TEMPLATES):
                return False
            verdict = self._ends[key] = len(text) <= LONGEST_TEMPLATE and self._is_known_end(key)
        return verdict

    def _is_known_end(self, key: _End) -> bool:
        if key not in self._end_verdicts:
            if len(self._end_verdicts) > MOST_TEMPLATES:
                self._end_verdicts.clear()
            self._end_verdicts[key] = self._is_end(*key)
        return self._end_verdicts[key]

    def _is_end(self, name: str, is_generic: bool, in_list: bool, text: bytes, has_location: bool) -> bool:
        header = (b'"judge.op"(' if is_generic else name.encode()) + (b" ({" if in_list else b" {")
        end = b"}" + (b")" if in_list else b"") + b" : () -> ()" * is_generic
        before = _BEFORE + header + _INSIDE
        line = b"}" + text + (_UNKNOWN_LOCATION if has_location else b"")
        opens_next = not has_location and text.endswith(b"{")
        below = _INSIDE + end if opens_next else b"" if has_location else _INSIDE
        ir = self._read_exactly(before + line + below + _AFTER)
        regions = [-1, 0, 1, 1] if opens_next else [-1, 0, 1]
        if ir is None or list(ir.region_op) != regions or len(ir) != 3 + bool(below):
            return False
        if ir.operands or ir.late_operands or ir.region_end[2] != len(before):
            return False
        line_end = len(before) + len(line)
        if opens_next:
            return ir.region_start[3] == line_end - 1
        return ir.op_end[1] == line_end and ir.location_text(1) == (b"unknown" if has_location else None)

    def region_follows(self, lines: OpLines, line: int, name: bytes) -> bool:
        """Whether the text below a line shows that the brace at its end opens a region of op ``name``.

        In generic form the brace cannot open anything else.
        """
        if line + 1 < len(lines.rows):
            below = lines.rows[line + 1]
            if below[Line.QUOTE] or below[Line.RESULT] or below[Line.TEXT].startswith(b" %"):
                return True
        dialect = name.partition(b".")[0].decode()
        return self._text.region(lines.starts[line + 1] - 1, dialect, has_arguments=False)


def opens_list(header: bytes) -> bool:
    """Whether the brace at the end of an op's header is the first in a list of regions."""
    return header[:-1].rstrip().endswith(b"(")
