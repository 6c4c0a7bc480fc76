"""What the locations of ops say.

Equal locations have equal numbers, however they are printed (``LocationNumbers``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import count, islice
from sys import intern
from typing import TYPE_CHECKING, NamedTuple

from eio_audit.audit.locations.index_pattern import IndexPattern
from eio_audit.mlir.ir import IR
from eio_audit.mlir.location import (
    NAME_ALONE,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    Location,
    Locations,
    NameLoc,
    OpaqueLoc,
    UnknownLoc,
    children,
    walk,
)
from eio_audit.mlir.tokens import post_order

if TYPE_CHECKING:  # a check compares no texts of ops
    from eio_audit.mlir.reading.op_text import KnownTexts

NO_LOCATION = -1  # the number of an unknown or missing location
MOST_KNOWN_PLACES = 1 << 16  # how many places are kept, since the dumps of a program name the same ones
LONGEST_LINE_NUMBER = 9  # how many last digits of a line number count; Python parses at most 4,300


class Origin(NamedTuple):
    """The origin of an op according to its location; missing fields are empty.

    A name is ``index|module|...|file:defline|function|opline|op``, so it is parsed from the end.
    """

    modules: tuple[str, ...]
    file: str | None
    function: str | None
    line: int | None
    op: str


class ModelPlace(NamedTuple):
    """The modules of an op, outermost first, and its source function; missing fields are empty."""

    modules: tuple[str, ...]
    file: str | None
    function: str | None


class ModelLine(NamedTuple):
    """A line of the model's source, as a location records it."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class ParsedLocations:
    """The locations of one dump's ops, parsed one by one."""

    def __init__(self, ir: IR, pattern: IndexPattern) -> None:
        self._ir = ir
        self._pattern = pattern
        self._indices: dict[int, int | None] = {}  # per ``id`` of a location, which ``locations`` keeps alive
        self._without_line = set[int]()  # the ids of locations without a line of a file
        self._origins: dict[int, Origin | None] = {}  # per op
        self.locations = Locations(ir)

    def index(self, op: int) -> int | None:
        """Return the index that the op's location carries; None if there is none."""
        root = self.locations.of(op)
        if root is None:
            return None
        if id(root) not in self._indices:
            for location in post_order([root], children, self._indices, key=id):
                self._indices[id(location)] = self._index_of(location)
        return self._indices[id(root)]

    def _index_of(self, location: Location) -> int | None:
        match location:
            case NameLoc(name, child):
                index = self._pattern.index_in(name)
                if index is not None:
                    return None if index < 0 else index
                return None if child is None else self._indices[id(child)]
            case CallSiteLoc(callee, caller):
                index = self._indices[id(caller)]
                return self._indices[id(callee)] if index is None else index
            case FusedLoc(locations, _):
                indices = (self._indices[id(inner)] for inner in locations)
                return min((index for index in indices if index is not None), default=None)
            case _:
                return None

    def is_derived(self, op: int) -> bool:
        """Return whether the op's name extends its child's."""
        match self.locations.of(op):
            case NameLoc(name, NameLoc(child, _)):
                return len(name) > len(child) and name.startswith(child)
        return False

    def is_unknown(self, op: int) -> bool:
        """Return whether the op's location carries a negative index: its original position is unknown."""
        names = (inner.name for inner in self._walk(op) if isinstance(inner, NameLoc))
        index = next((index for name in names if (index := self._pattern.index_in(name)) is not None), 0)
        return index < 0

    def origin(self, op: int) -> Origin | None:
        """Return the origin in the op's outermost indexed name.

        A name with a negative index has no origin: its fields are placeholders.
        """
        if op not in self._origins:
            self._origins[op] = self._origin(op)
        return self._origins[op]

    def _origin(self, op: int) -> Origin | None:
        name = self.indexed_name(op)
        return None if name is None else parse_origin(name)

    @cached_property
    def places(self) -> list[ModelPlace | None]:
        """Per op, its place in the model; None without an origin."""
        return [self._place(op) if place is None else place for op, place in enumerate(self.named_places)]

    @cached_property
    def named_places(self) -> list[ModelPlace | None]:
        """The same for ops whose location is a name with all fields and no more; None for others."""
        known, places = dict[bytes, ModelPlace | None]([(b"", None)]), list[ModelPlace | None]()
        for ops in self._ir.chunks():
            fields = self._pattern.fields_of_names(self._ir.location_texts(ops))
            known |= {text: _place_of(text.decode(), True) for text in {*fields}.difference(known)}
            places += map(known.__getitem__, fields)
        return places

    def place(self, op: int) -> ModelPlace | None:
        """Return the op's place in the model. Its location is parsed, unless those of all ops are."""
        return self.places[op] if "places" in self.__dict__ else self._place(op)

    def _place(self, op: int) -> ModelPlace | None:
        name = self.indexed_name(op)
        return None if name is None else parse_place(name)

    def model_line(self, op: int) -> ModelLine | None:
        """Return the op's line in the model's source; None if its location has none."""
        origin = self.origin(op)
        if origin is not None and origin.file is not None and origin.line is not None:
            return ModelLine(without_line(origin.file), origin.line)
        location, passed = self.locations.of(op), list[int]()
        for inner in () if location is None else walk(location, self._without_line):
            if isinstance(inner, FileLineColLoc):
                return ModelLine(inner.file, inner.line)
            passed.append(id(inner))
        self._without_line.update(passed)
        return None

    def place_in_model(self, op: int) -> str:
        """Return the op's place in the model according to its location, without index and line numbers.

        Changes elsewhere in the model do not affect it. Ops close to each other may share it.
        """
        origin = self.origin(op)
        if origin is not None:
            if not self._pattern.is_default:  # the index is in a field
                origin = parse_origin(self._pattern.without_index(self.indexed_name(op) or ""))
            file = without_line(origin.file) if origin.file is not None else None
            return "|".join(filter(None, (*origin.modules, file, origin.function, origin.op)))
        parts = [
            inner.name if isinstance(inner, NameLoc) else inner.file
            for inner in self._walk(op)
            if isinstance(inner, NameLoc | FileLineColLoc)
        ]
        return "|".join(parts)

    def indexed_name(self, op: int) -> str | None:
        """Return the outermost name with the op's index; for an unindexed op, with any index from 0."""
        location = self.locations.of(op)
        if isinstance(location, NameLoc):
            index = self._pattern.index_in(location.name)
            if index is not None and index >= 0:
                return location.name
            if location.child is None:
                return None
        wanted = self.index(op)
        for inner in self._walk(op):
            index = self._pattern.index_in(inner.name) if isinstance(inner, NameLoc) else None
            if isinstance(inner, NameLoc) and index is not None and index >= 0 and wanted in (None, index):
                return inner.name
        return None

    def _walk(self, op: int) -> Iterable[Location]:
        location = self.locations.of(op)
        return () if location is None else walk(location)


def without_line(file: str) -> str:
    """Return ``model.py`` for ``model.py:14``, where 14 is the line of a definition."""
    name, _, line = file.rpartition(":")
    return name if name and line.isdigit() else file


def parse_origin(name: str) -> Origin:
    """Split a location's name into its fields; missing fields are empty."""
    fields, line, op = _split(name)
    place = _place_of(fields, line is not None)
    return Origin(*place, None if line is None else int(line[-LONGEST_LINE_NUMBER:]), intern(op))


def parse_place(name: str) -> ModelPlace:
    """Return the fields of a location's name that ops of one place share."""
    fields, line, _ = _split(name)
    return _place_of(fields, line is not None)


def _split(name: str) -> tuple[str | None, str | None, str]:
    """Split a name into the fields between its index and its line, the line, and the op."""
    start, _, op = name.removeprefix("DEBUG|").rpartition("|")
    before, has_more, line = start.rpartition("|")
    has_line = bool(has_more) and line.isascii() and line.isdigit()
    _, has_fields, fields = (before if has_line else start).partition("|")
    return fields if has_fields else None, line if has_line else None, op


@lru_cache(maxsize=MOST_KNOWN_PLACES)
def _place_of(text: str | None, has_function: bool) -> ModelPlace:
    fields = [] if text is None else list(map(intern, text.split("|")))
    function = fields.pop() if has_function and fields else None
    file = fields.pop() if function is not None and fields else None
    return ModelPlace(tuple(fields), file, function)


class Numbers(defaultdict[Hashable, int]):
    """Small numbers for equal things."""

    def __init__(self) -> None:
        super().__init__(count().__next__)

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
        # The numbers of locations without an alias by their text; a name alone has only this one.
        self.locations = defaultdict[bytes, int](self.default_factory)
        self.texts: KnownTexts = {}  # the comparable texts of ops, by what `OpTexts` knows them by
        # By op number, `(op, 0)`: its first result. The dumps share these tuples.
        self.first_results: list[tuple[int, int]] = []


class LocationNumbers:
    """The numbers of the locations of one dump's ops. An alias counts as its definition.

    Raises (from every method): InputError for a malformed location, as ``Locations`` does.
    """

    def __init__(self, ir: IR, locations: Locations, interned: Interned) -> None:
        self._ir = ir
        self._locations = locations
        self._interned = interned
        self._numbers: dict[int, int] = {}  # per ``id`` of a location, which ``_locations`` keeps alive

    def of(self, op: int) -> int:
        """Return the number of the op's location."""
        location = self._locations.of(op)
        return NO_LOCATION if location is None else self._number(location)

    def of_all(self) -> list[int]:
        """Return the number of each op's location. A name alone is not parsed."""
        known, aliases, numbers = self._interned.locations, dict[bytes, int](), list[int]()
        for ops in self._ir.chunks():
            for op, text in zip(ops, self._ir.location_texts(ops), strict=True):
                number = known.get(text)
                if number is None:
                    number = aliases.get(text)
                if number is None and NAME_ALONE.fullmatch(text):
                    number = known[text]
                elif number is None:
                    number = self.of(op)
                    (aliases if b"#" in text else known)[text] = number
                numbers.append(number)
        return numbers

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
        if isinstance(location, NameLoc) and not inside:
            text = b'"%b"' % location.name.encode("utf-8", "surrogateescape")
            if NAME_ALONE.fullmatch(text):  # by its text, as most ops have such a location
                return self._interned.locations[text]
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
