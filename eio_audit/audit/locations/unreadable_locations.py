"""The locations whose names tt-mlir's code generation cannot read: rule EIO107.

``ttnn-simplify-locs-for-codegen`` reduces a location to its outermost name. Then ``ttnn-recover-structure``
reads the name: ``index|Class[name]|...|file:defline|function|opline|op``. It counts fields from both ends and
ignores empty ones.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from eio_audit.audit.locations.parsed_locations import ParsedLocations
from eio_audit.mlir.ir import IR
from eio_audit.mlir.location import Location, NameLoc, walk
from eio_audit.mlir.semantics.functions import ends_block, function_symbol

_DIALECT = "ttnn."
_FUNCTION_TYPE = re.compile(rb'\btt\.function_type = "(\w+)"')
_READ_TYPE = b"forward_device"
_LEFT_OUT = "ttcore."
_LEFT_OUT_FLAGS = frozenset({"terminator", "call", "function", "symbol"})
_PREFIX = "DEBUG|"  # a prefix that front ends put before the index; code generation does not know it
_FEWEST_FIELDS = 4  # the fewest fields of a name that code generation reads
_PREFIXES = re.compile(rf"\A(?:{re.escape(_PREFIX)})+")
_PLACE = re.compile(rb"(?:[^|\[]++\[[^|\[]++\|)*[^|]++\|[^|]++")
"""What is between the index and the line of the op in most names that can be read: no field is empty."""
_HAS_PREFIX = f"'{_PREFIX}' precedes its index"
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


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a location cannot be read: the kind of reason, and a sentence about the op."""

    reason: Reason
    message: str


def unreadable_locations(ir: IR, parsed: ParsedLocations) -> Iterator[tuple[int, Unreadable]]:
    """Yield the ops whose location is a name that code generation cannot read, in textual order.

    Raises:
        InputError: a location is malformed.
    """
    names = parsed.plain_names
    is_readable = [_PLACE.fullmatch(text) is not None for text in names.texts]
    is_readable.append(False)  # of OTHER, which is the last place of a list
    for function in _functions(ir):
        for op in _ops_read(ir, function):
            if not is_readable[names.text[op]]:
                why = _why_unreadable(parsed.locations.of(op))
            else:  # most are, and need not be parsed
                why = Unreadable(Reason.PREFIX, _HAS_PREFIX) if names.has_prefix[op] else None
            if why is not None:
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
