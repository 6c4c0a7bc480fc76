"""The values of a dump that may share a buffer, so that an effect on one is an effect on all.

A result may be the buffer of an operand unless the op's row says that it is fresh. Values also pass through
the edges of a region, as arguments and by its terminators, and from block to block. What this joins need not
be one buffer: a dependence too many is safe, one too few is not.

A tensor is in memory if it shares its buffer with an address, or is an operand of an unknown op: that op may
keep it, and any later one may change it.
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
    """The place that stands for a value itself, without others that share its buffer."""
    return -1 - value


def operands_at(ir: IR, op: int, place: str) -> Sequence[int]:
    """The operands that ``operand N`` of a row may mean; none for other places.

    Only generic assembly shows operands in the order of their definition. In custom assembly, and where the
    position varies, it may be any of them.
    """
    kind, _, number = place.partition(" ")
    if kind != "operand":
        return ()
    operands = ir.operands_of(op)
    is_certain = number.isdigit() and ir.op_is_generic[op] and int(number) < len(operands)
    return operands[int(number) : int(number) + 1] if is_certain else operands


class Buffers:
    """The values of one dump, those together that may share a buffer.

    ``rows`` tells what each op does, by number of its name.

    Complexity: almost linear in ops, operands and values.
    """

    def __init__(self, ir: IR, rows: Sequence[OpTraits], is_unknown: Callable[[int], bool]) -> None:
        self._ir = ir
        self._types = ValueTypes(ir)
        self._parent: dict[int, int] = {}  # a union-find forest
        self._addressed: set[int] = set()  # at least one value of each buffer in memory
        self._declares = [row.is_declaration for row in rows]
        for op, name in enumerate(ir.op_name):
            if not self._declares[name]:
                self._join_results(op, rows[name], escapes=is_unknown(op))
        for holder, blocks in self._blocks.items():
            self._join_across_edges(holder, blocks, escapes=holder >= 0 and is_unknown(holder))
        if self._types.has_unknown_types:
            values = range(len(ir.value_owner))
            self._addressed.update(v for v in values if self._types.of(v) is Storage.ANYTHING)
        self._in_memory = set(map(self._root, self._addressed))

    def place(self, value: int) -> int | str | None:
        """Where the content of a value lies, or what it is the address of.

        Returns:
            ``MEMORY``; a buffer, as the value that stands for all that may share it; None for a plain value.
        """
        storage = self._types.of(value)
        if storage is Storage.PLAIN:
            return None
        root = self._root(value)
        return MEMORY if storage & Storage.ADDRESS or root in self._in_memory else root

    def is_address(self, value: int) -> bool:
        """Whether the value may be the address of memory."""
        return bool(self._types.of(value) & Storage.ADDRESS)

    def put_into_memory(self, values: Iterable[int]) -> None:
        """Marks the buffers of these values as memory."""
        self._in_memory.update(self._root(value) for value in values if self._types.of(value))

    def pass_arguments(self, operands: Sequence[int], function: int) -> None:
        """Notes that a call passes ``operands``: arguments share what these share."""
        arguments = self.arguments(function)
        passed: dict[int | str, list[int]] = {}
        for operand, argument in zip(operands, arguments, strict=False):
            if (place := self.place(operand)) is not None and self._types.of(argument):
                passed.setdefault(place, []).append(argument)
        self.put_into_memory(passed.pop(MEMORY, ()))
        for first, *others in passed.values():
            for other in others:
                root, joined = self._root(first), self._root(other)
                if root != joined:
                    self._parent[joined] = root
                    if joined in self._in_memory:
                        self._in_memory.add(root)

    def contents(self, places: Container[int | str]) -> dict[int, set[int | str]]:
        """By value, those of ``places`` that an op reads when it uses the value."""
        found: dict[int, set[int | str]] = {}
        for value in range(len(self._ir.value_owner)):
            is_joined = value in self._parent or value in self._in_memory
            if is_joined or value in places or handle(value) in places:
                read = {place for place in (self.place(value), handle(value)) if place in places}
                if read and self._types.of(value) & Storage.CONTENT:
                    found[value] = {place for place in read if place is not None}
        return found

    def arguments(self, function: int) -> list[int]:
        """The arguments of a function, or of another op's first block."""
        blocks = self._blocks.get(function)
        return self._ir.block_arguments.get(blocks[0][0], []) if blocks else []

    def shares_memory(self, function: int) -> bool:
        """Whether an argument or result of a function is in memory."""
        values = self.arguments(function)
        for blocks in self._blocks[function]:
            for block in blocks:
                values = values + self._handed_over(block)
        return any(self._types.of(v) & Storage.CONTENT and self.place(v) == MEMORY for v in values)

    @cached_property
    def _blocks(self) -> dict[int, list[list[int]]]:
        """By op, -1 for the top level, the blocks of each region that is not empty."""
        by_op: dict[int, list[list[int]]] = {}
        for op, blocks in zip(self._ir.region_op, self._ir.region_blocks, strict=True):
            if blocks:
                by_op.setdefault(op, []).append(blocks)
        return by_op

    def _join_results(self, op: int, row: OpTraits, *, escapes: bool) -> None:
        """Joins the results of an op with its operands; what escapes into an unknown op is in memory."""
        ir = self._ir
        if escapes:
            self._join([*ir.operands_of(op), *ir.result_values(op)], in_memory=True)
        elif results := ir.result_values(op):
            handed_on = ir.operands_of(op)
            if "fresh" in row.flags:  # only what it writes may come out as a result
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
        """Block arguments and what terminators hand on; the arguments of a function are its own."""
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
        """The operands of the terminator; where none is known for one, of all ops that may be it.

        Custom assembly leaves out a terminator without operands, so the last op need not be one, and which op
        is the last must not matter: a reorder may change it.
        """
        ir, ops = self._ir, self._ir.block_ops[block]
        may_be = [op for op in ops if ir.op_table.may_be_terminator(ir.name(op))]
        if may_be and ir.name(may_be[-1]) in ir.op_table.rows:
            may_be = may_be[-1:]
        return [value for op in may_be for value in ir.operands_of(op)]
