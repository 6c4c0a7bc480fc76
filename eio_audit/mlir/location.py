"""MLIR's debug locations: the grammar inside ``loc(...)`` and the aliases it may refer to.

Not to be confused with ``Position``, a place in the dump itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from eio_audit.mlir.ir import IR, NO_OFFSET
from eio_audit.mlir.source import InputError, Source, Span


@dataclass(frozen=True, slots=True)
class UnknownLoc:
    """``unknown``."""


@dataclass(frozen=True, slots=True)
class FileLineColLoc:
    """``"file":line:col``, or a range that ends with ``to line:col`` (``text`` keeps it as printed)."""

    file: str
    line: int
    column: int
    text: str


@dataclass(frozen=True, slots=True)
class NameLoc:
    """``"name"`` or ``"name"(child)``."""

    name: str
    child: Location | None


@dataclass(frozen=True, slots=True)
class CallSiteLoc:
    """``callsite(callee at caller)``."""

    callee: Location
    caller: Location


@dataclass(frozen=True, slots=True)
class FusedLoc:
    """``fused<metadata>[location, ...]``."""

    locations: tuple[Location, ...]
    metadata: str | None


@dataclass(frozen=True, slots=True)
class AliasLoc:
    """``#alias``: stands for the location that the dump defines under this name."""

    alias: str


@dataclass(frozen=True, slots=True)
class OpaqueLoc:
    """A dialect's own location attribute, kept as text."""

    text: str


Location: TypeAlias = UnknownLoc | FileLineColLoc | NameLoc | CallSiteLoc | FusedLoc | AliasLoc | OpaqueLoc

_SPACE = re.compile(rb"\s*+")
_STRING = re.compile(rb'"([^"\\\n]*+(?:\\.[^"\\\n]*+)*+)"')
_ALIAS = re.compile(rb"#[A-Za-z_][\w$.-]*+(?![\w<])")
_RANGE = re.compile(rb"\s*+:\s*+(\d+)\s*+:\s*+(\d+)(?:\s+to\s*+(?:\d+)?\s*+:\s*+\d+)?")
_WORD = re.compile(rb"[A-Za-z_]\w*+")
_OPAQUE = re.compile(rb'(?:"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"|[^"<>\[\](){},]++)++')
_ESCAPE = re.compile(rb'\\(?:([0-9A-Fa-f]{2})|(["\\nt]))')
_NAMED_ESCAPES = {b"n": b"\n", b"t": b"\t", b'"': b'"', b"\\": b"\\"}


class Locations:
    """The locations of one dump's operations, parsed once per distinct text.

    Raises (from every method): InputError for a malformed location, an alias without a definition, or an
    alias defined by itself.
    """

    def __init__(self, ir: IR) -> None:
        self._ir = ir
        self._parsed: dict[bytes, Location] = {}

    def of(self, op: int) -> Location | None:
        """The op's own location, or None when it was printed without one."""
        start = self._ir.location_start[op]
        return None if start == NO_OFFSET else self.parse(Span(start, self._ir.op_end[op] - 1))

    def alias_span(self, alias: str, user: int) -> Span:
        """Where the dump defines an alias that is used by op ``user``."""
        span = self._ir.aliases.get(alias.encode())
        if span is None:
            raise self._ir.source.error(
                self._ir.location_start[user], f"alias '{alias}' is not defined in this dump: is it cut off?"
            )
        return span

    def loop(self, alias: str, user: int) -> InputError:
        """The error that an alias, used by op ``user``, is defined by itself."""
        span = self.alias_span(alias, user)
        return self._ir.source.error(span.start, f"alias '{alias}' is defined by itself")

    def resolve(self, location: Location, user: int) -> Location:
        """The location that is not an alias behind ``location``, which op ``user`` carries."""
        seen: set[str] = set()
        while isinstance(location, AliasLoc):
            span = self.alias_span(location.alias, user)
            if location.alias in seen:
                raise self.loop(location.alias, user)
            seen.add(location.alias)
            location = self.parse(span)
        return location

    def walk(self, location: Location, user: int) -> Iterator[Location]:
        """The location and everything inside it, aliases resolved, outermost first.

        Each alias is entered once, so shared and deeply nested locations take linear time.
        """
        entered: set[str] = set()
        pending: list[Location] = [location]
        while pending:
            current = pending.pop()
            if isinstance(current, AliasLoc):
                if current.alias in entered:
                    continue
                entered.add(current.alias)
                current = self.resolve(current, user)
            yield current
            pending.extend(reversed(children(current)))

    def parse(self, span: Span) -> Location:
        """The location that stands at ``span``."""
        text = self._ir.source.data[span.start : span.end]
        location = self._parsed.get(text)
        if location is None:
            location = self._parsed[text] = parse_location(self._ir.source, span)
        return location


def children(location: Location) -> tuple[Location, ...]:
    """The locations directly inside one; of a call site the caller comes first."""
    match location:
        case NameLoc(_, child) if child is not None:
            return (child,)
        case CallSiteLoc(callee, caller):
            return (caller, callee)
        case FusedLoc(locations, _):
            return locations
        case _:
            return ()


@dataclass(slots=True)
class _Open:
    """A location whose closing bracket has not been reached."""

    kind: str
    text: str | None
    parts: list[Location]


def parse_location(source: Source, span: Span) -> Location:
    """Parses the text inside ``loc(...)``.

    Grammar::

        location ::= `unknown` | string `:` int `:` int (`to` int? `:` int)? | string (`(` location `)`)?
                   | `callsite` `(` location `at` location `)`
                   | `fused` (`<` attribute `>`)? `[` location (`,` location)* `]`
                   | `#` alias | dialect-attribute

    Raises:
        InputError: the text is none of these.
    """
    return _Parser(source, span).parse()


class _Parser:
    def __init__(self, source: Source, span: Span) -> None:
        self.source = source
        self.data = source.data
        self.offset = span.start
        self.end = span.end
        self.open: list[_Open] = []

    def parse(self) -> Location:
        while True:
            location = self._atom()
            while location is not None:
                if not self.open:
                    self._skip_space()
                    if self.offset != self.end:
                        raise self.source.error(self.offset, "expected the end of the location")
                    return location
                location = self._reduce(location)

    def _atom(self) -> Location | None:
        """One location, or None after the opening of one that holds others."""
        self._skip_space()
        if match := self._take(_STRING):
            return self._after_string(_unescape(match[1]))
        if match := self._take(_ALIAS):
            return AliasLoc(match[0].decode())
        if match := self._take(_WORD):
            return self._after_word(match[0].decode())
        return self._opaque(self.offset)

    def _after_string(self, text: str) -> Location | None:
        if match := self._take(_RANGE):
            return FileLineColLoc(text, int(match[1][-9:]), int(match[2][-9:]), match[0].decode())
        self._skip_space()
        if self._take_char(b"("):
            self.open.append(_Open("name", text, []))
            return None
        return NameLoc(text, None)

    def _after_word(self, word: str) -> Location | None:
        if word == "unknown":
            return UnknownLoc()
        self._skip_space()
        if word == "callsite" and self._take_char(b"("):
            self.open.append(_Open("callsite", None, []))
            return None
        if word == "fused":
            metadata = None
            if self.data[self.offset : self.offset + 1] == b"<":
                start = self.offset
                self._skip_balanced()
                metadata = self.data[start + 1 : self.offset - 1].decode("utf-8", "replace")
                self._skip_space()
            if self._take_char(b"["):
                self.open.append(_Open("fused", metadata, []))
                return None
        raise self.source.error(self.offset, "expected a location")

    def _reduce(self, location: Location) -> Location | None:
        """Adds a finished location to the one around it; returns that one when it is finished too."""
        around = self.open[-1]
        around.parts.append(location)
        self._skip_space()
        if around.kind == "fused" and self._take_char(b","):
            return None
        if around.kind == "callsite" and len(around.parts) == 1:
            word = self._take(_WORD)
            if word is None or word[0] != b"at":
                raise self.source.error(self.offset, "expected 'at' and the caller's location")
            return None
        closing = b"]" if around.kind == "fused" else b")"
        if not self._take_char(closing):
            raise self.source.error(self.offset, f"expected '{closing.decode()}' in the location")
        self.open.pop()
        if around.kind == "name":
            assert around.text is not None
            return NameLoc(around.text, location)
        if around.kind == "callsite":
            return CallSiteLoc(*around.parts)
        return FusedLoc(tuple(around.parts), around.text)

    def _opaque(self, start: int) -> Location:
        if self.data[start : start + 1] != b"#":
            raise self.source.error(start, "expected a location")
        while self.offset < self.end:
            if self._take(_OPAQUE):
                continue
            if self.data[self.offset : self.offset + 1] not in (b"<", b"(", b"[", b"{"):
                break
            self._skip_balanced()
        return OpaqueLoc(self.data[start : self.offset].decode("utf-8", "replace"))

    def _skip_balanced(self) -> None:
        start, depth = self.offset, 0
        while self.offset < self.end:
            if self._take(_OPAQUE):
                continue
            char = self.data[self.offset : self.offset + 1]
            self.offset += 1
            if char == b">" and self.data[self.offset - 2 : self.offset - 1] == b"-":
                continue
            depth += 1 if char in (b"<", b"(", b"[", b"{") else -1 if char not in {b",", b'"'} else 0
            if depth == 0:
                return
        raise self.source.error(start, "unbalanced bracket in the location")

    def _take(self, pattern: re.Pattern[bytes]) -> re.Match[bytes] | None:
        match = pattern.match(self.data, self.offset, self.end)
        if match:
            self.offset = match.end()
        return match

    def _take_char(self, char: bytes) -> bool:
        if self.offset < self.end and self.data[self.offset : self.offset + 1] == char:
            self.offset += 1
            return True
        return False

    def _skip_space(self) -> None:
        self._take(_SPACE)


def _unescape(raw: bytes) -> str:
    r"""The text of a string literal: ``\22`` is a byte in hex, ``\n``, ``\t``, ``\"``, ``\\`` as in C."""
    if b"\\" in raw:
        raw = _ESCAPE.sub(lambda m: bytes([int(m[1], 16)]) if m[1] else _NAMED_ESCAPES[m[2]], raw)
    return raw.decode("utf-8", "surrogateescape")
