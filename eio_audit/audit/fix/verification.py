"""The proof that a text is the program of a dump with the ops of some blocks in another order.

The ordinary reader reads the text. The orders say which old op each new op must be. Then all that a dump holds
is compared: texts of ops, blocks and regions, operands, what is outside of ops, and last the dependences.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from itertools import repeat

from eio_audit.audit.dependence import DependenceKind, Dependences
from eio_audit.audit.fix.reading_again import VerificationError, read_again
from eio_audit.mlir.ir import IR, NO_OFFSET
from eio_audit.mlir.reading.comments import comment_lines, comments_above
from eio_audit.order.permutation import inverse

Orders = Mapping[int, Sequence[int]]
"""By block: ``order[k]`` is the textual index of the op placed k-th. Other blocks keep their order."""


def verify(old: IR, orders: Orders, dependences: Dependences, text: bytes) -> None:
    """Checks that ``text`` is the program of ``old`` with its blocks in ``orders``, and that this is legal.

    Raises:
        VerificationError: it is not.
    """
    for block, order in orders.items():
        if sorted(order) != list(range(len(old.block_ops[block]))):
            raise VerificationError(f"the order found for {old.block_name(block)} is not one of its ops")
    new = read_again(old, text, "rewritten")
    if (len(new), new.block_count) != (len(old), old.block_count):
        raise VerificationError("the rewritten text has other operations or blocks")
    ops, blocks = _in_new_order(old, orders)  # by new op and new block: the old one that it must be

    for op, old_op in enumerate(ops):
        if new.own_text(op) != old.own_text(old_op):
            raise _failure("the text of an op changed", old, old_op)

    if [blocks[block] for block in new.op_block] != [old.op_block[op] for op in ops]:
        raise VerificationError("the ops stand in other blocks than before")
    parents = [
        (ops[op] if op >= 0 else op, region) for op, region in map(_parent, repeat(new), range(len(blocks)))
    ]
    if parents != [_parent(old, block) for block in blocks]:
        raise VerificationError("the ops stand in other blocks than before")

    old_value = _old_values(old, new, ops, blocks)
    operands = array("i", map(old_value.__getitem__, new.operands))
    late = {ops[op]: [old_value[value] for value in values] for op, values in new.late_operands.items()}
    starts, old_operands, old_starts = new.operand_start, old.operands, old.operand_start
    for op, old_op in enumerate(ops):
        if operands[starts[op] : starts[op + 1]] != old_operands[old_starts[old_op] : old_starts[old_op + 1]]:
            raise _failure("an op uses other values", old, old_op)
    for op in late.keys() | old.late_operands:
        if late.get(op) != old.late_operands.get(op):
            raise _failure("an op uses other values", old, op)

    for block, old_block in enumerate(blocks):
        if _header(new, block) != _header(old, old_block):
            raise VerificationError(f"the arguments of {old.block_name(old_block)} changed")
    if _texts_at_top_level(new) != _texts_at_top_level(old):
        raise VerificationError("what stands outside of the ops changed: aliases or metadata")
    if b"//" in text or b"//" in old.dump_text:
        if len(text.translate(None, b" \t\r\n")) != len(old.dump_text.translate(None, b" \t\r\n")):
            raise VerificationError("a comment was lost, or came twice")
        if {ops[op]: lines for op, lines in comments_above(new).items()} != comments_above(old):
            raise VerificationError("comment lines stand above other ops than before")

    _verify_dependences(old, new, orders, dependences, blocks)


def _in_new_order(ir: IR, orders: Orders) -> tuple[list[int], list[int]]:
    """The old ops and the old blocks in the order in which the new text must have them: pre-order."""
    blocks_of: list[list[int]] = [[] for _ in ir.region_op]
    for block, region in enumerate(ir.block_region):
        blocks_of[region].append(block)
    ops, blocks = [], []
    pending = [~block for block in blocks_of[0]]  # an op, or a block as ~block
    while pending:
        op = pending.pop()
        if op < 0:
            blocks.append(~op)
            in_text = ir.block_ops[~op]
            pending += reversed([in_text[k] for k in orders[~op]] if ~op in orders else in_text)
            continue
        ops.append(op)
        for region in reversed(ir.regions_of.get(op, ())):
            pending += [~block for block in reversed(blocks_of[region])]
    return ops, blocks


def _parent(ir: IR, block: int) -> tuple[int, int]:
    """The op that holds a block, and the number of the block's region counted from the op's first one."""
    op = ir.parent_op(block)
    return op, ir.block_region[block] - ir.regions_of[op][0] if op >= 0 else 0


def _old_values(old: IR, new: IR, ops: Sequence[int], blocks: Sequence[int]) -> list[int]:
    """By new value, the old one: the same result of the same op, or the same argument of the same block."""
    owners = [ops[owner] if owner >= 0 else ~blocks[~owner] for owner in new.value_owner]
    old_owners = old.value_owner.tolist()
    if sorted(owners) != sorted(old_owners):
        raise VerificationError("the rewritten text defines other values")
    old_value = [0] * len(owners)
    for value, k in zip(inverse(owners), inverse(old_owners), strict=True):
        old_value[value] = k
    return old_value


def _header(ir: IR, block: int) -> bytes:
    """A block's label and arguments, without the comments that belong to its first op."""
    data, label, ops = ir.source.data, ir.block_label[block], ir.block_ops[block]
    if label == NO_OFFSET:
        return b""
    if ops:
        return data[label : comment_lines(data, label, ir.op_start[ops[0]]).start].rstrip()
    region = ir.block_region[block]
    is_last = block + 1 == ir.block_count or ir.block_region[block + 1] != region
    return data[label : ir.region_end[region] if is_last else ir.block_label[block + 1]].rstrip()


def _texts_at_top_level(ir: IR) -> list[bytes]:
    """What is before, between and after the ops at top level, which is a graph region: its ops never move."""
    ops = ir.block_ops[0] if ir.block_count else ()
    starts, ends = (
        [ir.span.start, *(ir.op_end[op] for op in ops)],
        [*(ir.op_start[op] for op in ops), ir.span.end],
    )
    return [ir.source.data[start:end] for start, end in zip(starts, ends, strict=True)]


def _verify_dependences(
    old: IR, new: IR, orders: Orders, dependences: Dependences, blocks: Sequence[int]
) -> None:
    """Each dependence keeps its direction, and effects seen in the new text hold back the same ops.

    Not so of the op that is the last one now: it may look like a terminator, whose effects do not count.
    """
    new_block = {old_block: block for block, old_block in enumerate(blocks)}
    seen = Dependences(new, dependences.assume_pure).by_effect([new_block[block] for block in orders])
    for block, graph in dependences.of(orders).items():
        place = {op: k for k, op in enumerate(orders[block])}
        for producer, user, _ in graph.edges():
            if place[producer] > place[user]:
                raise _failure("an op would stand before one it depends on", old, graph.ops[user])
        effects = {(place[p], place[u]) for p, u in graph.by_kind(DependenceKind.EFFECT)}
        new_effects = {(p, u) for p, u, _ in seen[new_block[block]].edges()}
        if any(user != len(place) - 1 for _, user in effects ^ new_effects):
            raise VerificationError(f"other dependences than before in {old.block_name(block)}")


def _failure(what: str, old: IR, op: int) -> VerificationError:
    line = old.source.line_at(old.op_start[op])
    return VerificationError(f"{what}: {old.name(op)} at {old.source.name}:{line}")
