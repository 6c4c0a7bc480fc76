"""Gives every op an index location, so that any pass of any compiler can be audited.

An index location is what the default index pattern reads: a name ``DEBUG|7|arith.addf``, 7 being the op's
place in the dump. What MLIR would have given the op without it stays below as the name's child: the op's own
location, or the place in the file where it stands, as MLIR's parser notes it.

Functions, modules and what else holds functions get no index, because passes give their locations to ops
that they make. They keep their own location; without one, or with an index in it, they get their place in the
file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from eio_audit.audit.fix.reading_again import VerificationError, read_again
from eio_audit.audit.functions import find_scopes
from eio_audit.audit.locations.original_index import OriginalIndices
from eio_audit.mlir.input.dumps import Dump, common_source
from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.rewriting.named_locations import NamedLocations, quoted
from eio_audit.mlir.tokens import OR_FAIL

_BLANK = rb"\s*+(?://[^\n]*+\s*+)*+"
_RESULT = rb"%[\w$.-]++" + _BLANK + rb"(?::" + _BLANK + rb"\d++)?" + _BLANK + rb"[,=]" + _BLANK
_RESULTS = re.compile(rb"(?:" + _RESULT + OR_FAIL + rb")++")
_NAMING_OPS = frozenset({"linalg.map", "linalg.reduce"})
"""Their short form names the op that their region holds: ``linalg.map { arith.addf } ins(...)``."""


def stamp(dumps: Sequence[Dump]) -> bytes:
    """The source of some dumps with every op of them numbered in textual order, from 0 in each dump.

    Nested ops follow the op that holds them. Scopes (``find_scopes``) count, but carry no index. Nothing but
    locations changes, and the result is read again to make sure of it.

    Raises:
        InputError: a dump cannot be read.
        VerificationError: the result is not the same program with an index on every op but scopes.
        ValueError: there is no dump, or the dumps are of several sources.

    >>> from eio_audit.mlir.input.dumps import read_text
    >>> stamp(read_text("%0 = my.op", name="in.mlir"))
    b'%0 = my.op loc("DEBUG|0|my.op"("in.mlir":1:6))'
    """
    source = common_source(dumps)
    pieces, offset = [], 0
    for dump in dumps:
        ir = read_ir(source, dump.span)
        text = _stamped(ir)
        _verify(ir, text)
        pieces += [source.data[offset : dump.span.start], text]
        offset = dump.span.end
    return b"".join([*pieces, source.data[offset:]])


def _stamped(ir: IR) -> bytes:
    """The dump with a name around every location, and places for scopes."""
    locations = NamedLocations(ir, b"#stamp")
    scopes = _scope_locations(ir)
    for index, op in enumerate(_printed_ops(ir)):
        own = ir.location_text(op)
        if op not in scopes:
            locations.add(op, b'"DEBUG|%d|%s"' % (index, ir.name(op).encode()), _place(ir, op))
        elif own is None:
            locations.add(op, scopes[op])
        elif own != scopes[op]:
            locations.replace(op, scopes[op])
    return locations.text()


def _scope_locations(ir: IR) -> dict[int, bytes]:
    """By scope the text of its location in the stamped dump."""
    indices = OriginalIndices(ir)
    own = {op: ir.location_text(op) for op in find_scopes(ir)}
    return {
        op: _place(ir, op) if text is None or indices.index(op) is not None else text
        for op, text in own.items()
    }


def _place(ir: IR, op: int) -> bytes:
    """The place in the file as a location."""
    position = ir.source.position_at(_name_offset(ir, op))
    file = quoted("-" if ir.source.name == "<stdin>" else ir.source.name)
    return b"%s:%d:%d" % (file, position.line, position.column)


def _printed_ops(ir: IR) -> Iterator[int]:
    """The ops that stand in the text with a place for a location, in textual order."""
    for op in range(len(ir)):
        holder = ir.parent_op(ir.op_block[op])
        is_only_named = (
            holder >= 0
            and ir.name(holder) in _NAMING_OPS
            and not ir.operands_of(op)
            and len(ir.block_ops[ir.op_block[op]]) == 1
            and ir.source.data[ir.op_start[op] : ir.op_start[op] + 1] != b"%"
        )
        if not is_only_named:
            yield op


def _name_offset(ir: IR, op: int) -> int:
    """Where the op's name stands, behind its results."""
    results = _RESULTS.match(ir.source.data, ir.op_start[op], ir.op_end[op])
    return results.end() if results else ir.op_start[op]


def _verify(before: IR, text: bytes) -> None:
    """Checks that a stamped dump is the old one with other locations.

    Raises:
        VerificationError: it is not.
    """
    after = read_again(before, text, "stamped")
    if len(after) != len(before):
        raise VerificationError("the stamped text has other operations")
    indices = OriginalIndices(after)
    scopes = _scope_locations(before)
    for index, op in enumerate(_printed_ops(before)):
        is_scope = op in scopes
        is_located = not is_scope or after.location_text(op) == scopes[op]
        is_indexed = indices.index(op) == (None if is_scope else index)
        if not (is_located and is_indexed and _without_location(after, op) == _without_location(before, op)):
            line = before.source.line_at(before.op_start[op])
            raise VerificationError(f"an op changed: {before.name(op)} at {before.source.name}:{line}")


def _without_location(ir: IR, op: int) -> tuple[bytes, list[int]]:
    """The op's own text up to its location, and its operands."""
    return ir.bare_text(op).rstrip(), list(ir.operands_of(op))
