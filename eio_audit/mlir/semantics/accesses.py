"""Ops that touch memory only through their operands, and what each of them touches there.

A memref that ``VIEWS`` make of another leads to the same memory. A destination-style op reads its inputs and
writes its destinations. An access at constant indices touches certain elements: in a memref without a layout
no two elements overlap, as long as the indices are in bounds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from math import prod

from eio_audit.mlir.ir import IR
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.semantics.value_types import (
    constant,
    extents_of,
    operand_types,
    result_types,
)
from eio_audit.mlir.tokens import VALUE_NAME, closing_end

ACCESSES = pattern(
    r"(?:affine|llvm|memref)\.(?:load|store)|affine\.vector_(?:load|store)|memref\.(?:copy|dealloc)|linalg\.\w+"
    r"|vector\.(?:load|store|masked(?:load|store)|gather|scatter|expandload|compressstore|transfer_(?:read|write))"
)
"""Ops that touch memory only through their operands, and only while they run."""
IN_ORDER = pattern(rf"{ACCESSES.pattern}|(?:mhlo|stablehlo)\.custom_call")
"""Ops that print their operands in the order of their definition."""
VIEWS = pattern(
    r"memref\.(?:assume_alignment|cast|collapse_shape|expand_shape|memory_space_cast|reinterpret_cast|reshape"
    r"|subview|transpose|view)"
)
"""Ops that print first the memref whose memory their result is a part of."""
VALUE_CASTS = frozenset({"builtin.unrealized_conversion_cast", "memref.cast", "tensor.cast"})
"""Ops whose result is their operand, with another type."""
GET_GLOBAL = "memref.get_global"
_MOST_ELEMENTS = 32
_MEMREF_OF_AFFINE = {"affine.load": 0, "affine.store": 1, "affine.vector_load": 0, "affine.vector_store": 1}
_MEMREF = {"memref.load": 0, "memref.store": 1, "vector.load": 0, "vector.store": 1}
_SUBSCRIPT = pattern(rb"\[([^\[\]]*)\]")
_INDEX = pattern(rb"(?:symbol\()?(?:(?P<number>-?[0-9]+)|(?P<name>%?[A-Za-z_$.0-9-][\w$.-]*))\)?")
_MAP = pattern(rb"\bmap\"?\s*=\s*affine_map<\(([^()]*)\)(?:\[([^\[\]]*)\])?\s*->\s*\(([^()]*)\)>")
_VECTOR = pattern(rb"\bvector<((?:[0-9]+x)+)(?:index|[su]?i[0-9]+|b?f[0-9]\w*)>")
_INPUTS, _DESTINATIONS = re.compile(rb"\bins\s*\("), re.compile(rb"\bouts\s*\(")
_SEGMENTS = pattern(rb"\boperandSegmentSizes\"?\s*=\s*array<i32:\s*([0-9]+),\s*([0-9]+)>")


def source(ir: IR, value: int) -> int:
    """Return the memref that a value is, or is made of as a view."""
    owner = ir.value_owner[value]
    while owner >= 0 and VIEWS.fullmatch(ir.name(owner)) and (operands := ir.operands_of(owner)):
        value = operands[0]
        owner = ir.value_owner[value]
    return value


def destinations(ir: IR, op: int) -> Sequence[int]:
    """Return the operands that a destination-style op may write: all if its text does not show which."""
    name, operands = ir.name(op), ir.operands_of(op)
    if name == "vector.transfer_read":
        return ()
    if name == "vector.transfer_write":
        return operands[1:2]
    if not name.startswith("linalg."):
        return operands
    text = ir.expanded_text(op)
    if ir.op_is_generic[op]:
        counts = [(int(inputs), int(outputs)) for inputs, outputs in _SEGMENTS.findall(text)]
    else:
        counts = [(_values_in(text, _INPUTS), _values_in(text, _DESTINATIONS))]
    are_certain = len(counts) == 1 and counts[0][1] > 0 and sum(counts[0]) == len(operands)
    return operands[counts[0][0] :] if are_certain else operands


def _values_in(text: bytes, group: re.Pattern[bytes]) -> int:
    """Return how many values a group of operands shows: none if the group is missing or there are several."""
    found = [match.end() - 1 for match in group.finditer(text)]
    return len(VALUE_NAME.findall(text, found[0], closing_end(text, found[0]))) if len(found) == 1 else 0


def elements(ir: IR, op: int) -> Sequence[tuple[int, ...]]:
    """Return the indices of the elements that an access touches. Empty if they are unknown."""
    name = ir.name(op)
    if (shaped := _MEMREF_OF_AFFINE.get(name)) is not None:
        first = _affine_indices(ir, op, shaped)
    elif (shaped := _MEMREF.get(name)) is not None:
        first = [_number(ir, value) for value in ir.operands_of(op)[shaped + 1 :]]
    else:
        return ()
    ends, sizes = extents_of(ir, op, shaped), vector_sizes(ir, op)
    if first is None or ends is None or sizes is None or not len(sizes) <= len(first) == len(ends):
        return ()
    sizes = [1] * (len(first) - len(sizes)) + sizes
    are_inside = all(k >= 0 and k + size <= end for k, size, end in zip(first, sizes, ends, strict=True))
    if not are_inside or prod(sizes) > _MOST_ELEMENTS:
        return ()
    return [*product(*(range(k, k + size) for k, size in zip(first, sizes, strict=True)))]


def _affine_indices(ir: IR, op: int, shaped: int) -> list[int] | None:
    """Return the indices of an affine access, -1 for one that is no constant. None if the text is unclear."""
    text, operands = ir.expanded_text(op), ir.operands_of(op)[shaped + 1 :]
    if ir.op_is_generic[op]:
        maps = _MAP.findall(text)
        if len(maps) != 1:
            return None
        dimensions, symbols, results = maps[0]
        names = [name.strip() for name in (*dimensions.split(b","), *symbols.split(b",")) if name.strip()]
    else:
        subscript = _SUBSCRIPT.search(text)
        if subscript is None:
            return None
        results = subscript[1]
        names = VALUE_NAME.findall(results)
    if len(names) != len(operands):
        return None
    values = dict(zip(names, operands, strict=True))
    indices = list[int]()
    for result in results.split(b",") if results.strip() else ():
        match = _INDEX.fullmatch(result.strip())
        if match is None:
            indices.append(-1)
        elif match["number"]:
            indices.append(int(match["number"]))
        else:
            indices.append(_number(ir, values[match["name"]]) if match["name"] in values else -1)
    return indices


def _number(ir: IR, value: int) -> int:
    number = constant(ir, value)
    return -1 if number is None else number


def vector_sizes(ir: IR, op: int) -> list[int] | None:
    """Return the extents of the vector that an access reads or writes, none for a number."""
    if not ir.name(op).startswith(("affine.vector_", "vector.")):
        return []
    if ir.op_is_generic[op]:
        text = b" ".join((*(operand_types(ir, op) or ()), *(result_types(ir, op) or ())))
    else:
        text = ir.expanded_text(op).rpartition(b" : ")[2]
    found = _VECTOR.findall(ir.expanded(text))
    return [int(extent) for extent in found[0].split(b"x")[:-1]] if len(found) == 1 else None
