"""What the locations of ops say: the fields of plain names, as most are, and other locations, parsed."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import compress, repeat
from operator import is_
from sys import intern
from typing import NamedTuple

from eio_audit.mlir.aliases import post_order
from eio_audit.mlir.ir import IR, NO_OFFSET
from eio_audit.mlir.location import (
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    Location,
    Locations,
    NameLoc,
    children,
    walk,
)
from eio_audit.mlir.source import InputError
from eio_audit.mlir.tokens import unescaped

DEFAULT_INDEX_PATTERN = r"^(?:DEBUG\|)?(?P<index>-?[0-9]+)\|"
"""Searched in each name of a location, outermost first; group ``index`` is the op index."""

PATTERN_SECONDS = 2.0  # the most that a pattern may take on one name; only backtracking takes that long
LONGEST_INDEX = 4000  # the most digits of an index; Python refuses to parse an int of more than 4,300
OPS_AT_ONCE = 1 << 13  # how many locations are searched at one time: a balance of speed and memory
MOST_KNOWN_PLACES = 1 << 15  # how many places are kept, since the dumps of a program name the same ones
_DEFAULT = re.compile(DEFAULT_INDEX_PATTERN)
_REST_OF_NAME = rb'[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
_CHILD = (
    rb"\((?:unknown|#[\w$.-]++"
    rb'|"' + _REST_OF_NAME + rb'(?::\d++:\d++|\("' + _REST_OF_NAME + rb"(?::\d++:\d++)?\))?)\)"
)
_NUMBER = rb'"(?:DEBUG\|)?([0-9]{1,18})\|'
_NAME_ONLY = re.compile(rb"(?:" + _NUMBER + rb'[^"]*+"\0|[^\0]*+\0)')
_NAME = _NUMBER + _REST_OF_NAME + rb"(?:" + _CHILD + rb")?"
"""A name location with a simple child or none; any other location may be malformed."""


class IndexPattern:
    """An index pattern.

    Raises:
        ValueError: the expression is malformed or lacks a group ``index``.
    """

    def __init__(self, expression: str = DEFAULT_INDEX_PATTERN) -> None:
        self.expression = expression
        self.is_default = expression == DEFAULT_INDEX_PATTERN
        if self.is_default:
            return
        import regex

        try:
            self._pattern = regex.compile(expression)
        except regex.error as error:
            raise ValueError(f"malformed index pattern: {error}") from error
        if "index" not in self._pattern.groupindex:
            raise ValueError("the index pattern has no group named 'index'")

    def indices_of_names(self, locations: Sequence[bytes]) -> list[int | None]:
        """Return, per location, its index if it is a name without a child; else None."""
        numbers = _NAME_ONLY.findall(b"\0".join([*locations, b""])) if self.is_default else []
        if len(numbers) != len(locations):  # a location contains a zero byte
            return [None] * len(locations)
        return list(map(int, numbers)) if all(numbers) else [int(text) if text else None for text in numbers]

    def index_of_name(self, location: bytes) -> int | None:
        """Return the index of a name with a simple child or none; None if the location must be parsed."""
        match = re.compile(_NAME).fullmatch(location) if self.is_default else None
        return int(match[1]) if match else None

    def index_in(self, name: str) -> int | None:
        """Return the integer that group ``index`` matches in ``name``; None for no match or no integer.

        Raises:
            InputError: matching one name takes longer than PATTERN_SECONDS.
        """
        if self.is_default:
            plain = _DEFAULT.search(name)
            return int(plain["index"]) if plain and len(plain["index"]) <= LONGEST_INDEX else None
        try:
            match = self._pattern.search(name, timeout=PATTERN_SECONDS)
        except TimeoutError:
            message = f"the index pattern takes too long on the location {name[:80]!r}"
            raise InputError("--index-pattern", None, message) from None
        text = (match and match["index"]) or ""
        digits = text.removeprefix("-")
        is_index = digits.isascii() and digits.isdigit() and len(digits) <= LONGEST_INDEX
        return int(text) if is_index else None

    def without_index(self, name: str) -> str:
        """Return the name without its index."""
        match = (_DEFAULT if self.is_default else self._pattern).search(name)
        return name[: match.start("index")] + name[match.end("index") :] if match else name


UNKNOWN = b"unknown"  # the location of most ops without an index; it needs no parsing


class OriginalIndices:
    """The op indices of one dump.

    The pattern finds the index of a name; if it does not match, the index is that of the child. A call site
    has the caller's index, else the callee's. A fused location has the smallest one. A negative index means
    that the original position is unknown: the op is unindexed. ``given`` indices, one per op, replace these.
    """

    def __init__(
        self, ir: IR, pattern: IndexPattern | None = None, given: list[int | None] | None = None
    ) -> None:
        self._ir = ir
        self._pattern = pattern or IndexPattern()
        self._given = given

    def index(self, op: int) -> int | None:
        """Return the op's index, or None if it is unindexed."""
        return self.by_op[op]

    @cached_property
    def by_op(self) -> list[int | None]:
        """Per op, its index; None for an unindexed op."""
        return self._scanned[0] if self._given is None else self._given

    @cached_property
    def derived_by_op(self) -> bytearray:
        """Per op, 1 if it is derived: its name extends its child's name (``"X_tm0"("X")``)."""
        return self._scanned[1]

    def keys(self, ops: Iterable[int]) -> list[int | None]:
        """Return the indices of several ops; None for an unindexed op."""
        return list(map(self.by_op.__getitem__, ops))

    @cached_property
    def parsed(self) -> ParsedLocations:
        """The parsed locations. A check without findings does not need them."""
        return ParsedLocations(self._ir, self._pattern)

    @cached_property
    def _scanned(self) -> tuple[list[int | None], bytearray]:
        indices: list[int | None] = []
        derived = bytearray(len(self._ir))
        for start in range(0, len(self._ir), OPS_AT_ONCE):
            self._look_at(range(start, min(start + OPS_AT_ONCE, len(self._ir))), indices, derived)
        return indices, derived

    def _look_at(self, ops: range, indices: list[int | None], derived: bytearray) -> None:
        locations = self._ir.location_texts(ops)
        found = self._pattern.indices_of_names(locations)
        for place in compress(range(len(ops)), map(is_, found, repeat(None))) if None in found else ():
            op, location = ops[place], locations[place]
            if location == UNKNOWN or self._ir.location_start[op] == NO_OFFSET:
                continue
            index = self._pattern.index_of_name(location)
            found[place] = self.parsed.index(op) if index is None else index
            if location.endswith(b")"):
                derived[op] = self._is_derived(op, location)
        indices += found

    def _is_derived(self, op: int, location: bytes) -> bool:
        from eio_audit.mlir.location import extends_child, plain_text

        plain = plain_text(self._ir, location)
        return self.parsed.is_derived(op) if plain is None else extends_child(plain)


OTHER = -1  # stands for the text of an op whose location is no plain name

_NAMES = re.compile(rb'"(DEBUG\|)?(-?[0-9]{1,9})\|([^"\\\n\0]*)\|[0-9]{1,9}\|[^"|\\\n\0]++"\0|[^\0]*+\0')
"""Texts of locations: of a plain name a prefix, the index, and the text up to the line; of others nothing."""


class PlainNames:
    """The names ``index|...|line|op`` of a dump's ops, by column.

    A plain name has all these fields, no child, and nothing around it.
    """

    def __init__(self, ir: IR) -> None:
        self.text = array("i")  # per op, the number of its text; OTHER if its location is no plain name
        self.op_index = array("i")  # per op, its index, which may be negative; 0 for OTHER
        self.has_prefix = bytearray()  # per op, whether `DEBUG|` precedes its index
        numbers = {b"": OTHER}
        for start in range(0, len(ir), OPS_AT_ONCE):
            ops = range(start, min(start + OPS_AT_ONCE, len(ir)))
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


LONGEST_LINE_NUMBER = 9  # how many last digits of a line number count; Python parses at most 4,300


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
        """``model.py:51``."""
        return f"{self.file}:{self.line}"


class ParsedLocations:
    """The locations of one dump's ops, parsed one by one."""

    def __init__(self, ir: IR, pattern: IndexPattern) -> None:
        self._ir = ir
        self._pattern = pattern
        self._indices: dict[int, int | None] = {}  # per ``id`` of a location, which ``locations`` keeps alive
        self._origins: dict[int, Origin | None] = {}
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
        location = id(self.locations.of(op))
        if location not in self._origins:
            name = self.indexed_name(op)
            self._origins[location] = None if name is None else parse_origin(name)
        return self._origins[location]

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
        for inner in self._walk(op):
            if isinstance(inner, FileLineColLoc):
                return ModelLine(inner.file, inner.line)
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
    """Return the place in what is between the index and the line of the op."""
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
