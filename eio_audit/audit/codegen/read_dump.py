"""What code generation reads of a dump, shared by all predictions for its orders and names."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from eio_audit.audit.codegen.code import values_used
from eio_audit.audit.dependence import users_of_values
from eio_audit.audit.locations.codegen_location import (
    CodegenLocation,
    CodegenLocations,
    UnreadableLocation,
    callers,
    codegen_ops,
    simplified_ops,
)
from eio_audit.mlir.ir import IR
from eio_audit.mlir.location import Locations


class ReadDump:
    """A dump as code generation reads it. Each op is read once.

    Attributes:
        ir: the dump.
        callers: the functions that are cut into others.
        users: per value, the ops that use it.
    """

    def __init__(self, ir: IR, locations: Locations) -> None:
        self.ir = ir
        self.callers = callers(ir)
        self.users = users_of_values(ir)
        self._locations = CodegenLocations(locations)
        self._ops: dict[int, list[int]] = {}
        self._read: dict[int, CodegenLocation | UnreadableLocation | None] = {}
        self._used: dict[int, Sequence[int]] = {}
        self._producers: dict[int, tuple[Sequence[int], list[list[int]]]] = {}

    def ops(self, caller: int) -> list[int]:
        """Return the ops of a function that code generation reads."""
        if caller not in self._ops:
            self._ops[caller] = codegen_ops(self.ir, caller)
        return self._ops[caller]

    def location(self, op: int) -> CodegenLocation | UnreadableLocation | None:
        """Return what is read from an op's location; None if it is no name."""
        if op not in self._read:
            self._read[op] = self._locations.of(op)
        return self._read[op]

    def values_used(self, op: int) -> Sequence[int]:
        """Return the values that an op and its nested ops use and that are defined outside it."""
        if op not in self._used:
            self._used[op] = values_used(self.ir, op)
        return self._used[op]

    def producers(self, caller: int, taken: Sequence[int]) -> list[list[int]]:
        """Return, per op of some ops of a function, the ops whose results it uses, by their numbers."""
        known = self._producers.get(caller)
        if known is None or known[0] != taken:
            number = {op: k for k, op in enumerate(taken)}
            makers = (map(self.ir.value_owner.__getitem__, self.values_used(op)) for op in taken)
            producers = [[number[op] for op in dict.fromkeys(owners) if op in number] for owners in makers]
            known = self._producers[caller] = taken, producers
        return known[1]

    @cached_property
    def refused(self) -> dict[int, str]:
        """Per op whose location is refused, why."""
        found = ((op, self._locations.refusal(op)) for op in simplified_ops(self.ir, self.callers))
        return {op: why for op, why in found if why is not None}
