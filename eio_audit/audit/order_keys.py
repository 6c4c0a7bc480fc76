"""The keys that ops are ordered by: their indices, apart from ops that are to follow their consumer."""

from __future__ import annotations

from collections.abc import Sequence

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
        rows = ir.op_table.rows
        self._may_be_constant = [_may_be_constant(rows.get(name, UNLISTED)) for name in ir.names]

    def of(self, ops: Sequence[int]) -> list[int | None]:
        """The keys of several ops, None for an op without a say in inversions."""
        keys = self.indices.keys(ops)
        if not self._follow:
            return keys
        return [None if why is not None else key for key, why in zip(keys, self._following(ops), strict=True)]

    def follows(self, op: int) -> Follow | None:
        """Why an op that carries an index follows its consumer all the same; None where it does not."""
        return None if self.indices.index(op) is None else self._following([op])[0]

    def count_followed(self, ops: Sequence[int]) -> int:
        """How many of several ops carry an index and follow their consumer all the same."""
        if not self._follow:
            return 0
        indices, following = self.indices.keys(ops), self._following(ops)
        return sum(i is not None and why is not None for i, why in zip(indices, following, strict=True))

    def constants(self, ops: Sequence[int]) -> list[bool]:
        """Which ops have no operands and are pure or constants by the op table."""
        ir, names, starts = self._ir, self._ir.op_name, self._ir.operand_start
        return [
            starts[op] == starts[op + 1] and self._may_be_constant[names[op]] and op not in ir.late_operands
            for op in ops
        ]

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
