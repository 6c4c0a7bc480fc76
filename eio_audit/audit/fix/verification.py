"""The proof that a text is the program of a dump with the ops of some blocks in another order.

The ordinary reader reads the text. The orders give the old op of each new op. Then everything in the dump is
compared: texts of ops, nesting, operands and the text outside ops. What the dependences say of values and of
places in a block is found again in the new text, without them. Finally, the dependences are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from eio_audit.audit.dependence import Dependences
from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.boundaries import comments_above, gaps, own_header
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.semantics import forms
from eio_audit.mlir.source import InputError, Source, Span, printable, printable_lines, splice
from eio_audit.order.permutation import inverse

Orders = Mapping[int, Sequence[int]]
"""By block: ``order[k]`` is the textual index of the op placed k-th. Other blocks keep their order."""

_STRUCTURE = (
    *("op_block", "subtree_end", "first_result"),
    *("operand_start", "operands", "late_operands"),
    *("value_owner", "block_region", "region_op"),
)
"""The fields that define a dump's structure, without texts and names."""


class VerificationError(Exception):
    """A rewrite failed its verification. It must not be written."""

    def __init__(self, message: str, details: str = "") -> None:
        self.message = printable(message)  # what is wrong, one line
        self.details = printable_lines(details)  # a compiler's errors, in several lines; empty without one
        super().__init__("\n".join(filter(None, [self.message, self.details])))

    def __reduce__(self) -> tuple[object, ...]:
        """All that it was made of, for another process."""
        return VerificationError, (self.message, self.details)


def read_again(old: IR, text: bytes, what: str) -> IR:
    """Return the IR read from the new text of a dump. Messages describe the text as ``what`` (``rewritten``).

    Raises:
        VerificationError: the text cannot be read.
    """
    try:
        return read_ir(Source(f"{what} {old.source.name}", text), None, old.op_table)
    except InputError as error:
        raise VerificationError(f"the {what} text cannot be read: {error}") from error


def read_same(old: IR, text: bytes, what: str) -> IR:
    """Return the IR, which must have the same ops in the same blocks, defining and using the same values.

    Raises:
        VerificationError: the text cannot be read, or the structure differs.
    """
    new = read_again(old, text, what)
    if any(getattr(new, column) != getattr(old, column) for column in _STRUCTURE):
        raise VerificationError(f"the {what} text has different operations or uses different values")
    return new


def read_relocated(old: IR, locations: Mapping[int, bytes], what: str, text: bytes, added: bytes) -> IR:
    """Return the IR of a ``text`` that must be the dump with new locations for some ops, then ``added``.

    ``locations`` has, by op, what is in its ``loc(...)`` (see ``with_locations``). All else is the same to
    the byte. Messages describe the text as ``what``: ``stamped``.

    Raises:
        VerificationError: the new text has other ops or values or an unexpected location, or is not the old
            text with the old locations.
    """
    new = read_same(old, text, what)
    written = ((location, new.location_text(op) or b"") for op, location in locations.items())
    if any(location not in (own, new.definition(own)) for location, own in written):
        raise VerificationError("a location is not the intended one")
    edits = []
    for op in locations:
        start, end, own = new.location_start[op], new.op_end[op], old.location_text(op)
        edits.append((Span(start - len(" loc("), end), b"") if own is None else (Span(start, end - 1), own))
    without = splice(text, Span(0, len(text) - len(added)), edits)
    if not text.endswith(added) or without != old.dump_text:
        raise VerificationError("more than the intended locations changed")
    return new


def verify(old: IR, orders: Orders, dependences: Dependences, text: bytes) -> IR:
    """Return the IR of ``text``, which must be ``old`` with its blocks in ``orders``, all of them legal.

    Raises:
        VerificationError: it is not.
    """
    for block, order in orders.items():
        in_text = list(range(len(old.block_ops[block])))
        if sorted(order) != in_text:
            raise VerificationError(f"the order found for {old.block_name(block)} is not one of its ops")
        if not old.has_order(block) and list(order) != in_text:
            raise VerificationError(f"ops of a graph region moved, in {old.block_name(block)}")
    new = read_again(old, text, "rewritten")
    if len(new) != len(old) or new.block_count != old.block_count:
        raise VerificationError("the rewritten text has different operations or blocks")
    ops, blocks, regions = in_new_order(old, orders)  # ops[i] is the old op that new op i must be

    for op, old_op in enumerate(ops):
        if new.own_text(op) != old.own_text(old_op):
            raise _failure("the text of an op changed", old, old_op)
    if (
        len(new.region_op) != len(regions)
        or [blocks[block] for block in new.op_block] != [old.op_block[op] for op in ops]
        or [regions[region] for region in new.block_region] != [old.block_region[block] for block in blocks]
        or [ops[op] for op in new.region_op[1:]] != [old.region_op[region] for region in regions[1:]]
    ):
        raise VerificationError("an op is in another block than before")
    _verify_operands(old, new, ops, blocks)
    if list(new.region_is_graph) != [old.region_is_graph[region] for region in regions]:
        raise VerificationError("a region is a graph region only in one of the texts")
    _verify_definitions(old, new, ops)

    for block, old_block in enumerate(blocks):
        if own_header(new, block) != own_header(old, old_block):
            raise VerificationError(f"the arguments of {old.block_name(old_block)} changed")
    if gaps(new) != gaps(old):
        raise VerificationError("the text outside the ops changed: aliases or metadata")
    if b"//" in text or b"//" in old.dump_text:
        if len(text.translate(None, b" \t\r\n")) != len(old.dump_text.translate(None, b" \t\r\n")):
            raise VerificationError("a comment was lost or duplicated")
        if {ops[op]: lines for op, lines in comments_above(new).items()} != comments_above(old):
            raise VerificationError("comment lines are above other ops than before")

    new_block = {old_block: block for block, old_block in enumerate(blocks)}
    _verify_places(old, new, {new_block[block]: order for block, order in orders.items()}, ops)
    seen = Dependences(new, dependences.assume_pure).by_effect([new_block[block] for block in orders])
    for block, graph in dependences.of(orders).items():
        place = inverse(orders[block])
        for _, user in graph.violated_by(place):
            raise _failure("an op would be before one that it depends on", old, graph.ops[user])
        if not graph.same_effect_order(seen[new_block[block]], place):
            raise VerificationError(f"the dependences changed in {old.block_name(block)}")
    return new


def in_new_order(ir: IR, orders: Orders) -> tuple[list[int], list[int], list[int]]:
    """Return the old ops, blocks and regions in the pre-order that the new text must have."""
    ops, blocks, regions = list[int](), list[int](), list[int]()
    pending: list[tuple[list[int], Iterator[int]]] = [(regions, iter([0]))]
    while pending:
        kind, numbers = pending[-1]
        if (number := next(numbers, None)) is None:
            pending.pop()
            continue
        kind.append(number)
        if kind is regions:
            pending.append((blocks, iter(ir.region_blocks[number])))
        elif kind is blocks:
            in_text = ir.block_ops[number]
            pending.append((ops, map(in_text.__getitem__, orders.get(number, range(len(in_text))))))
        elif number in ir.regions_of:
            pending.append((regions, iter(ir.regions_of[number])))
    return ops, blocks, regions


def _verify_operands(old: IR, new: IR, ops: Sequence[int], blocks: Sequence[int]) -> None:
    """Each op uses the same results of the same ops, and the same arguments of the same blocks."""
    owners = [ops[owner] if owner >= 0 else ~blocks[~owner] for owner in new.value_owner]
    old_owners = old.value_owner.tolist()
    if sorted(owners) != sorted(old_owners):
        raise VerificationError("the rewritten text defines different values")
    by_owner = sorted(range(len(owners)), key=owners.__getitem__)  # the values of one owner keep their order
    old_value = dict(zip(by_owner, sorted(range(len(owners)), key=old_owners.__getitem__), strict=True))
    operands, old_operands = [old_value[value] for value in new.operands], old.operands.tolist()
    starts, old_starts = new.operand_start, old.operand_start
    for op, old_op in enumerate(ops):
        if operands[starts[op] : starts[op + 1]] != old_operands[old_starts[old_op] : old_starts[old_op + 1]]:
            raise _failure("an op uses other values", old, old_op)
    late = {ops[op]: [old_value[value] for value in values] for op, values in new.late_operands.items()}
    for op in late.keys() | old.late_operands:
        if late.get(op) != old.late_operands.get(op):
            raise _failure("an op uses other values", old, op)


def _verify_definitions(old: IR, new: IR, ops: Sequence[int]) -> None:
    """Each use of a result comes after the op that defines it, outside graph regions.

    Ops are numbered in textual order, and those nested in an op directly after it. Whether a use in another
    block than the definition is legal depends on the control flow between the blocks, which does not change.
    """
    owner_of, end = new.value_owner, new.subtree_end
    for user in range(len(new)):
        for value in new.operands_of(user):
            definer = owner_of[value]
            if definer < 0 or end[definer] <= user:
                continue  # an argument of a block, or defined before
            block = new.op_block[definer]
            around = new.block_ops[block]
            is_in_block = around[0] <= user < end[around[-1]]  # or nested in one of its ops
            if is_in_block and new.has_order(block):
                raise _failure("an op would be before one whose result it uses", old, ops[user])


def _verify_places(old: IR, new: IR, orders: Orders, ops: Sequence[int]) -> None:
    """Terminators stay last, and nothing comes in between where an op needs its place (``places``).

    ``orders`` are by block of the new text.
    """
    for block, order in orders.items():
        last = ops[new.block_ops[block][order.index(len(order) - 1)]]
        may_end = new.parent_op(block) >= 0 and old.op_table.may_be_terminator(old.name(last))
        if may_end and order[-1] != len(order) - 1:
            raise _failure("the terminator would not be last", old, last)
    for op in forms.ops_with_places(new):
        if forms.must_be_first(new, op) and _passed(new, orders, op)[0]:
            raise _failure("an op would come before one that must be first", old, ops[op])
        if forms.must_precede_terminator(new, op) and _passed(new, orders, op)[1]:
            raise _failure(
                "an op would come between the terminator and one that must precede it", old, ops[op]
            )
        if forms.is_newest_allocation(new, op):
            for holder in (op, *new.enclosing_ops(new.op_block[op])):
                for other in chain(*_passed(new, orders, holder)):
                    if any(forms.changes_stack(new, inner) for inner in (other, *new.nested_ops(other))):
                        raise _failure("an allocation would pass one that must be the newest", old, ops[op])


def _passed(new: IR, orders: Orders, op: int) -> tuple[list[int], list[int]]:
    """Return the ops of its block that passed an op: those that were after it, and those that were before."""
    block = new.op_block[op]
    if block not in orders:
        return [], []
    order, in_text = orders[block], new.block_ops[block]
    place = in_text.index(op)
    up = [in_text[k] for k in range(place) if order[k] > order[place]]
    down = [in_text[k] for k in range(place + 1, len(order)) if order[k] < order[place]]
    return up, down


def _failure(what: str, old: IR, op: int) -> VerificationError:
    line = old.source.line_at(old.op_start[op])
    return VerificationError(f"{what}: {old.name(op)} at {old.source.name}:{line}")
