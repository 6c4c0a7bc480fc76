"""Give ops other labels: correct wrong ones, or stamp an index on every op. Only locations change.

An op with a *wrong label* has an op index in its location that contradicts the dataflow. It gets the label of
another op, its *donor* (see ``order/wrong_labels.py``). Its new name has the donor's index and place in
the model, but the op's own last field. The name contains the op's old location.

A *stamp* makes it possible to audit any pass of any compiler. It is a name that the default index pattern
reads, ``DEBUG|7|arith.addf``, where 7 is the op's place in the dump. The name's child is the location that
MLIR would have given the op: the op's own location, or its place in the file, as MLIR's parser records it.

Functions, modules and other ops that contain functions get no index, because passes copy their locations to
ops that they make. They keep their own location. Without one, or with an index in it, they get their place in
the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import NamedTuple

from eio_audit.audit.check.disorder import restore_block
from eio_audit.audit.check.keyed_block import KeyedBlock
from eio_audit.audit.check.keyed_dump import AuditedDump
from eio_audit.audit.fix.verification import VerificationError, read_relocated
from eio_audit.audit.locations.original_index import OriginalIndices
from eio_audit.mlir.input.dumps import Dump, each_dump, rewritten, without_ops
from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.rewriting import with_locations
from eio_audit.mlir.semantics.functions import find_scopes
from eio_audit.mlir.source import InputError
from eio_audit.mlir.tokens import quoted
from eio_audit.order.permutation import displaced
from eio_audit.order.wrong_labels import relabelled as relabelled_keys


def relabelled(dump: AuditedDump, donors: Mapping[int, int], *, flat: bool = False) -> IR:
    """Return the dump with corrected labels, read from its new text. No op moves.

    Args:
        dump: audited by the indices in its locations.
        donors: by op with a wrong label, the op whose label it gets.
        flat: whether the new names replace the old locations instead of containing them.

    Raises:
        VerificationError: more than these locations changed, or they have other indices.
    """
    locations = new_locations(dump, donors, flat=flat)
    text, added = with_locations(dump.ir, locations, b"#relabel")
    new = read_relocated(dump.ir, locations, "relabelled", text, added)
    if OriginalIndices(new, dump.options.pattern).by_op != relabelled_keys(dump.indices.by_op, donors):
        raise VerificationError("the relabelled text does not carry the intended op indices")
    return new


def new_locations(dump: AuditedDump, donors: Mapping[int, int], *, flat: bool = False) -> dict[int, bytes]:
    """Return the location of each relabelled op, as ``relabelled`` writes it."""
    names = {op: quoted(name) for op, name in sorted(_new_names(dump, donors, {}).items())}
    if flat:
        return names
    return {op: b"%s(%s)" % (name, dump.ir.location_text(op)) for op, name in names.items()}


class RightLabels(NamedTuple):
    """The result of ``fix --relabel`` on a dump."""

    names: Mapping[int, str]  # by relabelled op, the outermost name of its new location
    orders: Mapping[int, Sequence[int]]  # by block whose ops move, its new order


def right_labels(dump: AuditedDump) -> RightLabels:
    """Return the result of ``fix --relabel`` on a dump, without its text.

    Complexity: O(n log n), plus a check of the blocks that are out of order.
    """
    orders = {**dump.orders}
    if dump.donors:
        blocks = list(filter(dump.ir.has_order, dump.keys.disordered_blocks))
        for number, graph in dump.dependences.of(blocks).items():
            block = KeyedBlock(dump, number)
            compared = dict(zip(block.ops, block.comparable.keys, strict=True))
            keys = [compared[dump.donors.get(op, op)] for op in block.ops]
            orders[number] = restore_block(keys, graph.precedence, block.frees_that_follow).order
    names = _new_names(dump, dump.donors, {})
    of_frees = donors_of_frees(dump, orders, relabelled_keys(dump.indices.by_op, dump.donors))
    return RightLabels(names | _new_names(dump, of_frees, names), orders)


def donors_of_frees(
    dump: AuditedDump, orders: Mapping[int, Sequence[int]], index_of: Sequence[int | None]
) -> dict[int, int]:
    """Return the donor of each free that follows its last use and has a wrong label.

    Such a free counts in no inversion, but code generation and a check that does not follow frees still read
    its label. So its label must be neither below that of the last op before it nor above that of the next op
    after it. Of the frees between two ops, as many as possible keep their labels: a longest ascending
    sequence. Each other free gets the label of the op before it, or of the op after it at the start of a
    block.

    ``orders`` are the orders found for the blocks. ``index_of`` has the labels by op. The labels of other ops
    are assumed to be right.
    """
    donors: dict[int, int] = {}
    for block in filter(dump.ir.has_order, dump.blocks):
        ops, before, gap = dump.ir.block_ops[block], None, list[int]()
        frees = dump.keys.frees_that_follow(block)
        for place in orders.get(block, range(len(ops))) if frees else ():
            op = ops[place]
            if place in frees and index_of[op] is not None:
                gap.append(op)
            elif dump.keys.by_op[op] is not None:
                donors.update(_wrong_between(before, gap, op, index_of))
                before, gap = op, []
        donors.update(_wrong_between(before, gap, None, index_of))
    return donors


def _wrong_between(
    before: int | None, frees: Sequence[int], after: int | None, index_of: Sequence[int | None]
) -> Iterator[tuple[int, int]]:
    """Yield the frees between two ops that have wrong labels, and their donors."""

    def index(op: int | None, otherwise: float) -> float:
        found = None if op is None else index_of[op]
        return otherwise if found is None else found

    fitting = [op for op in frees if index(before, -inf) <= index(op, inf) <= index(after, inf)]
    out_of_order = displaced([index_of[op] or 0 for op in fitting])
    kept = set(fitting) - {fitting[position] for position in out_of_order}
    last = next((op for op in frees if op in kept), after) if before is None else before
    for op in frees:
        if op in kept:
            last = op
        elif last is not None:
            yield op, last


def _new_names(dump: AuditedDump, donors: Mapping[int, int], names: Mapping[int, str]) -> dict[int, str]:
    """Return the new name of each relabelled op. ``names`` has those of donors that are relabelled too.

    It is the donor's name with the op's own last field, unless the index is in that field.
    """
    found, index_in = {}, dump.options.pattern.index_in
    for op, donor in donors.items():
        label = names.get(donor) or _own_name(dump, donor)
        head, separator, _ = label.rpartition("|")
        name = head + separator + _own_name(dump, op).rpartition("|")[2]
        found[op] = name if index_in(name) == index_in(label) else label
    return found


def _own_name(dump: AuditedDump, op: int) -> str:
    name = dump.indices.parsed.indexed_name(op)
    assert name is not None
    return name


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
    return rewritten(dumps, _stamped)


def _stamped(dump: Dump) -> bytes:
    """Return the dump with a name around every location, and file places for scopes."""
    ir = read_ir(dump.source, dump.span)
    if not len(ir) and (error := without_ops(dump)) is not None:
        raise error
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
    stamped = read_relocated(ir, locations, "stamped", *with_locations(ir, locations, b"#stamp"))
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
