"""What a dump shows: its lines, its functions and its scopes. Its text is read once, whoever needs it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from eio_audit.audit.functions import find_scopes, only_function
from eio_audit.audit.log.scope_text import Line, Lines, Scope, ScopeStep, ScopeText, lines_from
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.function_texts import Aliases, DumpText, FunctionText
from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.source import InputError, Source
from eio_audit.mlir.traits import OpTable

_LINE_END = re.compile(rb"\n")
_LINE_REST = re.compile(rb"[ \t\r]*+(?://|\n|\Z)")


class Excerpt:
    """Some lines of a text."""

    def __init__(self, text: ScopeText, kept: Sequence[int], op_table: OpTable) -> None:
        self.kept = kept  # per line, its number in the text
        self.dump = text.readable(kept)  # a dump of the lines, with the aliases that they use
        self._op_table = op_table

    @cached_property
    def ir(self) -> IR:
        """What is read from the lines, on first use.

        Raises:
            InputError: they cannot be read.
        """
        return _read(self.dump, self._op_table)

    @cached_property
    def line_ends(self) -> list[int]:
        """The offset after each line end of the excerpt."""
        return line_ends(self.dump.source)


def _read(dump: Dump, op_table: OpTable) -> IR:
    return read_ir(dump.source, dump.span, op_table, may_be_invalid=dump.has_failed)


class Outline(NamedTuple):
    """What a dump shows, without the bodies of its functions."""

    # Its scopes, the outermost first; an empty one first if it has several outermost ops.
    scopes: Sequence[Scope]
    only_function: str | None  # the symbol of the function if the dump shows only that; None for a program
    is_divided: bool  # whether its functions were found by their text


class ShownText:
    """What a dump shows.

    Args:
        dump: the dump.
        op_table: tells which ops are functions.
    """

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
        """What it shows without the bodies of its functions.

        Raises:
            InputError: the dump cannot be read.
        """
        is_divided = self.divided.aliases.are_unique
        try:
            around = self.divided.around
            ir = _read(around, self._op_table)
        except InputError:  # the dump as a whole may be valid
            is_divided = False
            ir = _read(self.dump, self._op_table)
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
    def functions(self) -> dict[str, Lines]:
        """By symbol, the lines of these functions."""
        first = next((line.number for line in self.text.lines), 0)
        return {
            symbol: Lines(function.line - first, function.last_line - first + 1)
            for symbol, function in self.function_texts.items()
        }

    def excerpt(self, left_out: Iterable[Lines]) -> Excerpt:
        """Return it without the bodies of functions on some lines."""
        return Excerpt(self.text, self.text.without_bodies(left_out), self._op_table)


def extents_of(ir: IR, ends: Sequence[int], kept: Sequence[int], root: Scope | None) -> dict[Scope, Lines]:
    """Return the lines of the scopes of a text, as scopes of its program.

    A scope that shares its first or last line with other ops has no lines of its own, and is left out.

    Args:
        ir: what was read from some of its lines.
        ends: the offset after each of their line ends (``line_ends``).
        kept: per line that was read, its number in the text.
        root: the scope that the text is of; None if it is not known.
    """
    extents: dict[Scope, Lines] = {}
    scopes = scopes_of(ir)
    outermost = next(iter(scopes))
    for scope, op in scopes.items():
        lines = Lines(0, kept[-1] + 1 if kept else 0)
        if op >= 0:
            if scope != outermost and not _has_own_lines(ir, op):
                continue
            lines = _lines_at(ir, ends, kept, op)
        extents[scope if root is None else (*root, *scope[1:])] = lines
    return extents


def _has_own_lines(ir: IR, op: int) -> bool:
    """Return whether no other op is on the first and the last line of an op."""
    data, start, end = ir.source.data, ir.op_start[op], ir.op_end[op]
    before = data[data.rfind(b"\n", 0, start) + 1 : start]
    return not before.strip() and _LINE_REST.match(data, end) is not None


def _lines_at(ir: IR, ends: Sequence[int], kept: Sequence[int], op: int) -> Lines:
    first, last = (bisect_right(ends, place) for place in (ir.op_start[op], ir.op_end[op] - 1))
    return Lines(kept[first], kept[last] + 1)


def line_ends(source: Source) -> list[int]:
    """Return the offset after each line end of a text."""
    return [match.end() for match in _LINE_END.finditer(source.data)]


def lines_of(dump: Dump, aliases: Aliases, first: int | None = None) -> list[Line]:
    """Return the lines of a dump, without blank ones around it.

    Args:
        dump: the dump.
        aliases: its definitions.
        first: the 1-based line of the start of its span, if the caller knows it.
    """
    if first is None:
        first = dump.source.line_at(dump.span.start)
    texts = dump.text.split(b"\n")
    while texts and not texts[-1].strip():
        texts.pop()
    start = next((k for k, text in enumerate(texts) if text.strip()), 0)
    return lines_from(texts[start:] if start else texts, first + start, aliases)


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
        of_op[op] = (*of_op[parent], ScopeStep(ir.name(op), symbol, seen[kind]))
        seen[kind] += 1
        scopes[of_op[op]] = op
    return scopes
