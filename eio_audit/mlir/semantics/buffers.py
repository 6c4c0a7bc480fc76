"""The values of a dump that may share a buffer. An effect on one of them is an effect on all.

A result may share the buffer of an operand unless the op's row says ``fresh``. Values also pass along region
edges, as arguments and through terminators, and from block to block. Values joined here need not share a
buffer: an extra dependence is safe, a missing one is not.

A tensor is in memory if it shares its buffer with an address, or is an operand of an unknown op. That op may
keep the tensor, and any later op may change it. There is one exception: MLIR's own dialects and StableHLO
treat tensors as values, which nothing changes. If only unknown ops of these dialects got a tensor, such as
calls of functions that the dump only declares, it is still a value for the other ops of these dialects,
unless an op of another dialect changes one of these tensors in place.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from functools import cached_property

from eio_audit.mlir.ir import IR
from eio_audit.mlir.semantics.value_types import Storage, ValueTypes
from eio_audit.mlir.traits import OpTraits

MEMORY = "memory"
"""All memory that addresses point to."""


def handle(value: int) -> int:
    """Return the place of a value itself, without others that share its buffer."""
    return -1 - value


def operands_at(ir: IR, op: int, place: str) -> Sequence[int]:
    """Return the operands that ``operand N`` of a row may mean. Empty for other places.

    Only generic assembly prints operands in the order of their definition. In custom assembly, and where the
    position varies, it may be any of them.
    """
    kind, _, number = place.partition(" ")
    if kind != "operand":
        return ()
    operands = ir.operands_of(op)
    is_certain = number.isdigit() and ir.op_is_generic[op] and int(number) < len(operands)
    return operands[int(number) : int(number) + 1] if is_certain else operands


class Buffers:
    """The values of one dump, grouped by the buffer they may share.

    ``rows`` has the traits of each op, by number of its name; ``is_unknown`` tells whether an op may do
    anything; ``keeps_values`` has, by number of a name, whether the dialect treats tensors as values.

    Complexity: almost linear in ops, operands and values.
    """

    def __init__(
        self,
        ir: IR,
        rows: Sequence[OpTraits],
        is_unknown: Callable[[int], bool],
        keeps_values: Sequence[bool],
    ) -> None:
        self._ir = ir
        self._types = ValueTypes(ir)
        self._parent: dict[int, int] = {}  # a union-find forest
        self._addressed: set[int] = set()  # at least one value of each buffer in memory
        self._passed: set[int] = set()  # the same for buffers that only ops with ``keeps_values`` got
        changed = set[int]()  # the same for buffers that a listed op of another dialect changes
        changes = [row.changes_operands and not known for row, known in zip(rows, keeps_values, strict=True)]
        self._declares = [row.is_declaration for row in rows]
        for op, name in enumerate(ir.op_name):
            if changes[name]:
                changed.update(ir.operands_of(op))
            if not self._declares[name]:
                escapes = is_unknown(op)
                self._join_results(op, rows[name], escapes=escapes, as_values=escapes and keeps_values[name])
        for holder, blocks in self._blocks.items():
            self._join_across_edges(holder, blocks, escapes=holder >= 0 and is_unknown(holder))
        if self._types.has_unknown_types:
            values = range(len(ir.value_owner))
            self._addressed.update(v for v in values if self._types.of(v) is Storage.ANYTHING)
        self._in_memory = set(map(self._root, self._addressed))
        self._as_values = set(map(self._root, self._passed))
        self._changed = set(map(self._root, changed))
        self._keeps_no_values = False
        self._settle()

    def place(self, value: int) -> int | str | None:
        """Return where the content of a value is, or what the value is the address of.

        Returns:
        ``MEMORY``; a buffer, as a value that represents all that may share it; None for a plain value.
        """
        storage = self._types.of(value)
        if storage is Storage.PLAIN:
            return None
        root = self._root(value)
        is_memory = storage & Storage.ADDRESS or root in self._in_memory or root in self._as_values
        return MEMORY if is_memory else root

    def is_value(self, value: int) -> bool:
        """Whether the value is in memory only because an op that treats tensors as values may keep it."""
        return not self.is_address(value) and self._root(value) in self._as_values

    def is_address(self, value: int) -> bool:
        """Whether the value may be the address of memory."""
        return bool(self._types.of(value) & Storage.ADDRESS)

    def put_into_memory(self, values: Iterable[int]) -> None:
        """Mark the buffers of these values as memory."""
        self._in_memory.update(self._root(value) for value in values if self._types.of(value))
        self._settle()

    def pass_as_values(self, values: Iterable[int]) -> None:
        """Mark the buffers of these values as kept by an op that treats tensors as values."""
        self._as_values.update(self._root(value) for value in values if self._types.of(value))
        self._settle()

    def _settle(self) -> None:
        """What is in memory is no value. Nor is any, if an op changes one: the unknown ops may know both."""
        self._keeps_no_values |= not self._as_values.isdisjoint(self._changed)
        if self._keeps_no_values:
            self._in_memory |= self._as_values
        self._as_values -= self._in_memory

    def pass_arguments(self, operands: Sequence[int], function: int) -> None:
        """Record that a call passes ``operands``: the arguments share what the operands share."""
        arguments = self.arguments(function)
        passed: dict[int | str, list[int]] = {}
        for operand, argument in zip(operands, arguments, strict=False):
            if self.is_value(operand):
                self.pass_as_values([argument])
            if (place := self.place(operand)) is not None and self._types.of(argument):
                passed.setdefault(self._root(operand) if self.is_value(operand) else place, []).append(
                    argument
                )
        self.put_into_memory(passed.pop(MEMORY, ()))
        for first, *others in passed.values():
            for other in others:
                root, joined = self._root(first), self._root(other)
                if root != joined:
                    self._parent[joined] = root
                    for roots in (self._in_memory, self._as_values, self._changed):
                        if joined in roots:
                            roots.add(root)
        self._settle()

    def contents(self, places: Container[int | str]) -> dict[int, set[int | str]]:
        """Return, by value, the places among ``places`` that an op reads when it uses the value."""
        found: dict[int, set[int | str]] = {}
        for value in range(len(self._ir.value_owner)):
            is_joined = value in self._parent or value in self._in_memory or value in self._as_values
            if is_joined or value in places or handle(value) in places:
                read = {place for place in (self.place(value), handle(value)) if place in places}
                if read and self._types.of(value) & Storage.CONTENT:
                    found[value] = {place for place in read if place is not None}
        return found

    def arguments(self, function: int) -> list[int]:
        """Return the arguments of a function, or of another op's first block."""
        blocks = self._blocks.get(function)
        return self._ir.block_arguments.get(blocks[0][0], []) if blocks else []

    def in_memory_of(self, function: int) -> list[int]:
        """Return the arguments and results of a function that are tensors in memory."""
        values = self.arguments(function)
        for blocks in self._blocks[function]:
            for block in blocks:
                values = values + self._handed_over(block)
        return [v for v in values if self._types.of(v) & Storage.CONTENT and self.place(v) == MEMORY]

    @cached_property
    def _blocks(self) -> dict[int, list[list[int]]]:
        """By op, -1 for the top level, the blocks of each region that is not empty."""
        by_op: dict[int, list[list[int]]] = {}
        for op, blocks in zip(self._ir.region_op, self._ir.region_blocks, strict=True):
            if blocks:
                by_op.setdefault(op, []).append(blocks)
        return by_op

    def _join_results(self, op: int, row: OpTraits, *, escapes: bool, as_values: bool) -> None:
        """Join the results of an op with its operands. An unknown op puts all of them into memory."""
        ir = self._ir
        if escapes:
            values = [*ir.operands_of(op), *ir.result_values(op)]
            self._join(values, in_memory=not as_values)
            self._passed.update(value for value in values if as_values and self._types.of(value))
        elif results := ir.result_values(op):
            handed_on = ir.operands_of(op)
            if "fresh" in row.flags:  # only a written operand may be returned as a result
                written = [place for place, kinds in row.on.items() if "write" in kinds]
                handed_on = [value for place in written for value in operands_at(ir, op, place)]
            self._join([*handed_on, *results], in_memory="shared" in row.flags)

    def _join(self, values: Sequence[int], *, in_memory: bool = False) -> None:
        first = -1
        for value in values:
            storage = self._types.of(value)
            if storage is Storage.PLAIN:
                continue
            if storage & Storage.ADDRESS or in_memory:
                self._addressed.add(value)
            if first < 0:
                first = value
            else:
                self._parent[self._root(value)] = self._root(first)

    def _root(self, value: int) -> int:
        parent, root = self._parent, value
        while (above := parent.get(root, root)) != root:
            root = above
        while value != root:
            parent[value], value = root, parent[value]
        return root

    def _join_across_edges(self, holder: int, regions: Sequence[Sequence[int]], *, escapes: bool) -> None:
        """Join block arguments with what terminators pass on. A function's arguments are its own."""
        ir = self._ir
        is_closed = holder < 0 or self._declares[ir.op_name[holder]]
        for blocks in regions:
            if is_closed and len(blocks) == 1:
                continue
            passed = [value for block in blocks for value in self._handed_over(block)]
            for block in blocks[1:] if is_closed else blocks:
                passed += ir.block_arguments.get(block, ())
            if not is_closed:
                passed += [*ir.result_values(holder), *ir.operands_of(holder)]
            self._join(passed, in_memory=escapes)

    def _handed_over(self, block: int) -> list[int]:
        """Return the operands of the terminator. If it is unknown, those of all ops that may be it.

        Custom assembly omits a terminator without operands, so the last op need not be one. Which op is last
        must not matter, since a reorder may change it.
        """
        ir, ops = self._ir, self._ir.block_ops[block]
        may_be = [op for op in ops if ir.op_table.may_be_terminator(ir.name(op))]
        if may_be and ir.name(may_be[-1]) in ir.op_table.rows:
            may_be = may_be[-1:]
        return [value for op in may_be for value in ir.operands_of(op)]
