"""The comments that belong to an op: after it on its line, and on the lines directly above it.

These lines contain only comments, and no blank line separates them from the op. A comment above a blank line,
a block label or a closing brace belongs to no op.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from eio_audit.mlir.input.files import Text
from eio_audit.mlir.ir import IR, NO_OFFSET
from eio_audit.mlir.source import Span

_BLANKS = re.compile(rb"[ \t]*+")
_COMMENT = re.compile(rb"[ \t]*+//(?! ?-----)")
"""A comment at a line start. ``// -----`` splits a file or begins a marker."""
_COMMENT_LINE = re.compile(rb"\n[ \t]*+//")
_TRAILING_COMMENT = re.compile(rb"[ \t]*+//[^\r\n]*")


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
    data, label, ops = ir.source.data, ir.block_label[block], ir.block_ops[block]
    if label == NO_OFFSET:
        return b""
    if ops:
        return data[label : comment_lines(data, label, ir.op_start[ops[0]]).start].rstrip()
    region = ir.block_region[block]
    is_last = block + 1 == ir.block_count or ir.block_region[block + 1] != region
    return data[label : ir.region_end[region] if is_last else ir.block_label[block + 1]].rstrip()


def trailing_comment_end(data: Text, op_end: int, end: int) -> int:
    """Return where the comment after an op on its line ends, or ``op_end`` if none is before ``end``."""
    comment = _TRAILING_COMMENT.match(data, op_end, end)
    return comment.end() if comment else op_end
