"""Rewrite a dump: move the ops of some blocks, rename its values, or write other locations.

Nothing is printed anew; parts of the text move. The text of a block is ``c0 s0 c1 s1 ... c(n-1)``: contents
and separators alternate. A content is an op with its comments. A separator is white space and comments that
belong to no op. Contents move and separators stay. So indentation, line ends and everything that does not
move stay the same, to the byte.

The names of values are those in the text, apart from each other, or as MLIR would print them. MLIR's printer
numbers one region at a time: the ops of all its blocks in order, before any region inside it. Sibling regions
start at the same number. In generic form they continue the numbers instead, the last region first. A value
without a name of its own is ``%0``. An argument of an entry block is ``%arg0``. A value that its op names
(``%cst``) keeps that name. If the name is taken in the region or around it, ``_`` and the next number of a
counter follow (``%cst_3``). The names that ops give are inferred from the text. A number that the printer
would add is removed again. Every other name that is not a number was given by an op. Source: ``SSANameState``
in mlir/lib/IR/AsmPrinter.cpp.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count, product, starmap
from operator import itemgetter

from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.boundaries import comment_lines, trailing_comment_end
from eio_audit.mlir.reading.builder import Mentions
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.source import Source, Span, splice
from eio_audit.mlir.tokens import STRING, TRIVIA, VALUE_NAME, match_end
from eio_audit.mlir.traits import OpTable

_UP_TO_COMMENT = re.compile(rb"(?:" + STRING + rb'|/(?!/)|[^"/]++)*+//')
_WORD_CHAR = re.compile(rb"[\w$.#-]")
_NUMBER = re.compile(r"[0-9]+")
_ARGUMENT = re.compile(r"arg([0-9]{1,18})")
_NUMBERED = re.compile(r"(.+)_(0|[1-9][0-9]{0,17})")
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


def renumber(values: ValueNames, orders: Orders) -> bytes:
    """Return the dump's text with the value names that another order of its ops implies. Ops do not move.

    ``orders`` is by block; ``order[k]`` is the textual index, within the block, of the op placed k-th.

    Complexity: linear in the text and in the values.
    """
    regions = _Regions(values)
    candidates = starmap(_Habits, product((False, True), repeat=2))
    usual = _Habits(runs_on=all(values.ir.op_is_generic), uses_locations=False)
    habits = next((habits for habits in candidates if _printed(regions, {}, habits) == regions.names), usual)
    return values.text_with(_printed(regions, orders, habits))


@dataclass(frozen=True, slots=True)
class _Habits:
    """The options that the printer ran with."""

    runs_on: bool  # numbers are unique in the whole dump (generic form, --mlir-print-unique-ssa-ids)
    # Locations name values (--mlir-use-nameloc-as-prefix). An argument with such a name uses up a number
    # all the same.
    uses_locations: bool


class _Regions:
    def __init__(self, values: ValueNames) -> None:
        self._ir = values.ir
        self.names = {value: name for value, name in values.names.items() if value not in values.same}
        self._defined: dict[int, list[int]] = {}  # by op, or by -1 - block
        for value in self.names:
            self._defined.setdefault(self._ir.value_owner[value], []).append(value)

    def inside(self, region: int, orders: Orders) -> list[int]:
        ops = (op for block in self._ir.region_blocks[region] for op in self._ops(block, orders))
        return [inner for op in ops for inner in self._ir.regions_of.get(op, ())]

    def values(self, region: int, orders: Orders, habits: _Habits) -> Iterator[int]:
        """Yield the values of a region in the order in which the printer names them."""
        blocks = self._ir.region_blocks[region]
        if not habits.uses_locations:  # the op names all its arguments at once
            yield from (v for block in blocks for v in self._arguments(block) if self.is_given(v))
        for block in blocks:
            for value in self._arguments(block):
                if habits.uses_locations or not self.is_given(value):
                    yield value
            for op in self._ops(block, orders):
                yield from self._defined.get(op, ())

    def is_given(self, value: int) -> bool:
        """Whether the name looks like one that an op gave."""
        name = self.names[value]
        is_counted = self.is_entry_argument(value) and _ARGUMENT.fullmatch(name)
        return not is_counted and _NUMBER.fullmatch(name) is None

    def is_entry_argument(self, value: int) -> bool:
        block = -1 - self._ir.value_owner[value]
        return block >= 0 and self._ir.region_blocks[self._ir.block_region[block]][0] == block

    def _ops(self, block: int, orders: Orders) -> Iterator[int]:
        ops = self._ir.block_ops[block]
        return (ops[k] for k in orders.get(block, range(len(ops))))

    def _arguments(self, block: int) -> list[int]:
        """Return the arguments, by number if all have one: a header may list them in another order."""
        arguments = self._defined.get(-1 - block, [])
        if all(_ARGUMENT.fullmatch(self.names[value]) for value in arguments):
            return sorted(arguments, key=lambda value: int(self.names[value].removeprefix("arg")))
        return arguments


class _Printer:
    """The state of the printer at a value: the names taken there, and the counters."""

    def __init__(self, habits: _Habits) -> None:
        self._habits = habits
        self._taken: set[str] = set()
        self.value = self.argument = self.conflict = 0

    def walk(self, regions: _Regions, orders: Orders, name_of: Callable[[int], str]) -> dict[int, str]:
        """Name all values: those of a region before those of the regions inside it, the last region first."""
        names: dict[int, str] = {}
        pending: list[tuple[int, tuple[int, int, int]] | list[str]] = [(0, (0, 0, 0))]
        while pending:
            entry = pending.pop()
            if isinstance(entry, list):  # the names of a region, after all regions inside it
                self._taken.difference_update(entry)
                continue
            region, counters = entry
            if not self._habits.runs_on:
                self.value, self.argument, self.conflict = counters
            added = []
            for value in regions.values(region, orders, self._habits):
                names[value] = name = name_of(value)
                is_number = not regions.is_given(value) and not regions.is_entry_argument(value)
                if not is_number and name not in self._taken:
                    self._taken.add(name)
                    added.append(name)
            counters = self.value, self.argument, self.conflict
            pending.append(added)
            pending += [(inside, counters) for inside in regions.inside(region, orders)]
        return names

    def unique(self, name: str) -> str:
        """Return a free name: the name itself, or the name with a number if it is taken."""
        if name not in self._taken:
            return name
        while True:
            candidate = f"{name}_{self.conflict}"
            self.conflict += 1
            if candidate not in self._taken:
                return candidate

    def without_number(self, name: str) -> str:
        """Return the name before the printer had to add a number, or the same name if it had not."""
        numbered = _NUMBERED.fullmatch(name)
        if numbered is None or numbered[1] not in self._taken:
            return name
        before = self.conflict
        if self.unique(numbered[1]) == name:
            return numbered[1]
        self.conflict = before
        return name


def _given_names(regions: _Regions, habits: _Habits) -> dict[int, str]:
    """Return, by value, the name that its op gave it, before a number was added."""
    printer, given = _Printer(habits), dict[int, str]()

    def look(value: int) -> str:
        if regions.is_given(value):
            given[value] = printer.without_number(regions.names[value])
        return regions.names[value]

    printer.walk(regions, {}, look)
    return given


def _printed(regions: _Regions, orders: Orders, habits: _Habits) -> dict[int, str]:
    printer, given = _Printer(habits), _given_names(regions, habits)

    def name_of(value: int) -> str:
        is_argument = regions.is_entry_argument(value)
        if value not in given and not is_argument:
            printer.value += 1
            return str(printer.value - 1)
        if is_argument and (value not in given or habits.uses_locations):
            printer.argument += 1
        return printer.unique(given.get(value, f"arg{printer.argument - 1}"))

    return printer.walk(regions, orders, name_of)
