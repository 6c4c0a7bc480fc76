"""Proves on a rewritten text that it is the same program in another order."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, compress, count, islice
from operator import ne, sub
from typing import Protocol

from eio_audit.audit.dependence import DependenceGraph, DependenceKind, Dependences
from eio_audit.mlir.ir import IR
from eio_audit.mlir.pieces import pieces
from eio_audit.mlir.reader import read_ir
from eio_audit.mlir.source import InputError, Source, Span

OPS_AT_ONCE = 1 << 13
"""Ops whose texts are compared together."""

BYTES_AT_ONCE = 1 << 20
"""Bytes of a longer text that are compared together: a slice is a copy."""


_WHITE_SPACE = b" \t\r\n"


class VerificationError(Exception):
    """A rewrite did not pass its own verification; it must not be written."""


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

    The text is read anew. Every block must have the same arguments and hold the same ops with the same text
    and the same operands, in the order that it was to get; what stands outside of all ops must be the same,
    and comments as long; every dependence must keep its direction, and the effects seen in the new text must
    hold back the same ops.

    Raises:
        VerificationError: any of this does not hold.
    """
    try:
        after = read_ir(Source("rewritten " + before.ir.source.name, text), None, before.ir.op_table)
    except InputError as error:
        raise VerificationError(f"the rewritten text cannot be read: {error}") from error
    if len(after) != len(before.ir) or after.block_count != before.ir.block_count:
        raise VerificationError("the rewritten text has other operations or blocks")
    for block, order in before.orders.items():
        if sorted(order) != list(range(len(before.ir.block_ops[block]))):
            raise VerificationError(
                f"the order found for {before.ir.block_name(block)} is not one of its ops"
            )
    _Comparison(before, after).run()


class _Comparison:
    """An old dump and a new one, whose op ``i`` should be the old op ``old_of[i]``.

    Compared is column by column, over runs of old ops that follow each other in the new dump as well.
    """

    def __init__(self, before: Reordering, after: IR) -> None:
        self.before = before
        self.old = before.ir
        self.new = after
        self.runs = list(filter(None, _runs(before.ir, before.orders)))
        self.run_slices = [slice(run.start, run.stop) for run in self.runs]
        self.old_of = self._in_new_order(range(len(before.ir)))
        self.old_blocks = self._in_new_order(before.ir.op_block.tolist())
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
        effects = Dependences(self.new, self.before.dependences.assume_pure)
        new_block_of = {old: new for new, old in self.old_block_of.items()}
        for block in self.before.orders:
            self._compare_dependences(block, effects.by_effect(new_block_of[block]))

    def _in_new_order(self, column: Sequence[int]) -> list[int]:
        """A column of the old ops, in the order of the new ones."""
        return list(chain.from_iterable(map(column.__getitem__, self.run_slices)))

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
        moved_by = list(map(sub, self.new.op_start.tolist(), self._in_new_order(self.old.op_start.tolist())))
        if moved_by != list(map(sub, self.new.op_end, self._in_new_order(self.old.op_end.tolist()))):
            return range(len(self.new))
        starts = list(accumulate(map(len, self.runs), initial=0))
        if not set(starts).issuperset(compress(count(1), map(ne, islice(moved_by, 1, None), moved_by))):
            return range(len(self.new))
        holders = self._holders()
        single = list(compress(range(len(self.new)), map(holders.__contains__, self.old_of)))
        for run, start in zip(self.runs, starts, strict=False):
            if not self._is_same_text(self._span(run, holders), moved_by[start]):
                single += range(start, start + len(run))
        return single

    def _holders(self) -> set[int]:
        """The old ops around the blocks that get an order."""
        holders: set[int] = set()
        for block in self.before.orders:
            for op in self.old.enclosing_ops(block):
                if op in holders:
                    break
                holders.add(op)
        return holders

    def _span(self, run: range, holders: Container[int]) -> Span:
        """Where the old ops of a run lie; of one that holds ops of other runs, the header at the most."""
        old, last = self.old, run[-1]
        start = old.op_start[run.start]
        if last in holders:
            return Span(start, old.header_end(last))
        while (around := old.parent_op(old.op_block[last])) >= run.start and around not in holders:
            last = around
        return Span(start, old.op_end[last])

    def _is_same_text(self, span: Span, shift: int) -> bool:
        """Whether a stretch of the old text is that of the new one which lies further on by ``shift``."""
        old, new = self.old.source.data, self.new.source.data
        for start in range(span.start, span.end, BYTES_AT_ONCE):
            end = min(start + BYTES_AT_ONCE, span.end)
            if old[start:end] != new[start + shift : end + shift]:
                return False
        return True

    def _compare_nesting(self) -> None:
        """Ops in pre-order that hold as many ops each make one tree; the blocks in it are compared apart."""
        new, old = self.new, self.old
        sizes = self._in_new_order(list(map(sub, old.subtree_end, range(len(old)))))
        blocks = list(map(self.old_block_of.__getitem__, new.op_block))
        is_one_to_one = len(set(self.old_block_of.values())) == len(self.old_block_of)
        is_same = blocks == self.old_blocks and is_one_to_one
        if not is_same or list(map(sub, new.subtree_end, range(len(new)))) != sizes:
            raise VerificationError("the ops stand in other blocks than before")

    def _compare_operands(self) -> None:
        """The same results of the same ops; of an argument its block and the text say enough."""
        new, old, starts = self.new, self.old, self.old.operand_start
        shifts = list(map(sub, self._in_new_order(old.first_result.tolist()), new.first_result))
        # By new value, which old value it is; by old value, itself. An argument is its block.
        new_values = [
            value + shifts[owner] if owner >= 0 else ~self.old_block_of.get(~owner, old.block_count)
            for value, owner in enumerate(new.value_owner)
        ]
        old_values = [
            value if owner >= 0 else owner if old.block_ops[~owner] else ~old.block_count
            for value, owner in enumerate(old.value_owner)
        ]
        used = list(map(old_values.__getitem__, old.operands))
        first_ops, stops = [run.start for run in self.runs], [run.stop for run in self.runs]
        rows = map(slice, map(starts.__getitem__, first_ops), map(starts.__getitem__, stops))
        expected = list(chain.from_iterable(map(used.__getitem__, rows)))
        counts = self._in_new_order(_operand_counts(old))
        if _operand_counts(new) == counts and list(map(new_values.__getitem__, new.operands)) == expected:
            new_ops: Iterable[int] = new.late_operands
        else:
            new_ops = range(len(new))
        for op in new_ops:
            values = [old_values[value] for value in old.operands_of(self.old_of[op])]
            if [new_values[value] for value in new.operands_of(op)] != values:
                raise self._failure("an op uses other values", self.old_of[op])

    def _compare_headers(self) -> None:
        """The same labels and arguments; comments above an op that is the first now come behind them."""
        for new_block, old_block in self.old_block_of.items():
            if not self.new.block_header(new_block).startswith(self.old.block_header(old_block)):
                raise VerificationError(f"the arguments of {self.old.block_name(old_block)} changed")

    def _compare_comments(self) -> None:
        """Between the ops there is nothing else but white space, which keeps comments and words apart."""
        old, new = self.old.span, self.new.span
        if old.end - old.start == new.end - new.start:
            return
        if _visible_length(self.old.dump_text) != _visible_length(self.new.dump_text):
            raise VerificationError("a comment was lost, or came twice")

    def _compare_dependences(self, block: int, by_effect: DependenceGraph) -> None:
        """Each of before keeps its direction, and effects hold back what they did before.

        The op that is the last now has its place whatever holds it back: it may look like a terminator.
        """
        order = self.before.orders[block]
        place = sorted(range(len(order)), key=order.__getitem__)
        graph = self.before.dependences.of([block])[block]
        for user in graph.placed_too_early(place):
            raise self._failure("an op would stand before one it depends on", graph.ops[user])
        kept = {(place[p], place[u]) for p, u in graph.by_kind(DependenceKind.EFFECT)}
        seen = {(p, u) for p, u, _ in by_effect.edges()}
        if any(user != len(order) - 1 for _, user in kept ^ seen):
            raise VerificationError(f"other dependences than before in {self.old.block_name(block)}")

    def _failure(self, what: str, old_op: int) -> VerificationError:
        line = self.old.source.line_at(self.old.op_start[old_op])
        return VerificationError(f"{what}: {self.old.name(old_op)} at {self.old.source.name}:{line}")


def _runs(ir: IR, orders: Mapping[int, Sequence[int]]) -> Iterator[range]:
    """The old ops in the textual pre-order of the rewritten dump: runs that are in one piece there too."""
    blocks = sorted(orders, key=lambda block: ir.block_ops[block][0])
    first_ops = [ir.block_ops[block][0] for block in blocks]
    pending = [(range(len(ir)), 0)]
    while pending:
        run, next_block = pending.pop()
        number = bisect_left(first_ops, run.start, next_block)
        if number == len(blocks) or first_ops[number] >= run.stop:
            yield run
            continue
        ops = ir.block_ops[blocks[number]]
        yield range(run.start, ops[0])
        pending.append((range(ir.subtree_end[ops[-1]], run.stop), number + 1))
        pending += [(piece, number + 1) for piece in _pieces(ir, ops, orders[blocks[number]])][::-1]


def _pieces(ir: IR, ops: Sequence[int], order: Sequence[int]) -> Iterator[range]:
    """The ops of a block, with what is nested in them, in a new order: in pieces that are as they were."""
    for piece in pieces(order):
        yield range(ops[piece[0]], ir.subtree_end[ops[piece[-1]]])


def _operand_counts(ir: IR) -> list[int]:
    return list(map(sub, islice(ir.operand_start, 1, None), ir.operand_start))


def _texts_outside_ops(ir: IR) -> list[bytes]:
    """What is before, between and behind the ops at top level, a graph region, whose ops never move."""
    ops = ir.block_ops[ir.op_block[0]] if len(ir) else ()
    starts = [ir.span.start, *(ir.op_end[op] for op in ops)]
    ends = [*(ir.op_start[op] for op in ops), ir.span.end]
    return [ir.source.data[start:end] for start, end in zip(starts, ends, strict=True)]


def _visible_length(text: bytes) -> int:
    return len(text.translate(None, _WHITE_SPACE))
