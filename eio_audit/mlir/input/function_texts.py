"""The functions of a dump as texts of their own, found without reading the dump.

Most functions do not change between the dumps of a log, so most need not be read again. A printer indents
what is in a function and closes it where it began: the text ends at the first line after its header
that begins with as many blanks and a brace. With any other indentation the text is not one
balanced op, so reading it is an error, not a wrong result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple

from eio_audit.mlir.aliases import AliasTexts, without_definitions
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.files import Text
from eio_audit.mlir.input.noise import noise_end
from eio_audit.mlir.ir import symbol_in
from eio_audit.mlir.source import Source, Span, line_end
from eio_audit.mlir.tokens import ALIAS_NAME, match_end
from eio_audit.mlir.traits import OpTable

_HEADER = re.compile(rb'(?:"(?P<generic>[\w$.-]++)"\(|(?P<custom>[A-Za-z_][\w$]*+\.[\w$.-]++) )')
_BLANKS = re.compile(rb"[ \t]*+")
_ALIAS_USE = re.compile(rb"(" + ALIAS_NAME + rb")")
_ATTRIBUTE_ALIAS_USE = re.compile(rb"(" + ALIAS_NAME.replace(b"[#!]", b"#") + rb")")
_LOCATION_ALIAS = re.compile(rb"loc\((#[\w$.-]++)\)\n")
_LONG_LOCATION = 1000
"""Bytes from which on a location stays an alias, since many ops may have it."""
_LONGEST_EXPANSION = 4096
"""The most bytes that an alias may expand to; without a limit, expansion is exponential."""
_SYMBOL_USE = re.compile(rb'@(?:[\w$.-]+|"[^"\\\n]*+")')
_FLUSH_LINE = re.compile(rb"\n(?=[^ \t\r\n}^%)#])")
"""The begin of a line that is not indented, as a printer's lines in a function are."""
_OPENING = re.compile(rb"\{[ \t\r\v\f]{0,7}\n")
"""The end of a line with a brace."""
_LINE_TAIL = 8
"""Bytes at the end of a line in which the brace is looked for; blanks may follow it."""
_LONGEST_HEADER = 1 << 16
"""Bytes of a header in which the symbol is looked for."""


class FunctionText:
    """One function of a dump: its symbol, the lines it is on (``raw``), and the 1-based line of its header.

    ``aliases`` are the definitions of the dump, ``indent`` the blanks that all of its lines begin with.
    """

    def __init__(self, dump: Dump, extent: _Extent, aliases: Aliases) -> None:
        self.symbol = extent.symbol
        self.raw = dump.source.data[extent.start : extent.end]
        self.line = dump.source.line_at(extent.start)
        self.aliases = aliases
        self.indent = extent.indent

    @cached_property
    def text(self) -> bytes:
        """The lines without the indentation that all of them have."""
        return self.raw.removeprefix(self.indent).replace(b"\n" + self.indent, b"\n")

    @cached_property
    def key(self) -> bytes:
        """Equal for functions with the same text up to names of aliases and lines of loggers."""
        return self.aliases.key_of(_without_noise(self.text))

    def is_same_as(self, other: FunctionText) -> bool:
        """Whether both texts are equal: to the byte, which is quick to see, or up to names of aliases."""
        is_same_text = self.raw == other.raw and self.aliases.definitions == other.aliases.definitions
        return is_same_text or self.key == other.key

    @cached_property
    def symbols(self) -> frozenset[str]:
        """The symbols in it."""
        return frozenset(symbol.decode("utf-8", "replace") for symbol in _SYMBOL_USE.findall(self.raw))


class DumpText:
    """A dump, divided into its functions and what is around them.

    Attributes:
        functions: those that can be told from the text, by symbol; where several have one symbol, none.
        aliases: the definitions of the dump.
    """

    def __init__(self, dump: Dump, op_table: OpTable | None = None) -> None:
        self.dump = dump
        data = dump.source.data
        found: dict[str, list[_Extent]] = {}
        for extent in _function_extents(data, dump.span, op_table or OpTable()):
            found.setdefault(extent.symbol, []).append(extent)
        extents = [same[0] for same in found.values() if len(same) == 1]
        around = _without_bodies(data, dump.span, extents)
        definitions, self._around = without_definitions(around)
        self.aliases = Aliases(definitions)
        self.functions = {e.symbol: FunctionText(dump, e, self.aliases) for e in extents}

    @cached_property
    def around_key(self) -> bytes:
        """Equal for dumps with the same text around their functions."""
        return self.aliases.key_of(_without_noise(self._around))

    def reached_from(self, function: FunctionText) -> list[FunctionText]:
        """The other functions that it calls, and that these call."""
        reached: dict[str, FunctionText] = {}
        pending = [*function.symbols]
        while pending:
            symbol = pending.pop()
            if symbol != function.symbol and symbol not in reached and symbol in self.functions:
                reached[symbol] = self.functions[symbol]
                pending += self.functions[symbol].symbols
        return [reached[symbol] for symbol in sorted(reached)]

    def function_dump(self, function: FunctionText, others: Iterable[FunctionText] = ()) -> Dump:
        """The function, other functions after it, and the aliases they use, as a dump."""
        text = b"\n".join([function.text, *(other.text for other in others)])
        return self._part(self.aliases.in_place(text), function.line, len(function.indent))

    @cached_property
    def around(self) -> Dump:
        """What is around the functions as a dump; they have no bodies in it, and lines are not the file's."""
        return self._part(self._around, self.dump.line)

    def _part(self, text: bytes, line: int, indent: int = 0) -> Dump:
        data = text + b"\n" + self.aliases.used_in(text)
        source = Source(self.dump.source.name, data, first_line=line, indent=indent)
        return Dump(source, Span(0, len(data)), self.dump.marker, line, self.dump.program)


class Aliases:
    """The alias definitions of a dump, by name; ``are_unique`` if no name is defined twice."""

    def __init__(self, found: Sequence[tuple[bytes, bytes]]) -> None:
        self.definitions: dict[bytes, bytes] = {name: value.rstrip() for name, value in found}
        self.are_unique = len(found) == len(self.definitions)
        # A pattern that begins with one character only is ten times as fast.
        has_types = any(name.startswith(b"!") for name in self.definitions)
        self._use = _ALIAS_USE if has_types else _ATTRIBUTE_ALIAS_USE

    def key_of(self, text: bytes) -> bytes:
        """A digest of the text in which an alias is what it stands for: a printer may use one or not."""
        if self.definitions:
            parts = self._use.split(text)
            parts[1::2] = map(self._texts.of, parts[1::2])
            text = b"".join(parts)
        return blake2b(text, digest_size=16).digest()

    def in_place(self, text: bytes) -> bytes:
        """The text with locations instead of aliases at line ends, where an alias stands for a plain one.

        A table of locations takes as long to read as the ops that use it. No string goes over a line end, so
        nothing in a string is taken for an alias.
        """
        plain = self._plain_locations
        parts = _LOCATION_ALIAS.split(text) if plain else [text]
        parts[1::2] = [b"loc(%b)\n" % plain.get(name, name) for name in parts[1::2]]
        return b"".join(parts)

    def used_in(self, text: bytes) -> bytes:
        """The definitions of the aliases that a text uses, and of those that they use."""
        if not self.definitions:
            return b""
        names = dict.fromkeys(filter(self.definitions.__contains__, self._use.findall(text)))
        pending = [name for name in names if name not in self._plain_locations]
        while pending:
            for name in _ALIAS_USE.findall(self.definitions[pending.pop()]):
                if name in self.definitions and name not in names:
                    names[name] = None
                    pending.append(name)
        return b"".join([b"%b = %b\n" % (name, self.definitions[name]) for name in names])

    @cached_property
    def _texts(self) -> AliasTexts:
        return AliasTexts(self.definitions.get, _expansion, self._plain_locations)

    @cached_property
    def _plain_locations(self) -> dict[bytes, bytes]:
        """By alias the location that it stands for, where that is short and has no alias in it."""
        return {
            name: value[4:-1]
            for name, value in self.definitions.items()
            if value[:4] == b"loc(" and value[-1:] == b")" and len(value) < _LONG_LOCATION
            if b"#" not in value and b"!" not in value
        }


def _expansion(_: bytes, value: bytes) -> bytes:
    """What an alias with this value is in a text: a digest of a long value."""
    if value.startswith(b"loc(") and value.endswith(b")"):
        value = value[len(b"loc(") : -1]
    return value if len(value) <= _LONGEST_EXPANSION else blake2b(value).digest()


class _Extent(NamedTuple):
    """Where a function is: its lines, and between them those of its body."""

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
    """The function whose header is this line; None where it is no function's, or the function has no end."""
    name_start = match_end(_BLANKS, data, line.start, end)
    header = _HEADER.match(data, name_start, line.end)
    if header is None:
        return None
    is_behind_marker = line.start > 0 and data[line.start - 1 : line.start] != b"\n"
    start = name_start if is_behind_marker else line.start
    indent = data[start:name_start]
    name = (header["generic"] or header["custom"]).decode("utf-8", "replace")
    symbol = symbol_in(data[line.start : min(line.end, line.start + _LONGEST_HEADER)])
    closing = _closing_line(data, indent, line.end, end)
    if symbol is None or closing is None:
        return None
    if not _is_function(name, data, Span(line.end, closing.start), op_table):
        return None
    return _Extent(symbol, indent, start, line.end + 1, closing.start, closing.end)


def _closing_line(data: Text, indent: bytes, offset: int, end: int) -> Span | None:
    """The line that closes what a line with this indentation has opened, and opens nothing itself."""
    brace = b"\n" + indent + b"}"
    while (start := data.find(brace, offset, end)) >= 0:
        offset = line_end(data, start + 1, end)
        if not data[max(start, offset - _LINE_TAIL) : offset].rstrip().endswith(b"{"):
            return Span(start + 1, min(offset + 1, end))
    return None


def _is_function(name: str, data: Text, body: Span, op_table: OpTable) -> bool:
    """Whether an op with a symbol is a function: listed as one, or unlisted and without such a one in it."""
    if name in op_table.rows:
        return "function" in op_table.flags(name)
    return all(data.find(listed.encode(), body.start, body.end) < 0 for listed in op_table.function_names)


def _without_noise(text: bytes) -> bytes:
    parts, start = [], 0
    for match in _FLUSH_LINE.finditer(text):
        end = noise_end(text, match.end(), len(text)) if match.end() > start else None
        if end is not None:
            parts.append(text[start : match.end() - 1])
            start = end
    return b"".join([*parts, text[start:]])


def _without_bodies(data: Text, span: Span, extents: Iterable[_Extent]) -> bytes:
    parts, offset = [], span.start
    for extent in extents:
        parts.append(data[offset : extent.body_start])
        offset = extent.body_end
    return b"".join([*parts, data[offset : span.end]])
