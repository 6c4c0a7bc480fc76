"""Numbers for locations, equal where the locations are, however they are printed."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from eio_audit.audit.locations.original_index import OriginalIndices
from eio_audit.mlir.ir import IR
from eio_audit.mlir.location import (
    AliasLoc,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    Location,
    NameLoc,
    OpaqueLoc,
    UnknownLoc,
    children,
)

NO_LOCATION = -1
"""The number of an unknown location and of none at all."""


class Interned:
    """Small numbers for equal things, shared by the dumps that are compared."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def number(self, thing: Hashable) -> int:
        """The number of everything equal to ``thing``."""
        return self._numbers.setdefault(thing, len(self._numbers))

    def __len__(self) -> int:
        """How many numbers there are."""
        return len(self._numbers)

    def forget_since(self, count: int) -> None:
        """Keeps the first ``count`` numbers only, for one dump that is compared with any number of others."""
        while len(self._numbers) > count:
            self._numbers.popitem()


class LocationNumbers:
    """The numbers of the locations of one dump's ops; aliases count as what they stand for.

    Raises (from every method): InputError for a malformed location, as ``Locations`` does.
    """

    def __init__(self, ir: IR, indices: OriginalIndices, interned: Interned) -> None:
        self._ir = ir
        self._locations = indices.locations
        self._interned = interned
        self._by_alias: dict[str, int] = {}
        self._by_text: dict[bytes | None, int] = {None: NO_LOCATION}

    def of(self, op: int) -> int:
        """The number of the op's location."""
        text = self._ir.location_text(op)
        if text not in self._by_text:
            location = self._locations.of(op)
            assert location is not None
            self._by_text[text] = self._number(location, op)
        return self._by_text[text]

    def inside(self, op: int) -> Iterator[int]:
        """The numbers of the locations inside the op's location, outermost first."""
        location = self._locations.of(op)
        if location is None:
            return
        walk = self._locations.walk(location, op)
        next(walk, None)
        for inner in walk:
            yield self._number(inner, op)

    def callee(self, op: int) -> int | None:
        """The number of the callee's location, of an op whose location is a call site."""
        location = self._locations.of(op)
        outer = None if location is None else self._locations.resolve(location, op)
        return self._number(outer.callee, op) if isinstance(outer, CallSiteLoc) else None

    def _number(self, root: Location, op: int) -> int:
        """A number for the location with its aliases resolved; iterative, and each alias counts once."""
        locations, interned = self._locations, self._interned
        done: list[int] = []
        entered: set[str] = set()
        pending: list[tuple[Location, bool]] = [(root, False)]
        while pending:
            location, children_done = pending.pop()
            if isinstance(location, AliasLoc):
                if location.alias in self._by_alias:
                    done.append(self._by_alias[location.alias])
                elif children_done:
                    self._by_alias[location.alias] = done[-1]
                elif location.alias in entered:
                    raise locations.loop(location.alias, op)
                else:
                    entered.add(location.alias)
                    pending += [(location, True), (locations.resolve(location, op), False)]
            elif children_done or not (parts := children(location)):
                count = len(children(location))
                inside = tuple(done[len(done) - count :])
                del done[len(done) - count :]
                if isinstance(location, NameLoc) and inside == (NO_LOCATION,):
                    inside = ()  # "x"(unknown) is how MLIR has "x"
                is_unknown = isinstance(location, UnknownLoc)
                key = (type(location).__name__, _own_part(location), inside)
                done.append(NO_LOCATION if is_unknown else interned.number(key))
            else:
                pending.append((location, True))
                pending += [(part, False) for part in reversed(parts)]
        return done[0]


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
