"""The text around the ops: their comments, the locations of arguments, and what belongs to no op.

The comments of an op are after it on its line, and on the lines directly above it. These lines contain only
comments, and no blank line separates them from the op. A comment above a blank line, a block label or a
closing brace belongs to no op.

MLIR prints locations after block arguments: ``%x: i32 {name = value} loc(...)``. A ``loc(...)`` anywhere
else, except at the end of an op, belongs to the op's own syntax or to an attribute.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from eio_audit.mlir.aliases import without_definitions
from eio_audit.mlir.files import Text
from eio_audit.mlir.ir import IR
from eio_audit.mlir.source import Span
from eio_audit.mlir.tokens import COMMENT, FILE_METADATA, VALUE, VALUE_NAME, closing_end, match_end

_BLANKS = re.compile(rb"[ \t]*+")
_COMMENT = re.compile(rb"[ \t]*+//(?! ?-----)[^\r\n]*+\r?+\n")
"""A line that is only a comment. ``// -----`` splits a file or begins a marker."""
_COMMENT_LINE = re.compile(rb"\n[ \t]*+//")
_TRAILING_COMMENT = re.compile(rb"[ \t]*+" + COMMENT)

_COLON = re.compile(rb"\s*+:\s*+")
_ARROW = re.compile(rb"\s*+->\s*+")
_TYPE_NAME = re.compile(rb"!?+[A-Za-z_](?:-(?!>)|[\w$.]++)*+")
_DICTIONARY = re.compile(rb"\s*+(?=\{)")
_LOCATION = re.compile(rb"\s*+\bloc\s*+(?=\()")
_USUAL_ARGUMENT = re.compile(
    VALUE + rb": [A-Za-z]\w*+(?:<\w*+>)?(?: \{[\w$. =#]++(?:<\w*+>)?\})?"
    rb'(?P<location> loc\((?:"[^"\\\n]*+"|#[\w$-]++)\))'
)
"""An argument as a printer writes most: its name, type, perhaps an attribute, and its location."""

_UNREAD = re.compile(
    rb"^[ \t]*+(?:(?:[A-Za-z_][\w$]*+\.[\w$.]*+(?=[ \t(<{\[@]|\r?$)|func (?:\w++ )?@)[^\n]*+"
    rb"(?:\n[ \t]++\S[^\n]*+)*|\{-#[^\n]*+(?:\n[^\n]*+)*)",
    re.MULTILINE,
)
"""A line that begins like an op, with indented lines below it, or metadata that is not closed.

A compiler's log has few such lines."""


def comment_lines(data: Text, floor: int, op_start: int) -> Span:
    """Return the whole comment lines directly above an op, or an empty span before the op.

    ``floor`` is where the text before the op ends. The search stops there.
    """
    end = start = data.rfind(b"\n", floor, op_start) + 1
    blanks = _BLANKS.match(data, end, op_start)
    if not end or blanks is None or blanks.end() < op_start:
        return Span(op_start, op_start)
    while start > floor:
        line = data.rfind(b"\n", floor, start - 1) + 1 or floor
        is_whole = line == 0 or data[line - 1 : line] == b"\n"
        if not is_whole or not _COMMENT.match(data, line, start):
            break
        start = line
    return Span(start, end) if start < end else Span(op_start, op_start)


def comments_above(ir: IR) -> dict[int, bytes]:
    """Return the comment lines directly above each op that has any."""
    data, comments, looked_at = ir.source.data, {}, -1
    for line in _COMMENT_LINE.finditer(data, ir.span.start, ir.span.end):
        op = bisect_left(ir.op_start, line.end())
        if op == looked_at or op == len(ir):
            continue
        looked_at = op
        lines = comment_lines(data, ir.span.start, ir.op_start[op])
        if lines.start < lines.end:
            comments[op] = data[lines.start : lines.end]
    return comments


def own_header(ir: IR, block: int) -> bytes:
    """Return a block's label and arguments, and comments below that belong to no op. Empty without label."""
    start, end = ir.header_span(block)
    if start < end and ir.block_ops[block]:
        end = comment_lines(ir.source.data, start, end).start
    return ir.source.data[start:end].rstrip()


def trailing_comment_end(data: Text, op_end: int, end: int) -> int:
    """Return where the comment after an op on its line ends, or ``op_end`` if none is before ``end``."""
    comment = _TRAILING_COMMENT.match(data, op_end, end)
    return comment.end() if comment else op_end


def argument_locations(ir: IR, span: Span) -> list[Span]:
    """Return where the locations of the arguments that a span names are, with the blanks before them."""
    return [location for location in locations_of_arguments(ir, span) if location is not None]


def locations_of_arguments(ir: IR, span: Span) -> list[Span | None]:
    """Return the same for each argument that a span names; None for one without a location."""
    data, names, found = ir.source.data, ir.argument_names, list[Span | None]()
    for offset in names[bisect_left(names, span.start) : bisect_left(names, span.end)]:
        if usual := _USUAL_ARGUMENT.match(data, offset, span.end):
            found.append(Span(*usual.span("location")))
            continue
        start = _end_of_type(data, match_end(VALUE_NAME, data, offset), span.end)
        dictionary = _DICTIONARY.match(data, start, span.end)
        if dictionary is not None:
            start = closing_end(data, dictionary.end(), span.end)
        location = _LOCATION.match(data, start, span.end)
        found.append(location and Span(start, closing_end(data, location.end(), span.end)))
    return found


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


def meaning_outside_ops(ir: IR) -> list[bytes]:
    """Return the metadata of a dump, and the lines at top level that may be ops which were not read."""
    found = []
    for text in gaps(ir):
        found += FILE_METADATA.findall(text)
        rest = FILE_METADATA.sub(b"", text)
        if _UNREAD.search(rest):
            found += [line.strip() for line in _UNREAD.findall(without_definitions(rest)[1])]
    return found


def gaps(ir: IR) -> list[bytes]:
    """Return the texts before, between and after the ops at top level. These never move."""
    ops = ir.block_ops[0] if ir.block_count else ()
    starts = [ir.span.start, *(ir.op_end[op] for op in ops)]
    ends = [*(ir.op_start[op] for op in ops), ir.span.end]
    return [ir.source.data[start:end] for start, end in zip(starts, ends, strict=True)]
