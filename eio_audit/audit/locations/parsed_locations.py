"""What the locations of ops say: the fields of plain names, as most are, and other locations, parsed.

Equal locations have equal numbers, however they are printed (``LocationNumbers``).
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import count, islice
from sys import intern
from typing import TYPE_CHECKING, NamedTuple

from eio_audit.audit.locations.index_pattern import IndexPattern
from eio_audit.mlir.ir import IR, NO_OFFSET
from eio_audit.mlir.location import (
    MOST_NAMES,
    PLAIN,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    Location,
    Locations,
    NameLoc,
    OpaqueLoc,
    UnknownLoc,
    children,
    plain_text,
    walk,
)
from eio_audit.mlir.tokens import post_order, unescaped

if TYPE_CHECKING:  # a check compares no texts of ops
    from eio_audit.mlir.reading.op_text import KnownTexts

OTHER = -1  # stands for the text of an op whose location is no plain name
NO_LOCATION = -1  # the number of an unknown or missing location
MOST_KNOWN_PLACES = 1 << 16  # how many places are kept, since the dumps of a program name the same ones
LONGEST_LINE_NUMBER = 9  # how many last digits of a line number count; Python parses at most 4,300
_NAMES = re.compile(rb'"(DEBUG\|)?(-?[0-9]{1,9})\|([^"\\\n\0]*)\|[0-9]{1,9}\|[^"|\\\n\0]++"\0|[^\0]*+\0')
"""Texts of locations: of a plain name a prefix, the index, and the text up to the line; of others nothing."""
# A plain name: the text between its index and its line, the line, and the op.
_NAME = re.compile(rb'"(?:DEBUG\|)?[0-9]{1,9}\|([^"\\\n\0]*)\|([0-9]{1,9})\|([^"|\\\n\0]++)"')
_NAME_ALONE = re.compile(rb'"[^"\\\n]*+"')
"""A location that is a name and nothing else, printed without escapes."""
_UNPLAIN = frozenset('"\\\n')


class PlainNames:
    """The names ``index|...|line|op`` of a dump's ops, by column.

    A plain name has all these fields, no child, and nothing around it.
    """

    def __init__(self, ir: IR) -> None:
        self.text = array("i")  # per op, the number of its text; OTHER if its location is no plain name
        self.op_index = array("i")  # per op, its index, which may be negative; 0 for OTHER
        self.has_prefix = bytearray()  # per op, whether `DEBUG|` precedes its index
        numbers = {b"": OTHER}
        for ops in ir.chunks():
            found = _NAMES.findall(b"\0".join([*ir.location_texts(ops), b""]))
            if len(found) != len(ops):  # a location contains a zero byte
                found = [(b"", b"", b"")] * len(ops)
            prefixes, indices, texts = zip(*found, strict=True)
            for text in dict.fromkeys(texts):
                numbers.setdefault(text, len(numbers) - 1)
            self.text.extend(map(numbers.__getitem__, texts))
            self.op_index.extend(map(int, indices if all(indices) else [index or 0 for index in indices]))
            self.has_prefix.extend(map(bool, prefixes))
        del numbers[b""]
        self.texts = list(numbers)  # what is between the index and the line of the op, each text once


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of an op according to its location; missing fields are empty.

    A name is ``index|module|...|file:defline|function|opline|op``, so it is parsed from the end.
    """

    modules: tuple[str, ...]
    file: str | None
    function: str | None
    line: int | None
    op: str

    @property
    def place(self) -> ModelPlace:
        """The fields that ops of one place share."""
        return ModelPlace(self.modules, self.file, self.function)


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
        text = self._ir.location_text(op) if self._pattern.is_default else None
        if text and (match := _NAME.fullmatch(self._ir.definition(text) or text)):
            return Origin(*_place_of(match[1]), int(match[2]), intern(unescaped(match[3])))
        name = self.indexed_name(op)
        return None if name is None else parse_origin(name)

    @cached_property
    def places(self) -> list[ModelPlace | None]:
        """Per op, its place in the model; None without an origin."""
        return [self._place(op) if place is None else place for op, place in enumerate(self.named_places)]

    def place(self, op: int) -> ModelPlace | None:
        """Return the op's place in the model. Its location is parsed, unless those of all ops are."""
        return self.places[op] if "places" in self.__dict__ else self._place(op)

    def _place(self, op: int) -> ModelPlace | None:
        origin = self.origin(op)
        return None if origin is None else origin.place

    @cached_property
    def named_places(self) -> list[ModelPlace | None]:
        """The same for ops with all fields in a name, and nothing around it; None for others.

        Such a location is not parsed. Ops of one place share the object.
        """
        if not self._pattern.is_default:
            return [None] * len(self._ir)
        names = self.plain_names
        known = [*map(_place_of, names.texts), None]  # None is that of OTHER, the last place of a list
        places = list(map(known.__getitem__, names.text))
        for op, index in enumerate(names.op_index) if min(names.op_index, default=0) < 0 else ():
            if index < 0:
                places[op] = None
        return places

    @cached_property
    def plain_names(self) -> PlainNames:
        """The fields of the names of the ops whose location is a name and nothing else."""
        return PlainNames(self._ir)

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


@lru_cache(maxsize=MOST_KNOWN_PLACES)
def _place_of(text: bytes) -> ModelPlace:
    return parse_origin(unescaped(b"0|%b|0|x" % text)).place


def without_line(file: str) -> str:
    """Return ``model.py`` for ``model.py:14``, where 14 is the line of a definition."""
    name, _, line = file.rpartition(":")
    return name if name and line.isdigit() else file


def parse_origin(name: str) -> Origin:
    """Split a location's name into its fields; missing fields are empty."""
    fields = name.removeprefix("DEBUG|").split("|")
    op = fields.pop()
    has_line = len(fields) > 1 and fields[-1].isascii() and fields[-1].isdigit()
    line = int(fields.pop()[-LONGEST_LINE_NUMBER:]) if has_line else None
    function = fields.pop() if line is not None and len(fields) > 1 else None
    file = fields.pop() if function is not None and len(fields) > 1 else None
    return Origin(
        tuple(map(intern, fields[1:])),
        None if file is None else intern(file),
        None if function is None else intern(function),
        line,
        intern(op),
    )


class Numbers(defaultdict[Hashable, int]):
    """Small numbers for equal things. Tables that share the unused ones have no number in common."""

    def __init__(self, unused: Iterator[int] | None = None) -> None:
        self._unused = count() if unused is None else unused
        super().__init__(self._unused.__next__)

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
            if number is None and _NAME_ALONE.fullmatch(text):
                number = plain[text]
            elif number is None:
                number = self._of_new(op, text)
                if text not in plain:
                    others[text] = number
            numbers.append(number)
        return numbers

    def _of_new(self, op: int, text: bytes) -> int:
        text = self._ir.definition(text) or text
        is_plain = text in self._interned.locations or _NAME_ALONE.fullmatch(text)
        plain = text if is_plain else plain_text(self._ir, text)
        return self.of(op) if plain is None else self._interned.locations[plain]

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
            return self._interned.locations[text]
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
