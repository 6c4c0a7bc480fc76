"""The values of a dump that may share a buffer. An effect on one of them is an effect on all.

A result may share the buffer of an operand unless the op's row says ``fresh``. Values also pass along region
edges, as arguments and through terminators, and from block to block. Values joined here need not share a
buffer: an extra dependence is safe, a missing one is not.

A tensor is in memory if it shares its buffer with an address, or is an operand of an unknown op. That op may
keep the tensor, and any later op may change it. There is one exception: in MLIR's own dialects a tensor is a
value that nothing changes. So if all ops of a dump are of these dialects, a tensor that an unknown op got,
such as a call of a function that the dump only declares, is *kept*: other ops may use it without reading
memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain

from eio_audit.mlir.ir import IR
from eio_audit.mlir.semantics.calls import OUTSIDE, Calls
from eio_audit.mlir.semantics.value_types import Storage, ValueTypes
from eio_audit.mlir.traits import OpTraits

ACCESSES = re.compile(r"(?:affine|llvm|memref)\.(?:load|store)|memref\.dealloc")
"""Ops that touch memory only through their operands, and only while they run."""
MEMORY = "memory"  # all memory that addresses point to
_KEPT = "kept"
"""The tensors in memory that are still values for all ops but the unknown ones that may keep them."""


def handle(value: int) -> int:
    """Return the resource of a value itself, without others that share its buffer."""
    return -1 - value


def operands_at(ir: IR, op: int, where: str) -> Sequence[int]:
    """Return the operands that ``operand N`` of a row may mean. Empty for another ``where``.

    Generic assembly prints operands in the order of their definition, and so do ``ACCESSES``. In other custom
    assembly, and where the position varies, it may be any of them.
    """
    kind, _, number = where.partition(" ")
    if kind != "operand":
        return ()
    operands = ir.operands_of(op)
    is_in_order = ir.op_is_generic[op] or ACCESSES.fullmatch(ir.name(op)) is not None
    is_certain = is_in_order and number.isdigit() and int(number) < len(operands)
    return operands[int(number) : int(number) + 1] if is_certain else operands


class Buffers:
    """The values of one dump, grouped by the buffer they may share.

    ``row_of`` has, by op, the number of its row among ``rows``, the traits; ``calls`` has the calls of known
    functions; ``is_unknown`` tells whether an op may do anything, ``on`` what another one does to its places.

    Complexity: almost linear in ops, operands and values.
    """

    def __init__(
        self,
        ir: IR,
        row_of: Sequence[int],
        rows: Sequence[OpTraits],
        calls: Calls,
        is_unknown: Callable[[int], bool],
        on: Callable[[int], Iterable[Mapping[str, frozenset[str]]]],
    ) -> None:
        self._ir = ir
        self._types = ValueTypes(ir)
        self._on = on
        self._joined_to: dict[int | str, int | str] = {}  # a union-find forest; MEMORY stays a root
        self._declares = [row.is_declaration for row in rows]
        # Where the operands and the results of unknown ops are:
        self._escaped = _KEPT if all(map(ir.op_table.keeps_values, ir.names)) else MEMORY
        for op, row in enumerate(row_of):
            if not self._declares[row]:
                self._join_results(op, rows[row], escapes=is_unknown(op))
        for parent, blocks in self._blocks.items():
            self._join_across_edges(parent, blocks, escapes=parent >= 0 and is_unknown(parent))
        if self._types.has_unknown_types:
            values = range(len(ir.value_owner))
            self._join([value for value in values if self._types.of(value) is Storage.ANYTHING])
        self._join_across_calls(calls)

    def resource(self, value: int) -> int | str | None:
        """Return where the content of a value is, or what the value is the address of.

        Returns:
        ``MEMORY``; a buffer, as a value that represents all that may share it; None for a plain value.
        """
        place = self._place(value)
        return MEMORY if place == _KEPT else place

    def is_address(self, value: int) -> bool:
        """Whether the value may be the address of memory."""
        return bool(self._types.of(value) & Storage.ADDRESS)

    def contents(self, resources: Container[int | str]) -> dict[int, set[int | str]]:
        """Return, by value, the resources among ``resources`` that an op reads when it uses the value."""
        found: dict[int, set[int | str]] = {}
        for value in range(len(self._ir.value_owner)):
            if value in self._joined_to or value in resources or handle(value) in resources:
                touched = (self._place(value), handle(value))
                read = {one for one in touched if one is not None and one in resources}
                if read and self._types.of(value) & Storage.CONTENT:
                    found[value] = read
        return found

    def arguments(self, function: int) -> list[int]:
        """Return the arguments of a function, or of another op's first block."""
        blocks = self._blocks.get(function)
        return self._ir.block_arguments.get(blocks[0][0], []) if blocks else []

    @cached_property
    def _blocks(self) -> dict[int, list[list[int]]]:
        """By op, -1 for the top level, the blocks of each region that is not empty."""
        by_op: dict[int, list[list[int]]] = {}
        for op, blocks in zip(self._ir.region_op, self._ir.region_blocks, strict=True):
            if blocks:
                by_op.setdefault(op, []).append(blocks)
        return by_op

    def _place(self, value: int) -> int | str | None:
        """Return ``MEMORY``, ``_KEPT``, a buffer, or None for a plain value."""
        storage = self._types.of(value)
        if storage is Storage.PLAIN:
            return None
        return MEMORY if storage & Storage.ADDRESS else self._root(value)

    def _join_results(self, op: int, row: OpTraits, *, escapes: bool) -> None:
        """Join the results of an op with its operands. An unknown op puts all of them into memory."""
        ir = self._ir
        if escapes:
            self._join([*ir.operands_of(op), *ir.result_values(op)], self._escaped)
        elif results := ir.result_values(op):
            handed_on = ir.operands_of(op)
            if "fresh" in row.flags:  # only a written operand may be returned as a result
                places = chain.from_iterable(on.items() for on in self._on(op))
                written = [where for where, kinds in places if "write" in kinds]
                handed_on = [value for where in written for value in operands_at(ir, op, where)]
            self._join([*handed_on, *results], MEMORY if "shared" in row.flags else None)

    def _join(self, values: Sequence[int], place: int | str | None = None) -> None:
        """Join values that may share a buffer, or are in a place. With an address, all are in memory."""
        storages = list(map(self._types.of, values))
        roots = [self._root(value) for value, storage in zip(values, storages, strict=True) if storage]
        if not roots:
            return
        if place is not None:
            roots.append(self._root(place))
        if any(storage & Storage.ADDRESS for storage in storages):
            roots.append(MEMORY)
        shared = next((one for one in (MEMORY, _KEPT) if one in roots), roots[0])
        self._joined_to.update((root, shared) for root in roots if root != shared)

    def _root(self, value: int | str) -> int | str:
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
            self._join(passed, self._escaped if escapes else None)

    def _join_across_calls(self, calls: Calls) -> None:
        """Put into the callers' memory what a function puts into memory or returns from there.

        Arguments for which callers pass one buffer share it inside the function. The same holds for memory.
        """
        ir, callee = self._ir, calls.callee
        places: dict[int | None, str | None] = {}  # by function, where it puts its arguments and results
        for function, inside in calls.by_function.items():
            for call in inside:
                if (place := places.get(callee.get(call))) is not None:
                    self._join([*ir.operands_of(call), *ir.result_values(call)], place)
            if function != OUTSIDE:
                places[function] = self._place_in_memory(function)
        # Callers first here: what a function gets, it may pass to its own callees.
        for call in chain.from_iterable(reversed(calls.by_function.values())):
            if call in callee:
                self._pass_arguments(ir.operands_of(call), callee[call])

    def _place_in_memory(self, function: int) -> str | None:
        """Return ``MEMORY`` or ``_KEPT`` if an argument or a result of a function is a tensor there."""
        values = list(self.arguments(function))
        for block in chain.from_iterable(self._blocks.get(function, ())):
            values += self._handed_over(block)
        places = {self._place(value) for value in values if self._types.of(value) & Storage.CONTENT}
        return next((place for place in (MEMORY, _KEPT) if place in places), None)

    def _pass_arguments(self, operands: Sequence[int], function: int) -> None:
        """Join the arguments of a function for which a call passes one buffer, or what is in memory."""
        passed: dict[int | str, list[int]] = {}
        for operand, argument in zip(operands, self.arguments(function), strict=False):
            if (place := self._place(operand)) is not None:
                passed.setdefault(place, []).append(argument)
        for place, arguments in passed.items():
            self._join(arguments, place if isinstance(place, str) else None)

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
