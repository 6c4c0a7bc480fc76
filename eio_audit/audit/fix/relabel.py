"""Puts wrong labels right: op indices that contradict the dataflow, in the text of locations.

An op whose label is wrong gets the label of another op, its *donor* (see ``order/wrong_labels.py``): a name
with the donor's index and the donor's place in the model, but with the op's own last field, around the
location that it had. Nothing else changes (relocation.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eio_audit.audit.check.check import AuditedDump
from eio_audit.audit.fix.free_labels import donors_of_frees
from eio_audit.audit.fix.reading_again import VerificationError
from eio_audit.audit.fix.relocation import relocated
from eio_audit.audit.locations.original_index import OriginalIndices
from eio_audit.mlir.rewriting.locations import quoted
from eio_audit.order.last_uses import after_last_uses
from eio_audit.order.linear_extension import restore_order
from eio_audit.order.wrong_labels.wrong_labels import relabelled as relabelled_keys


def relabelled(dump: AuditedDump, donors: Mapping[int, int], *, flat: bool = False) -> bytes:
    """The dump's text with some wrong labels put right, its ops where they were.

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
        raise VerificationError("the relabelled text carries other op indices than it was to")
    return new.dump_text


@dataclass(frozen=True, slots=True)
class RightLabels:
    """What ``fix --relabel`` makes of a dump.

    Attributes:
        names: by op that gets another label, the outermost name of its new location.
        orders: by block whose ops move, its order then.
    """

    names: Mapping[int, str]
    orders: Mapping[int, Sequence[int]]


def right_labels(dump: AuditedDump) -> RightLabels:
    """What ``fix --relabel`` would make of a dump, without its text.

    Complexity: O(n log n), and as for a check of the blocks that are out of order.
    """
    orders = _orders_with_right_labels(dump) if dump.donors else dump.orders
    names = _new_names(dump, dump.donors, {})
    frees = donors_of_frees(dump, orders, relabelled_keys(dump.indices.by_op, dump.donors))
    return RightLabels(names | _new_names(dump, frees, names), orders)


def _orders_with_right_labels(dump: AuditedDump) -> dict[int, Sequence[int]]:
    """By block whose ops move, its order once the wrong labels are right: without an inversion."""
    keys = relabelled_keys(dump.keys.by_op, dump.donors)
    is_graph, region_of = dump.ir.region_is_graph, dump.ir.block_region
    blocks = [block for block in dump.keys.disordered_blocks if not is_graph[region_of[block]]]
    orders: dict[int, Sequence[int]] = {**dump.orders}
    for block, graph in dump.dependences.of(blocks).items():
        order = restore_order(dump.ir.of_block(block, keys), graph.precedence).order
        frees = dump.keys.frees_that_follow(block)
        orders[block] = after_last_uses(order, frees, graph.precedence)
    return orders


def _new_names(dump: AuditedDump, donors: Mapping[int, int], names: Mapping[int, str]) -> dict[int, str]:
    """By op that gets the label of another, its new name.

    Args:
        dump: which.
        donors: by op, the one whose label it gets.
        names: of donors that got a label themselves; others have their own.
    """
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
