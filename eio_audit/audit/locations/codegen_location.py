"""The ops that code generation reads, and the fields that it reads from the names of their locations.

tt-mlir's ``ttnn-simplify-locs-for-codegen`` reduces a location to its outermost name. Then
``ttnn-recover-structure`` reads the name: ``index|Class[name]|...|file:defline|function|opline|op``. It
counts fields from both ends and ignores empty ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import takewhile
from sys import intern
from typing import NamedTuple

from eio_audit.audit.functions import ends_block, function_symbol
from eio_audit.mlir.ir import IR
from eio_audit.mlir.location import (
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    Location,
    Locations,
    NameLoc,
    OpaqueLoc,
    walk,
)

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

PLACES_KEPT = 1 << 16
"""How many parsed places are cached. Many ops share one."""

_INDEX = re.compile(r"(-?[0-9]{1,9})\|")
_READABLE = re.compile(r"((?:[^|\[]++\[[^|\[]++\|)*)([^|]++)\|([^|]++)\|-?[0-9]{1,9}\|[^|]++")
"""What follows the index in most names: without empty fields, the line of at most nine digits."""

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


class CodegenLocation(NamedTuple):
    """The fields that code generation reads.

    Attributes:
        index: the first field; it may be negative.
        modules: the modules as ``Class[name]``, outermost first.
        file: the file and line that ops are grouped by, ``model.py:60``.
        function: the name of the source function there.
    """

    index: int
    modules: tuple[str, ...]
    file: str
    function: str

    @property
    def path(self) -> tuple[str, ...]:
        """The modules, or else the source function."""
        return self.modules or (f"{self.file} {self.function}",)


@dataclass(frozen=True, slots=True)
class UnreadableLocation:
    """Why a name cannot be read.

    Attributes:
        reason: the kind of reason.
        message: a sentence about the op: ``its index 'x' is not an integer``.
        meant: the fields after the prefix, if the prefix is the only reason; else None.
        is_left: whether the pass leaves the op where it is and goes on. At other names it stops.
    """

    reason: Reason
    message: str
    meant: CodegenLocation | None = None
    is_left: bool = False


def read_name(name: str) -> CodegenLocation | UnreadableLocation:
    """Return the fields that code generation reads from the name of a location, or why it cannot.

    >>> read_name("3|Net[net]|m.py:10|forward|12|add")
    CodegenLocation(index=3, modules=('Net[net]',), file='m.py:10', function='forward')
    >>> read_name("x_layout").message
    "its index 'x_layout' is not an integer"
    """
    start = _INDEX.match(name)
    if start is not None and (place := _readable(name[start.end() :])) is not None:
        return CodegenLocation(int(start[1]), *place)
    if name.startswith(PREFIX):
        meant, message = read_name(name.removeprefix(PREFIX)), _HAS_PREFIX
        if isinstance(meant, UnreadableLocation):
            return UnreadableLocation(Reason.PREFIX, f"{message}, and {meant.message}", is_left=meant.is_left)
        return UnreadableLocation(Reason.PREFIX, message, meant)
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
    return CodegenLocation(index, modules, file, function)


@lru_cache(PLACES_KEPT)
def _readable(fields: str) -> tuple[tuple[str, ...], str, str] | None:
    """Return the modules, the file and the function in what follows an index; None if it is unusual."""
    plain = _READABLE.fullmatch(fields)
    return plain and (_modules(plain[1]), intern(plain[2]), intern(plain[3]))


@lru_cache(PLACES_KEPT)
def _modules(fields: str) -> tuple[str, ...]:
    """Return the modules of ``Net[net]|Conv[conv]|``. Ops of one module share them."""
    return tuple(fields.split("|")[:-1])


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


class CodegenLocations:
    """The locations of one dump's ops as code generation reads them.

    Raises (from every method): InputError for a malformed location.
    """

    def __init__(self, locations: Locations) -> None:
        self._locations = locations

    def of(self, op: int) -> CodegenLocation | UnreadableLocation | None:
        """Return what is read from an op's location; None if it is no name: unknown, or refused."""
        name = self._locations.only_name(op)
        if name is not None:
            return read_name(name)
        outer = self._locations.of(op)
        if not isinstance(outer, NameLoc):
            return None
        read = read_name(outer.name)
        if isinstance(read, CodegenLocation) or read.reason is not Reason.FIELD or outer.child is None:
            return read
        for inner in walk(outer.child):
            inside = read_name(inner.name) if isinstance(inner, NameLoc) else None
            if isinstance(inside, CodegenLocation) or (inside is not None and inside.meant is not None):
                message = f"its index is in an inner name; only the outermost, '{outer.name}', is read"
                return UnreadableLocation(Reason.NESTING, message)
        return read

    def refusal(self, op: int) -> str | None:
        """Return why ``ttnn-simplify-locs-for-codegen`` refuses an op's location; None if it does not."""
        if self._locations.only_name(op) is not None:
            return None
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


def codegen_ops(ir: IR, caller: int) -> list[int]:
    """Return the ops of a function that code generation reads, in textual order, without ops nested in them.

    If there are TTNN ops, these are the only ones. Before the lowering to TTNN, these are all ops that will
    be lowered: all but terminators, calls and TTCore ops.
    """
    has_ttnn = any(ir.name(op).startswith(_DIALECT) for op in ir.nested_ops(caller))
    is_taken = [
        name.startswith(_DIALECT)
        if has_ttnn
        else not name.startswith(_LEFT_OUT) and not _LEFT_OUT_FLAGS & ir.op_table.flags(name)
        for name in ir.names
    ]
    ops: list[int] = []
    for op in ir.nested_ops(caller):
        is_inside = ops and op < ir.subtree_end[ops[-1]]
        if not is_inside and is_taken[ir.op_name[op]] and not ends_block(ir, op):
            ops.append(op)
    return ops


def simplified_ops(ir: IR, callers: Sequence[int]) -> list[int]:
    """Return the ops whose locations ``ttnn-simplify-locs-for-codegen`` reads, in textual order.

    These are the TTNN ops of all functions. Before the lowering to TTNN, they are the ops of ``codegen_ops``.
    """
    if not is_lowered(ir):
        return [op for caller in callers for op in codegen_ops(ir, caller)]
    is_ttnn = [name.startswith(_DIALECT) for name in ir.names]
    return [op for op, name in enumerate(ir.op_name) if is_ttnn[name]]


def is_lowered(ir: IR) -> bool:
    """Whether a dump has ops of TTNN."""
    return any(name.startswith(_DIALECT) for name in ir.names)


def unreadable_locations(ir: IR, locations: CodegenLocations) -> Iterator[tuple[int, UnreadableLocation]]:
    """Yield the ops whose location is a name that code generation cannot read, in textual order."""
    for caller in callers(ir):
        for op in codegen_ops(ir, caller):
            read = locations.of(op)
            if isinstance(read, UnreadableLocation):
                yield op, read
