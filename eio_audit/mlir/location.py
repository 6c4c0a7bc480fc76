"""MLIR's debug locations: the grammar inside ``loc(...)``.

``Position`` is something else: a place in the dump itself.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from eio_audit.mlir.ir import IR
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.source import InputError, Source, Span, decoded
from eio_audit.mlir.tokens import STRING, TRIVIA, closing_end, match_end, post_order, unescaped

_STRING = pattern(STRING)
_HASH_NAME = pattern(rb"#[\w$.-]++")
_RANGE = pattern(rb"\s*+:\s*+(\d+)\s*+:\s*+(\d+)(?:\s+to\s*+(?:\d+)?\s*+:\s*+\d+)?")
_WORD = pattern(rb"[A-Za-z_]\w*+")
NAME_ALONE = pattern(rb'"[^"\\\n]*+"')
"""A location that is a name and nothing else, printed without escapes."""
_NAME_OF_ALIAS = pattern(rb'("[^"\\\n]*+")\((#[\w$.-]++)\)')


@dataclass(frozen=True, slots=True)
class UnknownLoc:
    """``unknown``."""


class FileLineColLoc(NamedTuple):
    """``"file":line:col``, or a range that ends with ``to line:col``. ``text`` keeps it as printed."""

    file: str
    line: int
    column: int
    text: str


class NameLoc(NamedTuple):
    """``"name"`` or ``"name"(child)``."""

    name: str
    child: Location | None


class CallSiteLoc(NamedTuple):
    """``callsite(callee at caller)``."""

    callee: Location
    caller: Location


class FusedLoc(NamedTuple):
    """``fused<metadata>[location, ...]``."""

    locations: tuple[Location, ...]
    metadata: str | None


class OpaqueLoc(NamedTuple):
    """A location attribute of a dialect, kept as text."""

    text: str


Location: TypeAlias = UnknownLoc | FileLineColLoc | NameLoc | CallSiteLoc | FusedLoc | OpaqueLoc


class Locations:
    """The locations of one dump's operations, with aliases expanded.

    Each distinct text is parsed once. Ops with the same alias or text share the location object.

    Raises (from every method): InputError for a malformed location, an alias undefined or defined by itself.
    """

    def __init__(self, ir: IR) -> None:
        self._ir = ir
        self._by_text: dict[bytes, Location] = {}
        self._by_alias: dict[bytes, Location] = {}

    def of(self, op: int) -> Location | None:
        """Return the op's own location, or None if it was printed without one."""
        text = self._ir.location_text(op)
        if text is not None and text not in self._by_text:
            self._by_text[text] = self._parsed(op, text)
        return None if text is None else self._by_text[text]

    def _parsed(self, op: int, text: bytes) -> Location:
        printed = self._ir.definition(text) or text
        if (simple := self._simple(printed)) is not None:
            return simple
        span = Span(self._ir.location_start[op], self._ir.op_end[op] - 1)
        location, missing = self._parse(span)
        if missing:
            self._resolve(missing, op)
            location, _ = self._parse(span)
        return location

    def _resolve(self, aliases: Iterable[bytes], user: int) -> None:
        source, spans = self._ir.source, self._ir.aliases

        def missing_in(name: bytes) -> set[bytes]:
            if name not in spans:
                message = f"alias '{name.decode()}' is not defined in this dump: is it cut off?"
                raise source.error(self._ir.location_start[user], message)
            inside = _NAME_OF_ALIAS.fullmatch(source.data, *spans[name])
            return {inside[2]} if inside else self._parse(spans[name])[1]

        for name in post_order(aliases, missing_in, self._by_alias):
            start, end = spans[name]
            if (simple := self._simple(source.data[start:end])) is not None:
                self._by_alias[name] = simple
                continue
            self._by_alias[name], missing = self._parse(spans[name])
            for looped in missing:
                raise source.error(spans[looped].start, f"alias '{looped.decode()}' refers to itself")

    def _parse(self, span: Span) -> tuple[Location, set[bytes]]:
        return _Parser(self._ir.source, span, self._by_alias).parse()

    def _simple(self, text: bytes) -> Location | None:
        """Return a name alone, or with a known alias. Most locations are, and need no parser."""
        if NAME_ALONE.fullmatch(text):
            return NameLoc(unescaped(text[1:-1]), None)
        named = _NAME_OF_ALIAS.fullmatch(text)
        child = named and self._by_alias.get(named[2])
        return NameLoc(unescaped(named[1][1:-1]), child) if named and child is not None else None


def walk(location: Location, without: Container[int] = ()) -> Iterator[Location]:
    """Yield a location and all inside it, outermost first, each once; not those with the ids ``without``."""
    pending, seen = [location], set[int]()
    while pending:
        current = pending.pop()
        if id(current) not in seen and id(current) not in without:
            seen.add(id(current))
            yield current
            pending.extend(reversed(children(current)))


def children(location: Location) -> tuple[Location, ...]:
    """Return the locations directly inside one. In a call site the caller comes first."""
    match location:
        case NameLoc(_, child) if child is not None:
            return (child,)
        case CallSiteLoc(callee, caller):
            return (caller, callee)
        case FusedLoc(locations, _):
            return locations
        case _:
            return ()


class _Open(NamedTuple):
    """A location whose closing bracket has not been reached: its name or metadata, and its parts so far."""

    kind: str
    text: str | None
    parts: list[Location]


class _Parser:
    """Parses the text inside ``loc(...)``, which may contain comments.

    There is no recursion, since locations nest to any depth.

    Grammar::

        location ::= `unknown` | string `:` int `:` int (`to` int? `:` int)? | string (`(` location `)`)?
                   | `callsite` `(` location `at` location `)`
                   | `fused` (`<` attribute `>`)? `[` location (`,` location)* `]`
                   | `#` alias | dialect-attribute
    """

    def __init__(self, source: Source, span: Span, aliases: Mapping[bytes, Location]) -> None:
        self.source = source
        self.data = source.data
        self.offset = span.start
        self.end = span.end
        self.aliases = aliases
        self.missing: set[bytes] = set()
        self.open: list[_Open] = []

    def parse(self) -> tuple[Location, set[bytes]]:
        """Return the location, and the aliases in it that are not known. There it has unknown locations."""
        while True:
            location = self._atom()
            while location is not None:
                if not self.open:
                    self._skip_trivia()
                    if self.offset != self.end:
                        raise self._expected("the end of the location")
                    return location, self.missing
                location = self._reduce(location)

    def _atom(self) -> Location | None:
        """Parse one location. Return None after the opening of a location that holds others."""
        if match := self._take(_STRING):
            return self._after_string(unescaped(match[0][1:-1]))
        if match := self._take(_HASH_NAME):
            return self._after_hash_name(match[0])
        word = self._take(_WORD)
        if word and word[0] == b"unknown":
            return UnknownLoc()
        if word and word[0] == b"callsite" and self._take_char(b"("):
            self.open.append(_Open("callsite", None, []))
            return None
        if word and word[0] == b"fused":
            metadata = self._bracketed()[1:-1] if self._next_char() == b"<" else None
            if self._take_char(b"["):
                self.open.append(_Open("fused", metadata, []))
                return None
        raise self._expected("a location")

    def _after_string(self, text: str) -> Location | None:
        if match := _RANGE.match(self.data, self.offset, self.end):
            self.offset = match.end()
            # Python refuses to parse a very long number; nobody needs more than its last digits.
            return FileLineColLoc(text, int(match[1][-9:]), int(match[2][-9:]), match[0].decode())
        if self._take_char(b"("):
            self.open.append(_Open("name", text, []))
            return None
        return NameLoc(text, None)

    def _after_hash_name(self, name: bytes) -> Location:
        """Parse an alias or a dialect attribute. The name of an attribute has a dot or parameters."""
        if name in self.aliases:
            return self.aliases[name]
        has_parameters = self.data[self.offset : min(self.offset + 1, self.end)] == b"<"
        if has_parameters or b"." in name:
            return OpaqueLoc(name.decode() + (self._bracketed() if has_parameters else ""))
        self.missing.add(name)
        return UnknownLoc()

    def _reduce(self, location: Location) -> Location | None:
        """Add a finished location to its parent. Return the parent if that is finished too."""
        kind, text, parts = self.open[-1]
        parts.append(location)
        if kind == "fused" and self._take_char(b","):
            return None
        if kind == "callsite" and len(parts) == 1:
            word = self._take(_WORD)
            if word is None or word[0] != b"at":
                raise self._expected("'at' and the caller's location")
            return None
        closing = b"]" if kind == "fused" else b")"
        if not self._take_char(closing):
            raise self._expected(f"'{closing.decode()}' in the location")
        self.open.pop()
        if kind == "fused":
            return FusedLoc(tuple(parts), text)
        return CallSiteLoc(*parts) if kind == "callsite" else NameLoc(text or "", location)

    def _bracketed(self) -> str:
        start, self.offset = self.offset, closing_end(self.data, self.offset, self.end)
        if self.data[self.offset - 1 : self.offset] != b">":
            raise self.source.error(start, "unbalanced bracket in the location")
        return decoded(self.data[start : self.offset])

    def _expected(self, what: str) -> InputError:
        return self.source.error(self.offset, f"expected {what}")

    def _take(self, pattern: re.Pattern[bytes]) -> re.Match[bytes] | None:
        self._skip_trivia()
        if match := pattern.match(self.data, self.offset, self.end):
            self.offset = match.end()
        return match

    def _take_char(self, char: bytes) -> bool:
        is_next = self._next_char() == char
        self.offset += is_next
        return is_next

    def _next_char(self) -> bytes:
        self._skip_trivia()
        return self.data[self.offset : min(self.offset + 1, self.end)]

    def _skip_trivia(self) -> None:
        self.offset = match_end(TRIVIA, self.data, self.offset, self.end)
