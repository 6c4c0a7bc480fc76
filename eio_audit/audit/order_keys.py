"""The keys that ops are ordered by: their indices, apart from ops that are to follow their consumer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import compress, islice, repeat
from operator import and_, eq, gt, is_not, sub

from eio_audit.audit.options import AuditOptions, Follow
from eio_audit.audit.original_index import OriginalIndices
from eio_audit.mlir.ir import IR
from eio_audit.mlir.traits import UNLISTED, OpTraits


class OrderKeys:
    """The keys of one dump's ops.

    Attributes:
        indices: what the ops' locations say, followed or not.
    """

    def __init__(self, ir: IR, options: AuditOptions) -> None:
        self._ir = ir
        self._follow = options.follow
        self.indices = OriginalIndices(ir, options.pattern)
        if options.order_from is not None:
            self.indices = self.indices.replaced(options.order_from.indices_of(ir, self.indices))

    def of(self, ops: Iterable[int]) -> list[int | None]:
        """The keys of several ops, None for an op without a say in inversions."""
        return list(map(self._by_op.__getitem__, ops))

    @cached_property
    def _by_op(self) -> list[int | None]:
        indices = self.indices.by_op
        if not self._follow:
            return indices
        following = self._following(range(len(indices)))
        return [None if why is not None else key for key, why in zip(indices, following, strict=True)]

    def counted(self, ops: Iterable[int]) -> list[int]:
        """The keys of those of several ops that have a say."""
        return [key for key in map(self._by_op.__getitem__, ops) if key is not None]

    def disordered(self, blocks: Iterable[Iterable[int]]) -> list[int]:
        """Which of several blocks have an op that stands before one of a smaller key, counted from 0."""
        get, found = self._by_op.__getitem__, []
        for block, ops in enumerate(blocks):
            keys = [key for key in map(get, ops) if key is not None]
            if any(map(gt, keys, islice(keys, 1, None))):
                found.append(block)
        return found

    def follows(self, op: int) -> Follow | None:
        """Why an op that carries an index follows its consumer all the same; None where it does not."""
        return None if self.indices.index(op) is None else self._following([op])[0]

    @cached_property
    def keyed_by_block(self) -> list[int]:
        """How many ops have a key, by block."""
        return self._count_by_block(self._has_key)

    @cached_property
    def followed_by_block(self) -> list[int]:
        """How many ops carry an index and follow their consumer all the same, by block."""
        if not self._follow:
            return [0] * self._ir.block_count
        indexed = self._count_by_block(bytes(map(is_not, self.indices.by_op, repeat(None))))
        return list(map(sub, indexed, self.keyed_by_block))

    @cached_property
    def constants_by_block(self) -> list[int]:
        """How many ops with a key are constants, by block."""
        return self._count_by_block(self._with_key(self._is_constant))

    @cached_property
    def derived_by_block(self) -> list[int]:
        """How many ops with a key a pass made from others, by block."""
        return self._count_by_block(self._with_key(self.indices.derived_by_op))

    def _with_key(self, members: bytes | bytearray) -> bytes | bytearray:
        """Those members that have a key; ``members`` has 1 for a member, by op."""
        has_key = self._has_key
        return members if 0 not in has_key or 1 not in members else bytes(map(and_, members, has_key))

    def _count_by_block(self, members: bytes | bytearray) -> list[int]:
        """How many ops are members, by block; ``members`` has 1 for a member, by op."""
        counts = Counter(compress(self._ir.op_block, members) if 1 in members else ())
        return list(map(counts.get, range(self._ir.block_count), repeat(0)))

    @cached_property
    def _has_key(self) -> bytes:
        """By op, 1 if it has a key."""
        return bytes(map(is_not, self._by_op, repeat(None)))

    def constants(self, ops: Iterable[int]) -> bytes:
        """By op, 1 if it has no operands and is pure or a constant by the op table."""
        return bytes(map(self._is_constant.__getitem__, ops))

    @cached_property
    def _is_constant(self) -> bytearray:
        ir, rows = self._ir, self._ir.op_table.rows
        may_be_constant = [_may_be_constant(rows.get(name, UNLISTED)) for name in ir.names]
        starts = ir.operand_start.tolist()
        no_operands = list(compress(range(len(ir)), map(eq, starts, islice(starts, 1, None))))
        names = map(ir.op_name.__getitem__, no_operands)
        is_constant = bytearray(len(ir))
        for op in compress(no_operands, map(may_be_constant.__getitem__, names)):
            is_constant[op] = op not in ir.late_operands
        return is_constant

    def _following(self, ops: Sequence[int]) -> list[Follow | None]:
        why: list[Follow | None] = [None] * len(ops)
        if Follow.CONSTANTS in self._follow:
            why = [Follow.CONSTANTS if is_constant else None for is_constant in self.constants(ops)]
        if Follow.DERIVED in self._follow:
            derived = self.indices.derived(ops)
            why = [Follow.DERIVED if is_derived else w for is_derived, w in zip(derived, why, strict=True)]
        return why


def _may_be_constant(row: OpTraits) -> bool:
    """Whether an op without operands is a constant; terminators and declarations are none."""
    if row.flags & {"terminator", "function", "symbol", "symbol_table"}:
        return False
    is_pure = not (row.effects or row.recursive or row.dynamic or row.unknown)
    return is_pure or "constant" in row.flags
