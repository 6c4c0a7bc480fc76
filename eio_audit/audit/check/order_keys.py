"""The keys that ops are ordered by: their indices, apart from ops that are to follow others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import compress, count, islice, repeat
from operator import eq, ne

from eio_audit.audit.locations.original_index import OriginalIndices
from eio_audit.audit.options import AuditOptions, Follow
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
        self._assume_pure = options.assume_pure
        self.indices = OriginalIndices(ir, options.pattern)
        if options.order_from is not None:
            self.indices = self.indices.replaced(options.order_from.indices_of(ir, self.indices))

    def of(self, ops: Iterable[int]) -> list[int | None]:
        """The keys of several ops, None for an op without a say in inversions."""
        return list(map(self.by_op.__getitem__, ops))

    @cached_property
    def by_op(self) -> list[int | None]:
        """The keys of all ops, None for an op without a say in inversions."""
        indices = self.indices.by_op
        if not self._follow:
            return indices
        following = self._following(range(len(indices)))
        return [None if why is not None else key for key, why in zip(indices, following, strict=True)]

    def counted(self, ops: Iterable[int]) -> list[int]:
        """The keys of those of several ops that have a say."""
        return [key for key in map(self.by_op.__getitem__, ops) if key is not None]

    def follows(self, op: int) -> Follow | None:
        """Why an op that carries an index follows another all the same; None where it does not."""
        return None if self.indices.index(op) is None else self._following([op])[0]

    @property
    def keyed_by_block(self) -> list[int]:
        """How many ops have a key, by block."""
        return self._block_by_block[0]

    @property
    def disordered_blocks(self) -> list[int]:
        """The blocks with an op that stands before one of a smaller key."""
        return self._block_by_block[1]

    @cached_property
    def _block_by_block(self) -> tuple[list[int], list[int]]:
        """What one look at the keys of each block tells: ``keyed_by_block`` and ``disordered_blocks``."""
        keyed, disordered = [], []
        for block in range(self._ir.block_count):
            keys = [key for key in self._ir.of_block(block, self.by_op) if key is not None]
            keyed.append(len(keys))
            if keys != sorted(keys):
                disordered.append(block)
        return keyed, disordered

    @cached_property
    def followed_by_block(self) -> list[int]:
        """How many ops carry an index and follow others all the same, by block."""
        is_followed = map(ne, self.indices.by_op, self.by_op) if self._follow else ()
        return self._count_by_block(compress(range(len(self._ir)), is_followed))

    @property
    def has_frees(self) -> bool:
        """Whether any op only frees."""
        return bool(self._frees)

    @cached_property
    def followed_frees_by_block(self) -> list[int]:
        """How many of these only free, by block."""
        if Follow.FREES not in self._follow:
            return [0] * self._ir.block_count
        indices = self.indices.by_op
        return self._count_by_block(op for op in self._frees if indices[op] is not None)

    @cached_property
    def constants_by_block(self) -> list[int]:
        """How many ops with a key are constants, by block."""
        return self._count_by_block(self._with_key(self._constants))

    @cached_property
    def frees_by_block(self) -> list[int]:
        """How many ops with a key only free, by block."""
        return self._count_by_block(self._with_key(self._frees))

    def frees_that_follow(self, block: int) -> frozenset[int]:
        """The places in a block of the ops that are to stand behind the last use of what they free.

        They may carry an index or none.
        """
        if Follow.FREES not in self._follow or not self._frees:
            return frozenset()
        return self.frees_in(block)

    def frees_in(self, block: int) -> frozenset[int]:
        """The places in a block of the ops that only free."""
        return frozenset(compress(count(), self._ir.of_block(block, self.frees_by_op)))

    @cached_property
    def derived_by_block(self) -> list[int]:
        """How many ops with a key a pass made from others, by block."""
        derived = self.indices.derived_by_op
        ops = compress(range(len(derived)), derived) if 1 in derived else ()
        return self._count_by_block(self._with_key(ops))

    def _with_key(self, ops: Iterable[int]) -> list[int]:
        by_op = self.by_op
        return [op for op in ops if by_op[op] is not None]

    def _count_by_block(self, ops: Iterable[int]) -> list[int]:
        counts = Counter(map(self._ir.op_block.__getitem__, ops))
        return list(map(counts.get, range(self._ir.block_count), repeat(0)))

    @cached_property
    def constants_by_op(self) -> bytearray:
        """By op, 1 if it has no operands and is pure or a constant by the op table."""
        is_constant = bytearray(len(self._ir))
        for op in self._constants:
            is_constant[op] = 1
        return is_constant

    @cached_property
    def _constants(self) -> list[int]:
        ir, rows = self._ir, self._ir.op_table.rows
        may_be_constant = [_may_be_constant(rows.get(name, UNLISTED)) for name in ir.names]
        starts = ir.operand_start.tolist()
        no_operands = list(compress(range(len(ir)), map(eq, starts, islice(starts, 1, None))))
        names = map(ir.op_name.__getitem__, no_operands)
        constants = compress(no_operands, map(may_be_constant.__getitem__, names))
        return [op for op in constants if op not in ir.late_operands]

    @cached_property
    def frees_by_op(self) -> bytearray:
        """By op, 1 if all that it does, by the op table, is to free what it is given."""
        only_frees = bytearray(len(self._ir))
        for op in self._frees:
            only_frees[op] = 1
        return only_frees

    @cached_property
    def _frees(self) -> list[int]:
        ir = self._ir
        only_frees = [self._only_frees(name) for name in ir.names]
        if True not in only_frees:
            return []
        ops = compress(range(len(ir)), map(only_frees.__getitem__, ir.op_name))
        return [op for op in ops if not ir.result_count(op)]

    def _only_frees(self, name: str) -> bool:
        """Whether the op table says so; an op that is taken to do nothing waits for no use."""
        if not self._ir.op_table.of(name).only_frees:
            return False
        return not any(fnmatchcase(name, pattern) for pattern in self._assume_pure)

    def _following(self, ops: Sequence[int]) -> list[Follow | None]:
        why: list[Follow | None] = [None] * len(ops)
        if Follow.CONSTANTS in self._follow:
            why = [Follow.CONSTANTS if self.constants_by_op[op] else None for op in ops]
        if Follow.DERIVED in self._follow:
            is_derived = self.indices.is_derived
            why = [Follow.DERIVED if is_derived(op) else w for op, w in zip(ops, why, strict=True)]
        if Follow.FREES in self._follow and self._frees:
            frees = self.frees_by_op
            why = [Follow.FREES if frees[op] else w for op, w in zip(ops, why, strict=True)]
        return why


def _may_be_constant(row: OpTraits) -> bool:
    """Whether an op without operands is a constant; terminators and declarations are none."""
    if row.flags & {"terminator", "function", "symbol", "symbol_table"}:
        return False
    is_pure = not (row.effects or row.recursive or row.dynamic or row.unknown)
    return is_pure or "constant" in row.flags
