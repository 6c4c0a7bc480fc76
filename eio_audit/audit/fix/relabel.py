"""Corrects wrong labels: op indices that contradict the dataflow, in the text of locations.

An op whose label is wrong gets the label of another op, its *donor* (see ``order/wrong_labels.py``): a name
with the donor's index and the donor's place in the model, but with the op's own last field, around the
location that it had. Nothing else changes (reading_again.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from eio_audit.audit.check.audited_dump import AuditedDump
from eio_audit.audit.fix.reading_again import VerificationError, relocated
from eio_audit.audit.locations.original_index import OriginalIndices
from eio_audit.mlir.rewriting.locations import quoted
from eio_audit.order.displaced import displaced
from eio_audit.order.last_uses import after_last_uses
from eio_audit.order.linear_extension import restore_order
from eio_audit.order.wrong_labels.wrong_labels import relabelled as relabelled_keys


def relabelled(dump: AuditedDump, donors: Mapping[int, int], *, flat: bool = False) -> bytes:
    """The dump's text with corrected labels; no op moves.

    Args:
        dump: audited by the indices that its locations carry.
        donors: by op whose label is wrong, the op whose label it gets.
        flat: whether the names take the place of the old locations, instead of holding them.

    Raises:
        VerificationError: read again, more has changed than these locations, or they carry other indices.
    """
    locations = {}
    for op, new_name in sorted(_new_names(dump, donors, {}).items()):
        name = quoted(new_name)
        locations[op] = name if flat else b"%s(%s)" % (name, dump.ir.location_text(op))
    new = relocated(dump.ir, locations, "relabelled", b"#relabel")
    if OriginalIndices(new, dump.options.pattern).by_op != relabelled_keys(dump.indices.by_op, donors):
        raise VerificationError("the relabelled text does not carry the intended op indices")
    return new.dump_text


@dataclass(frozen=True, slots=True)
class RightLabels:
    """The result of ``fix --relabel`` on a dump.

    Attributes:
        names: by op that gets another label, the outermost name of its new location.
        orders: by block whose ops move, its order then.
    """

    names: Mapping[int, str]
    orders: Mapping[int, Sequence[int]]


def right_labels(dump: AuditedDump) -> RightLabels:
    """The result of ``fix --relabel`` on a dump, without its text.

    Complexity: O(n log n), and as for a check of the blocks that are out of order.
    """
    orders = {**dump.orders}
    if dump.donors:
        keys = relabelled_keys(dump.keys.by_op, dump.donors)
        blocks = list(filter(dump.has_order, dump.keys.disordered_blocks))
        for block, graph in dump.dependences.of(blocks).items():
            order = restore_order(dump.ir.of_block(block, keys), graph.precedence).order
            orders[block] = after_last_uses(order, dump.keys.frees_that_follow(block), graph.precedence)
    names = _new_names(dump, dump.donors, {})
    frees = donors_of_frees(dump, orders, relabelled_keys(dump.indices.by_op, dump.donors))
    return RightLabels(names | _new_names(dump, frees, names), orders)


def donors_of_frees(
    dump: AuditedDump, orders: Mapping[int, Sequence[int]], index_of: Sequence[int | None]
) -> dict[int, int]:
    """By free that follows its last use and carries a wrong label, the op whose label it should carry.

    Such a free counts in no inversion, but its label is read all the same: by a check that does not follow
    frees, and by code generation. So it must not be below that of the last op before it, nor above that of
    the next op after it. Of the frees between two ops as many as possible keep their labels: a longest
    sequence that is in order. Each other takes the label of the op before it, at the start of a block that of
    the op after it.

    ``orders`` are those found for the blocks. ``index_of`` has the labels by op; those of the other ops are
    taken to be right.
    """
    donors: dict[int, int] = {}
    for block in filter(dump.has_order, dump.blocks):
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
    """The frees between two ops with wrong labels, and the ops whose labels they should carry."""

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
    """By op that gets the label of another, its new name; ``names`` has those of donors that got a label."""
    return {
        op: _new_name(dump, op, names.get(donor) or _own_name(dump, donor)) for op, donor in donors.items()
    }


def _new_name(dump: AuditedDump, op: int, label: str) -> str:
    """The donor's name with the op's own last field, unless the index is in that field."""
    head, separator, _ = label.rpartition("|")
    name = head + separator + _own_name(dump, op).rpartition("|")[2]
    index_in = dump.options.pattern.index_in
    return name if index_in(name) == index_in(label) else label


def _own_name(dump: AuditedDump, op: int) -> str:
    name = dump.indices.parsed.indexed_name(op)
    assert name is not None
    return name
