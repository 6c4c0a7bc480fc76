"""The peak memory of a block's values, in textual order and in its new order.

A value is live from the op that defines it; an argument, from the start of the block. Its lifetime ends

- at the op that frees it;
- at its last use, if it is a tensor and the block frees no tensor;
- at the end of the block otherwise, and for arguments and values that another block uses, unless freed.

While an op runs, its operands and its results are live. A memref that is a view of another needs no memory.
A tensor may share the buffer of an operand, but this is unknown, so it counts. The memory of blocks nested in
an op counts there, not in the block around them.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, chain, count, islice, repeat
from operator import sub
from typing import NamedTuple, TypeAlias

from eio_audit.audit.check.figures import BlockMemory, DumpAudit
from eio_audit.audit.check.keyed_dump import AuditedDump
from eio_audit.mlir.ir import IR
from eio_audit.mlir.semantics.effects import EffectTable
from eio_audit.mlir.semantics.value_sizes import NO_SIZE, ValueSize, ValueSizes
from eio_audit.mlir.traits import OpTraits
from eio_audit.order.unindexed import away_from_last_uses


def with_memory(dump: AuditedDump, blocks: Collection[int] | None = None) -> DumpAudit:
    """Return the audit of a dump with the memory of its blocks, before and after a fix.

    Args:
        dump: the audited dump.
        blocks: the blocks to measure; by default all that the audit lists. Blocks in graph regions have no
            order, so they are left out.

    Complexity: linear in the ops of the dump, their operands, and the dependences of the blocks.
    """
    live = LiveBytes(dump.ir, dump.dependences.effects)
    audits = [
        audit._replace(memory=_memory(dump, block, live.of(block)))
        if dump.has_order(block) and (blocks is None or block in blocks)
        else audit
        for block, audit in zip(dump.blocks, dump.audit.blocks, strict=True)
    ]
    return replace(dump.audit, blocks=tuple(audits))


def _memory(dump: AuditedDump, block: int, live: LiveBlock) -> BlockMemory:
    textual = range(live.ops)
    order = dump.orders.get(block, textual)
    frees = dump.keys.frees_in(block)
    away, away_fixed = (
        len(away_from_last_uses(places, frees, dump.dependences.of([block])[block].precedence))
        if frees
        else 0
        for places in (textual, order)
    )
    peak = live.peak(textual)
    peak_fixed = peak if order == textual else live.peak(order)
    return BlockMemory(peak, peak_fixed, live.unsized, away, away_fixed)


_Sized: TypeAlias = tuple[int, ValueSize, int]
"""A value, its size, and the place of the op that defines it; -1 for an argument."""


class _Values(NamedTuple):
    """Some values of a block, by column.

    Attributes:
        values: their numbers.
        bytes: their sizes.
        starts: the places of the ops that define them; -1 for an argument.
    """

    values: list[int]
    bytes: list[int]
    starts: list[int]


@dataclass(frozen=True, slots=True)
class LiveBlock:
    """The values of a block that need memory, by what ends their lifetimes.

    Attributes:
        ops: number of ops.
        used: those that live to their last use, or only while their op runs if nothing uses them.
        kept: those that live to the end of the block.
        freed: those that live until the block frees them.
        frees: per value of ``freed``, the places of the ops that free it. The first of them ends it.
        operands: the operands of the dump.
        operand_starts, operand_ends: per place, where in ``operands`` those of its op are, with those of the
            ops nested in it.
        late_operands: places, and further operands of their ops.
        unsized: number of values left out, because their size is unknown.
    """

    ops: int
    used: _Values
    kept: _Values
    freed: _Values
    frees: Sequence[Sequence[int]]
    operands: array[int]
    operand_starts: Sequence[int]
    operand_ends: Sequence[int]
    late_operands: Sequence[tuple[int, Sequence[int]]]
    unsized: int

    def peak(self, order: Sequence[int]) -> int:
        """Return the most bytes live at one time in an order: ``order[k]`` is the op placed k-th."""
        place_of = [0] * (self.ops + 1)  # the last entry is that of -1, the start of an argument
        for place, op in enumerate(order):
            place_of[op] = place
        first_free = [min(map(place_of.__getitem__, places)) for places in self.frees]
        last_use = self._last_uses(order, place_of)
        starts = [list(map(place_of.__getitem__, group.starts)) for group in self._groups]
        last_used = map(last_use.get, self.used.values, starts[0])
        change = [0] * (self.ops + 1)
        for group, firsts, ends in zip(
            self._groups, starts, (last_used, repeat(self.ops - 1), first_free), strict=True
        ):
            for held, first, end in zip(group.bytes, firsts, ends, strict=False):
                change[first] += held
                change[max(first, end) + 1] -= held
        return max(accumulate(change), default=0)

    @property
    def _groups(self) -> tuple[_Values, _Values, _Values]:
        return self.used, self.kept, self.freed

    def _last_uses(self, order: Sequence[int], place_of: Sequence[int]) -> dict[int, int]:
        """Return, by value that the block uses, the last place in an order that does."""
        starts = list(map(self.operand_starts.__getitem__, order))
        ends = list(map(self.operand_ends.__getitem__, order))
        values = chain.from_iterable(map(self.operands.__getitem__, map(slice, starts, ends)))
        places = chain.from_iterable(map(repeat, count(), map(sub, ends, starts)))
        last_use = dict(zip(values, places, strict=True))  # of several places, the last one stays
        for op, late in self.late_operands:
            for value in late:
                last_use[value] = max(place_of[op], last_use.get(value, 0))
        return last_use


class LiveBytes:
    """The memory that the blocks of one dump need."""

    def __init__(self, ir: IR, effects: EffectTable) -> None:
        self._ir = ir
        self._effects = effects
        self._sizes = ValueSizes(ir)
        self._rows = [ir.op_table.of(name) for name in ir.names]
        self._gives_views = list(map(_gives_views, self._rows))
        self._gives_operands = list(map(_gives_operands, self._rows))

    def of(self, block: int) -> LiveBlock:
        """Return the values of a block, and what ends their lifetimes."""
        ir, ops = self._ir, self._ir.block_ops[block]
        sized = [*self._arguments(block), *self._results(ops)]
        freed, frees_tensors = self._freed(ops), False
        if freed:
            sizes = {value: size for value, size, _ in sized}
            freed = {value: places for value, places in freed.items() if value in sizes}
            frees_tensors = any(not sizes[value].is_address for value in freed)
        first_op, end = (ops[0], ir.subtree_end[ops[-1]]) if ops else (0, 0)
        first_user, last_user = self._users
        used, kept, ended = groups = [_Values([], [], []) for _ in range(3)]
        for value, size, start in sized:
            if not size.bytes:
                continue
            is_used_outside = 0 <= first_user[value] < first_op or last_user[value] >= end
            is_kept = size.is_address or frees_tensors or start < 0 or is_used_outside
            group = groups[2 if value in freed else is_kept]
            group.values.append(value)
            group.bytes.append(size.bytes)
            group.starts.append(start)
        return LiveBlock(
            len(ops),
            used,
            kept,
            ended,
            [freed[value] for value in ended.values],
            ir.operands,
            array("q", map(ir.operand_start.__getitem__, ops)),
            array("q", map(ir.operand_start.__getitem__, map(ir.subtree_end.__getitem__, ops))),
            [(_place(ops, op), ir.late_operands[op]) for op in _within(self._late_users, ops, end)],
            sum(1 for _, size, _ in sized if size.bytes is None),
        )

    def _results(self, ops: Sequence[int]) -> Iterator[_Sized]:
        """Yield the results of the ops of a block."""
        first_result, op_name = self._ir.first_result, self._ir.op_name
        for place, (op, sizes) in enumerate(zip(ops, self._sizes.of_each(ops), strict=True)):
            for value, size in enumerate(sizes, first_result[op]):
                is_old = (self._gives_views if size.is_address else self._gives_operands)[op_name[op]]
                yield value, NO_SIZE if is_old else size, place

    def _arguments(self, block: int) -> Iterator[_Sized]:
        """Yield the arguments of a block. A memref passed to a loop or a block is not new."""
        values = self._ir.block_arguments.get(block, [])
        sizes = self._sizes.of_arguments(block)
        parent = self._ir.parent_op(block)
        is_entry = parent < 0 or self._rows[self._ir.op_name[parent]].is_declaration
        for value, size in zip(values, sizes, strict=True):
            yield value, size if is_entry or not size.is_address else NO_SIZE, -1

    def _freed(self, ops: array[int]) -> dict[int, list[int]]:
        """Return, by value that some of the ops free, their places, nested ops included."""
        freed: dict[int, list[int]] = {}
        for op in _within(self._freeing_ops, ops, self._ir.subtree_end[ops[-1]] if ops else 0):
            for value in self._effects.freed_by(op):
                for base in self._bases(value):
                    freed.setdefault(base, []).append(_place(ops, op))
        return freed

    @cached_property
    def _freeing_ops(self) -> list[int]:
        """The ops that free anything, in textual order."""
        return list(filter(self._effects.freed_by, self._effects.touching_ops()))

    def _bases(self, value: int) -> Iterator[int]:
        """Yield the value, or the values that it is a view of."""
        pending, seen = [value], set[int]()
        while pending:
            if (value := pending.pop()) in seen:
                continue
            seen.add(value)
            owner = self._ir.value_owner[value]
            is_view = owner >= 0 and self._gives_views[self._ir.op_name[owner]]
            if is_view and self._effects.is_address(value):
                pending += filter(self._effects.is_address, self._ir.operands_of(owner))
            else:
                yield value

    @cached_property
    def _late_users(self) -> list[int]:
        """The ops with late operands, in textual order."""
        return sorted(self._ir.late_operands)

    @cached_property
    def _users(self) -> tuple[array[int], array[int]]:
        """Per value, the first op that uses it itself, and the last; -1 if there is none."""
        ir = self._ir
        first, last = (array("i", [-1]) * len(ir.value_owner) for _ in range(2))
        counts = map(sub, islice(ir.operand_start, 1, None), ir.operand_start)
        for value, op in zip(ir.operands, chain.from_iterable(map(repeat, count(), counts)), strict=True):
            last[value] = op
            if first[value] < 0:
                first[value] = op
        for op, late in ir.late_operands.items():
            for value in late:
                last[value] = max(last[value], op)
                first[value] = min(first[value], op) if first[value] >= 0 else op
        return first, last


def _within(some: Sequence[int], ops: Sequence[int], end: int) -> Sequence[int]:
    """Return those of some ops, in textual order, that are among the ops of a block or nested in them."""
    return some[bisect_left(some, ops[0]) : bisect_left(some, end)] if ops else ()


def _place(ops: Sequence[int], op: int) -> int:
    """Return the place in a block of an op or of the op around it."""
    return bisect_right(ops, op) - 1


def _gives_views(row: OpTraits) -> bool:
    """Return whether a memref that such an op returns is a view of its operand."""
    return "alloc" not in row.effects and not row.may_do_anything


def _gives_operands(row: OpTraits) -> bool:
    """Return whether a tensor that such an op returns is an operand that it changed in place."""
    writes = any(place.startswith("operand") and "write" in kinds for place, kinds in row.on.items())
    return writes and "fresh" in row.flags
