"""Rewrite a dump: move the ops of some blocks, rename its values, or write other locations.

Nothing is printed anew; parts of the text move. The text of a block is ``c0 s0 c1 s1 ... c(n-1)``: contents
and separators alternate. A content is an op with its comments. A separator is white space and comments that
belong to no op. Contents move and separators stay. So indentation, line ends and everything that does not
move stay the same, to the byte.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, count
from operator import itemgetter

from eio_audit.mlir.ir import IR
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.reading.boundaries import comment_lines, trailing_comment_end
from eio_audit.mlir.reading.builder import Mentions
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.source import Source, Span, splice
from eio_audit.mlir.tokens import STRING, TRIVIA, VALUE_NAME, match_end
from eio_audit.mlir.traits import OpTable

_UP_TO_COMMENT = pattern(rb"(?:" + STRING + rb'|/(?!/)|[^"/]++)*+//')
_WORD_CHAR = pattern(rb"[\w$.#-]")
_MOST_DIGITS = 18
Permuted = tuple[range, Sequence[range]]
"""A range of places in a block, and the textual indices of its ops in their new order."""
_Edit = tuple[Span, Sequence[Span | bytes]]
"""A span of the dump and its replacement: new text, and spans of the old text with the edits inside them."""
Orders = Mapping[int, Sequence[int]]


def reorder(ir: IR, permuted: Mapping[int, Sequence[Permuted]]) -> bytes:
    """Return the dump's text with the ops of some blocks reordered. The rest is unchanged.

    ``permuted`` has, by block, the place ranges whose ops change, first to last.

    Complexity: O(n + m log m) for n bytes and m edits.
    """
    edits = sorted(
        (edit for block, ranges in permuted.items() for edit in _Block(ir, block, ranges).edits()),
        key=itemgetter(0),
    )
    starts = [span.start for span, _ in edits]
    data = memoryview(ir.source.data)
    text: list[bytes | memoryview] = []
    pending: list[tuple[Span | bytes, int]] = [(ir.span, 0)]  # each with the number of the first edit inside
    while pending:
        part, first = pending.pop()
        if isinstance(part, bytes):
            text.append(part)
            continue
        edit = bisect_left(starts, part.start, first)
        if edit == len(edits) or starts[edit] >= part.end:
            text.append(data[part.start : part.end])
            continue
        span, new = edits[edit]
        text.append(data[part.start : span.start])
        pending.append((Span(span.end, part.end), edit + 1))
        pending += [(new_part, edit + 1) for new_part in reversed(new)]
    return b"".join(text)


class _Block:
    """One block to write in another order. Its ops are numbered by their textual index in the block."""

    def __init__(self, ir: IR, block: int, permuted: Sequence[Permuted]) -> None:
        self._data = ir.source.data
        self._start = max(ir.block_label[block], ir.region_start[ir.block_region[block]], ir.span.start)
        self._dump_end = ir.span.end
        self._starts = ir.of_block(block, ir.op_start)
        self._ends = ir.of_block(block, ir.op_end)
        self._permuted = permuted
        self._order = list(range(len(self._starts)))
        for places, runs in permuted:
            self._order[places.start : places.stop] = chain.from_iterable(runs)

    def edits(self) -> Iterator[_Edit]:
        bounds, written = set[int](), set[int]()
        for places, runs in self._permuted:
            bounds |= {places.start - 1, places.stop - 1}
            separator = self._only_separator(places)
            if separator is None:
                yield self._with_its_separators(places)
                written.add(places.start - 1)
            else:
                parts = [part for run in runs for part in (separator, self._extent(run))]
                yield self._extent(places), parts[1:]
        for place in bounds - written:
            yield from self._kept_apart(place)

    def _only_separator(self, places: range) -> bytes | None:
        """Return the separator of a range if all are the same line end without comments, else None."""
        data, first, last = self._data, places[0], places[-1]
        gaps = zip(self._ends[first:last], self._starts[first + 1 : last + 1], strict=True)
        separator, *others = {data[end:start] for end, start in gaps}
        around = [self._data[slice(*self._gap(place))] for place in (places.start - 1, places.stop - 1)]
        has_comment = any(b"//" in gap for gap in (separator, *around))
        return None if others or has_comment or not _ends_line(separator) else separator

    def _with_its_separators(self, places: range) -> _Edit:
        """Return the same range of text with its contents in the new order. Separators keep their places."""
        before = places.start - 1
        content = self._content(self._order[before]) if before >= 0 else b""
        parts: list[Span | bytes] = []
        for place in places:
            separator, previous, op = self._separator(place - 1), content, self._order[place]
            comments, content = self._data[slice(*self._comments(op))], self._content(op)
            if comments:  # on lines of their own above the op, indented as its place
                above, _, indentation = separator.rpartition(b"\n")
                if indentation.strip(b" \t"):  # a comment that is none of the op's
                    above, indentation = separator + b"\n", b""
                parts += [above, b"\n", comments, indentation]
            else:
                parts += [_apart(previous, separator, content), separator]
            parts.append(Span(self._starts[op], self._content_end(op)))
        return Span(self._content_end(before), self._content_end(places[-1])), parts

    def _kept_apart(self, place: int) -> Iterator[_Edit]:
        """Yield the text needed before the separator after a place, given the contents around it now."""
        if place < 0 or _ends_line(separator := self._separator(place)):
            return
        content, *following = map(self._content, self._order[place : place + 2])
        if text := _apart(content, separator, b"".join(following)):
            start = self._content_end(place)
            yield Span(start, start), [text]

    def _extent(self, ops: range) -> Span:
        return Span(self._starts[ops[0]], self._ends[ops[-1]])

    def _gap(self, place: int) -> Span:
        """Return the span between the op at a place and the next op, or the line's end after the last op.

        For place -1, before the first op: the comment lines above the first op.
        """
        if place < 0:
            return Span(self._comments(0).start, self._starts[0])
        end = self._ends[place]
        if place + 1 < len(self._order):
            return Span(end, self._starts[place + 1])
        return Span(end, self._data.find(b"\n", end, self._dump_end) + 1 or self._dump_end)

    def _separator(self, place: int) -> bytes:
        """Return the gap after a place without the comments that belong to the ops around it."""
        start, end = self._content_end(place), self._gap(place).end
        if place + 1 == len(self._order):
            return self._data[start:end]
        comments = self._comments(place + 1)
        return self._data[start : comments.start] + self._data[comments.end : end]

    def _comments(self, op: int) -> Span:
        return comment_lines(self._data, self._ends[op - 1] if op else self._start, self._starts[op])

    def _content(self, op: int) -> bytes:
        return self._data[self._starts[op] : self._content_end(op)]

    def _content_end(self, op: int) -> int:
        """Return where the op ends, with the comment after it on its line.

        For -1, before the first op: the end of the line above the op and its comments, or the end of other
        text before them on the op's line.
        """
        if op >= 0:
            return trailing_comment_end(self._data, self._ends[op], self._dump_end)
        start = self._comments(0).start
        line_end = self._data.rfind(b"\n", self._start, start)
        has_line = line_end >= 0 and match_end(TRIVIA, self._data, line_end, start) == start
        return line_end if has_line else start


def _apart(content: bytes, separator: bytes, following: bytes) -> bytes:
    """Return the text needed between a content and its separator, so that no comment or word runs on."""
    if _ends_line(separator):
        return b""
    ends_with_comment = _UP_TO_COMMENT.match(content.rpartition(b"\n")[2]) is not None
    if ends_with_comment and (separator.lstrip(b" \t\r") or following):
        return b"\n"
    if not separator and _WORD_CHAR.match(content[-1:]) and _WORD_CHAR.match(following[:1]):
        return b" "
    return b""


def _ends_line(separator: bytes) -> bool:
    return separator.lstrip(b" \t\r").startswith(b"\n")


def with_locations(ir: IR, locations: Mapping[int, bytes], alias: bytes) -> tuple[bytes, bytes]:
    """Return the dump's text with new locations for some ops, and its end, which defines new aliases.

    ``locations`` has, by op, the text inside its ``loc(...)``. MLIR prints aliases below their uses, but the
    child of a name must be defined above it, unlike an op's own location. So a name around such an alias
    becomes an alias at the end of the dump: ``#stamp7 = loc("DEBUG|7|..."(#loc))``. The names of new aliases
    begin with ``alias``, and underscores if others begin with that.
    """
    while any(other.startswith(alias) for other in ir.aliases):
        alias += b"_"
    edits: list[tuple[Span, bytes]] = []
    definitions: list[bytes] = []
    for op, location in locations.items():
        end, own = ir.op_end[op], ir.location_text(op)
        if own is None:
            edits.append((Span(end, end), b" loc(%s)" % location))
            continue
        definition = ir.aliases.get(own.strip())
        if definition and definition.start > end and location.endswith(b"(%s)" % own):
            name = b"%s%d" % (alias, len(definitions))
            definitions.append(b"%s = loc(%s)" % (name, location))
        else:
            name = location
        edits.append((Span(ir.location_start[op], end - 1), name))
    added = _lines(ir, definitions) if definitions else b""
    return splice(ir.source.data, ir.span, edits) + added, added


def _lines(ir: IR, definitions: list[bytes]) -> bytes:
    data, span = ir.source.data, ir.span
    first_end = data.find(b"\n", span.start, span.end)
    line_end = b"\r\n" if data[first_end - 1 : first_end] == b"\r" else b"\n"
    is_whole = data[max(span.start, span.end - 1) : span.end] == b"\n"
    return (b"" if is_whole else line_end) + b"".join(line + line_end for line in definitions)


class ValueNames:
    """The named values of a dump, which must be valid. Results under one name count as the first."""

    def __init__(self, source: Source, span: Span, op_table: OpTable) -> None:
        self._mentions = Mentions()
        self.ir = read_ir(source, span, op_table, mentions=self._mentions)  # the dump, as read
        self.definitions = self._mentions.definitions  # by value, the byte offset where its name is defined
        self.same = self._mentions.same  # by header argument that also means an outer value, that value
        self._offsets = sorted(self._mentions.values)
        self.names: dict[int, str] = {}  # by value, its name without the percent sign
        for value, offset in self.definitions.items():
            match = VALUE_NAME.match(source.data, offset)
            assert match
            self.names[value] = match[0][1:].decode("ascii")

    def text_with(self, names: Mapping[int, str]) -> bytes:
        """Return the text of the dump with other names for some values.

        An argument in ``same`` gets the new name of its outer value.
        """
        span = self.ir.span
        edits = [(named, b"%" + names[value].encode()) for named, value in self.named_in(span, names)]
        return splice(self.ir.source.data, span, edits)

    def named_in(self, span: Span, names: Collection[int]) -> list[tuple[Span, int]]:
        """Return where a span names some of the values, in textual order, and which.

        An argument in ``same`` counts as its outer value.
        """
        offsets, found = self._offsets, []
        for offset in offsets[bisect_left(offsets, span.start) : bisect_left(offsets, span.end)]:
            value = self._mentions.meaning(offset)
            if value in names:
                found.append((Span(offset, offset + 1 + len(self.names[value])), value))
        return found


def names_apart(values: ValueNames, orders: Orders) -> bytes:
    """Return the dump's text with other names for inner values whose names would be visible in other orders.

    In the text, a region around theirs defines the name again, but after them, where it was free. A number
    becomes the next one that is free. Any other name gets ``_`` and a number. If the outer definition comes
    first in the text already, the name stays: what it means depends on the syntax of the op around it.

    Complexity: linear in the text, and in the values times their nesting depth.
    """
    ir, names = values.ir, values.names
    place = {ir.block_ops[block][k]: new for block, order in orders.items() for new, k in enumerate(order)}
    definers: dict[tuple[int, str], list[int]] = {}  # by block that changes, and name
    for value, name in names.items():
        if (owner := ir.value_owner[value]) in place:
            definers.setdefault((ir.op_block[owner], name), []).append(owner)

    def is_passed(value: int) -> bool:
        return any(
            op < definer and place[definer] < place[op]
            for op in ir.enclosing_ops(ir.block_of(value))
            for definer in definers.get((ir.op_block[op], names[value]), ())
        )

    taken = {name[0][1:].decode("ascii") for name in VALUE_NAME.finditer(ir.dump_text)}
    last = max((int(name) for name in taken if len(name) <= _MOST_DIGITS and name.isdigit()), default=-1)
    numbers, suffixes = map(str, count(last + 1)), dict[str, Iterator[str]]()
    others = dict[int, str]()
    for value, name in names.items():
        if value not in values.same and is_passed(value):
            numbered = suffixes.setdefault(name, map(f"{name}_{{}}".format, count()))
            free = numbers if name.isdigit() else numbered
            others[value] = next(candidate for candidate in free if candidate not in taken)
            taken.add(others[value])
    return values.text_with(others)
