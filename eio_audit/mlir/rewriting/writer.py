"""Writes a dump with the ops of some blocks in another order. Nothing is printed anew: pieces of text move.

A block's text is ``c0 s0 c1 s1 ... c(n-1)``: contents and separators in turn. A content is an op with the
comments that belong to it (comments.py); a separator is the white space between, and comments of no op.
The contents change places, the separators stay, so indentation, line ends and everything that is not moved
come out as they were, to the byte.

Only the stretches that change are looked at. Where their separators are all alike, as they mostly are, ops
that stay together are one piece of text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.comments import comment_lines, trailing_comment_end
from eio_audit.mlir.rewriting.pieces import BlockOrder, Stretch
from eio_audit.mlir.source import Span
from eio_audit.mlir.tokens import STRING

_UP_TO_COMMENT = re.compile(rb"(?:" + STRING + rb'|/(?!/)|[^"/]++)*+//')
_WORD_CHAR = re.compile(rb"[\w$.#-]")

_Text = list["bytes | memoryview | _Text"]
"""Pieces of text in turn, some of them in pieces themselves: what is nested is not copied at every level."""

_Edit = tuple[Span, _Text]
"""New text for a stretch of the dump."""

NEAR = 1 << 16
"""Bytes that are copied at one go rather than looked at here and there."""


def reorder(ir: IR, orders: Mapping[int, Sequence[int]]) -> bytes:
    """The dump's text with the ops of some blocks reordered; the rest unchanged.

    Args:
        ir: the dump.
        orders: by block; ``order[k]`` is the textual index, within the block, of the op placed k-th.

    Complexity: linear in the text, with little work but for what moves.
    """
    in_pieces = {block: BlockOrder.of(order) for block, order in orders.items()}
    moved = {block: order.moved_stretches for block, order in in_pieces.items()}
    around = _blocks_around(ir, moved)
    edits: dict[int, list[_Edit]] = {}  # by block: those inside its moved stretches; -1: inside of none
    for block in sorted(orders, reverse=True):  # inner blocks have larger numbers
        written = _Block(ir, block, in_pieces[block], edits.pop(block, []))
        edits.setdefault(around[block], []).extend(written.edits())
    return b"".join(
        _flat(_spliced(memoryview(ir.source.data), ir.span, sorted(edits.pop(-1, []), key=_start)))
    )


def _spliced(view: memoryview, span: Span, edits: Iterable[_Edit]) -> _Text:
    """The text of a span with some stretches replaced, which are given in turn and do not overlap."""
    pieces: _Text = []
    offset = span.start
    for stretch, new in edits:
        pieces += [view[offset : stretch.start], new]
        offset = stretch.end
    return [*pieces, view[offset : span.end]]


def _flat(text: _Text) -> Iterator[bytes | memoryview]:
    """The pieces of a text, none of them in pieces itself."""
    pending = [iter(text)]
    while pending:
        piece = next(pending[-1], None)
        if piece is None:
            pending.pop()
        elif isinstance(piece, list):
            pending.append(iter(piece))
        else:
            yield piece


def _blocks_around(ir: IR, moved: Mapping[int, Sequence[Stretch]]) -> dict[int, int]:
    """For each block the innermost one around it that has it in a moved stretch; -1 where none has."""
    around: dict[int, int] = {}
    for block in sorted(moved):
        op = next((op for op in ir.enclosing_ops(block) if ir.op_block[op] in moved), -1)
        outer = ir.op_block[op] if op >= 0 else -1
        is_inside = outer < 0 or _is_moved(bisect_left(ir.block_ops[outer], op), moved[outer])
        around[block] = outer if is_inside else around[outer]
    return around


def _is_moved(place: int, stretches: Sequence[Stretch]) -> bool:
    last = bisect_right(stretches, place, key=lambda stretch: stretch.places.start) - 1
    return last >= 0 and place in stretches[last].places


class _Block:
    """One block that is written in another order.

    Args:
        ir: the dump.
        block: which.
        order: as for ``reorder``.
        inner: the edits inside its moved stretches.
    """

    def __init__(self, ir: IR, block: int, order: BlockOrder, inner: list[_Edit]) -> None:
        self._data = ir.source.data
        self._view = memoryview(ir.source.data)
        self._start = max(ir.block_label[block], ir.region_start[ir.block_region[block]], ir.span.start)
        self._dump_end = ir.span.end
        self._starts = ir.of_block(block, ir.op_start)
        self._ends = ir.of_block(block, ir.op_end)
        self._order = order
        self._inner = sorted(inner, key=_start)

    def edits(self) -> Iterator[_Edit]:
        """What changes in the text."""
        others = []
        for stretch in self._order.moved_stretches:
            if self._is_evenly_spaced(stretch.places):
                yield self._with_what_is_behind(stretch)
            else:
                others.append(stretch)
        starts = {stretch.places.start for stretch in others}
        for stretch in others:
            separator = self._only_separator(stretch.places)
            if separator is None:
                yield self._with_its_separators(stretch.places)
            else:
                yield from self._kept_apart(stretch.places.start - 1)
                texts: _Text = []
                for piece in stretch.pieces:
                    texts += [self._pieces(*self._extent(piece)), separator]
                yield Span(*self._extent(stretch.places)), texts[:-1]
            if stretch.places.stop not in starts:
                yield from self._kept_apart(stretch.places.stop - 1)

    def _is_evenly_spaced(self, places: range) -> bool:
        """Whether there is one and the same line end around and between the ops of a stretch, no comment."""
        if not 0 < places.start < places.stop < len(self._order):
            return False
        separators = self._gaps(places.start - 1, places.stop)
        return len(separators) == 1 and all(_ends_line(s) and b"//" not in s for s in separators)

    def _gaps(self, first: int, last: int) -> set[bytes]:
        """All that stands between the ops at two places, from one to the next."""
        ends, starts = self._ends[first:last], self._starts[first + 1 : last + 1]
        offset = ends[0]
        if starts[-1] - offset > NEAR * len(ends):  # long ops: there may be others in them
            return {self._data[end:start] for end, start in zip(ends, starts, strict=True)}
        # Copied at one go: memory is read fastest in turn, and the gaps are few bytes far apart.
        text = self._data[offset : starts[-1]]
        return {text[end - offset : start - offset] for end, start in zip(ends, starts, strict=True)}

    def _with_what_is_behind(self, stretch: Stretch) -> _Edit:
        """The text of an evenly spaced stretch: each op but the last takes the separator behind it along."""
        texts: _Text = []
        *pieces, last = stretch.pieces
        for piece in pieces:
            texts.append(self._pieces(self._starts[piece.start], self._starts[piece.stop]))
        texts.append(self._pieces(*self._extent(last)))
        return Span(*self._extent(stretch.places)), texts

    def _only_separator(self, places: range) -> bytes | None:
        """What stands between any two ops of a stretch if that is the same, and no comments are around."""
        separators = self._gaps(places[0], places[-1])
        if len(separators) != 1:
            return None
        (separator,) = separators
        around = (self._data[slice(*self._gap(place))] for place in (places.start - 1, places.stop - 1))
        has_comment = any(b"//" in gap for gap in (separator, *around))
        return None if has_comment or not _ends_line(separator) else separator

    def _with_its_separators(self, places: range) -> _Edit:
        """The same stretch of text with its contents in the new order, each separator where it was."""
        before = places.start - 1
        content = self._content(self._order[before]) if before >= 0 else b""
        texts: _Text = []
        for place in places:
            separator, previous = self._separator(place - 1), content
            op = self._order[place]
            comments, content = self._data[slice(*self._comments(op))], self._content(op)
            if comments:  # on lines of their own above the op, which is indented as its place is
                above, _, indentation = separator.rpartition(b"\n")
                texts += [above, b"\n", comments, indentation, content]
            else:
                texts += [_apart(previous, separator, content), separator, content]
        return Span(self._content_end(before), self._content_end(places[-1])), texts

    def _kept_apart(self, place: int) -> Iterator[_Edit]:
        """What must be written before the separator behind a place, for what stands around it now."""
        separator = self._separator(place)
        if place < 0 or _ends_line(separator):
            return
        content, *following = map(self._content, self._order[place : place + 2])
        text = _apart(content, separator, b"".join(following))
        if text:
            start = self._content_end(place)
            yield Span(start, start), [text]

    def _extent(self, places: range) -> tuple[int, int]:
        """From the first op of several that stand together to the last, without comments around them."""
        return self._starts[places[0]], self._ends[places[-1]]

    def _gap(self, place: int) -> tuple[int, int]:
        """What is between the op at a place and the next one; behind the last op up to the line's end.

        Before the first op, at place -1, the comment lines above it.
        """
        if place < 0:
            return self._comments(0).start, self._starts[0]
        end = self._ends[place]
        if place + 1 < len(self._order):
            return end, self._starts[place + 1]
        return end, self._data.find(b"\n", end, self._dump_end) + 1 or self._dump_end

    def _separator(self, place: int) -> bytes:
        """The gap behind a place without the comments that belong to the ops around it."""
        start, end = self._content_end(place), self._gap(place)[1]
        if place + 1 == len(self._order):
            return self._data[start:end]
        comments = self._comments(place + 1)
        return self._data[start : comments.start] + self._data[comments.end : end]

    def _comments(self, place: int) -> Span:
        """The comment lines above the op at a place."""
        return comment_lines(self._data, self._ends[place - 1] if place else self._start, self._starts[place])

    def _content(self, place: int) -> bytes:
        """The op at a place, with the edits inside and the comment behind it."""
        return self._text(self._starts[place], self._content_end(place))

    def _content_end(self, place: int) -> int:
        """Where the op at a place ends, with the comment behind it.

        Before the first op, at place -1, the end of the line above it and its comments; if other text stands
        before it on its line, the end of that.
        """
        if place >= 0:
            return trailing_comment_end(self._data, self._ends[place], self._dump_end)
        start = self._comments(0).start
        line_end = self._data.rfind(b"\n", self._start, start)
        return line_end if line_end >= 0 and not self._data[line_end:start].strip() else start

    def _text(self, start: int, end: int) -> bytes:
        """The text of ops of a moved stretch, with the edits inside."""
        return b"".join(_flat(self._pieces(start, end)))

    def _pieces(self, start: int, end: int) -> _Text:
        if not self._inner:
            return [self._view[start:end]]
        inner = self._inner[
            bisect_left(self._inner, start, key=_start) : bisect_left(self._inner, end, key=_start)
        ]
        return _spliced(self._view, Span(start, end), inner)


def _start(edit: _Edit) -> int:
    return edit[0].start


def _apart(content: bytes, separator: bytes, following: bytes) -> bytes:
    """What must stand between a content and its separator, lest a comment or a word runs on."""
    if _ends_line(separator):
        return b""
    if (separator.lstrip(b" \t\r") or following) and _ends_with_comment(content):
        return b"\n"
    if not separator and _WORD_CHAR.match(content[-1:]) and _WORD_CHAR.match(following[:1]):
        return b" "
    return b""


def _ends_line(separator: bytes) -> bool:
    return separator.lstrip(b" \t\r").startswith(b"\n")


def _ends_with_comment(content: bytes) -> bool:
    return _UP_TO_COMMENT.match(content.rpartition(b"\n")[2]) is not None
