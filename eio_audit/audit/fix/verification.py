"""Proves on a rewritten text that it is the same program in another order."""

from __future__ import annotations

from array import array
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import compress, repeat
from operator import eq, inv, ne, not_, sub
from typing import Protocol

from eio_audit.audit.dependence import DependenceGraph, DependenceKind, Dependences
from eio_audit.audit.fix.placement import Placement, placement_of_ops
from eio_audit.mlir.fast.known_lines import KnownLines
from eio_audit.mlir.ir import IR
from eio_audit.mlir.printable import printable
from eio_audit.mlir.reading.comments import comment_lines, comments_above
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.rewriting.pieces import BlockOrder
from eio_audit.mlir.source import InputError, Source, Span

OPS_AT_ONCE = 1 << 13
"""Ops whose texts are compared together."""

_WHITE_SPACE = b" \t\r\n"


class VerificationError(Exception):
    """A rewrite did not pass its own verification; it must not be written."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


def read_again(old: IR, text: bytes, what: str, known: KnownLines | None = None) -> IR:
    """What is read from the text that a dump has become.

    Args:
        old: the dump.
        text: what it is now.
        what: how messages call it: ``rewritten``.
        known: lines that need not be split again.

    Raises:
        VerificationError: it cannot be read.
    """
    try:
        return read_ir(Source(f"{what} {old.source.name}", text), None, old.op_table, known=known)
    except InputError as error:
        raise VerificationError(f"the {what} text cannot be read: {error}") from error


class Reordering(Protocol):
    """A dump and the orders that some of its blocks get.

    Attributes:
        ir: the dump as it is.
        dependences: of its blocks.
        orders: by block; ``order[k]`` is the textual index of the op placed k-th.
    """

    @property
    def ir(self) -> IR: ...  # noqa: D102
    @property
    def dependences(self) -> Dependences: ...  # noqa: D102
    @property
    def orders(self) -> Mapping[int, Sequence[int]]: ...  # noqa: D102


def verify(before: Reordering, text: bytes) -> None:
    """Checks a rewritten dump against the one it was made from.

    The text is read anew; only lines that are, to the byte, lines read before are not split again (see
    ``KnownLines``). Every block must have the same arguments and hold the same ops with the same text
    and the same operands, in the order that it was to get; what stands outside of all ops must be the same,
    and comments as long; every dependence must keep its direction, and the effects seen in the new text must
    hold back the same ops.

    Raises:
        VerificationError: any of this does not hold.
    """
    old = before.ir
    orders = {block: BlockOrder.of(order) for block, order in before.orders.items()}
    for block, order in orders.items():
        if not order.holds_each_once(len(old.block_ops[block])):
            raise VerificationError(f"the order found for {old.block_name(block)} is not one of its ops")
    ops = placement_of_ops(old, orders)
    after = read_again(old, text, "rewritten", KnownLines(old, ops.old_runs()))
    if len(after) != len(old) or after.block_count != old.block_count:
        raise VerificationError("the rewritten text has other operations or blocks")
    _Comparison(before, orders, after, text, ops).run()


class _Comparison:
    """An old dump and a new one, whose op ``i`` should be the old op ``old_of[i]``.

    Compared is column by column. Where one is not as it would be if text had only been moved, the ops are
    compared one by one.
    """

    def __init__(
        self, before: Reordering, orders: Mapping[int, BlockOrder], after: IR, text: bytes, ops: Placement
    ) -> None:
        self.before = before
        self.orders = orders
        self.old = before.ir
        self.new = after
        self.text = text
        self.ops = ops
        self.old_of = self.ops.old_of
        self.old_blocks = self.ops.in_new_order(self.old.op_block)
        self.old_block_of = {
            block: self.old_blocks[ops[0]] for block, ops in enumerate(after.block_ops) if ops
        }

    def run(self) -> None:
        self._compare_texts()
        self._compare_nesting()
        self._compare_operands()
        self._compare_headers()
        self._compare_comments()
        # All that uses and indices are read from is the same now: texts, nesting, operands and aliases. So
        # they are those of before, and what may differ is their order.
        new_block_of = {old: new for new, old in self.old_block_of.items()}
        dependences = Dependences(self.new, self.before.dependences.assume_pure)
        by_effect = dependences.by_effect([new_block_of[block] for block in self.orders])
        for block in self.orders:
            self._compare_dependences(block, by_effect[new_block_of[block]])

    def _compare_texts(self) -> None:
        new_ops = self._ops_by_themselves()
        for start in range(0, len(new_ops), OPS_AT_ONCE):
            batch = new_ops[start : start + OPS_AT_ONCE]
            old_ops = list(map(self.old_of.__getitem__, batch))
            new_texts, old_texts = self.new.own_texts(batch), self.old.own_texts(old_ops)
            if new_texts != old_texts:
                changed = next(compress(old_ops, map(ne, new_texts, old_texts)))
                raise self._failure("the text of an op changed", changed)
        if _texts_outside_ops(self.new) != _texts_outside_ops(self.old):
            raise VerificationError("what stands outside of the ops changed: aliases or metadata")

    def _ops_by_themselves(self) -> Sequence[int]:
        """The new ops whose texts have to be compared one by one.

        Not those of a run that has one text, if each begins and ends in it where it did. But an op that holds
        ops of other runs lies in several.
        """
        old, new = self.old, self.new
        starts, ends = _within(old.op_start, old.span), _within(old.op_end, old.span)
        new_starts = list(map(new.op_start.__getitem__, self.ops.places))
        shifts = list(map(sub, new_starts, map(starts.__getitem__, self.ops.starts)))
        if not self.ops.are_shifted(shifts, (starts, new.op_start), (ends, new.op_end)):
            return range(len(new))
        holders = self._holders()
        single = [op for op in sorted(holders) if self.old_of[op] == op]
        if len(single) < len(holders):
            single = list(compress(range(len(new)), map(holders.__contains__, self.old_of)))
        texts = map(memoryview(old.source.data).__getitem__, self._spans(holders))
        is_same = map(self.text.startswith, texts, new_starts)
        for run in compress(self.ops.runs(), map(not_, is_same)):
            single += run
        return single

    def _holders(self) -> set[int]:
        """The old ops around the blocks that get an order."""
        holders: set[int] = set()
        for block in self.orders:
            for op in self.old.enclosing_ops(block):
                if op in holders:
                    break
                holders.add(op)
        return holders

    def _spans(self, holders: Container[int]) -> Iterator[slice]:
        """Where the old ops of each run lie; of one that holds ops of other runs, the header at the most."""
        old = self.old
        for first, stop in zip(self.ops.starts, self.ops.stops, strict=True):
            last = stop - 1
            if last in holders:
                yield slice(old.op_start[first], old.header_end(last))
                continue
            while (around := old.parent_op(old.op_block[last])) >= first and around not in holders:
                last = around
            yield slice(old.op_start[first], old.op_end[last])

    def _compare_nesting(self) -> None:
        """Ops in pre-order that hold as many ops each make one tree; the blocks in it are compared apart."""
        old, new, old_block_of = self.old, self.new, self.old_block_of
        shifts = list(map(sub, self.ops.places, self.ops.starts))
        is_one_tree = self.ops.are_shifted(shifts, (old.subtree_end, new.subtree_end))
        has_same_numbers = all(map(eq, old_block_of, old_block_of.values()))
        blocks = new.op_block if has_same_numbers else array("i", map(old_block_of.__getitem__, new.op_block))
        is_one_to_one = len(set(old_block_of.values())) == len(old_block_of)
        if not (is_one_tree and blocks == self.old_blocks and is_one_to_one):
            raise VerificationError("the ops stand in other blocks than before")

    def _compare_operands(self) -> None:
        """The same results of the same ops; of an argument its block and the text say enough."""
        if self._has_same_operands():
            return
        new, old = self.new, self.old
        shifts = list(map(sub, map(old.first_result.__getitem__, self.old_of), new.first_result))
        # By new value, which old value it is; by old value, itself. An argument is its block.
        new_values = [
            value + shifts[owner] if owner >= 0 else ~self.old_block_of.get(~owner, old.block_count)
            for value, owner in enumerate(new.value_owner)
        ]
        old_values = [
            value if owner >= 0 else owner if old.block_ops[~owner] else ~old.block_count
            for value, owner in enumerate(old.value_owner)
        ]
        for op, old_op in enumerate(self.old_of):
            values = [old_values[value] for value in old.operands_of(old_op)]
            if [new_values[value] for value in new.operands_of(op)] != values:
                raise self._failure("an op uses other values", old_op)

    def _has_same_operands(self) -> bool:
        """Whether the operands of a run have come with it, and are the values they were."""
        old, new = self.old, self.new
        old_value_of = self._old_values()
        operands = self.ops.along(old.operand_start)
        shifts = list(map(sub, operands.places, operands.starts))
        rows = old.operand_start, new.operand_start
        if old_value_of is None or not self.ops.are_shifted(shifts, rows):
            return False
        late = {
            self.old_of[op]: list(map(old_value_of.__getitem__, values))
            for op, values in new.late_operands.items()
        }
        values = array("i", [old_value_of[value] for value in new.operands])
        return values == operands.in_new_order(old.operands) and late == old.late_operands

    def _old_values(self) -> list[int] | None:
        """By new value the old one, if the values of a run have come with it; None if they have not."""
        old, new = self.old, self.new
        starts = array(old.first_result.typecode, old.first_result)
        starts.append(len(old.value_owner))
        starts[0] = 0  # arguments may come before the first result
        values = self.ops.along(starts)
        blocks = [self.old_block_of.get(block, old.block_count) for block in range(new.block_count)]
        old_owners = [*self.old_of, *map(inv, reversed(blocks))]  # ~block counts from the end
        owners = array("i", [old_owners[owner] for owner in new.value_owner])
        return values.old_of if owners == values.in_new_order(old.value_owner) else None

    def _compare_headers(self) -> None:
        """The same labels and arguments; behind them come the comments above the op that is the first now."""
        for new_block, old_block in self.old_block_of.items():
            if not self.new.block_header(new_block).startswith(_own_header(self.old, old_block)):
                raise VerificationError(f"the arguments of {self.old.block_name(old_block)} changed")

    def _compare_comments(self) -> None:
        """Those above an op stay with it, and between the ops there is nothing else but white space.

        White space keeps comments and words apart.
        """
        old, new = self.old.span, self.new.span
        if old.end - old.start != new.end - new.start and (
            _visible_length(self.old.dump_text) != _visible_length(self.new.dump_text)
        ):
            raise VerificationError("a comment was lost, or came twice")
        above = comments_above(self.old)
        if above and {self.old_of[op]: lines for op, lines in comments_above(self.new).items()} != above:
            raise VerificationError("comment lines stand above other ops than before")

    def _compare_dependences(self, block: int, by_effect: DependenceGraph) -> None:
        """Each of before keeps its direction, and effects hold back what they did before.

        The op that is the last now has its place whatever holds it back: it may look like a terminator.
        """
        place = self.orders[block].places()
        graph = self.before.dependences.of([block])[block]
        for user in graph.placed_too_early(place):
            raise self._failure("an op would stand before one it depends on", graph.ops[user])
        kept = {(place[p], place[u]) for p, u in graph.by_kind(DependenceKind.EFFECT)}
        seen = {(p, u) for p, u, _ in by_effect.edges()}
        if any(user != len(place) - 1 for _, user in kept ^ seen):
            raise VerificationError(f"other dependences than before in {self.old.block_name(block)}")

    def _failure(self, what: str, old_op: int) -> VerificationError:
        line = self.old.source.line_at(self.old.op_start[old_op])
        return VerificationError(f"{what}: {self.old.name(old_op)} at {self.old.source.name}:{line}")


def _within(offsets: array[int], span: Span) -> array[int]:
    """Offsets in a file as offsets in a dump that stands in it."""
    return array("q", map(sub, offsets, repeat(span.start))) if span.start else offsets


def _texts_outside_ops(ir: IR) -> list[bytes]:
    """What is before, between and behind the ops at top level, a graph region, whose ops never move."""
    ops = ir.block_ops[ir.op_block[0]] if len(ir) else ()
    starts = [ir.span.start, *(ir.op_end[op] for op in ops)]
    ends = [*(ir.op_start[op] for op in ops), ir.span.end]
    return [ir.source.data[start:end] for start, end in zip(starts, ends, strict=True)]


def _own_header(ir: IR, block: int) -> bytes:
    """The header of a block without the comments that belong to its first op."""
    header = ir.block_header(block)
    if not header:
        return b""
    first = ir.op_start[ir.block_ops[block][0]]
    return header[: comment_lines(ir.source.data, ir.block_label[block], first).start - first or None]


def _visible_length(text: bytes) -> int:
    return len(text.translate(None, _WHITE_SPACE))
