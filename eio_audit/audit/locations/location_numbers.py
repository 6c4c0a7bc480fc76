"""Numbers for locations. Equal locations have equal numbers, however they are printed."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator
from itertools import islice

from eio_audit.audit.locations.original_index import OriginalIndices
from eio_audit.mlir.ir import IR, NO_OFFSET
from eio_audit.mlir.location import (
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    Location,
    NameLoc,
    OpaqueLoc,
    UnknownLoc,
    children,
    walk,
)
from eio_audit.mlir.post_order import post_order
from eio_audit.mlir.reading.op_text import KnownTexts
from eio_audit.mlir.tokens import unescaped

NO_LOCATION = -1
"""The number of an unknown or missing location."""


_NAME = rb'"([^"\\\n]*+)"'
_PLAIN = re.compile(
    _NAME + rb"(?:(:[0-9]++:[0-9]++)|\((?:" + _NAME + rb"(:[0-9]++:[0-9]++)?|(#[\w$-]++))\))?"
)
"""A name, a place in a file, or a name with one of these or an alias in it."""
_ALIAS = re.compile(rb"#[\w$-]++")

MOST_ALIASES = 50
"""The most aliases within aliases that are followed without a parser."""


class Interned(dict[Hashable, int]):
    """Small numbers for equal things, shared by the dumps that are compared.

    Attributes:
        texts: the comparable texts of ops, by what ``OpTexts`` knows them by.
    """

    def __init__(self) -> None:
        super().__init__()
        self.texts: KnownTexts = {}

    def __missing__(self, thing: Hashable) -> int:
        number = self[thing] = len(self)
        return number

    def number(self, thing: Hashable) -> int:
        """Return the number of everything equal to ``thing``."""
        return self[thing]

    def numbers(self, things: Iterable[Hashable]) -> list[int]:
        """Return the number of each thing."""
        return list(map(self.__getitem__, things))


class LocationNumbers:
    """The numbers of the locations of one dump's ops. An alias counts as its definition.

    Raises (from every method): InputError for a malformed location, as ``Locations`` does.
    """

    def __init__(self, ir: IR, indices: OriginalIndices, interned: Interned) -> None:
        self._ir = ir
        self._by_text: dict[bytes, int | None] = {}  # None: only the parser knows
        self._locations = indices.parsed.locations
        self._interned = interned
        self._numbers: dict[int, int] = {}  # per ``id`` of a location, which ``_locations`` keeps alive

    def of(self, op: int) -> int:
        """Return the number of the op's location."""
        location = self._locations.of(op)
        return NO_LOCATION if location is None else self._number(location)

    def of_all(self) -> list[int]:
        """Return the number of each op's location. Texts of the usual kinds are not parsed."""
        ir, known = self._ir, self._by_text
        data, numbers = ir.source.data, []
        for op, (start, end) in enumerate(zip(ir.location_start, ir.op_end, strict=True)):
            if start == NO_OFFSET:
                numbers.append(NO_LOCATION)
                continue
            text = data[start : end - 1]
            number = known[text] if text in known else self._of_text(text)
            numbers.append(self.of(op) if number is None else number)
        return numbers

    def _of_text(self, text: bytes, aliases: int = 0) -> int | None:
        """Return the number of a location as printed, or None if it takes a parser."""
        if text not in self._by_text:
            self._by_text[text] = self._of_new_text(text, aliases)
        return self._by_text[text]

    def _of_new_text(self, text: bytes, aliases: int) -> int | None:
        if text.startswith(b"#"):
            definition = self._ir.definition(text) if _ALIAS.fullmatch(text) else None
            is_known = definition is not None and aliases < MOST_ALIASES
            return self._of_text(definition, aliases + 1) if definition is not None and is_known else None
        match = _PLAIN.fullmatch(text)
        if match is None:
            return None
        name, place, inner, inner_place, alias = match.groups()
        inside: tuple[int, ...] = ()
        if inner is not None:
            inside = (self._of_plain(inner, inner_place, ()),)
        elif alias is not None:
            number = self._of_text(alias, aliases)
            if number is None or number == NO_LOCATION:
                return None
            inside = (number,)
        return self._of_plain(name, place, inside)

    def _of_plain(self, name: bytes, place: bytes | None, inside: tuple[int, ...]) -> int:
        text = unescaped(name)
        if place is None:
            return self._interned.number((NameLoc, text, inside))
        return self._interned.number((FileLineColLoc, (text, place.decode()), inside))

    def inside(self, op: int) -> Iterator[int]:
        """Return the numbers of the locations inside the op's location, outermost first."""
        location = self._locations.of(op)
        return map(self._number, islice(walk(location), 1, None) if location else ())

    def callee(self, op: int) -> int | None:
        """Return the number of the callee's location if the op's location is a call site; else None."""
        location = self._locations.of(op)
        return self._number(location.callee) if isinstance(location, CallSiteLoc) else None

    def _number(self, root: Location) -> int:
        if isinstance(root, NameLoc) and root.child is None:  # most are such
            return self._number_of(root, ())
        for location in post_order([root], children, self._numbers, key=id):
            inside = tuple(self._numbers[id(inner)] for inner in children(location))
            if isinstance(location, NameLoc) and inside == (NO_LOCATION,):
                inside = ()  # MLIR represents "x" as "x"(unknown)
            self._numbers[id(location)] = self._number_of(location, inside)
        return self._numbers[id(root)]

    def _number_of(self, location: Location, inside: tuple[int, ...]) -> int:
        if isinstance(location, UnknownLoc):
            return NO_LOCATION
        return self._interned.number((type(location), _own_part(location), inside))


def _own_part(location: Location) -> Hashable:
    match location:
        case NameLoc(name, _):
            return name
        case FileLineColLoc(file, _, _, text):
            return file, text.replace(" ", "")
        case FusedLoc(_, metadata):
            return metadata
        case OpaqueLoc(text):
            return text
        case _:
            return None
