"""Writes a dump with the ops of some blocks in another order. Nothing is printed anew: pieces of text move.

A block's text is ``c0 s0 c1 s1 ... c(n-1)``: contents and separators in turn. A content is an op with the
comment behind it on its line and the comment lines right above it; a separator is the white space between.
The contents change places, the separators stay, so indentation, line ends and everything that is not moved
come out as they were, to the byte.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from eio_audit.mlir.ir import IR
from eio_audit.mlir.source import Span, Text

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
    for block in sorted(orders, reverse=True):  # inner blocks have larger numbers
        contents = _contents(ir, block)
        span = Span(contents[0].start, contents[-1].end)
        ops = ir.block_ops[block]
        texts = [_splice(ir, content, edits.pop(op, [])) for op, content in zip(ops, contents, strict=True)]
        separators = [ir.source.data[a.end : b.start] for a, b in pairwise(contents)]
        line_end = ir.source.data.find(b"\n", span.end, ir.span.end) + 1 or ir.span.end
        separators.append(ir.source.data[span.end : line_end])
        text = _join([texts[k] for k in orders[block]], separators)
        holder = next((op for op in ir.enclosing_ops(block) if ir.op_block[op] in orders), -1)
        edits.setdefault(holder, []).append((Span(span.start, line_end), text))
    return _splice(ir, ir.span, edits.pop(-1, []))


def _contents(ir: IR, block: int) -> list[Span]:
    """Where each op of the block lies, comments included."""
    data, contents = ir.source.data, list[Span]()
    floor = None
    for op in ir.block_ops[block]:
        start, end = ir.op_start[op], ir.op_end[op]
        comment = _TRAILING_COMMENT.match(data, end, ir.span.end)
        if floor is not None and (lead := _leading_comments(data, floor, start)) is not None:
            start = lead
        floor = end = comment.end() if comment else end
        contents.append(Span(start, end))
    return contents


def _leading_comments(data: Text, floor: int, start: int) -> int | None:
    """The start of the comment lines that stand right above an op, behind the op before it."""
    line_end = data.find(b"\n", floor, start)
    if line_end < 0 or b"//" not in data[line_end:start]:
        return None
    match = _COMMENT_LINES.search(data, line_end + 1, start)
    if match is None:
        return None
    return match.start() + len(match[0]) - len(match[0].lstrip())


def _splice(ir: IR, span: Span, edits: list[tuple[Span, bytes]]) -> bytes:
    """The text of a span with some stretches replaced."""
    pieces, offset = [], span.start
    for stretch, text in sorted(edits, key=lambda edit: edit[0].start):
        pieces += [ir.source.data[offset : stretch.start], text]
        offset = stretch.end
    return b"".join([*pieces, ir.source.data[offset : span.end]])


def _join(contents: list[bytes], separators: list[bytes]) -> bytes:
    """Contents and separators in turn, kept apart where a comment or a word would run on."""
    pieces = []
    for content, separator, following in zip(contents, separators, [*contents[1:], b""], strict=True):
        pieces += [content, separator]
        next_char = (separator.lstrip(b" \t\r") or following)[:1]
        if next_char not in (b"", b"\n") and _ends_with_comment(content):
            pieces[-1] = b"\n" + separator
        elif not separator and _WORD_CHAR.match(content[-1:]) and _WORD_CHAR.match(following[:1]):
            pieces.append(b" ")
    return b"".join(pieces)


def _ends_with_comment(content: bytes) -> bool:
    return _UP_TO_COMMENT.match(content.rpartition(b"\n")[2]) is not None
