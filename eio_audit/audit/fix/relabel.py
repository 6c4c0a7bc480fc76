"""Puts wrong labels right: op indices that contradict the dataflow, in the text of locations.

An op whose label is wrong gets the label of another op, its *donor* (see ``order/wrong_labels.py``): a name
with the donor's index and the donor's place in the model, but with the op's own last field, around the
location that it had. Nothing else changes, which is proven on the text: it is read again, and with the
locations that changed put back it is the old text, to the byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from eio_audit.audit.check.check import AuditedDump
from eio_audit.audit.fix.free_labels import donors_of_frees
from eio_audit.audit.fix.renumbering import has_same_structure
from eio_audit.audit.fix.verification import VerificationError, read_again
from eio_audit.audit.locations.original_index import OriginalIndices
from eio_audit.mlir.ir import IR
from eio_audit.mlir.rewriting.named_locations import NamedLocations, quoted
from eio_audit.mlir.source import Span, splice
from eio_audit.order.last_uses import after_last_uses
from eio_audit.order.linear_extension import restore_order
from eio_audit.order.wrong_labels.wrong_labels import relabelled as relabelled_keys

ALIAS = b"#relabel"


def relabelled(dump: AuditedDump, *, flat: bool = False) -> bytes:
    """The dump's text with the labels put right that its audit found wrong, its ops where they were.

    Args:
        dump: audited by the indices that its locations carry.
        flat: whether the names take the place of the old locations, instead of holding them.

    Raises:
        VerificationError: read again, more has changed than these locations, or they carry other indices.
    """
    if not dump.donors:
        return dump.ir.dump_text
    names = {op: quoted(name) for op, name in sorted(_new_names(dump, dump.donors, {}).items())}
    named = NamedLocations(dump.ir, ALIAS)
    locations = {}
    for op, name in names.items():
        if flat:
            named.replace(op, name)
            locations[op] = name
        else:
            named.add(op, name)
            locations[op] = b"%s(%s)" % (name, dump.ir.location_text(op))
    text = named.text()
    _verify(dump, text, locations, named.definitions())
    return text


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
    name = dump.indices.indexed_name(op)
    assert name is not None
    return name


def _verify(dump: AuditedDump, text: bytes, locations: Mapping[int, bytes], definitions: bytes) -> None:
    """Checks that a relabelled dump is the old one but for the locations that were to change.

    Args:
        dump: as it was.
        text: of the new one.
        locations: by op that was to get a location, which.
        definitions: the aliases that were added behind the old text.

    Raises:
        VerificationError: it is not.
    """
    old = dump.ir
    new = read_again(old, text, "relabelled")
    if not has_same_structure(new, old):
        raise VerificationError("the relabelled text has other operations, or they use other values")
    if (
        not text.endswith(definitions)
        or _with_old_locations(new, old, dump.donors, definitions) != old.dump_text
    ):
        raise VerificationError("more changed than the locations that were to change")
    if any(_location(new, op) != location for op, location in locations.items()):
        raise VerificationError("a location is not the one that was to be written")
    expected = relabelled_keys(dump.indices.by_op, dump.donors)
    if OriginalIndices(new, dump.options.pattern).by_op != expected:
        raise VerificationError("the relabelled text carries other op indices than it was to")


def _with_old_locations(new: IR, old: IR, ops: Iterable[int], definitions: bytes) -> bytes:
    """The new text with the old locations of some ops, and without the aliases that were added."""
    edits = [(Span(new.location_start[op], new.op_end[op] - 1), old.location_text(op) or b"") for op in ops]
    return splice(new.source.data, Span(new.span.start, new.span.end - len(definitions)), edits)


def _location(ir: IR, op: int) -> bytes | None:
    """The text of an op's location; of one behind an alias of ours, what the alias stands for."""
    text = ir.location_text(op)
    definition = ir.aliases.get(text or b"")
    is_ours = definition is not None and (text or b"").startswith(ALIAS)
    return ir.source.data[definition.start : definition.end] if definition and is_ours else text
