"""The values of a dump that may share a buffer. An effect on one of them is an effect on all.

A result may share the buffer of an operand unless the op's row says ``fresh``. Values also pass along region
edges, as arguments and through terminators, and from block to block. Values joined here need not share a
buffer: an extra dependence is safe, a missing one is not.

A tensor is in memory if it shares its buffer with an address, or is an operand of an unknown op. That op may
keep the tensor, and any later op may change it. There is one exception: MLIR's own dialects and StableHLO
treat tensors as values, which nothing changes. If only unknown ops of these dialects got a tensor, such as
calls of functions that the dump only declares, it is still a value for the other ops of these dialects,
unless an op of another dialect changes one of these tensors in place.

**Allocations** have memory apart from all other memory. The value that an op such as ``memref.alloc`` gives
points to memory that no value had pointed to before. So a load or store through that value or a view of it
touches no other allocation: behaviour is undefined where a view leaves its memory. An access through any
other value, such as an argument, a loaded pointer or a result of a region, may touch any memory, every
allocation included. So may every op that is not among the ``_ACCESSES``: an atomic update, for example,
orders what other threads do to other memory.

An element is a part of its own if the memref has the identity layout and every index is a constant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Sequence
from functools import cached_property

from eio_audit.mlir.ir import IR
from eio_audit.mlir.semantics.value_types import Storage, ValueTypes
from eio_audit.mlir.tokens import list_parts, without_strings
from eio_audit.mlir.traits import OpTraits

MEMORY = "memory"
"""All memory that addresses point to."""


def handle(value: int) -> int:
    """Return the resource of a value itself, without others that share its buffer."""
    return -1 - value


def operands_at(ir: IR, op: int, where: str) -> Sequence[int]:
    """Return the operands that ``operand N`` of a row may mean. Empty for another ``where``.

    Only generic assembly prints operands in the order of their definition. In custom assembly, and where the
    position varies, it may be any of them.
    """
    kind, _, number = where.partition(" ")
    if kind != "operand":
        return ()
    operands = ir.operands_of(op)
    is_certain = number.isdigit() and ir.op_is_generic[op] and int(number) < len(operands)
    return operands[int(number) : int(number) + 1] if is_certain else operands


class Buffers:
    """The values of one dump, grouped by the buffer they may share.

    ``row_of`` has, by op, the number of its row among ``rows``; ``is_unknown`` tells whether an op may do
    anything; ``keeps_values`` has, by row, whether the dialect treats tensors as values.

    Complexity: almost linear in ops, operands and values.
    """

    def __init__(
        self,
        ir: IR,
        row_of: Sequence[int],
        rows: Sequence[OpTraits],
        is_unknown: Callable[[int], bool],
        keeps_values: Sequence[bool],
    ) -> None:
        self._ir = ir
        self._types = ValueTypes(ir)
        self._joined_to: dict[int, int] = {}  # a union-find forest
        self._addressed: set[int] = set()  # at least one value of each buffer in memory
        self._passed: set[int] = set()  # the same for buffers that only ops with ``keeps_values`` got
        changed = set[int]()  # the same for buffers that a listed op of another dialect changes
        changes = [row.changes_operands and not known for row, known in zip(rows, keeps_values, strict=True)]
        self._declares = [row.is_declaration for row in rows]
        for op, row in enumerate(row_of):
            if changes[row]:
                changed.update(ir.operands_of(op))
            if not self._declares[row]:
                escapes = is_unknown(op)
                self._join_results(op, rows[row], escapes=escapes, as_values=escapes and keeps_values[row])
        for parent, blocks in self._blocks.items():
            self._join_across_edges(parent, blocks, escapes=parent >= 0 and is_unknown(parent))
        if self._types.has_unknown_types:
            values = range(len(ir.value_owner))
            self._addressed.update(v for v in values if self._types.of(v) is Storage.ANYTHING)
        self._in_memory = set(map(self._root, self._addressed))
        self._as_values = set(map(self._root, self._passed))
        self._changed = set(map(self._root, changed))
        self._keeps_no_values = False
        self._settle()

    def resource(self, value: int) -> int | str | None:
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

    def keep(self, values: Iterable[int], *, as_values: bool = False) -> None:
        """Mark the buffers of these values as memory, or as kept by an op that treats tensors as values."""
        kept = self._as_values if as_values else self._in_memory
        kept.update(self._root(value) for value in values if self._types.of(value))
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
                self.keep([argument], as_values=True)
            resource = self._root(operand) if self.is_value(operand) else self.resource(operand)
            if resource is not None and self._types.of(argument):
                passed.setdefault(resource, []).append(argument)
        self.keep(passed.pop(MEMORY, ()))
        for first, *others in passed.values():
            for other in others:
                root, joined = self._root(first), self._root(other)
                if root != joined:
                    self._joined_to[joined] = root
                    for roots in (self._in_memory, self._as_values, self._changed):
                        if joined in roots:
                            roots.add(root)
        self._settle()

    def contents(self, resources: Container[int | str]) -> dict[int, set[int | str]]:
        """Return, by value, the resources among ``resources`` that an op reads when it uses the value."""
        found: dict[int, set[int | str]] = {}
        for value in range(len(self._ir.value_owner)):
            is_joined = value in self._joined_to or value in self._in_memory or value in self._as_values
            if is_joined or value in resources or handle(value) in resources:
                touched = (self.resource(value), handle(value))
                read = {one for one in touched if one is not None and one in resources}
                if read and self._types.of(value) & Storage.CONTENT:
                    found[value] = read
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
        return [v for v in values if self._types.of(v) & Storage.CONTENT and self.resource(v) == MEMORY]

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
                written = [where for where, kinds in row.on.items() if "write" in kinds]
                handed_on = [value for where in written for value in operands_at(ir, op, where)]
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
                self._joined_to[self._root(value)] = self._root(first)

    def _root(self, value: int) -> int:
        joined_to, root = self._joined_to, value
        while (above := joined_to.get(root, root)) != root:
            root = above
        while value != root:
            joined_to[value], value = root, joined_to[value]  # a shorter way for the next search
        return root

    def _join_across_edges(self, parent: int, regions: Sequence[Sequence[int]], *, escapes: bool) -> None:
        """Join block arguments with what terminators pass on. A function's arguments are its own."""
        ir = self._ir
        is_closed = parent < 0 or self._declares[ir.op_name[parent]]
        for blocks in regions:
            if is_closed and len(blocks) == 1:
                continue
            passed = [value for block in blocks for value in self._handed_over(block)]
            for block in blocks[1:] if is_closed else blocks:
                passed += ir.block_arguments.get(block, ())
            if not is_closed:  # operands may become arguments, and what is passed out may be a result
                passed += [*ir.result_values(parent), *ir.operands_of(parent)]
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


Part = tuple[int, ...]
"""The value that an allocation gives and, for one element of its memory, the element's indices."""

_ACCESSES = re.compile(
    r"(?:affine|memref|vector|llvm)\.(?:load|store)|memref\.(?:copy|dealloc)|affine\.vector_(?:load|store)"
    r"|vector\.transfer_(?:read|write)|linalg\.\w+"
)
"""Ops that touch memory only through their operands, and only while they run."""
_VIEWS = re.compile(
    r"llvm\.getelementptr|memref\.(?:cast|collapse_shape|expand_shape|reinterpret_cast|subview|transpose|view)"
)
"""Ops whose result points into the memory of their first operand, in both forms of assembly."""
_MEMREF_AT = {"memref.load": 0, "memref.store": 1}
"""By op, which operand is the memref. Its indices are the operands after it, in both forms of assembly."""
_MEMREF = re.compile(rb"\bmemref<")
_NUMBER = rb"(-?[0-9]{1,18})(?:\s*:\s*index)?\s*"
_CUSTOM_CONSTANT = re.compile(rb"%[\w$.-]+\s*=\s*(?:arith|index)\.constant\s+" + _NUMBER)
_GENERIC_CONSTANT = re.compile(
    rb'%[\w$.-]+\s*=\s*"(?:arith|index)\.constant"\(\)\s*<?\{\s*value\s*=\s*' + _NUMBER + rb"\}>?\s*:[^{}]*"
)


class Allocations:
    """The allocations of one dump. ``rows`` has the traits of each op, by number of its name."""

    def __init__(self, ir: IR, rows: Sequence[OpTraits]) -> None:
        self._ir = ir
        self._allocates = ["allocates" in row.flags for row in rows]
        self._accesses = [_ACCESSES.fullmatch(name) is not None for name in ir.names]
        self._is_view = [_VIEWS.fullmatch(name) is not None for name in ir.names]
        self._base: dict[int, int] = {}
        self._has_elements: dict[int, bool] = {}
        self._constants: dict[int, int | None] = {}

    def part(self, op: int, address: int) -> Part | None:
        """Return which memory ``op`` touches through its operand ``address``. None if that is not known."""
        if not self._accesses[self._ir.op_name[op]] or (base := self._base_of(address)) < 0:
            return None
        return (base, *self._indices(op, address)) if base == address else (base,)

    def _base_of(self, address: int) -> int:
        """Return the result of the allocation that an address points into, or -1.

        In a graph region, views may lead back to themselves.
        """
        ir, views = self._ir, list[int]()
        while address not in self._base:
            owner = ir.value_owner[address]
            name = ir.op_name[owner] if owner >= 0 else -1
            self._base[address] = address if owner >= 0 and self._allocates[name] else -1
            if owner >= 0 and self._is_view[name] and (operands := ir.operands_of(owner)):
                views.append(address)
                address = operands[0]
        self._base.update(dict.fromkeys(views, self._base[address]))
        return self._base[address]

    def _indices(self, op: int, address: int) -> Sequence[int]:
        """Return the indices of the one element that an op touches. Empty if it may touch another one."""
        at, operands = _MEMREF_AT.get(self._ir.name(op)), self._ir.operands_of(op)
        if at is None or list(operands[at : at + 1]) != [address] or not self._is_identity(address):
            return ()
        indices = list(map(self._constant, operands[at + 1 :]))
        return [index for index in indices if index is not None] if None not in indices else ()

    def _is_identity(self, address: int) -> bool:
        """Whether elements with different indices are different memory: the type names no layout."""
        if address not in self._has_elements:
            text = without_strings(self._ir.bare_text(self._ir.value_owner[address]))
            types = [list(list_parts(text, match.end())) for match in _MEMREF.finditer(text)]
            self._has_elements[address] = len(types) == 1 and len(types[0]) == 1
        return self._has_elements[address]

    def _constant(self, value: int) -> int | None:
        """Return the number that a value is, if a constant says it."""
        if value not in self._constants:
            owner = self._ir.value_owner[value]
            text = self._ir.bare_text(owner) if owner >= 0 else b""
            match = _CUSTOM_CONSTANT.fullmatch(text) or _GENERIC_CONSTANT.fullmatch(text)
            self._constants[value] = int(match[1]) if match else None
        return self._constants[value]
