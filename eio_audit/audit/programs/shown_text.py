"""What a dump shows: its text, divided into functions and what is around them. A text is read once.

Most dumps show the same around their functions as one before, so what is read of that is shared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Generic, NamedTuple, TypeVar

from eio_audit.audit.programs.scope_text import Lines, Scope, ScopeText, scopes_of
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.function_texts import Aliases, DumpText, FunctionText
from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.semantics.functions import only_function
from eio_audit.mlir.source import InputError, Span, count_lines, line_end
from eio_audit.mlir.traits import OpTable

ValueT = TypeVar("ValueT")


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
