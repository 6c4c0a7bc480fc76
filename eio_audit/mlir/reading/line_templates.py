"""Decide which lines the fast path may read: those whose template the exact reader confirmed.

A template is a line without value names, operands and location. A dump of a million lines has a few dozen.
The exact reader reads each template once, between known lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from typing import TypeAlias
from weakref import WeakKeyDictionary

from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.boundaries import Boundaries
from eio_audit.mlir.reading.builder import OpenOp
from eio_audit.mlir.reading.line_columns import (
    IS_CUSTOM,
    NO_LOCATION,
    OPENS_REGION,
    Line,
    LineColumns,
    OpLines,
)
from eio_audit.mlir.tokens import STRING, SUFFIX_ID
from eio_audit.mlir.traits import OpTable

LONGEST_TEMPLATE = 1 << 12
MOST_TEMPLATES = 1 << 16
FEWEST_JUDGED = 64
TEMPLATES_JUDGED = 8
"""The fewest lines per new template. To judge one costs as much as to read several lines."""

_SYMBOL = re.compile(rb"(" + STRING + rb")|(?<![\w$.@])@" + SUFFIX_ID)

_VERDICTS: WeakKeyDictionary[OpTable, dict[bytes, bool]] = WeakKeyDictionary()
"""By op table, the exact reader's verdict on a template in which all symbols have one name."""

_OPS: WeakKeyDictionary[OpTable, dict[bytes, bool]] = WeakKeyDictionary()
"""The same by template as printed, which is faster to look up."""

_End: TypeAlias = tuple[str, bool, bool, bytes, bool]
"""A line that begins with a brace: its op's name and form, whether it is in a list, its text, if located."""

_END_VERDICTS: WeakKeyDictionary[OpTable, dict[_End, bool]] = WeakKeyDictionary()
"""The same for lines that may end a region."""

_BEFORE = b'"judge"() ({\n^bb0(%v: i1):\n'
_INSIDE = b'\n"judge.inside"() : () -> ()\n'
_AFTER = b"\n}) : () -> ()"
_LOCATION = b"loc(unknown)"


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
        for template in islice(new, FEWEST_JUDGED + len(templates) // TEMPLATES_JUDGED):
            self._ops[template] = len(template) <= LONGEST_TEMPLATE and self._is_op_for_any_symbol(template)
        line_of = lines.lines_of_ops()
        lines.refuse(line_of[op] for op, template in enumerate(templates) if not self._ops.get(template))

    def _is_op_for_any_symbol(self, template: bytes) -> bool:
        """Judge all lines that differ only in symbol names at once. Function headers are such lines."""
        general = _SYMBOL.sub(lambda match: match[1] or b"@s", template)
        if general not in self._verdicts:
            self._verdicts[general] = self._is_op(general)
        return self._verdicts[general]

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
        return self._is_one_op(line + _LOCATION, b"unknown", b"")

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
        line = b"}" + text + (_LOCATION if has_location else b"")
        ir = self._read_exactly(before + line + (b"" if has_location else _INSIDE + end) + _AFTER)
        regions = [-1, 0, 1] if has_location else [-1, 0, 1, 1]
        if ir is None or list(ir.region_op) != regions or len(ir) != len(regions):
            return False
        if ir.operands or ir.late_operands or ir.region_end[2] != len(before):
            return False
        line_end = len(before) + len(line)
        if has_location:
            return ir.op_end[1] == line_end and ir.location_text(1) == b"unknown"
        return ir.region_start[3] == line_end - 1

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
