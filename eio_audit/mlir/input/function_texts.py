"""Find the functions of a dump, and the op that its pass ran on, by its text, without reading the dump.

Most functions do not change between the dumps of a log, so most need not be read again. A printer indents the
body of a function and closes it at the indentation of its header. So the text ends at the first line after
the header that has the same indentation and begins with a brace. With any other indentation the text is not
one balanced op, and reading it is an error, not a wrong result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from hashlib import sha256
from operator import itemgetter
from typing import NamedTuple

from eio_audit.mlir.input.dumps import Dump, start_of_first_op
from eio_audit.mlir.input.markers import without_noise
from eio_audit.mlir.ir import symbol_in
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.source import Source, Span, Text, decoded, line_end, splice
from eio_audit.mlir.tokens import (
    ALIAS_NAME,
    SYMBOL_USE,
    AliasTexts,
    match_end,
    symbol_of,
    without_definitions,
)
from eio_audit.mlir.traits import OpTable

_HEADER = pattern(rb'(?:"(?P<generic>[\w$.-]++)"\(|(?P<custom>[A-Za-z_][\w$]*+\.[\w$.-]++) )')
_BLANKS = pattern(rb"[ \t]*+")
_ALIAS_USE = pattern(rb"(" + ALIAS_NAME + rb")")
_ATTRIBUTE_ALIAS_USE = pattern(rb"(" + ALIAS_NAME.replace(b"[#!]", b"#") + rb")")
_LOCATION_ALIAS = pattern(rb"loc\((#[\w$.-]++)\)\n")
_LONG_LOCATION = 1000  # the length in bytes from which a location stays an alias, since many ops may use it
_LONGEST_EXPANSION = 4096  # the most bytes that an alias may expand to; without a limit, it is exponential
_OPENING = pattern(rb"\{[ \t\r\v\f]{0,7}\n")  # the end of a line with a brace
_LINE_TAIL = 8  # how many bytes at the end of a line may hold the brace, as blanks may follow it
_LONGEST_HEADER = 1 << 16  # how many bytes of an op may hold its symbol, from its start or to its end
_NAME = pattern(rb'(?:%[^=\n]*+= )?(?:"(?P<generic>[\w$.-]++)"\(|(?P<custom>[A-Za-z_][\w$.]*+))')
_MODULE = "builtin.module"


class FunctionText:
    """One function of a dump: its symbol, its lines (``raw``), and the 1-based lines of its header and end.

    ``aliases`` are the definitions of the dump. ``indent`` is the indentation that all of its lines share.
    ``column`` is the 1-based column of the file that they begin in.
    """

    def __init__(self, dump: Dump, extent: _Extent, aliases: Aliases) -> None:
        self.symbol = extent.symbol
        self.raw = dump.source.data[extent.start : extent.end]
        self.line, self.column = dump.source.position_at(extent.start)
        self.last_line = dump.source.line_at(extent.end - 1)  # the source counts on from the header
        self.aliases = aliases
        self.indent = extent.indent

    @cached_property
    def text(self) -> bytes:
        """The lines without the indentation that all of them share."""
        return self.raw.removeprefix(self.indent).replace(b"\n" + self.indent, b"\n")

    @cached_property
    def key(self) -> bytes:
        """A key that is equal for functions whose texts differ only in alias names and logger lines."""
        return self.aliases.key_of(without_noise(self.text))

    def is_equal_to(self, other: FunctionText) -> bool:
        """Whether both texts are equal to the byte, with their aliases."""
        return self.raw == other.raw and self.aliases.definitions == other.aliases.definitions

    def is_same_as(self, other: FunctionText) -> bool:
        """Whether both texts are equal, to the byte (fast to check) or up to alias names."""
        return self.is_equal_to(other) or self.key == other.key

    @cached_property
    def symbols(self) -> frozenset[str]:
        """The symbols in the function's text."""
        return frozenset(map(symbol_of, {*SYMBOL_USE.findall(self.raw)}))


class DumpText:
    """A dump divided into its functions and the text around them."""

    def __init__(self, dump: Dump, op_table: OpTable | None = None) -> None:
        self.dump = dump
        data = dump.source.data
        found: dict[str, list[_Extent]] = {}
        for extent in _function_extents(data, dump.span, op_table or OpTable()):
            found.setdefault(extent.symbol, []).append(extent)
        extents = [same[0] for same in found.values() if len(same) == 1]
        bodies = [(Span(extent.body_start, extent.body_end), b"") for extent in extents]
        definitions, self._outside = without_definitions(splice(data, dump.span, bodies))
        self.aliases = Aliases(definitions)  # the alias definitions of the dump
        # By symbol, the functions found by their text. A symbol defined twice has none.
        self.functions = {e.symbol: FunctionText(dump, e, self.aliases) for e in extents}

    @cached_property
    def outside_key(self) -> bytes:
        """A key that is equal for dumps with the same text around their functions."""
        return self.aliases.key_of(without_noise(self._outside))

    @property
    def outside_size(self) -> int:
        """The number of bytes of the text around its functions."""
        return len(self._outside)

    def reached_from(self, function: FunctionText) -> list[FunctionText]:
        """Return the other functions that this one calls, directly or indirectly."""
        reached: dict[str, FunctionText] = {}
        pending = [*function.symbols]
        while pending:
            symbol = pending.pop()
            if symbol != function.symbol and symbol not in reached and symbol in self.functions:
                reached[symbol] = self.functions[symbol]
                pending += self.functions[symbol].symbols
        return [reached[symbol] for symbol in sorted(reached)]

    def function_dump(self, function: FunctionText, others: Iterable[FunctionText] = ()) -> Dump:
        """Return a dump of the function, then the others, then the aliases they use."""
        text = b"\n".join([function.text, *(other.text for other in others)])
        return self._part(
            self.aliases.in_place(text), function.line, function.column - 1 + len(function.indent)
        )

    @cached_property
    def outside(self) -> Dump:
        """Return a dump of the text without the bodies of functions. Its line numbers are not the file's."""
        return self._part(self._outside, self.dump.line)

    def _part(self, text: bytes, line: int, indent: int = 0) -> Dump:
        data = text + b"\n" + self.aliases.used_in(text)
        source = Source(self.dump.source.name, data, first_line=line, indent=indent)
        return Dump(source, Span(0, len(data)), self.dump.marker, line, self.dump.program, line)


class Aliases:
    """The alias definitions of a dump by name. ``are_unique`` is true if no name is defined twice."""

    def __init__(self, found: Sequence[tuple[bytes, bytes]]) -> None:
        names, values = map(itemgetter(0), found), map(itemgetter(1), found)
        self.definitions: dict[bytes, bytes] = dict(zip(names, map(bytes.rstrip, values), strict=True))
        self.are_unique = len(found) == len(self.definitions)
        # A pattern that begins with a single character is ten times as fast.
        has_types = b"\n!" in b"\n".join([b"", *self.definitions])
        self._use = _ALIAS_USE if has_types else _ATTRIBUTE_ALIAS_USE

    def key_of(self, text: bytes) -> bytes:
        """Return a digest of the text with aliases expanded, since a printer may use an alias or not."""
        if self.definitions:
            parts = self._use.split(text)
            plain, expanded = self._plain_locations, self._texts.of
            parts[1::2] = [plain.get(name) or expanded(name) for name in parts[1::2]]
            text = b"".join(parts)
        return sha256(text).digest()

    def in_place(self, text: bytes) -> bytes:
        """Return the text with plain locations in place of their aliases at line ends.

        A table of locations takes as long to read as the ops that use it. No string spans a line end, so
        nothing in a string is taken for an alias.
        """
        plain = self._plain_locations
        parts = _LOCATION_ALIAS.split(text) if plain else [text]
        parts[1::2] = [b"loc(%b)\n" % plain.get(name, name) for name in parts[1::2]]
        return b"".join(parts)

    def used_in(self, text: bytes) -> bytes:
        """Return the definitions of the aliases that a text uses, directly or through other aliases."""
        return b"".join([b"%b = %b\n" % (name, self.definitions[name]) for name in self.names_in(text)])

    def names_in(self, text: bytes) -> list[bytes]:
        """Return the aliases that a text uses, directly or through other aliases."""
        if not self.definitions:
            return []
        names = dict.fromkeys(filter(self.definitions.__contains__, self._use.findall(text)))
        pending = [name for name in names if name not in self._plain_locations]
        while pending:
            for name in _ALIAS_USE.findall(self.definitions[pending.pop()]):
                if name in self.definitions and name not in names:
                    names[name] = None
                    pending.append(name)
        return list(names)

    @cached_property
    def _texts(self) -> AliasTexts:
        return AliasTexts(self.definitions.get, _expansion, self._plain_locations)

    @cached_property
    def _plain_locations(self) -> dict[bytes, bytes]:
        """By alias, its location if that is short and contains no alias."""
        values = b"\n".join(self.definitions.values())
        are_plain = b"#" not in values and b"!" not in values
        return {
            name: value[4:-1]
            for name, value in self.definitions.items()
            if value[:4] == b"loc(" and value[-1:] == b")" and len(value) < _LONG_LOCATION
            if are_plain or (b"#" not in value and b"!" not in value)
        }


def _expansion(_: bytes, value: bytes) -> bytes:
    """Return the replacement of an alias in a text: its value, or a digest of a long value."""
    if value.startswith(b"loc(") and value.endswith(b")"):
        value = value[len(b"loc(") : -1]
    return value if len(value) <= _LONGEST_EXPANSION else sha256(value).digest()


class _Extent(NamedTuple):
    """The lines of a function, and the lines of its body between them."""

    symbol: str
    indent: bytes
    start: int
    body_start: int
    body_end: int
    end: int


def _function_extents(data: Text, span: Span, op_table: OpTable) -> Iterator[_Extent]:
    offset = span.start
    while opening := _OPENING.search(data, offset, span.end):
        line = max(data.rfind(b"\n", offset, opening.start()) + 1, offset)
        extent = _function_at(data, Span(line, opening.end() - 1), span.end, op_table)
        if extent is not None:
            yield extent
        offset = extent.end if extent else opening.end()


def _function_at(data: Text, line: Span, end: int, op_table: OpTable) -> _Extent | None:
    """Return the function whose header is this line. None if it is no function header or has no end."""
    name_start = match_end(_BLANKS, data, line.start, end)
    header = _HEADER.match(data, name_start, line.end)
    if header is None:
        return None
    name = decoded(header["generic"] or header["custom"])
    if name in op_table.rows and "function" not in op_table.flags(name):
        return None
    follows_marker = line.start > 0 and data[line.start - 1 : line.start] != b"\n"
    start = name_start if follows_marker else line.start
    indent = data[start:name_start]
    symbol = symbol_in(data[line.start : min(line.end, line.start + _LONGEST_HEADER)])
    closing = _closing_line(data, indent, line.end, end)
    if symbol is None or closing is None:
        return None
    if name not in op_table.rows and _holds_function(data, Span(line.end, closing.start), op_table):
        return None
    return _Extent(symbol, indent, start, line.end + 1, closing.start, closing.end)


def _closing_line(data: Text, indent: bytes, offset: int, end: int) -> Span | None:
    """Return the line that closes the op with this indentation and opens no further region."""
    brace = b"\n" + indent + b"}"
    while (start := data.find(brace, offset, end)) >= 0:
        offset = line_end(data, start + 1, end)
        if not data[max(start, offset - _LINE_TAIL) : offset].rstrip().endswith(b"{"):
            return Span(start + 1, min(offset + 1, end))
    return None


def _holds_function(data: Text, body: Span, op_table: OpTable) -> bool:
    """Whether the body of an op names a listed function. An unlisted op with a symbol then is none."""
    return any(data.find(listed.encode(), body.start, body.end) >= 0 for listed in op_table.function_names)


class ShownOp(NamedTuple):
    """An op of a dump."""

    name: str  # its name (`func.func`); empty if no line begins an op
    symbol: str | None  # its symbol (`@main`); None for a module of the builtin dialect or an op without one

    @property
    def label(self) -> str:
        """Its symbol, or its name if it has none. Empty for a module of the builtin dialect."""
        return self.symbol or ("" if self.name == _MODULE else self.name)


def shown_op(dump: Dump) -> ShownOp:
    """Return the op that a dump's pass ran on: the one that its marker names, else the outermost one."""
    marker = dump.marker
    if marker is not None and marker.op_name is not None:
        return ShownOp(marker.op_name, None if marker.op_name == _MODULE else marker.symbol)
    return outermost_op(dump)


def outermost_op(dump: Dump) -> ShownOp:
    """Return the first op of a dump's text. In a log of module scope, it is the module."""
    data, end = dump.source.data, dump.span.end
    start = start_of_first_op(dump.source, dump.span)
    match = _NAME.match(data, start, end)
    if match is None:
        return ShownOp("", None)
    header = data[start : min(line_end(data, start, end), start + _LONGEST_HEADER)]
    if match["generic"] is not None:
        name, tail = match["generic"], data[max(data.rfind(b"\n}", start, end), end - _LONGEST_HEADER) : end]
    else:
        name, tail, header = match["custom"], b"", header.partition(b"{")[0]
    text = _MODULE if name == b"module" else decoded(name)
    return ShownOp(text, None if text == _MODULE else symbol_in(header, tail))
