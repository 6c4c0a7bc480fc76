"""The text of a program, a module or a function, or a whole dump, line by line, and what a dump shows.

A pass on one function is followed by a dump of that function alone. What the next pass on the module found is
then in several dumps: the module in one, that function in another. Each line knows its place in the log, and
the aliases of the dump that it is from. A dump's text is read once, whoever needs it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import count, groupby, repeat
from operator import eq, is_, itemgetter
from typing import NamedTuple, TypeAlias

from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.function_texts import Aliases, DumpText, FunctionText
from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.semantics.functions import find_scopes, only_function
from eio_audit.mlir.source import InputError, Source, Span, count_lines
from eio_audit.mlir.tokens import ALIAS_NAME, STRING
from eio_audit.mlir.traits import OpTable

_ALIAS_USE = re.compile(STRING + rb"|(?P<alias>" + ALIAS_NAME + rb")")
_INDENT = re.compile(rb"[ \t]*+")
_LINE_END = re.compile(rb"\n")
_LINE_REST = re.compile(rb"[ \t\r]*+(?://|\n|\Z)")


class Line(NamedTuple):
    """One line of a dump."""

    text: bytes  # as printed, but for its indentation, without line end
    number: int  # its 1-based line in the file
    dedent: int  # how many columns of its indentation are left out; negative if there are more
    aliases: Aliases  # the definitions of its dump
    ops: tuple[int, ...] = ()  # the numbers of the ops that begin on it

    def dedented(self, less: int) -> Line:
        """Return it with so many columns less of indentation; more if negative."""
        if less > 0 and not self.text[:less].isspace():
            return self
        text = b" " * -less + self.text[max(less, 0) :]
        return Line(text, self.number, self.dedent + less, self.aliases, self.ops)


# A dump has very many lines. These take one apart or make one without a call of a Python function.
TEXT, ALIASES, OPS = (itemgetter(Line._fields.index(name)) for name in ("text", "aliases", "ops"))
_PLACE = itemgetter(Line._fields.index("number"), Line._fields.index("dedent"))
_MAKE: Callable[[Iterable[object]], Line] = partial(tuple.__new__, Line)


class ScopeOp(NamedTuple):
    """One op on the way from a program to an op in it."""

    name: str  # its name, `func.func`
    symbol: str | None  # its symbol, or None
    place: int  # its 0-based place among the ops of that name and symbol in the op around it


Scope: TypeAlias = tuple[ScopeOp, ...]
"""An op with functions or modules, or a function: the ops around it and itself. Empty for a whole dump."""


@dataclass(frozen=True, slots=True)
class ScopeText:
    """The text of a scope."""

    dump: Dump  # the dump that it is from, or most of it
    lines: Sequence[Line]  # its lines
    extents: Mapping[Scope, range]  # per scope in it, its lines, from 0; the first is the text's own scope
    defined: Aliases | None  # the aliases that its own lines define; None if their definitions are not in it

    def is_same_as(self, other: ScopeText) -> bool:
        """Return whether both have the same lines."""
        one, two = self.lines, other.lines
        return len(one) == len(two) and all(map(eq, map(TEXT, one), map(TEXT, two)))

    @property
    def is_whole_dump(self) -> bool:
        """Whether it is all of its dump, and nothing else."""
        return self.defined is not None and all(map(is_, map(ALIASES, self.lines), repeat(self.defined)))

    def ops_on(self, line: int) -> Sequence[int]:
        """Return the numbers of the ops that begin on a line of the file, of a text that is all of a dump."""
        place = line - self.lines[0].number if self.lines else 0
        return self.lines[place].ops if 0 <= place < len(self.lines) else ()

    def with_all_of(self, other: ScopeText) -> ScopeText:
        """Return it with the extents and the numbers of ops of a text with the same lines."""
        if not any(map(OPS, other.lines)):
            return replace(self, extents=other.extents)
        lines = [line._replace(ops=same.ops) for line, same in zip(self.lines, other.lines, strict=True)]
        return replace(self, lines=lines, extents=other.extents)

    def part(self, scope: Scope) -> ScopeText:
        """Return the text of a scope in it."""
        found = self.extents[scope]
        if found == range(0, len(self.lines)):
            return self
        inside = {
            other: range(lines.start - found.start, lines.stop - found.start)
            for other, lines in self.extents.items()
            if other[: len(scope)] == scope
        }
        return ScopeText(self.dump, self.lines[found.start : found.stop], inside, None).indented(0)

    @property
    def indent(self) -> int:
        """The indentation of its first line."""
        return _indent(self.lines[0]) if self.lines else 0

    def indented(self, columns: int) -> ScopeText:
        """Return it with another indentation."""
        less = self.indent - columns
        return replace(self, lines=[line.dedented(less) for line in self.lines]) if less else self

    def with_part(self, scope: Scope, text: ScopeText) -> ScopeText:
        """Return it with another text of a scope in it."""
        old = self.extents[scope]
        text = text.indented(_indent(self.lines[old.start]))
        more = len(text.lines) - len(old)
        extents = {
            other: range(
                lines.start if lines.start <= old.start else lines.start + more,
                lines.stop if lines.stop <= old.start else lines.stop + more,
            )
            for other, lines in self.extents.items()
            if other[: len(scope)] != scope
        }
        extents |= {
            other: range(lines.start + old.start, lines.stop + old.start)
            for other, lines in text.extents.items()
        }
        lines = [*self.lines[: old.start], *text.lines, *self.lines[old.stop :]]
        return replace(self, lines=lines, extents=extents)

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
        seen = Counter[int]()
        numbers = []
        for line in op_lines:
            known = self.lines[line].ops
            numbers.append(known[seen[line]] if seen[line] < len(known) else -1)
            seen[line] += 1
        return numbers

    def numbered(self, op_lines: Sequence[int], numbers: Sequence[int]) -> ScopeText:
        """Return it with the numbers of ops, which begin on these lines. Other lines keep theirs."""
        lines = list(self.lines)
        for line, ops in groupby(zip(op_lines, numbers, strict=True), itemgetter(0)):
            lines[line] = lines[line]._replace(ops=tuple(number for _, number in ops))
        return replace(self, lines=lines)

    def with_numbers_of(self, here: range, other: ScopeText, there: range) -> ScopeText:
        """Return it with the numbers of ops from equal lines of another text."""
        own = self.lines[here.start : here.stop]
        known = map(OPS, other.lines[there.start : there.stop])
        numbered = [(*line[:-1], ops) for line, ops in zip(own, known, strict=True)]
        lines = [*self.lines[: here.start], *map(_MAKE, numbered), *self.lines[here.stop :]]
        return replace(self, lines=lines)

    def joined_with(self, other: ScopeText) -> ScopeText:
        """Return it with another text below it."""
        size = len(self.lines)
        moved = {scope: range(x.start + size, x.stop + size) for scope, x in other.extents.items()}
        return ScopeText(other.dump, [*self.lines, *other.lines], {**self.extents, **moved}, None)

    def readable(self, kept: Sequence[int]) -> Dump:
        """Return a dump of some of its lines, with the aliases that they use. Line numbers are the log's."""
        parts: list[bytes] = []
        definitions = {} if self.defined is None else dict(self.defined.definitions)
        appended: list[bytes] = []
        shown = list(map(self.lines.__getitem__, kept))
        for aliases, group in groupby(shown, ALIASES):
            text = b"\n".join([*map(TEXT, group), b""])
            if aliases is not self.defined and aliases.definitions:
                text, found = _apart(aliases.in_place(text), aliases, definitions, len(parts))
                definitions |= found
                appended += [b"%b = %b\n" % one for one in found.items()]
            parts.append(text)
        data = b"".join([*parts, *appended])
        places = list(map(_PLACE, shown))
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


def _indent(line: Line) -> int:
    blanks = _INDENT.match(line.text)
    return blanks.end() if blanks else 0


def read_shown(dump: Dump, op_table: OpTable) -> IR:
    """Read a dump to show it: that of a pass that failed may be invalid."""
    return read_ir(dump.source, dump.span, op_table, may_be_invalid=dump.has_failed)


class Outline(NamedTuple):
    """What a dump shows, without the bodies of its functions."""

    # Its scopes, the outermost first; an empty one first if it has several outermost ops.
    scopes: Sequence[Scope]
    only_function: str | None  # the symbol of the function if the dump shows only that; None for a program
    is_divided: bool  # whether its functions were found by their text


class ShownText:
    """What a dump shows. The op table tells which ops are functions."""

    def __init__(self, dump: Dump, op_table: OpTable) -> None:
        self._op_table = op_table
        self.dump = dump  # the dump
        self._line_of_span = dump.source.line_at(dump.span.start)  # before the source counts on
        self.divided = DumpText(dump, op_table)  # it, divided into its functions and the text around them

    @cached_property
    def text(self) -> ScopeText:
        """Its lines, without blank ones around them, and without extents."""
        aliases = self.divided.aliases
        return ScopeText(self.dump, lines_of(self.dump, aliases, self._line_of_span), {}, aliases)

    @cached_property
    def outline(self) -> Outline:
        """What it shows without the bodies of its functions; an InputError if it cannot be read."""
        is_divided = self.divided.aliases.are_unique
        try:
            around = self.divided.around
            ir = read_shown(around, self._op_table)
        except InputError:  # the dump as a whole may be valid
            is_divided = False
            ir = read_shown(self.dump, self._op_table)
        return Outline([*scopes_of(ir)], only_function(ir), is_divided)

    @property
    def name(self) -> str:
        """The name of the outermost op; empty if there are several."""
        root = self.outline.scopes[0]
        return root[-1].name if root else ""

    @property
    def function_texts(self) -> dict[str, FunctionText]:
        """By symbol, the functions that were found by their text."""
        return self.divided.functions if self.outline.is_divided else {}

    @cached_property
    def functions(self) -> dict[str, range]:
        """By symbol, the lines of these functions."""
        first = next((line.number for line in self.text.lines), 0)
        return {
            symbol: range(function.line - first, function.last_line - first + 1)
            for symbol, function in self.function_texts.items()
        }


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
        extents[scope if root is None else (*root, *scope[1:])] = lines
    return extents


def _has_own_lines(ir: IR, op: int) -> bool:
    """Return whether no other op is on the first and the last line of an op."""
    data, start, end = ir.source.data, ir.op_start[op], ir.op_end[op]
    before = data[data.rfind(b"\n", 0, start) + 1 : start]
    return not before.strip() and _LINE_REST.match(data, end) is not None


def line_ends(source: Source) -> list[int]:
    """Return the offset after each line end of a text."""
    return [match.end() for match in _LINE_END.finditer(source.data)]


def lines_of(dump: Dump, aliases: Aliases, first: int) -> list[Line]:
    """Return the lines of a dump, without blank ones around it. ``first`` is that of its span's start."""
    texts = dump.text.split(b"\n")
    while texts and not texts[-1].strip():
        texts.pop()
    start = next((k for k, text in enumerate(texts) if text.strip()), 0)
    shown, numbers = texts[start:] if start else texts, count(first + start)
    return list(map(_MAKE, zip(shown, numbers, repeat(0), repeat(aliases), repeat(()), strict=False)))


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
