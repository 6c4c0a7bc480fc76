"""The text of a program, a module or a function, or a whole dump, line by line, and what a dump shows.

A pass on one function is followed by a dump of that function alone. What the next pass on the module found is
then in several dumps: the module in one, that function in another. Each line knows its place in the log, and
the aliases of the dump that it is from. A dump's text is read once, whoever needs it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, repeat
from operator import is_
from typing import Any, NamedTuple, TypeAlias, TypeVar

from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.function_texts import Aliases
from eio_audit.mlir.ir import IR
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.semantics.functions import find_scopes
from eio_audit.mlir.source import Source, Span, count_lines
from eio_audit.mlir.tokens import ALIAS_NAME, STRING

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
        return Lines(*([*map(column.__getitem__, places)] for column in self.columns))

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
        extents[scope if root is None else (*root, *scope[1:])] = lines
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
