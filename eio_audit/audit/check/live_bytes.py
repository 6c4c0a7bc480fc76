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

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from eio_audit.audit.check.figures import BlockMemory, DumpAudit
from eio_audit.audit.check.keyed_dump import AuditedDump
from eio_audit.audit.dependence import users_of_values
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
    return BlockMemory(live.peak(textual), live.peak(order), live.unsized, away, away_fixed)


class _Lifetime(NamedTuple):
    """The lifetime of a value.

    Attributes:
        bytes: its size.
        start: the place of the op that defines it; -1 for an argument.
        ends: the places of the ops that may end it; if there are none, the end of the block does.
        ends_first: whether the first of these ops ends it; otherwise the last.
    """

    bytes: int
    start: int
    ends: Sequence[int]
    ends_first: bool


@dataclass(frozen=True, slots=True)
class LiveBlock:
    """The lifetimes of a block's values.

    Attributes:
        ops: number of ops.
        unsized: number of values left out, because their size is unknown.
    """

    ops: int
    lifetimes: Sequence[_Lifetime]
    unsized: int

    def peak(self, order: Sequence[int]) -> int:
        """Return the most bytes live at one time in an order: ``order[k]`` is the op placed k-th."""
        place_of = [0] * self.ops
        for place, op in enumerate(order):
            place_of[op] = place
        change = [0] * (self.ops + 1)
        for held, start, ends, ends_first in self.lifetimes:
            first = place_of[start] if start >= 0 else 0
            end = (min if ends_first else max)(map(place_of.__getitem__, ends), default=self.ops - 1)
            change[first] += held
            change[max(first, end) + 1] -= held
        return max(accumulate(change), default=0)


class LiveBytes:
    """The memory that the blocks of one dump need."""

    def __init__(self, ir: IR, effects: EffectTable) -> None:
        self._ir = ir
        self._effects = effects
        self._sizes = ValueSizes(ir)
        self._rows = [ir.op_table.of(name) for name in ir.names]

    def of(self, block: int) -> LiveBlock:
        """Return the lifetimes of a block's values."""
        ops = self._ir.block_ops[block]
        place_of = {op: place for place, op in enumerate(ops)}
        sizes = {**self._arguments(block), **self._results(ops)}
        uses, freed = self._uses(block, sizes.keys())
        frees_tensors = any(not sizes[value].is_address for value in freed if value in sizes)
        lifetimes = []
        for value, size in sizes.items():
            if not size.bytes:
                continue
            start, ends = place_of.get(self._ir.value_owner[value], -1), freed.get(value, [])
            is_kept = size.is_address or frees_tensors or start < 0 or self._is_used_outside(value, block)
            ends_first = bool(ends) or is_kept
            if not ends_first:
                ends = uses.get(value, [start])
            lifetimes.append(_Lifetime(size.bytes, start, ends, ends_first))
        unsized = sum(1 for size in sizes.values() if size.bytes is None)
        return LiveBlock(len(ops), lifetimes, unsized)

    def _results(self, ops: Iterable[int]) -> dict[int, ValueSize]:
        sizes: dict[int, ValueSize] = {}
        for op in ops:
            row = self._rows[self._ir.op_name[op]]
            for value, size in zip(self._ir.result_values(op), self._sizes.of_results(op), strict=True):
                is_old = _gives_views(row) if size.is_address else _gives_operands(row)
                sizes[value] = NO_SIZE if is_old else size
        return sizes

    def _arguments(self, block: int) -> dict[int, ValueSize]:
        """Return the sizes of a block's arguments; a memref passed to a loop or a block is not new."""
        values = self._ir.block_arguments.get(block, [])
        sizes = self._sizes.of_arguments(block)
        parent = self._ir.parent_op(block)
        is_entry = parent < 0 or self._rows[self._ir.op_name[parent]].is_declaration
        new = (size if is_entry or not size.is_address else NO_SIZE for size in sizes)
        return dict(zip(values, new, strict=True))

    def _uses(self, block: int, own: Collection[int]) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
        """Return, per value of a block, the places of the ops that use it and that free it, nested or not."""
        ir, uses, freed = self._ir, dict[int, list[int]](), dict[int, list[int]]()
        for place, op in enumerate(ir.block_ops[block]):
            for inner in range(op, ir.subtree_end[op]):
                for value in ir.operands_of(inner):
                    if value in own:
                        uses.setdefault(value, []).append(place)
                for value in self._effects.freed_by(inner):
                    for base in self._bases(value):
                        freed.setdefault(base, []).append(place)
        return uses, {value: places for value, places in freed.items() if value in own}

    def _bases(self, value: int) -> Iterator[int]:
        """Yield the value, or the values that it is a view of."""
        pending, seen = [value], set[int]()
        while pending:
            if (value := pending.pop()) in seen:
                continue
            seen.add(value)
            owner = self._ir.value_owner[value]
            is_view = owner >= 0 and _gives_views(self._rows[self._ir.op_name[owner]])
            if is_view and self._effects.is_address(value):
                pending += filter(self._effects.is_address, self._ir.operands_of(owner))
            else:
                yield value

    def _is_used_outside(self, value: int, block: int) -> bool:
        ops, users = self._ir.block_ops[block], self._users.get(value, [])
        return bool(users) and (users[0] < ops[0] or users[-1] >= self._ir.subtree_end[ops[-1]])

    @cached_property
    def _users(self) -> dict[int, list[int]]:
        return users_of_values(self._ir)


def _gives_views(row: OpTraits) -> bool:
    """Return whether a memref that such an op returns is a view of its operand."""
    return "alloc" not in row.effects and not row.may_do_anything


def _gives_operands(row: OpTraits) -> bool:
    """Return whether a tensor that such an op returns is an operand that it changed in place."""
    writes = any(place.startswith("operand") and "write" in kinds for place, kinds in row.on.items())
    return writes and "fresh" in row.flags
