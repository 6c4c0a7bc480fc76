"""The locations that MLIR prints after block arguments: ``%x: i32 {name = value} loc(...)``.

A ``loc(...)`` anywhere else, except at the end of an op, belongs to the op's own syntax or to an attribute.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from eio_audit.mlir.input.files import Text
from eio_audit.mlir.ir import IR
from eio_audit.mlir.source import Span
from eio_audit.mlir.tokens import closing_end, match_end

_NAME = re.compile(rb"%[\w$.-]++")
_COLON = re.compile(rb"\s*+:\s*+")
_ARROW = re.compile(rb"\s*+->\s*+")
_TYPE_NAME = re.compile(rb"!?+[A-Za-z_](?:-(?!>)|[\w$.]++)*+")
_DICTIONARY = re.compile(rb"\s*+(?=\{)")
_LOCATION = re.compile(rb"\s*+\bloc\s*+(?=\()")


def argument_locations(ir: IR, span: Span) -> list[Span]:
    """Return where the locations of the arguments that a span names are, with the blanks before them."""
    return list(_found(ir, span))


def _found(ir: IR, span: Span) -> Iterator[Span]:
    data, names = ir.source.data, ir.argument_names
    for offset in names[bisect_left(names, span.start) : bisect_left(names, span.end)]:
        start = _end_of_type(data, match_end(_NAME, data, offset), span.end)
        dictionary = _DICTIONARY.match(data, start, span.end)
        if dictionary is not None:
            start = closing_end(data, dictionary.end(), span.end)
        location = _LOCATION.match(data, start, span.end)
        if location is not None:
            yield Span(start, closing_end(data, location.end(), span.end))


def _end_of_type(data: Text, offset: int, end: int) -> int:
    """Return where the type of an argument ends whose name ends at ``offset``. There may be none."""
    before = _COLON.match(data, offset, end)
    while before is not None:
        offset = before.end()
        if data[offset : offset + 1] == b"(":
            offset = closing_end(data, offset, end)
            before = _ARROW.match(data, offset, end)
            continue
        offset = match_end(_TYPE_NAME, data, offset, end)
        return closing_end(data, offset, end) if data[offset : offset + 1] == b"<" else offset
    return offset
