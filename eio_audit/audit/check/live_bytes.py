"""How many bytes a block's values hold at most at once, as the block stands and in its new order.

A value holds memory from the op that defines it on; an argument, from the start of the block on. It is held

- until the op that frees it. A memref that nothing frees is held to the end of the block, and so is a tensor
  in a block that frees any;
- a tensor in a block that frees none, until its last use;
- what comes from outside or goes there, an argument of the block or a value that another block uses, to the
  end, unless the block frees it.

While an op runs, its operands and its results are both held. A memref that is a view of another holds nothing
besides; of a tensor that may share its operand's buffer this is not known, so it counts. What the blocks
nested in an op hold counts there, not in the block around them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

from eio_audit.audit.check.check import AuditedDump
from eio_audit.audit.check.figures import BlockAudit, BlockMemory, DumpAudit
from eio_audit.mlir.ir import IR
from eio_audit.mlir.semantics.effects import EffectTable
from eio_audit.mlir.semantics.value_sizes import NO_SIZE, ValueSize, ValueSizes
from eio_audit.mlir.traits import OpTraits
from eio_audit.order.last_uses import away_from_last_uses


def with_memory(dump: AuditedDump, blocks: Collection[int] | None = None) -> DumpAudit:
    """The audit of a dump with what its blocks hold in memory, before and after a fix.

    Args:
        dump: what was audited.
        blocks: those to look at; all that the audit lists if None. Graph regions have no order, so nothing is
            said of them.

    Complexity: linear in the ops of the dump, their operands, and the dependences of the blocks.
    """
    memory = _Memory(dump)
    audits: list[BlockAudit] = []
    for block, audit in zip(dump.blocks, dump.audit.blocks, strict=True):
        is_wanted = blocks is None or block in blocks
        is_graph = dump.ir.region_is_graph[dump.ir.block_region[block]]
        audits.append(replace(audit, memory=memory.of(block)) if is_wanted and not is_graph else audit)
    return replace(dump.audit, blocks=tuple(audits))


class _Memory:
    """What the blocks of a dump hold."""

    def __init__(self, dump: AuditedDump) -> None:
        self._dump = dump
        self._live = LiveBytes(dump.ir, dump.dependences.effects)

    def of(self, block: int) -> BlockMemory:
        """What a block holds as it stands and after a fix."""
        textual = range(len(self._dump.ir.block_ops[block]))
        order = self._dump.orders.get(block, textual)
        live = self._live.of(block)
        before, after = self._away(block, textual), self._away(block, order)
        return BlockMemory(live.peak(textual), live.peak(order), live.unsized, before, after)

    def _away(self, block: int, order: Sequence[int]) -> int:
        """How many frees do not stand directly behind the last use of what they free."""
        frees = self._dump.keys.frees_in(block)
        if not frees:
            return 0
        graph = self._dump.dependences.of([block])[block]
        return len(away_from_last_uses(order, frees, graph.precedence))


@dataclass(frozen=True, slots=True)
class _Lifetime:
    """How long a value is held.

    Attributes:
        bytes: what it holds.
        start: the place of the op that defines it; -1 for an argument.
        ends: it is held until one of these places is passed; to the end of the block if there is none.
        ends_first: the first of them that is passed counts, otherwise the last.
    """

    bytes: int
    start: int
    ends: Sequence[int]
    ends_first: bool = True


@dataclass(frozen=True, slots=True)
class LiveBlock:
    """The lifetimes of a block's values.

    Attributes:
        ops: how many ops it has.
        unsized: how many values are left out, because nothing tells their size.
    """

    ops: int
    lifetimes: Sequence[_Lifetime]
    unsized: int

    def peak(self, order: Sequence[int]) -> int:
        """The most bytes held at once in an order of the block: ``order[k]`` is the op placed k-th.

        Complexity: linear.
        """
        place_of = [0] * self.ops
        for place, op in enumerate(order):
            place_of[op] = place
        change = [0] * (self.ops + 1)
        for life in self.lifetimes:
            start = place_of[life.start] if life.start >= 0 else 0
            places = map(place_of.__getitem__, life.ends)
            last = self.ops - 1
            end = (min if life.ends_first else max)(places, default=last)
            change[start] += life.bytes
            change[max(start, end) + 1] -= life.bytes
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
            start = place_of.get(self._ir.value_owner[value], -1)
            ends: Sequence[int] = freed.get(value, ())
            is_held = size.is_address or frees_tensors or start < 0 or self._is_used_outside(value, block)
            if ends or is_held:
                lifetimes.append(_Lifetime(size.bytes, start, ends))
            else:
                lifetimes.append(_Lifetime(size.bytes, start, uses.get(value, [start]), ends_first=False))
        unsized = sum(1 for size in sizes.values() if size.bytes is None)
        return LiveBlock(len(ops), lifetimes, unsized)

    def _results(self, ops: Iterable[int]) -> dict[int, ValueSize]:
        """The sizes of the values that ops define."""
        sizes: dict[int, ValueSize] = {}
        for op in ops:
            row = self._rows[self._ir.op_name[op]]
            for value, size in zip(self._ir.result_values(op), self._sizes.of_results(op), strict=True):
                is_old = _gives_views(row) if size.is_address else _gives_operands(row)
                sizes[value] = NO_SIZE if is_old else size
        return sizes

    def _arguments(self, block: int) -> dict[int, ValueSize]:
        """The sizes of a block's arguments; a memref that is handed into a loop or to a block is not new."""
        values = self._arguments_of.get(block, [])
        sizes = self._sizes.of_arguments(block, len(values))
        holder = self._ir.parent_op(block)
        is_entry = holder < 0 or self._rows[self._ir.op_name[holder]].is_declaration
        return {
            value: NO_SIZE if size.is_address and not is_entry else size
            for value, size in zip(values, sizes, strict=True)
        }

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
        """Whether another block than this one and those nested in it uses a value."""
        ops = self._ir.block_ops[block]
        first, last = self._used_by.get(value, (ops[0], ops[0]))
        return first < ops[0] or last >= self._ir.subtree_end[ops[-1]]

    @cached_property
    def _used_by(self) -> dict[int, tuple[int, int]]:
        """By value, the first and the last op that use it, where there are other blocks beside its own."""
        ir, used = self._ir, dict[int, tuple[int, int]]()
        for op in range(len(ir)):
            for value in ir.operands_of(op):
                used[value] = used.get(value, (op, op))[0], op
        return used

    @cached_property
    def _arguments_of(self) -> dict[int, list[int]]:
        arguments: dict[int, list[int]] = {}
        for value, owner in enumerate(self._ir.value_owner):
            if owner < 0:
                arguments.setdefault(-1 - owner, []).append(value)
        return arguments


def _gives_views(row: OpTraits) -> bool:
    """Whether a memref that such an op gives is another way to what it has been given."""
    return "alloc" not in row.effects and not row.may_do_anything


def _gives_operands(row: OpTraits) -> bool:
    """Whether a tensor that such an op gives is an operand that it has changed in place."""
    writes = any(place.startswith("operand") and "write" in kinds for place, kinds in row.on.items())
    return writes and "fresh" in row.flags
