"""Writes a dump with the ops of some blocks in another order. Nothing is printed anew: pieces of text move.

A block's text is ``c0 s0 c1 s1 ... c(n-1)``: contents and separators in turn. A content is an op with the
comment behind it on its line and the comment lines right above it; a separator is the white space between.
The contents change places, the separators stay, so indentation, line ends and everything that is not moved
come out as they were, to the byte.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import chain, compress, islice

from eio_audit.mlir.ir import IR
from eio_audit.mlir.source import Span, Text, splice

_TRAILING_COMMENT = re.compile(rb"[ \t]*+//[^\r\n]*")
_COMMENT_LINES = re.compile(rb"(?:[ \t]*//[^\r\n]*\r?\n)++[ \t]*\Z")
_UP_TO_COMMENT = re.compile(rb'(?:[^"/]|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"|/(?!/))*+//')
_WORD_CHAR = re.compile(rb"[\w$.#-]")


def reorder(ir: IR, orders: Mapping[int, Sequence[int]]) -> bytes:
    """The dump's text with the ops of some blocks reordered; the rest unchanged.

    Args:
        ir: the dump.
        orders: by block; ``order[k]`` is the textual index, within the block, of the op placed k-th.

    Complexity: linear in the text, whatever the nesting.
    """
    edits: dict[int, list[tuple[Span, bytes]]] = {}  # by op: new text for stretches inside it
    data = ir.source.data
    for block in sorted(orders, reverse=True):  # inner blocks have larger numbers
        ops = ir.block_ops[block]
        contents, separators = _contents_and_separators(ir, ops)
        texts = [data[start:end] for start, end in contents]
        for op in edits.keys() & set(ops) if edits else ():
            k = bisect_left(ops, op)
            texts[k] = splice(data, Span(*contents[k]), edits.pop(op))
        text = _join([texts[k] for k in orders[block]], separators)
        end = contents[-1][1] + len(separators[-1])
        holder = next((op for op in ir.enclosing_ops(block) if ir.op_block[op] in orders), -1)
        edits.setdefault(holder, []).append((Span(contents[0][0], end), text))
    return splice(data, ir.span, edits.pop(-1, []))


def _contents_and_separators(ir: IR, ops: array[int]) -> tuple[list[tuple[int, int]], list[bytes]]:
    """Where each op of a block lies, comments included, and what stands behind each, up to a line's end."""
    data = ir.source.data
    starts, ends = [ir.op_start[op] for op in ops], [ir.op_end[op] for op in ops]
    line_end = data.find(b"\n", ends[-1], ir.span.end) + 1 or ir.span.end
    starts.append(line_end)
    gaps = [data[end:start] for end, start in zip(ends, islice(starts, 1, None), strict=True)]
    has_comment = {gap: b"//" in gap for gap in set(gaps)}
    for k in compress(range(len(ops)), map(has_comment.__getitem__, gaps)):
        comment = _TRAILING_COMMENT.match(data, ends[k], ir.span.end)
        ends[k] = comment.end() if comment else ends[k]
        lead = _leading_comments(data, ends[k], starts[k + 1]) if k + 1 < len(ops) else None
        starts[k + 1] = starts[k + 1] if lead is None else lead
        gaps[k] = data[ends[k] : starts[k + 1]]
    return list(zip(starts, ends, strict=False)), gaps


def _leading_comments(data: Text, floor: int, start: int) -> int | None:
    """The start of the comment lines that stand right above an op, behind the op before it."""
    line_end = data.find(b"\n", floor, start)
    if line_end < 0 or b"//" not in data[line_end:start]:
        return None
    match = _COMMENT_LINES.search(data, line_end + 1, start)
    if match is None:
        return None
    return match.start() + len(match[0]) - len(match[0].lstrip())


def _join(contents: list[bytes], separators: list[bytes]) -> bytes:
    """Contents and separators in turn, kept apart where a comment or a word would run on."""
    pieces = list(chain.from_iterable(zip(contents, separators, strict=True)))
    ends_line = {separator: separator.lstrip(b" \t\r").startswith(b"\n") for separator in set(separators)}
    for k, separator in enumerate(separators):
        if ends_line[separator]:
            continue
        content, following = contents[k], contents[k + 1] if k + 1 < len(contents) else b""
        if (separator.lstrip(b" \t\r") or following) and _ends_with_comment(content):
            pieces[2 * k + 1] = b"\n" + separator
        elif not separator and _WORD_CHAR.match(content[-1:]) and _WORD_CHAR.match(following[:1]):
            pieces[2 * k + 1] = b" "
    return b"".join(pieces)


def _ends_with_comment(content: bytes) -> bool:
    return _UP_TO_COMMENT.match(content.rpartition(b"\n")[2]) is not None
