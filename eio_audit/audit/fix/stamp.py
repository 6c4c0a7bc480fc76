"""Give every op an index location, so that any pass of any compiler can be audited.

An index location is what the default index pattern reads: a name ``DEBUG|7|arith.addf``, where 7 is the op's
place in the dump. The name's child is the location that MLIR would have given the op: the op's own location,
or its place in the file, as MLIR's parser records it.

Functions, modules and other ops that contain functions get no index, because passes copy their locations to
ops that they make. They keep their own location. Without one, or with an index in it, they get their place in
the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eio_audit.audit.fix.reading_again import VerificationError, relocated
from eio_audit.audit.functions import find_scopes
from eio_audit.audit.locations.original_index import OriginalIndices
from eio_audit.mlir.input.dumps import Dump, each_dump, rewritten
from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.source import InputError
from eio_audit.mlir.tokens import quoted

LOG = "this is a log of passes: stamp the compiler's input, then run the passes"
"""The error for several dumps of one program. Numbers for each would say that each is in order."""

_NAMING_OPS = frozenset({"linalg.map", "linalg.reduce"})
"""Their short form names the op in their region: ``linalg.map { arith.addf } ins(...)``."""


def stamp(dumps: Sequence[Dump]) -> bytes:
    """Return the dumps' source with the ops of each dump numbered in textual order, from 0.

    Nested ops follow their parent. Scopes (``find_scopes``) count but get no index. Only locations change,
    and the result is read again to verify this.

    Raises:
        InputError: a dump cannot be read, or several dumps show one program: they are a log.
        VerificationError: the result is not the same program with an index on every op but scopes.
        ValueError: there is no dump, or the dumps are of several sources.

    >>> from eio_audit.mlir.input.dumps import read_text
    >>> stamp(read_text("%0 = my.op", name="in.mlir"))
    b'%0 = my.op loc("DEBUG|0|my.op"("in.mlir":1:6))'
    """
    if len({dump.program for dump in each_dump(dumps)}) < len(dumps):
        raise InputError(dumps[0].source.name, None, LOG)
    return rewritten(dumps, lambda dump: _stamped(read_ir(dump.source, dump.span)))


def _stamped(ir: IR) -> bytes:
    """Return the dump with a name around every location, and file places for scopes."""
    expected: list[int | None] = [None] * len(ir)
    indices, own = OriginalIndices(ir), {op: ir.location_text(op) for op in find_scopes(ir)}
    scopes = {
        op: _place(ir, op) if text is None or indices.index(op) is not None else text
        for op, text in own.items()
    }
    locations = {op: location for op, location in scopes.items() if location != own[op]}
    for index, op in enumerate(_printed_ops(ir)):
        if op not in scopes:
            expected[op] = index
            child = ir.location_text(op)
            name = b'"DEBUG|%d|%s"' % (index, ir.name(op).encode())
            locations[op] = b"%s(%s)" % (name, _place(ir, op) if child is None else child)
    stamped = relocated(ir, locations, "stamped", b"#stamp")
    if OriginalIndices(stamped).by_op != expected:
        raise VerificationError("the stamped text does not carry the intended op indices")
    return stamped.dump_text


def _place(ir: IR, op: int) -> bytes:
    """Return the place of the op's name, after its results, as a location."""
    position = ir.source.position_at(ir.name_start(op))
    file = quoted("-" if ir.source.name == "<stdin>" else ir.source.name)
    return b"%s:%d:%d" % (file, position.line, position.column)


def _printed_ops(ir: IR) -> Iterator[int]:
    """Yield the ops that have a place for a location in the text, in textual order."""
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
