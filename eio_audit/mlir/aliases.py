"""Which values of a dump may share a buffer, so that an effect on one is an effect on the other.

Two values may be one buffer where an op hands the one on as the other: a view-like op its first operand as
its result, an op that writes an operand in place that operand, an op of which nothing is known any operand
as any result. Values also pass through the edges of a region, as arguments and by its terminators, and from
block to block. What this joins need not be the same buffer: a dependence too many is safe, one too few not.
"""

from __future__ import annotations

from collections.abc import Sequence

from eio_audit.mlir.ir import IR
from eio_audit.mlir.traits import OpTraits


class AliasClasses:
    """The values of one dump, those together that may share a buffer.

    Args:
        ir: the dump.
        rows: what each op does, by number of its name; ``OpTraits()`` for one that is taken to be pure.

    Complexity: almost linear in ops, operands and values.
    """

    def __init__(self, ir: IR, rows: Sequence[OpTraits]) -> None:
        self._ir = ir
        self._above: dict[int, int] = {}  # a forest, from a value towards its class
        self._is_declaration = [is_declaration(row) for row in rows]
        hands_on = [not is_declaration(row) and _hands_on(row) for row in rows]
        for op in range(len(ir)):
            if hands_on[ir.op_name[op]]:
                self._join([*self._results(op), *self._handed_on(op, rows[ir.op_name[op]])])
        self._join_across_edges()

    def of(self, value: int) -> int:
        """A value that stands for this one and all that may share its buffer."""
        above, root = self._above, value
        while (higher := above.get(root, root)) != root:
            root = higher
        while value != root:
            above[value], value = root, above[value]
        return root

    def _join(self, values: Sequence[int]) -> None:
        if values:
            root = self.of(values[0])
            self._above.update((self.of(value), root) for value in values[1:])

    def _results(self, op: int) -> range:
        first = self._ir.first_result[op]
        return range(first, first + self._ir.result_count(op))

    def _handed_on(self, op: int, row: OpTraits) -> Sequence[int]:
        """The operands that may come out as a result."""
        operands = self._ir.operands_of(op)
        if "view" in row.flags:
            return operands[:1]
        if not self._results(op) and not _may_do_anything(row):
            return ()
        places = _written_places(row)
        if _may_do_anything(row) or "?" in places or not self._ir.op_is_generic[op]:
            return operands
        return [operands[int(place)] for place in places if int(place) < len(operands)]

    def _join_across_edges(self) -> None:
        """Block arguments and what terminators hand on; the arguments of a function are its own."""
        ir = self._ir
        arguments: dict[int, list[int]] = {}
        for value, owner in enumerate(ir.value_owner):
            if owner < 0:
                arguments.setdefault(-1 - owner, []).append(value)
        blocks_of: dict[int, list[int]] = {}
        for block, region in enumerate(ir.block_region):
            blocks_of.setdefault(region, []).append(block)
        for region, blocks in blocks_of.items():
            holder = ir.region_op[region]
            is_closed = holder < 0 or self._is_declaration[ir.op_name[holder]]
            if is_closed and len(blocks) == 1:
                continue
            passed = list[int]()
            if not is_closed:
                passed += [
                    *self._results(holder),
                    *ir.operands_of(holder),
                    *arguments.get(blocks[0], ()),
                ]
            for block in blocks:
                passed += self._handed_over(block)
            for block in blocks[1:]:
                passed += arguments.get(block, ())
            self._join(passed)

    def _handed_over(self, block: int) -> list[int]:
        """The operands of the terminator; where none is known for one, of all ops that may be it.

        Custom assembly leaves out a terminator without operands, so the last op need not be one, and which op
        is the last must not matter: a reorder may change it.
        """
        ir, ops = self._ir, self._ir.block_ops[block]
        may_be = [op for op in ops if ir.op_table.may_be_terminator(ir.name(op))]
        if may_be and ir.name(may_be[-1]) in ir.op_table.rows:
            may_be = may_be[-1:]
        return [value for op in may_be for value in ir.operands_of(op)]


def _hands_on(row: OpTraits) -> bool:
    return "view" in row.flags or _may_do_anything(row) or bool(_written_places(row))


def _may_do_anything(row: OpTraits) -> bool:
    return row.unknown or (row.dynamic and "destination_style" not in row.flags)


def _written_places(row: OpTraits) -> list[str]:
    """The numbers of the operands that the op writes in place, ``?`` for some operand."""
    return [
        place.removeprefix("operand ")
        for place, kinds in row.on.items()
        if "write" in kinds and place.startswith("operand")
    ]


def is_declaration(row: OpTraits) -> bool:
    """Functions, globals and modules do nothing where they stand."""
    return bool(row.flags & {"function", "symbol", "symbol_table"})
