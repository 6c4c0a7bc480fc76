"""The memory of single allocations, apart from all other memory.

The value that an op such as ``memref.alloc`` gives points to memory that no value had pointed to before. So a
load or store through that value or a view of it touches no other allocation: behaviour is undefined where a
view leaves its memory. An access through any other value, such as an argument, a loaded pointer or a result
of a region, may touch any memory, every allocation included. So may every op that is not among the
``_ACCESSES``: an atomic update, for example, orders what other threads do to other memory.

An element is a part of its own if the memref has the identity layout and every index is a constant.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from eio_audit.mlir.ir import IR
from eio_audit.mlir.tokens import list_parts, without_strings
from eio_audit.mlir.traits import OpTraits

Part = tuple[int, ...]
"""The value that an allocation gives and, for one element of its memory, the element's indices."""

_ACCESSES = re.compile(
    r"(?:affine|memref|vector|llvm)\.(?:load|store)|memref\.(?:copy|dealloc)|affine\.vector_(?:load|store)"
    r"|vector\.transfer_(?:read|write)|linalg\.\w+"
)
"""Ops that touch memory only through their operands, and only while they run."""
_VIEWS = frozenset(
    (
        "llvm.getelementptr",
        "memref.cast",
        "memref.collapse_shape",
        "memref.expand_shape",
        "memref.reinterpret_cast",
        "memref.subview",
        "memref.transpose",
        "memref.view",
    )
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
        self._is_view = [name in _VIEWS for name in ir.names]
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
