"""The peak memory of a block's values, in textual order and in its new order.

A value holds memory from the op that defines it on; an argument, from the start of the block on. It is held

- until the op that frees it. A memref that nothing frees is held to the end of the block, and so is a tensor
  in a block that frees any;
- a tensor in a block that frees none, until its last use;
- an argument of the block, or a value that another block uses, to the end, unless the block frees it.

While an op runs, its operands and its results are both held. A memref that is a view of another holds nothing
of its own; whether a tensor shares its operand's buffer is unknown, so it counts. What the blocks nested in
an op hold counts there, not in the block around them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from eio_audit.audit.check.audited_dump import AuditedDump
from eio_audit.audit.check.figures import BlockMemory, DumpAudit
from eio_audit.audit.dependence import users_of_values
from eio_audit.mlir.ir import IR
from eio_audit.mlir.semantics.effects import EffectTable
from eio_audit.mlir.semantics.value_sizes import NO_SIZE, ValueSize, ValueSizes
from eio_audit.mlir.traits import OpTraits
from eio_audit.order.last_uses import away_from_last_uses


def with_memory(dump: AuditedDump, blocks: Collection[int] | None = None) -> DumpAudit:
    """The audit of a dump with what its blocks hold in memory, before and after a fix.

    Args:
        dump: what was audited.
        blocks: those to measure; without it all that the audit lists. Blocks in graph regions have no order,
            so they are left out.

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
    """How long a value is held.

    Attributes:
        bytes: how many it holds.
        start: the place of the op that defines it; -1 for an argument.
        ends: it is held until one of these places is passed; to the end of the block if there is none.
        ends_first: the first of them that is passed counts, otherwise the last.
    """

    bytes: int
    start: int
    ends: Sequence[int]
    ends_first: bool


@dataclass(frozen=True, slots=True)
class LiveBlock:
    """The lifetimes of a block's values.

    Attributes:
        ops: how many ops it has.
        unsized: how many values are left out, because their size is unknown.
    """

    ops: int
    lifetimes: Sequence[_Lifetime]
    unsized: int

    def peak(self, order: Sequence[int]) -> int:
        """The most bytes held at once in an order of the block: ``order[k]`` is the op placed k-th."""
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
    """The memory that the blocks of one dump hold."""

    def __init__(self, ir: IR, effects: EffectTable) -> None:
        self._ir = ir
        self._effects = effects
        self._sizes = ValueSizes(ir)
        self._rows = [ir.op_table.of(name) for name in ir.names]

    def of(self, block: int) -> LiveBlock:
        """The lifetimes of a block's values."""
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
        """The sizes of a block's arguments; a memref that is handed into a loop or to a block is not new."""
        values = self._ir.block_arguments.get(block, [])
        sizes = self._sizes.of_arguments(block, len(values))
        parent = self._ir.parent_op(block)
        is_entry = parent < 0 or self._rows[self._ir.op_name[parent]].is_declaration
        new = (size if is_entry or not size.is_address else NO_SIZE for size in sizes)
        return dict(zip(values, new, strict=True))

    def _uses(self, block: int, own: Collection[int]) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
        """By value of a block, the places of ops that use it and of those that free it, nested ones too."""
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
        """The value, or what it is a view of."""
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
    """Whether a memref that such an op returns is a view of its operand."""
    return "alloc" not in row.effects and not row.may_do_anything


def _gives_operands(row: OpTraits) -> bool:
    """Whether a tensor that such an op returns is an operand that it changed in place."""
    writes = any(place.startswith("operand") and "write" in kinds for place, kinds in row.on.items())
    return writes and "fresh" in row.flags
