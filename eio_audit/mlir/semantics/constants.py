"""What constants and static shapes show of an op: which element it accesses, and that it cannot trap.

Only the usual form counts: a number as a constant, a shape without layout or encoding, elements of numbers.
"""

from __future__ import annotations

import re

from eio_audit.mlir.ir import IR
from eio_audit.mlir.semantics.value_types import DynamicShapes, operand_types

_NUMBER = re.compile(rb"(?:\bvalue\"?\s*=|\bconstant(?:\s|\s*\())\s*(-?[0-9]+)\s*:\s*(?:index|i([0-9]+))\b")
_SHAPED = re.compile(rb"\s*(?:tensor|memref)<((?:(?:[0-9]+|\?)x)*)(?:index|[su]?i[0-9]+|b?f[0-9]\w*)>")
_LIST = rb"\s*\[([0-9,\s]*)\]"
_SLICE = re.compile(_LIST * 3 + rb"\s*:")
_STATIC_SLICE = re.compile(rb"\bstatic_(?:offsets|sizes|strides)\"?\s*=\s*array<i64:?([0-9,\s]*)>")

_SHAPED_OPERAND = {"memref.load": 0, "memref.store": 1, "tensor.extract": 0}
_DIVISION = re.compile(r"arith\.(?:ceildiv|div|floordiv|rem)[su]i")


def element(ir: IR, op: int) -> tuple[int, ...] | None:
    """Return the indices of the element that a load, a store or ``tensor.extract`` accesses. None if unknown.

    In a memref without a layout no two elements overlap, as long as the indices are in bounds.
    """
    if (shaped := _SHAPED_OPERAND.get(ir.name(op))) is None:
        return None
    extents = _extents(ir, op, shaped)
    found = (constant(ir, value) for value in ir.operands_of(op)[shaped + 1 :])
    indices = tuple(-1 if number is None else number for number in found)
    if extents is None or len(extents) != len(indices):
        return None
    return indices if all(0 <= k < end for k, end in zip(indices, extents, strict=True)) else None


def cannot_trap(ir: IR, op: int, shapes: DynamicShapes) -> bool:
    """Whether the op may run where it was not run before, though others of its name may not."""
    name, operands = ir.name(op), ir.operands_of(op)
    if _DIVISION.fullmatch(name):  # by -1 it may overflow
        return (constant(ir, operands[-1]) or 0) > 0
    if name == "scf.for":  # with a step of one it ends, whatever its bounds are
        return len(operands) > 2 and constant(ir, operands[2]) == 1
    if name == "tensor.dim":
        return constant(ir, operands[-1]) in range(len(_extents(ir, op, 0) or ()))
    if name == "tensor.extract":
        return element(ir, op) is not None
    if name in ("memref.subview", "tensor.extract_slice"):
        return len(operands) == 1 and _is_slice_in_bounds(ir, op)
    is_verified_if_static = name.startswith(("linalg.", "tensor.collapse_shape", "tensor.expand_shape"))
    return is_verified_if_static and b"memref" not in ir.expanded_text(op) and not shapes.shown_by(op)


def constant(ir: IR, value: int) -> int | None:
    """Return the number that a value is, if its definition shows one, and no negative one as ``255 : i8``."""
    owner = ir.value_owner[value]
    if owner < 0 or ir.name(owner) not in ("arith.constant", "llvm.mlir.constant"):
        return None
    found = [(int(number), int(width or 64)) for number, width in _NUMBER.findall(ir.expanded_text(owner))]
    return found[0][0] if len(found) == 1 and found[0][0] < 1 << (found[0][1] - 1) else None


def _extents(ir: IR, op: int, number: int) -> list[int] | None:
    """Return the extents of an operand, in custom assembly those of the first type shown. -1 is for ``?``."""
    if ir.op_is_generic[op]:
        types = operand_types(ir, op) or []
        text = ir.expanded(types[number]) if number < len(types) else b""
    else:
        text = ir.expanded_text(op).rpartition(b" : ")[2]
    match = _SHAPED.match(text)
    return [-1 if extent == b"?" else int(extent) for extent in match[1].split(b"x")[:-1]] if match else None


def _is_slice_in_bounds(ir: IR, op: int) -> bool:
    """Whether offsets, sizes and strides are numbers that keep the slice in its source."""
    text, extents = ir.expanded_text(op), _extents(ir, op, 0)
    match = _SLICE.search(text)
    lists = _STATIC_SLICE.findall(text) if ir.op_is_generic[op] else match.groups() if match else ()
    numbers = [[int(number) for number in one.replace(b",", b" ").split()] for one in lists]
    if extents is None or [len(one) for one in numbers] != [len(extents)] * 3:
        return False
    sides = zip(*numbers, extents, strict=True)
    return all(size > 0 and offset + (size - 1) * stride < end for offset, size, stride, end in sides)
