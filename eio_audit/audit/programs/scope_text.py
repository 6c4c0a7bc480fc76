"""The text of a program, a module or a function, or a whole dump, line by line, and what a dump shows.

A pass on one function is followed by a dump of that function alone. What the next pass on the module found is
then in several dumps: the module in one, that function in another. Each line knows its place in the log, and
the aliases of the dump that it is from. A dump's text is read once, whoever needs it. Most dumps show the
same around their functions as one before, so what is read of that is shared.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, groupby, repeat
from operator import is_, itemgetter
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.function_texts import Aliases, DumpText, FunctionText
from eio_audit.mlir.ir import IR
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.semantics.functions import find_scopes, only_function
from eio_audit.mlir.source import InputError, Source, Span, count_lines, line_end
from eio_audit.mlir.tokens import ALIAS_NAME, STRING
from eio_audit.mlir.traits import OpTable

_ALIAS_USE = pattern(STRING + rb"|(?P<alias>" + ALIAS_NAME + rb")")
_INDENT = pattern(rb"[ \t]*+")
ValueT = TypeVar("ValueT")
_LINE_REST = pattern(rb"[ \t\r]*+(?://|\n|\Z)")


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of dumps, by what they have. There are very many of them."""

    texts: list[bytes]  # as printed, but for their indentation, without line ends
    numbers: Sequence[int]  # their 1-based lines in the file
    dedents: Sequence[int]  # how many columns of their indentation are left out; negative if there are more
    aliases: Sequence[Aliases]  # the definitions of their dumps
    ops: Sequence[tuple[int, ...]]  # the numbers of the ops that begin on them

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def columns(self) -> tuple[Any, ...]:
        """All of these."""
        return self.texts, self.numbers, self.dedents, self.aliases, self.ops

    def at(self, places: Sequence[int]) -> Lines:
        """Return those at some places."""
        if isinstance(places, range):
            return Lines(*(column[places.start : places.stop] for column in self.columns))
        if len(places) < 2:
            return Lines(*([*map(column.__getitem__, places)] for column in self.columns))
        return Lines(*map(list, map(itemgetter(*places), self.columns)))

    def joined_with(self, *others: Lines) -> Lines:
        """Return them and others below them."""
        columns = zip(self.columns, *(lines.columns for lines in others), strict=True)
        return Lines(*([*chain(*parts)] for parts in columns))

    def dedented(self, less: int) -> Lines:
        """Return them with so many columns less of indentation; more if negative."""
        texts, dedents = self.texts[:], [*self.dedents]
        for place, text in enumerate(texts):
            if less < 0 or text[:less].isspace():
                texts[place], dedents[place] = b" " * -less + text[max(less, 0) :], dedents[place] + less
        return replace(self, texts=texts, dedents=dedents)


class ScopeOp(NamedTuple):
    """One op on the way from a program to an op in it."""

    name: str  # its name, `func.func`
    symbol: str | None  # its symbol, or None
    place: int  # its 0-based place among the ops of that name and symbol in the op around it


Scope: TypeAlias = tuple[ScopeOp, ...]
"""An op with functions or modules, or a function: the ops around it and itself. Empty for a whole dump."""


class ScopeText(NamedTuple):
    """The text of a scope."""

    dump: Dump  # the dump that it is from, or most of it
    lines: Lines  # its lines
    extents: Mapping[Scope, range]  # per scope in it, its lines, from 0; the first is the text's own scope
    defined: Aliases | None  # the aliases that its own lines define; None if their definitions are not in it

    def is_same_as(self, other: ScopeText) -> bool:
        """Return whether both have the same lines."""
        return self.lines.texts == other.lines.texts

    @property
    def is_whole_dump(self) -> bool:
        """Whether it is all of its dump, and nothing else."""
        return self.defined is not None and all(map(is_, self.lines.aliases, repeat(self.defined)))

    def ops_on(self, line: int) -> Sequence[int]:
        """Return the numbers of the ops that begin on a line of the file, of a text that is all of a dump."""
        place = line - self.lines.numbers[0] if self.lines else 0
        return self.lines.ops[place] if 0 <= place < len(self.lines) else ()

    def with_all_of(self, other: ScopeText) -> ScopeText:
        """Return it with the extents and the numbers of ops of a text with the same lines."""
        return self._replace(lines=replace(self.lines, ops=other.lines.ops), extents=other.extents)

    def part(self, scope: Scope, scopes: Iterable[Scope]) -> ScopeText:
        """Return the text of a scope in it. ``scopes`` are itself, then those in it."""
        found = self.extents[scope]
        if found == range(0, len(self.lines)):
            return self
        inside = _moved({one: self.extents[one] for one in scopes}, -found.start)
        return ScopeText(self.dump, self.lines.at(found), inside, None).indented(b"")

    def indented(self, like: bytes) -> ScopeText:
        """Return it with the indentation of a line."""
        less = _indent(self.lines.texts[0]) - _indent(like) if self.lines else 0
        return self._replace(lines=self.lines.dedented(less)) if less else self

    def with_parts(self, parts: Mapping[Scope, ScopeText]) -> ScopeText:
        """Return it with other texts of scopes in it, none of which is in another."""
        if not parts:
            return self
        starts, moves, pieces, extents = list[int](), [0], list[Lines](), dict[Scope, range]()
        end = 0  # of the lines that are in pieces
        for scope in sorted(parts, key=lambda scope: self.extents[scope].start):
            old = self.extents[scope]
            text = parts[scope].indented(self.lines.texts[old.start])
            pieces += [self.lines.at(range(end, old.start)), text.lines]
            extents |= _moved(text.extents, old.start + moves[-1])
            starts.append(old.start)
            moves.append(moves[-1] + len(text.lines) - len(old))
            end = old.stop
        pieces.append(self.lines.at(range(end, len(self.lines))))

        def moved(line: int) -> int:
            return line + moves[bisect_left(starts, line)]

        others = {
            scope: range(moved(lines.start), moved(lines.stop))
            for scope, lines in self.extents.items()
            if not any(scope[:depth] in parts for depth in range(1, len(scope) + 1))
        }
        return self._replace(lines=pieces[0].joined_with(*pieces[1:]), extents=others | extents)

    def without_bodies(self, left_out: Iterable[range]) -> Sequence[int]:
        """Return the numbers of its lines, without those inside some of its functions."""
        kept: list[int] = []
        end = 0
        for lines in sorted(left_out, key=lambda lines: lines.start):
            kept += range(end, lines.start + 1)
            end = max(end, lines.start + 1, lines.stop - 1)
        kept += range(end, len(self.lines))
        return kept if len(kept) < len(self.lines) else range(len(self.lines))

    def numbers(self, op_lines: Sequence[int]) -> list[int]:
        """Return the number of each op, -1 for none; ``op_lines`` are the lines where the ops begin."""
        numbers, last, known = list[int](), -1, iter(tuple[int, ...]())
        for line in op_lines:
            known, last = (known if line == last else iter(self.lines.ops[line])), line
            numbers.append(next(known, -1))
        return numbers

    def numbered(
        self,
        op_lines: Sequence[int],
        numbers: Sequence[int],
        known: Sequence[tuple[int, ...]] = (),
        same: Iterable[tuple[range, range]] = (),
    ) -> ScopeText:
        """Return it with the numbers of ops, which begin on these lines.

        Other lines have those of the same lines of another text: ``known``, and the lines there and here.
        """
        ops, last = [*self.lines.ops], -1
        for there, here in same:
            ops[here.start : here.stop] = known[there.start : there.stop]
        for line, number in zip(op_lines, numbers, strict=True):
            ops[line] = (*ops[line], number) if line == last else (number,)
            last = line
        return self._replace(lines=replace(self.lines, ops=ops))

    def joined_with(self, other: ScopeText) -> ScopeText:
        """Return it with another text below it."""
        size = len(self.lines)
        lines = self.lines.joined_with(other.lines)
        return ScopeText(other.dump, lines, {**self.extents, **_moved(other.extents, size)}, None)

    def readable(self, kept: Sequence[int]) -> Dump:
        """Return a dump of some of its lines, with the aliases that they use. Line numbers are the log's."""
        parts: list[bytes] = []
        definitions = {} if self.defined is None else dict(self.defined.definitions)
        appended: list[bytes] = []
        shown, end = self.lines.at(kept), 0
        for aliases, group in groupby(shown.aliases):
            start, end = end, end + len([*group])
            text = b"\n".join([*shown.texts[start:end], b""])
            if aliases is not self.defined and aliases.definitions:
                text, found = _apart(aliases.in_place(text), aliases, definitions, len(parts))
                definitions |= found
                appended += [b"%b = %b\n" % one for one in found.items()]
            parts.append(text)
        data = b"".join([*parts, *appended])
        places = list(zip(shown.numbers, shown.dedents, strict=True))
        last = (places[-1][0], 0) if places else (self.dump.first_line, 0)
        places += [last] * (count_lines(data, 0, len(data)) - len(places) + 1)
        source = Source(self.dump.source.name, data, places=places)
        dump = self.dump
        return Dump(source, Span(0, len(data)), dump.marker, dump.line, dump.program, places[0][0])


def _apart(
    text: bytes, aliases: Aliases, taken: Mapping[bytes, bytes], number: int
) -> tuple[bytes, dict[bytes, bytes]]:
    """Return a text and the aliases it uses, all of them renamed if one has another meaning already."""
    used = {name: aliases.definitions[name] for name in aliases.names_in(text)}
    if all(taken.get(name, value) == value for name, value in used.items()):
        return text, {name: value for name, value in used.items() if name not in taken}

    def renamed(match: re.Match[bytes]) -> bytes:
        return b"%b.%d" % (match[0], number) if match["alias"] in used else match[0]

    defined = {b"%b.%d" % (name, number): _ALIAS_USE.sub(renamed, value) for name, value in used.items()}
    return _ALIAS_USE.sub(renamed, text), defined


def _moved(extents: Mapping[Scope, range], by: int) -> dict[Scope, range]:
    return {scope: range(lines.start + by, lines.stop + by) for scope, lines in extents.items()}


def _indent(text: bytes) -> int:
    blanks = _INDENT.match(text)
    return blanks.end() if blanks else 0


def extents_of(ir: IR, ends: Sequence[int], kept: Sequence[int], root: Scope | None) -> dict[Scope, range]:
    """Return the lines of the scopes of a text, as scopes of its program.

    A scope that shares its first or last line with other ops has no lines of its own, and is left out. Some
    of the lines of the text were read: ``ends`` and ``kept`` have their ends and their numbers. ``root`` is
    the scope of the text, if it is known.
    """
    extents: dict[Scope, range] = {}
    scopes = scopes_of(ir)
    outermost = next(iter(scopes))
    for scope, op in scopes.items():
        lines = range(0, kept[-1] + 1 if kept else 0)
        if op >= 0:
            if scope != outermost and not _has_own_lines(ir, op):
                continue
            first, last = (bisect_right(ends, place) for place in (ir.op_start[op], ir.op_end[op] - 1))
            lines = range(kept[first], kept[last] + 1)
        extents[scope if root is None else (*root, *scope[len(outermost) :])] = lines
    return extents


def _has_own_lines(ir: IR, op: int) -> bool:
    """Return whether no other op is on the first and the last line of an op."""
    data, start, end = ir.source.data, ir.op_start[op], ir.op_end[op]
    before = data[data.rfind(b"\n", 0, start) + 1 : start]
    return not before.strip() and _LINE_REST.match(data, end) is not None


def scopes_of(ir: IR) -> dict[Scope, int]:
    """Return the scopes of a dump and the op of each; -1 for all of a dump with several outermost ops.

    They are its functions, its modules and the ops around them, and ops with regions directly in those.
    """
    holding = find_scopes(ir)
    around = {ir.parent_op(ir.op_block[op]) for op in holding}
    scopes: dict[Scope, int] = {}
    of_op: dict[int, Scope] = {-1: ()}
    seen = Counter[tuple[Scope, str, str | None]]()
    outermost = ir.block_ops[0] if ir.block_count else []
    if len(outermost) != 1:
        scopes[()] = -1
    for op in sorted({*ir.regions_of, *outermost}):
        parent = ir.parent_op(ir.op_block[op])
        if parent not in of_op or (parent not in around and parent >= 0):
            continue
        symbol = ir.symbol(op) if op in holding else None
        kind = of_op[parent], ir.name(op), symbol
        of_op[op] = (*of_op[parent], ScopeOp(ir.name(op), symbol, seen[kind]))
        seen[kind] += 1
        scopes[of_op[op]] = op
    return scopes


def read_shown(dump: Dump, op_table: OpTable) -> IR:
    """Read a dump to show it: that of a pass that failed may be invalid."""
    return read_ir(dump.source, dump.span, op_table, may_be_invalid=dump.has_failed)


class Outline(NamedTuple):
    """What a dump shows, without the bodies of its functions."""

    # Its scopes, the outermost first; an empty one first if it has several outermost ops.
    scopes: Sequence[Scope]
    only_function: str | None  # the symbol of the function if the dump shows only that; None for a program
    is_divided: bool  # whether what is around its functions can be read without them


class OutsideText:
    """The text around the functions of a dump. Dumps with the same one share it, and what is read of it."""

    outline: Outline | None = None  # None if it was not read, or cannot be read without the functions


class Recent(Generic[ValueT]):
    """Values by keys: the latest ones, as many as have so many bytes together, and at least one."""

    def __init__(self, most_bytes: int) -> None:
        self._most, self._bytes = most_bytes, 0
        self._values: dict[bytes, tuple[ValueT, int]] = {}

    def get(self, key: bytes) -> ValueT | None:
        """Return a value, which is then the latest; None if there is none."""
        if key not in self._values:
            return None
        value, _ = self._values[key] = self._values.pop(key)
        return value

    def add(self, key: bytes, value: ValueT, size: int) -> None:
        """Add a value with so many bytes for a key that has none."""
        self._values[key] = value, size
        self._bytes += size
        while self._bytes > self._most and len(self._values) > 1:
            self._bytes -= self._values.pop(next(iter(self._values)))[1]


class ShownText:
    """What a dump shows. The op table tells which ops are functions."""

    def __init__(self, dump: Dump, op_table: OpTable, outsides: Recent[OutsideText] | None = None) -> None:
        self._op_table = op_table
        self._outsides = outsides
        self.dump = dump  # the dump
        self._line_of_span = dump.source.line_at(dump.span.start)  # before the source counts on
        self.divided = DumpText(dump, op_table)  # it, divided into its functions and the text around them

    @cached_property
    def outside(self) -> OutsideText:
        """The text around its functions, perhaps shared with other dumps."""
        if self._outsides is None:
            return OutsideText()
        key = self.divided.outside_key
        known = self._outsides.get(key)
        if known is None:
            known = OutsideText()
            self._outsides.add(key, known, self.divided.outside_size)
        return known

    @cached_property
    def text(self) -> ScopeText:
        """Its lines, without blank ones around them, and without extents."""
        aliases = self.divided.aliases
        return ScopeText(self.dump, lines_of(self.dump, aliases, self._line_of_span), {}, aliases)

    @cached_property
    def ir_outside_functions(self) -> IR:
        """The text around its functions; an InputError if that cannot be read."""
        return read_shown(self.divided.outside, self._op_table)

    @cached_property
    def outline(self) -> Outline:
        """What it shows without the bodies of its functions; an InputError if it cannot be read."""
        if self.outside.outline is not None:
            return self.outside.outline
        try:
            ir = self.ir_outside_functions
        except InputError:  # the dump as a whole may be valid
            ir = read_shown(self.dump, self._op_table)
            return Outline([*scopes_of(ir)], only_function(ir), False)
        self.outside.outline = Outline([*scopes_of(ir)], only_function(ir), True)
        return self.outside.outline

    def has_outline_of(self, ir: IR, extents: Mapping[Scope, range]) -> bool:
        """Take the outline from all of the dump, if its functions are where they were found by their text."""
        lines = {scope[-1].symbol: lines for scope, lines in extents.items() if scope}
        holders = {op.symbol for scope in extents for op in scope[:-1]}
        found = self.lines_of_functions
        if holders.isdisjoint(found) and found.items() <= lines.items():
            self.outside.outline = Outline([*scopes_of(ir)], only_function(ir), True)
            return True
        return False

    @cached_property
    def lines_of_functions(self) -> dict[str, range]:
        """By symbol, the lines of the functions that were found by their text."""
        first = next(iter(self.text.lines.numbers), 0)
        return {
            symbol: range(function.line - first, function.last_line - first + 1)
            for symbol, function in self.divided.functions.items()
        }

    @property
    def function_texts(self) -> dict[str, FunctionText]:
        """By symbol, the functions that were found by their text."""
        is_divided = self.outline.is_divided and self.divided.aliases.are_unique
        return self.divided.functions if is_divided else {}

    @property
    def functions(self) -> dict[str, range]:
        """By symbol, the lines of these functions."""
        return self.lines_of_functions if self.function_texts else {}


def extent_of(dump: Dump) -> Span:
    """Return where the lines of a dump are, without blank ones around them, and diagnostics below them."""
    data, (start, end) = dump.source.data, dump.span
    while start < end and not data[start : (line := line_end(data, start, end))].strip():
        start = min(line + 1, end)
    for _ in range(2):
        while start < end and not data[(line := max(data.rfind(b"\n", start, end) + 1, start)) : end].strip():
            end = max(line - 1, start)
        if start == end or data[line : line + 1] in b"}#{":
            break
        end = min(end, max(dump.op_end, start))
    return Span(start, end)


def lines_of(dump: Dump, aliases: Aliases, first: int) -> Lines:
    """Return the lines of a dump, without blank ones around it. ``first`` is that of its span's start."""
    data, (start, end) = dump.source.data, extent_of(dump)
    texts = data[start:end].split(b"\n") if start < end else []
    first, size = first + count_lines(data, dump.span.start, start), len(texts)
    return Lines(texts, range(first, first + size), [0] * size, [aliases] * size, [()] * size)
