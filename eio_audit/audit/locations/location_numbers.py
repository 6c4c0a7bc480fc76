"""Numbers for locations. Equal locations have equal numbers, however they are printed."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import islice

from eio_audit.audit.locations.original_index import OriginalIndices
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

NO_LOCATION = -1
"""The number of an unknown or missing location."""


class Interned(dict[Hashable, int]):
    """Small numbers for equal things, shared by the dumps that are compared."""

    def number(self, thing: Hashable) -> int:
        """Return the number of everything equal to ``thing``."""
        return self.setdefault(thing, len(self))


class LocationNumbers:
    """The numbers of the locations of one dump's ops. An alias counts as its definition.

    Raises (from every method): InputError for a malformed location, as ``Locations`` does.
    """

    def __init__(self, indices: OriginalIndices, interned: Interned) -> None:
        self._locations = indices.parsed.locations
        self._interned = interned
        self._numbers: dict[int, int] = {}  # per ``id`` of a location, which ``_locations`` keeps alive

    def of(self, op: int) -> int:
        """Return the number of the op's location."""
        location = self._locations.of(op)
        return NO_LOCATION if location is None else self._number(location)

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
