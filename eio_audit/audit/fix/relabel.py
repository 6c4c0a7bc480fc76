"""Correct wrong labels: op indices in locations that contradict the dataflow.

An op with a wrong label gets the label of another op, its *donor* (see ``order/flow/wrong_labels.py``). Its
new name has the donor's index and place in the model, but the op's own last field. The name contains the op's
old location. Nothing else changes (reading_again.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from eio_audit.audit.check.followers import restore_block
from eio_audit.audit.check.keyed_dump import AuditedDump
from eio_audit.audit.fix.reading_again import VerificationError, relocated
from eio_audit.audit.locations.original_index import OriginalIndices
from eio_audit.mlir.tokens import quoted
from eio_audit.order.flow.wrong_labels import relabelled as relabelled_keys
from eio_audit.order.inversions import displaced


def relabelled(dump: AuditedDump, donors: Mapping[int, int], *, flat: bool = False) -> bytes:
    """Return the dump's text with corrected labels. No op moves.

    Args:
        dump: audited by the indices in its locations.
        donors: by op with a wrong label, the op whose label it gets.
        flat: whether the new names replace the old locations instead of containing them.

    Raises:
        VerificationError: more than these locations changed, or they have other indices.
    """
    new = relocated(dump.ir, new_locations(dump, donors, flat=flat), "relabelled", b"#relabel")
    if OriginalIndices(new, dump.options.pattern).by_op != relabelled_keys(dump.indices.by_op, donors):
        raise VerificationError("the relabelled text does not carry the intended op indices")
    return new.dump_text


def new_locations(dump: AuditedDump, donors: Mapping[int, int], *, flat: bool = False) -> dict[int, bytes]:
    """Return the location of each relabelled op, as ``relabelled`` writes it."""
    names = {op: quoted(name) for op, name in sorted(_new_names(dump, donors, {}).items())}
    if flat:
        return names
    return {op: b"%s(%s)" % (name, dump.ir.location_text(op)) for op, name in names.items()}


@dataclass(frozen=True, slots=True)
class RightLabels:
    """The result of ``fix --relabel`` on a dump.

    Attributes:
        names: by relabelled op, the outermost name of its new location.
        orders: by block whose ops move, its new order.
    """

    names: Mapping[int, str]
    orders: Mapping[int, Sequence[int]]


def right_labels(dump: AuditedDump) -> RightLabels:
    """Return the result of ``fix --relabel`` on a dump, without its text.

    Complexity: O(n log n), plus a check of the blocks that are out of order.
    """
    orders = {**dump.orders}
    if dump.donors:
        keys = relabelled_keys(dump.keys.by_op, dump.donors)
        blocks = list(filter(dump.has_order, dump.keys.disordered_blocks))
        for block, graph in dump.dependences.of(blocks).items():
            frees = dump.keys.frees_that_follow(block)
            orders[block] = restore_block(dump.ir.of_block(block, keys), graph.precedence, frees).order
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
    """Return the new name of each relabelled op. ``names`` has those of donors that are relabelled too."""
    return {
        op: _new_name(dump, op, names.get(donor) or _own_name(dump, donor)) for op, donor in donors.items()
    }


def _new_name(dump: AuditedDump, op: int, label: str) -> str:
    """Return the donor's name with the op's own last field, unless the index is in that field."""
    head, separator, _ = label.rpartition("|")
    name = head + separator + _own_name(dump, op).rpartition("|")[2]
    index_in = dump.options.pattern.index_in
    return name if index_in(name) == index_in(label) else label


def _own_name(dump: AuditedDump, op: int) -> str:
    name = dump.indices.parsed.indexed_name(op)
    assert name is not None
    return name
