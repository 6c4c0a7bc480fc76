"""Numbers for locations. Equal locations have equal numbers, however they are printed."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator
from itertools import count, islice

from eio_audit.audit.locations.original_index import OriginalIndices
from eio_audit.mlir.aliases import post_order
from eio_audit.mlir.ir import IR, NO_OFFSET
from eio_audit.mlir.location import (
    MOST_NAMES,
    PLAIN,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    Location,
    NameLoc,
    OpaqueLoc,
    UnknownLoc,
    children,
    plain_text,
    walk,
)
from eio_audit.mlir.reading.op_text import KnownTexts

NO_LOCATION = -1  # the number of an unknown or missing location


_UNPLAIN = frozenset('"\\\n')
_NAME = re.compile(rb'"[^"\\\n]*+"')  # a location that is a name and nothing else, printed without escapes


class Numbers(dict[Hashable, int]):
    """Small numbers for equal things. Tables that share the unused ones have no number in common."""

    def __init__(self, unused: Iterator[int] | None = None) -> None:
        super().__init__()
        self._unused = count() if unused is None else unused

    def __missing__(self, thing: Hashable) -> int:
        number = self[thing] = next(self._unused)
        return number

    def number(self, thing: Hashable) -> int:
        """Return the number of everything equal to ``thing``."""
        return self[thing]

    def numbers(self, things: Iterable[Hashable]) -> list[int]:
        """Return the number of each thing."""
        return list(map(self.__getitem__, things))


class Interned(Numbers):
    """Small numbers for equal things, shared by the dumps that are compared."""

    def __init__(self) -> None:
        super().__init__()
        self.locations = Numbers(self._unused)  # the numbers of plain locations, by their text
        self.texts: KnownTexts = {}  # the comparable texts of ops, by what `OpTexts` knows them by
        # By op number, `(op, 0)`: its first result. The dumps share these tuples.
        self.first_results: list[tuple[int, int]] = []


class LocationNumbers:
    """The numbers of the locations of one dump's ops. An alias counts as its definition.

    Raises (from every method): InputError for a malformed location, as ``Locations`` does.
    """

    def __init__(self, ir: IR, indices: OriginalIndices, interned: Interned) -> None:
        self._ir = ir
        self._locations = indices.parsed.locations
        self._interned = interned
        self._numbers: dict[int, int] = {}  # per ``id`` of a location, which ``_locations`` keeps alive

    def of(self, op: int) -> int:
        """Return the number of the op's location."""
        location = self._locations.of(op)
        return NO_LOCATION if location is None else self._number(location)

    def of_all(self) -> list[int]:
        """Return the number of each op's location. Plain locations are not parsed."""
        ir, plain = self._ir, self._interned.locations
        data = ir.source.data
        others: dict[bytes, int] = {}  # aliases, and texts that are not plain as they are printed
        numbers: list[int] = []
        for op, (start, end) in enumerate(zip(ir.location_start, ir.op_end, strict=True)):
            text = data[start : end - 1] if start != NO_OFFSET else b""
            number = plain.get(text) if start != NO_OFFSET else NO_LOCATION
            if number is None:
                number = others.get(text)
            if number is None and _NAME.fullmatch(text):
                number = plain[text]
            elif number is None:
                number = self._of_new(op, text)
                if text not in plain:
                    others[text] = number
            numbers.append(number)
        return numbers

    def _of_new(self, op: int, text: bytes) -> int:
        definition = self._ir.definition(text) or text
        is_plain = definition in self._interned.locations or _NAME.fullmatch(definition)
        return self._of_plain(definition) if is_plain else self._of_text(op, definition)

    def _of_text(self, op: int, text: bytes) -> int:
        plain = plain_text(self._ir, text)
        return self.of(op) if plain is None else self._of_plain(plain)

    def _of_plain(self, text: bytes) -> int:
        return self._interned.locations[text]

    def inside(self, op: int) -> Iterator[int]:
        """Return the numbers of the locations inside the op's location, outermost first."""
        location = self._locations.of(op)
        return map(self._number, islice(walk(location), 1, None) if location else ())

    def callee(self, op: int) -> int | None:
        """Return the number of the callee's location if the op's location is a call site; else None."""
        location = self._locations.of(op)
        return self._number(location.callee) if isinstance(location, CallSiteLoc) else None

    def _number(self, root: Location) -> int:
        for location in post_order([root], children, self._numbers, key=id):
            inside = tuple(self._numbers[id(inner)] for inner in children(location))
            if isinstance(location, NameLoc) and inside == (NO_LOCATION,):
                inside = ()  # MLIR represents "x" as "x"(unknown)
            self._numbers[id(location)] = self._number_of(location, inside)
        return self._numbers[id(root)]

    def _number_of(self, location: Location, inside: tuple[int, ...]) -> int:
        if isinstance(location, UnknownLoc):
            return NO_LOCATION
        if (text := _plain_text(location)) is not None:
            return self._of_plain(text)
        return self._interned.number((type(location), _own_part(location), inside))


def _plain_text(location: Location) -> bytes | None:
    """Return the text of a plain location, without blanks. None for another one."""
    names: list[str] = []
    place, inner = "", location
    while isinstance(inner, NameLoc) and len(names) < MOST_NAMES:
        names.append(inner.name)
        if inner.child is None or isinstance(inner.child, UnknownLoc):
            break
        inner = inner.child
    else:
        if not isinstance(inner, FileLineColLoc):
            return None
        names.append(inner.file)
        place = inner.text.replace(" ", "")
    if not all(map(_UNPLAIN.isdisjoint, names)):
        return None
    quoted = (b'"%b"' % name.encode("utf-8", "surrogateescape") for name in names)
    text = b"(".join(quoted) + place.encode()
    is_plain = PLAIN.fullmatch(text) is not None and len(names) <= MOST_NAMES
    return text + b")" * (len(names) - 1) if is_plain else None


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
