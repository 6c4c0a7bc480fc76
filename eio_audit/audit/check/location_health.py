"""Defects of a dump's locations, independent of the order of its ops.

A tt-xla location names its op ``index|Class[name]|...|file:defline|function|opline|op``. Code generation
rebuilds the structure of the model from these names. It simplifies or refuses all other locations, and cannot
read some names: ``ttnn-simplify-locs-for-codegen`` reduces a location to its outermost name, of which
``ttnn-recover-structure`` counts the fields from both ends and ignores empty ones.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from eio_audit.audit.check.keyed_dump import AuditedDump
from eio_audit.audit.locations.original_index import OpLabel, Sentence, label
from eio_audit.audit.locations.parsed_locations import NO_LOCATION, Interned, LocationNumbers, ParsedLocations
from eio_audit.mlir.ir import IR
from eio_audit.mlir.location import (
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    Location,
    NameLoc,
    OpaqueLoc,
    UnknownLoc,
    walk,
)
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.semantics.functions import ends_block, function_symbol

_DIALECT = "ttnn."
_FUNCTION_TYPE = pattern(rb'\btt\.function_type = "(\w+)"')
_READ_TYPE = b"forward_device"
_LEFT_OUT = "ttcore."
_LEFT_OUT_FLAGS = frozenset({"terminator", "call", "function", "symbol"})
_PREFIX = "DEBUG|"  # a prefix that front ends put before the index; code generation does not know it
_FEWEST_FIELDS = 4  # the fewest fields of a name that code generation reads
_PREFIXES = pattern(rf"\A(?:{re.escape(_PREFIX)})+")
_HAS_PREFIX = f"'{_PREFIX}' precedes its index"
_INTEGER = pattern(r"-?[0-9]{1,10}")
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


class Unreadable(NamedTuple):
    """Why a location cannot be read: the kind of reason, and a sentence about the op."""

    reason: Reason
    message: str


def unreadable_locations(ir: IR, parsed: ParsedLocations) -> Iterator[tuple[int, Unreadable]]:
    """Yield the ops whose location is a name that code generation cannot read, in textual order.

    Raises:
        InputError: a location is malformed.
    """
    for function in _functions(ir):
        for op in _ops_read(ir, function):
            if (why := _why_unreadable(parsed.locations.of(op))) is not None:
                yield op, why


def _why_unreadable(location: Location | None) -> Unreadable | None:
    """Return why a location cannot be read. None if it can, or is no name."""
    if not isinstance(location, NameLoc):
        return None
    why = _in_name(location.name)
    if why is None or why.reason is not Reason.FIELD or location.child is None:
        return why
    for inner in walk(location.child):
        if isinstance(inner, NameLoc) and _in_name(inner.name.removeprefix(_PREFIX)) is None:
            message = f"its index is in an inner name; only the outermost, '{location.name}', is read"
            return Unreadable(Reason.NESTING, message)
    return why


def _in_name(name: str) -> Unreadable | None:
    meant = _PREFIXES.sub("", name)
    why = _in_fields([field for field in meant.split("|") if field])
    if prefixes := (len(name) - len(meant)) // len(_PREFIX):
        messages = [_HAS_PREFIX] * prefixes + ([why.message] if why else [])
        return Unreadable(Reason.PREFIX, ", and ".join(messages))
    return why


def _in_fields(fields: list[str]) -> Unreadable | None:
    if not fields or not _is_integer(fields[0]):
        return Unreadable(Reason.FIELD, f"its index '{''.join(fields[:1])}' is not an integer")
    if len(fields) < _FEWEST_FIELDS:
        there = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
        return Unreadable(Reason.FIELD, f"it has {there} instead of 'index|file:line|function|line|op'")
    if not _is_integer(line := fields[-2]):
        return Unreadable(Reason.FIELD, f"its line '{line}' is not an integer")
    for module in fields[1:-_FEWEST_FIELDS]:
        if len(list(filter(None, module.split("[")))) < 2:
            return Unreadable(Reason.BRACKETS, f"its module '{module}' is not written 'Class[name]'")
    return None


def _is_integer(field: str) -> bool:
    return _INTEGER.fullmatch(field) is not None and -_LARGEST - 1 <= int(field) <= _LARGEST


def _functions(ir: IR) -> list[int]:
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
    types = [_FUNCTION_TYPE.search(ir.own_text(op)) for op in functions]
    if any(types):
        return [op for op, kind in zip(functions, types, strict=True) if kind and kind[1] == _READ_TYPE]
    return functions


def _ops_read(ir: IR, function: int) -> array[int]:
    """Return the ops of a function that code generation reads, in textual order, without ops nested in them.

    If there are TTNN ops, these are the only ones. Before the lowering to TTNN, these are all ops that will
    be lowered: all but terminators, calls and TTCore ops.
    """
    names, nested_end = ir.op_name, ir.subtree_end
    is_read = [name.startswith(_DIALECT) for name in ir.names]
    if not any(is_read[names[op]] for op in ir.nested_ops(function)):
        is_read = [
            not name.startswith(_LEFT_OUT) and not _LEFT_OUT_FLAGS & ir.op_table.flags(name)
            for name in ir.names
        ]
    last = {in_block[-1] for in_block in ir.block_ops if in_block}
    ops, end = array("i"), 0
    for op in ir.nested_ops(function):
        if op >= end and is_read[names[op]] and not (op in last and ends_block(ir, op)):
            ops.append(op)
            end = nested_end[op]
    return ops


_KINDS: dict[type[Location], str] = {
    CallSiteLoc: "a call site",
    FusedLoc: "fused",
    FileLineColLoc: "a place in a file",
    OpaqueLoc: "a dialect's own",
}
"""The kinds of locations that code generation refuses, in words."""


class LocationRule(StrEnum):
    """What can be wrong with a location; the values are stable."""

    UNKNOWN_LOCATION = "unknown-location"  # the op has no location, or `unknown`
    NO_INDEX = "no-index"  # the location carries no op index
    UNKNOWN_INDEX = "unknown-index"  # the index is negative: the front end did not know the op's place
    REPEATED_LOCATION = "repeated-location"  # other ops have the same location
    TWO_FUNCTIONS = "two-functions"  # locations name two functions for one place of the source, `file:line`
    REFUSED_LOCATION = "refused-location"  # a call site, fused, a place in a file, a dialect's own: no name


class LocationFinding(NamedTuple):
    """A location that breaks a rule, and its op."""

    rule: LocationRule
    op: OpLabel
    sentence: Sentence

    @property
    def message(self) -> str:
        """The sentence, as text."""
        return str(self.sentence)


class LocationHealth(NamedTuple):
    """The findings of one dump, in textual order."""

    ops: int  # number of ops inspected: those of blocks with an indexed op, without terminators and functions
    findings: tuple[LocationFinding, ...]

    @property
    def counts(self) -> dict[LocationRule, int]:
        """Per rule, its number of findings; every rule is present."""
        found = Counter(finding.rule for finding in self.findings)
        return {rule: found[rule] for rule in LocationRule}


def broken_locations(dump: AuditedDump) -> list[tuple[int, LocationFinding]]:
    """Return the findings of a dump, each with the number of its op."""
    numbers = LocationNumbers(dump.ir, dump.indices.parsed.locations, Interned())
    return _Inspection(dump, numbers.of_all()).findings


class HealthChange(NamedTuple):
    """The locations of two dumps: the findings of both, and what the later dump has lost."""

    before: LocationHealth
    after: LocationHealth
    # The findings of the dump after at ops that are new, or had no finding of that rule before.
    new: tuple[LocationFinding, ...]
    lost: tuple[OpLabel, ...]  # the ops of the dump after that lost their index


def health_change(
    before: AuditedDump,
    after: AuditedDump,
    was: Mapping[int, int],
    numbers: tuple[Sequence[int], Sequence[int]],
) -> HealthChange:
    """Return what a pass did to the locations.

    ``was`` has, per op of the dump after, the op before. ``numbers`` has, per dump, the numbers of its
    locations by op (``LocationNumbers``).
    """
    old, new = map(_Inspection, (before, after), numbers)
    known = {(op, finding.rule) for op, finding in old.findings}
    return HealthChange(
        before=old.health(),
        after=new.health(),
        new=tuple(f for op, f in new.findings if (was.get(op), f.rule) not in known),
        lost=tuple(
            label(after.ir, after.indices, op)
            for op in sorted(was)
            if before.indices.index(was[op]) is not None and after.indices.index(op) is None
        ),
    )


class _Inspection:
    def __init__(self, dump: AuditedDump, number_of: Sequence[int]) -> None:
        self.dump = dump
        self.named_places = dump.indices.parsed.named_places
        ops = array("i", _printed_ops(dump))
        self.count = len(ops)
        self.number_of = number_of
        times = Counter(map(number_of.__getitem__, ops))
        self.shared = {number for number, count in times.items() if count > 1 and number != NO_LOCATION}
        self.first: dict[int, int] = {}
        self.function_at: dict[str, str] = {}
        self.findings = [
            (op, LocationFinding(rule, label(dump.ir, dump.indices, op), sentence))
            for op in ops
            if not self._is_sound(op)
            for rule, sentence in self._broken_rules(op)
        ]

    def health(self) -> LocationHealth:
        return LocationHealth(self.count, tuple(finding for _, finding in self.findings))

    def _is_sound(self, op: int) -> bool:
        """Return whether an op clearly breaks no rule: its location is a name with an index, and its own."""
        place = self.named_places[op]
        return (
            place is not None
            and self.number_of[op] not in self.shared
            and place.file is not None
            and self.function_at.get(place.file) == place.function
        )

    def _broken_rules(self, op: int) -> Iterator[tuple[LocationRule, Sentence]]:
        outer = self.dump.indices.parsed.locations.of(op)
        if outer is None or isinstance(outer, UnknownLoc):
            what = "no location" if outer is None else "its location is unknown"
            yield LocationRule.UNKNOWN_LOCATION, Sentence(what)
            return
        if not isinstance(outer, NameLoc):
            what = f"its location is {_KINDS[type(outer)]}, not a name"
            yield LocationRule.REFUSED_LOCATION, Sentence(what)
        if self.dump.indices.index(op) is None:
            if self.dump.indices.parsed.is_unknown(op):
                what = "its index is negative: the front end did not know its position"
                yield LocationRule.UNKNOWN_INDEX, Sentence(what)
            else:
                yield LocationRule.NO_INDEX, Sentence("its location carries no op index")
        yield from self._repeated(op)
        yield from self._two_functions(op)

    def _repeated(self, op: int) -> Iterator[tuple[LocationRule, Sentence]]:
        number = self.number_of[op]
        if number not in self.shared:
            return
        first = self.first.setdefault(number, op)
        if first != op:
            line = self.dump.ir.source.line_at(self.dump.ir.op_start[first])
            what = f"same location as {self.dump.ir.name(first)} at line "
            yield LocationRule.REPEATED_LOCATION, Sentence(what, line)

    def _two_functions(self, op: int) -> Iterator[tuple[LocationRule, Sentence]]:
        place = self.dump.indices.parsed.place(op)
        if place is None or place.file is None or place.function is None:
            return
        known = self.function_at.setdefault(place.file, place.function)
        if known != place.function:
            what = f"{place.file} defines {place.function} here, {known} elsewhere"
            yield LocationRule.TWO_FUNCTIONS, Sentence(what)


def _printed_ops(dump: AuditedDump) -> Iterator[int]:
    """Yield the ops that code generation prints: all but functions and terminators."""
    ir = dump.ir
    is_silent = [bool(ir.op_table.flags(name) & {"terminator", "function", "symbol"}) for name in ir.names]
    for ops in ir.block_ops:
        keys = dump.indices.keys(ops)
        if any(key is not None for key in keys):
            yield from (op for op in ops if not is_silent[ir.op_name[op]] and not ends_block(ir, op))
