"""The ops that code generation reads, and the fields that it reads from the names of their locations.

tt-mlir's ``ttnn-simplify-locs-for-codegen`` reduces a location to its outermost name. Then
``ttnn-recover-structure`` reads the name: ``index|Class[name]|...|file:defline|function|opline|op``. It
counts fields from both ends and ignores empty ones.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import takewhile
from sys import intern
from typing import NamedTuple

from eio_audit.audit.functions import ends_block, function_symbol
from eio_audit.audit.locations.index_pattern import MOST_KNOWN_PLACES
from eio_audit.audit.locations.parsed_locations import ParsedLocations
from eio_audit.audit.locations.plain_names import OTHER
from eio_audit.mlir.ir import IR
from eio_audit.mlir.location import (
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    Location,
    NameLoc,
    OpaqueLoc,
    walk,
)
from eio_audit.mlir.tokens import unescaped

FREE = "ttnn.deallocate"
"""The op that only frees the results of others."""

_DIALECT = "ttnn."
_FUNCTION_TYPE = re.compile(rb'\btt\.function_type = "(\w+)"')
_TAKEN_TYPE = b"forward_device"
_LEFT_OUT = ("ttcore.",)
_LEFT_OUT_FLAGS = frozenset({"terminator", "call", "function", "symbol"})

LOCATION_KINDS: dict[type[Location], str] = {
    CallSiteLoc: "a call site",
    FusedLoc: "fused",
    FileLineColLoc: "a place in a file",
    OpaqueLoc: "a dialect's own",
}
"""The kinds of locations that code generation refuses, in words."""

PREFIX = "DEBUG|"
"""A prefix that front ends put before the index. Code generation does not know it."""

FEWEST_FIELDS = 4
"""The fewest fields of a name that code generation reads. It silently omits other ops."""

_PLACE = re.compile(rb"((?:[^|\[]++\[[^|\[]++\|)*)([^|]++)\|([^|]++)")
"""What is between the index and the line of the op in most names: without empty fields."""

_HAS_PREFIX = f"'{PREFIX}' precedes its index"
_INTEGER = re.compile(r"-?[0-9]{1,10}")
_LARGEST = 2**31 - 1


class Reason(StrEnum):
    """Why code generation cannot read a location; the values are stable."""

    PREFIX = "prefix"
    """``DEBUG|`` is before the index."""
    NESTING = "nesting"
    """The outermost name has no index. A name inside it has one, but that is not read."""
    FIELD = "field"
    """A field is missing or not an integer: the index, or the op's line."""
    BRACKETS = "brackets"
    """A module is not written ``Class[name]``."""


class CodegenPlace(NamedTuple):
    """The fields that ops of one place in the model share.

    Attributes:
        modules: the modules as ``Class[name]``, outermost first.
        file: the file and line that ops are grouped by, ``model.py:60``.
        function: the name of the source function there.
    """

    modules: tuple[str, ...]
    file: str
    function: str

    @property
    def path(self) -> tuple[str, ...]:
        """The modules, or else the source function."""
        return self.modules or (f"{self.file} {self.function}",)


class CodegenLocation(NamedTuple):
    """The fields that code generation reads.

    Attributes:
        op_index: the first field; it may be negative.
        place: the place in the model.
        has_prefix: whether ``DEBUG|`` precedes the index. Then the fields are what is meant.
    """

    op_index: int
    place: CodegenPlace
    has_prefix: bool = False


@dataclass(frozen=True, slots=True)
class UnreadableLocation:
    """Why a name cannot be read.

    Attributes:
        reason: the kind of reason.
        message: a sentence about the op: ``its index 'x' is not an integer``.
        is_left: whether the pass leaves the op where it is and goes on. At other names it stops.
    """

    reason: Reason
    message: str
    is_left: bool = False


def read_name(name: str) -> CodegenLocation | UnreadableLocation:
    """Return the fields that code generation reads from the name of a location, or why it cannot.

    >>> read_name("3|Net[net]|m.py:10|forward|12|add").place
    CodegenPlace(modules=('Net[net]',), file='m.py:10', function='forward')
    >>> read_name("x_layout").message
    "its index 'x_layout' is not an integer"
    """
    if name.startswith(PREFIX):
        meant = read_name(name.removeprefix(PREFIX))
        if isinstance(meant, CodegenLocation) and not meant.has_prefix:
            return meant._replace(has_prefix=True)
        why = _HAS_PREFIX if isinstance(meant, CodegenLocation) else meant.message
        is_left = isinstance(meant, UnreadableLocation) and meant.is_left
        return UnreadableLocation(Reason.PREFIX, f"{_HAS_PREFIX}, and {why}", is_left)
    fields = [field for field in name.split("|") if field]
    index = _integer(fields[0]) if fields else None
    if index is None:
        return UnreadableLocation(Reason.FIELD, f"its index '{''.join(fields[:1])}' is not an integer")
    if len(fields) < FEWEST_FIELDS:
        there = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
        return UnreadableLocation(
            Reason.FIELD, f"it has {there} instead of 'index|file:line|function|line|op'", is_left=True
        )
    file, function, line, _ = fields[-FEWEST_FIELDS:]
    if _integer(line) is None:
        return UnreadableLocation(Reason.FIELD, f"its line '{line}' is not an integer")
    modules = tuple(fields[1:-FEWEST_FIELDS])
    for module in modules:
        if len(list(filter(None, module.split("[")))) < 2:
            return UnreadableLocation(Reason.BRACKETS, f"its module '{module}' is not written 'Class[name]'")
    return CodegenLocation(index, CodegenPlace(modules, file, function))


@lru_cache(maxsize=MOST_KNOWN_PLACES)
def _plain_place(text: bytes) -> CodegenPlace | None:
    """Return the place in what is between the index and the line of the op; None if it is unusual."""
    match = _PLACE.fullmatch(text)
    if match is None:
        return None
    modules, file, function = map(unescaped, match.groups())
    return CodegenPlace(tuple(map(intern, modules.split("|")[:-1])), intern(file), intern(function))


def common_modules(paths: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Return the modules that all paths share, from the outermost on."""
    columns = takewhile(lambda column: len(set(column)) == 1, zip(*paths, strict=False))
    return tuple(column[0] for column in columns)


def _integer(field: str) -> int | None:
    """Return a field as a signed 32-bit integer; None if it is not one."""
    if not _INTEGER.fullmatch(field):
        return None
    number = int(field)
    return number if -_LARGEST - 1 <= number <= _LARGEST else None


class ReadNames:
    """What is read from the names of some ops, by column: there is no object per op.

    Attributes:
        places: the places in the model, each once.
        place: per op, the number of its place; OTHER if it has none.
        op_index: per op, its index; 0 if it has no place.
        has_prefix: per op, whether ``DEBUG|`` precedes its index.
        unreadable: by op whose name cannot be read, why.
    """

    def __init__(self) -> None:
        self.places: list[CodegenPlace] = []
        self.place = array("i")
        self.op_index = array("i")
        self.has_prefix = bytearray()
        self.unreadable: dict[int, UnreadableLocation] = {}
        self._numbers: dict[CodegenPlace, int] = {}

    def number(self, place: CodegenPlace) -> int:
        """Return the number of a place."""
        if place not in self._numbers:
            self._numbers[place] = len(self.places)
            self.places.append(place)
        return self._numbers[place]

    def add(self, places: Iterable[int], indices: Iterable[int], prefixes: Iterable[int]) -> None:
        """Add the next ops."""
        self.place.extend(places)
        self.op_index.extend(indices)
        self.has_prefix.extend(prefixes)

    def put(self, op: int, found: CodegenLocation | UnreadableLocation | None) -> None:
        """Set what is read from the name of one op; None if its location is no name."""
        self.unreadable.pop(op, None)
        self.place[op], self.op_index[op], self.has_prefix[op] = OTHER, 0, False
        if isinstance(found, CodegenLocation):
            self.place[op], self.op_index[op] = self.number(found.place), found.op_index
            self.has_prefix[op] = found.has_prefix
        elif found is not None:
            self.unreadable[op] = found

    def with_names(self, names: Mapping[int, str]) -> ReadNames:
        """Return the same of ops of which some have new names."""
        changed = ReadNames()
        changed.places, changed._numbers = self.places[:], self._numbers.copy()
        changed.add(self.place, self.op_index, self.has_prefix)
        changed.unreadable = self.unreadable.copy()
        for op, name in names.items():
            changed.put(op, read_name(name))
        return changed


class CodegenLocations:
    """The locations of one dump's ops as code generation reads them.

    Raises (from every method): InputError for a malformed location.
    """

    def __init__(self, parsed: ParsedLocations) -> None:
        self._parsed = parsed
        self._locations = parsed.locations

    def all(self) -> ReadNames:
        """Return what is read from the names of all ops. A plain name is not parsed."""
        names, read = self._parsed.plain_names, ReadNames()
        places = map(_plain_place, names.texts)
        number_of = [OTHER if place is None else read.number(place) for place in places]
        number_of.append(OTHER)  # of OTHER, which is the last place of a list
        read.add(map(number_of.__getitem__, names.text), names.op_index, names.has_prefix)
        for op, number in enumerate(read.place) if OTHER in read.place else ():
            if number == OTHER:
                read.put(op, self.of(op))
        return read

    def of(self, op: int) -> CodegenLocation | UnreadableLocation | None:
        """Return the same for one op."""
        outer = self._locations.of(op)
        if not isinstance(outer, NameLoc):
            return None
        read = read_name(outer.name)
        if isinstance(read, CodegenLocation) or read.reason is not Reason.FIELD or outer.child is None:
            return read
        for inner in walk(outer.child):
            inside = read_name(inner.name) if isinstance(inner, NameLoc) else None
            if isinstance(inside, CodegenLocation):
                message = f"its index is in an inner name; only the outermost, '{outer.name}', is read"
                return UnreadableLocation(Reason.NESTING, message)
        return read

    def refusal(self, op: int) -> str | None:
        """Return why ``ttnn-simplify-locs-for-codegen`` refuses an op's location; None if it does not."""
        outer = self._locations.of(op)
        if outer is None:
            return "it has no location; the compiler takes its place in the file as location"
        kind = LOCATION_KINDS.get(type(outer))
        return kind and f"its location is {kind}, not a name"


def callers(ir: IR) -> list[int]:
    """Return the functions that code generation cuts into others, in textual order.

    If functions have a type (``tt.function_type``), these are the functions that run the model on the device;
    else all that have a body. Functions without arguments are not cut.
    """
    functions: list[int] = []
    for op, regions in ir.regions_of.items():
        entry = [block for region in regions for block in ir.region_blocks[region]][:1]
        is_inside = functions and op < ir.subtree_end[functions[-1]]
        if not is_inside and ir.block_arguments.keys() & entry and function_symbol(ir, op) is not None:
            functions.append(op)
    types = function_types(ir, functions)
    if any(types):
        return [op for op, kind in zip(functions, types, strict=True) if kind == _TAKEN_TYPE]
    return functions


def function_types(ir: IR, functions: Iterable[int]) -> list[bytes | None]:
    """Return the type of each function, ``forward_device``; None for one that has none."""
    matches = (_FUNCTION_TYPE.search(ir.own_text(op)) for op in functions)
    return [match[1] if match else None for match in matches]


def codegen_ops(ir: IR, caller: int) -> array[int]:
    """Return the ops of a function that code generation reads, in textual order, without ops nested in them.

    If there are TTNN ops, these are the only ones. Before the lowering to TTNN, these are all ops that will
    be lowered: all but terminators, calls and TTCore ops.
    """
    has_ttnn = is_lowered(ir) and any(ir.name(op).startswith(_DIALECT) for op in ir.nested_ops(caller))
    is_taken = [
        name.startswith(_DIALECT)
        if has_ttnn
        else not name.startswith(_LEFT_OUT) and not _LEFT_OUT_FLAGS & ir.op_table.flags(name)
        for name in ir.names
    ]
    last = {in_block[-1] for in_block in ir.block_ops if in_block}
    ops = array("i")
    names, nested_end, end = ir.op_name, ir.subtree_end, 0
    for op in ir.nested_ops(caller):
        if op >= end and is_taken[names[op]] and not (op in last and ends_block(ir, op)):
            ops.append(op)
            end = nested_end[op]
    return ops


def ttnn_ops(ir: IR) -> list[int]:
    """Return the ops of TTNN, in textual order."""
    is_ttnn = [name.startswith(_DIALECT) for name in ir.names]
    return [op for op, name in enumerate(ir.op_name) if is_ttnn[name]]


def is_lowered(ir: IR) -> bool:
    """Whether a dump has ops of TTNN."""
    return any(name.startswith(_DIALECT) for name in ir.names)


def unreadable_locations(ir: IR, parsed: ParsedLocations) -> Iterator[tuple[int, UnreadableLocation]]:
    """Yield the ops whose location is a name that code generation cannot read, in textual order."""
    read = CodegenLocations(parsed).all()
    if not read.unreadable and not any(read.has_prefix):
        return
    for caller in callers(ir):
        for op in codegen_ops(ir, caller):
            if op in read.unreadable:
                yield op, read.unreadable[op]
            elif read.has_prefix[op]:
                yield op, UnreadableLocation(Reason.PREFIX, _HAS_PREFIX)
