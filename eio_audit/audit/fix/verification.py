"""The proof that a text is the program of a dump with the ops of some blocks in another order.

The ordinary reader reads the text. The orders give the old op of each new op. Then everything in the dump is
compared: texts of ops, nesting, operands, the text outside ops, and finally the dependences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from eio_audit.audit.dependence import Dependences
from eio_audit.audit.fix.reading_again import VerificationError, read_again
from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.comments import comments_above, own_header
from eio_audit.order.permutation import inverse

Orders = Mapping[int, Sequence[int]]
"""By block: ``order[k]`` is the textual index of the op placed k-th. Other blocks keep their order."""


def verify(old: IR, orders: Orders, dependences: Dependences, text: bytes) -> None:
    """Raise VerificationError unless ``text`` is ``old`` with its blocks in ``orders``, all of them legal."""
    for block, order in orders.items():
        if sorted(order) != list(range(len(old.block_ops[block]))):
            raise VerificationError(f"the order found for {old.block_name(block)} is not one of its ops")
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

    for block, old_block in enumerate(blocks):
        if own_header(new, block) != own_header(old, old_block):
            raise VerificationError(f"the arguments of {old.block_name(old_block)} changed")
    if _texts_at_top_level(new) != _texts_at_top_level(old):
        raise VerificationError("the text outside the ops changed: aliases or metadata")
    if b"//" in text or b"//" in old.dump_text:
        if len(text.translate(None, b" \t\r\n")) != len(old.dump_text.translate(None, b" \t\r\n")):
            raise VerificationError("a comment was lost or duplicated")
        if {ops[op]: lines for op, lines in comments_above(new).items()} != comments_above(old):
            raise VerificationError("comment lines are above other ops than before")

    new_block = {old_block: block for block, old_block in enumerate(blocks)}
    seen = Dependences(new, dependences.assume_pure).by_effect([new_block[block] for block in orders])
    for block, graph in dependences.of(orders).items():
        place = inverse(orders[block])
        for _, user in graph.turned_round(place):
            raise _failure("an op would be before one that it depends on", old, graph.ops[user])
        if not graph.has_effects_of(seen[new_block[block]], place):
            raise VerificationError(f"the dependences changed in {old.block_name(block)}")


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


def _texts_at_top_level(ir: IR) -> list[bytes]:
    """Return the text around the ops at top level. That is a graph region, so its ops never move."""
    ops = ir.block_ops[0] if ir.block_count else ()
    starts = [ir.span.start, *(ir.op_end[op] for op in ops)]
    ends = [*(ir.op_start[op] for op in ops), ir.span.end]
    return [ir.source.data[start:end] for start, end in zip(starts, ends, strict=True)]


def _failure(what: str, old: IR, op: int) -> VerificationError:
    line = old.source.line_at(old.op_start[op])
    return VerificationError(f"{what}: {old.name(op)} at {old.source.name}:{line}")
