"""Ops that touch memory only through their operands, and what each of them touches there.

A memref that ``VIEWS`` make of another leads to the same memory. A destination-style op reads its inputs and
writes its destinations. An access at constant indices touches certain elements: in a memref without a layout
no two elements overlap, as long as the indices are in bounds.

What an op touches for certain is a ``Touch``. Two values are the same if pure ops of the same text compute
them of the same values, as two ``memref.get_global`` of one symbol. Two parts of a memory may be apart, and
``%m[%i]`` and ``%m[%i + 1]`` are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from eio_audit.mlir.ir import IR
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.semantics.value_types import (
    constant,
    extents_of,
    operand_types,
    result_types,
)
from eio_audit.mlir.tokens import VALUE, VALUE_NAME, closing_end

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
_INPUTS, _DESTINATIONS = pattern(rb"\bins\s*\("), pattern(rb"\bouts\s*\(")
_SEGMENTS = pattern(rb"\boperandSegmentSizes\"?\s*=\s*array<i32:\s*([0-9]+),\s*([0-9]+)>")
_PARTS = frozenset({"memref.reinterpret_cast", "memref.subview", "memref.view"})
_SUBSCRIPTED = pattern(
    r"(?:affine|memref)\.(?:load|store)|affine\.vector_(?:load|store)|memref\.atomic_rmw"
    r"|vector\.(?:load|store|transfer_(?:read|write))"
)
_SUBSCRIPTS = pattern(VALUE + rb"\s*\[([^\[\]]*)\]")
_SUM = pattern(rb"(?s)(?P<term>.*?)\s*(?P<number>(?:\A|[+-]\s*)[0-9]{1,18})?")
_ADDS_NUMBER = pattern(rb"affine_map<\((\w+)\)\s*->\s*\(\1 (?P<number>[+-] [0-9]{1,18})\)>")
_SIGNS = {"arith.addi": 1, "arith.subi": -1, "index.add": 1, "index.sub": -1}
_LONGEST_SUM = 64  # how many additions of numbers are followed


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


class Subscript(NamedTuple):
    """The places that an access touches in one dimension: from the sum of a term and a number on."""

    term: bytes
    number: int
    size: int


class Touch(NamedTuple):
    """That an op touches some memory or a state for certain."""

    resource: int | str  # a value that stands for the memory, or a state
    changes: bool  # whether it writes or frees it
    operand: int | str  # the value by which it touches it, or the state
    view: int = -1  # a value that stands for what it sees of the memory
    is_part: bool = False  # whether it may not see all of it
    subscripts: Sequence[Subscript] = ()  # where it touches what it sees, if that is known

    def conflicts(self, other: Touch) -> bool:
        """Return whether two touches of one resource keep their order."""
        if self.view != other.view:
            are_apart = (self.is_part and other.is_part) or self._is_fixed or other._is_fixed
        else:
            are_apart = any(
                one.term == two.term
                and (one.number + one.size <= two.number or two.number + two.size <= one.number)
                for one, two in zip(self.subscripts, other.subscripts, strict=False)
            )
        return (self.changes or other.changes) and not are_apart

    @property
    def _is_fixed(self) -> bool:
        return bool(self.subscripts) and not any(one.term for one in self.subscripts)


class Places:
    """The places that the accesses of one dump touch. ``is_pure`` tells whether an op is."""

    def __init__(self, ir: IR, is_pure: Callable[[int], bool]) -> None:
        self._ir = ir
        self._is_pure = is_pure
        self._one_of: dict[int, int] = {}  # per known value, one that stands for all that are the same
        self._first: dict[tuple[bytes, int, tuple[int, ...]], int] = {}

    def touch(self, op: int, value: int, *, changes: bool, is_address: bool) -> Touch:
        """Return the touch of an operand."""
        view, _ = self._behind(value, casts_only=True)
        if not is_address:
            return Touch(view, changes, value, view)
        memory, is_part = self._behind(value)
        subscripts = self._subscripts(op, value)
        return Touch(self._same(memory), changes, value, self._same(view), is_part, subscripts)

    def _behind(self, value: int, *, casts_only: bool = False) -> tuple[int, bool]:
        """Return the memory that a value is a view of, and whether the value may be a part of it."""
        ir, is_part = self._ir, False
        while (owner := ir.value_owner[value]) >= 0 and ir.operands_of(owner):
            name = ir.name(owner)
            if name not in VALUE_CASTS and (casts_only or not VIEWS.fullmatch(name)):
                break
            value, is_part = ir.operands_of(owner)[0], is_part or name in _PARTS
        return value, is_part

    def _same(self, value: int) -> int:
        """Return the value that stands for all that are the same as a value."""
        ir, known = self._ir, self._one_of
        pending, seen = [value], {value}
        while pending:
            owner = ir.value_owner[top := pending[-1]]
            is_pure = owner >= 0 and self._is_pure(owner)
            operands = ir.operands_of(owner) if is_pure else ()
            if missing := [one for one in operands if one not in known and one not in seen]:
                seen.update(missing)
                pending += missing
                continue
            pending.pop()
            if is_pure:
                text, number = VALUE_NAME.sub(b"%", ir.bare_text(owner)), top - ir.first_result[owner]
                key = text, number, tuple(known.get(one, one) for one in operands)
                known.setdefault(top, self._first.setdefault(key, top))
            else:
                known[top] = top
        return known[value]

    def _subscripts(self, op: int, value: int) -> Sequence[Subscript]:
        ir = self._ir
        if _SUBSCRIPTED.fullmatch(ir.name(op)) is None or (sizes := vector_sizes(ir, op)) is None:
            return ()
        text, operands = ir.expanded_text(op), ir.operands_of(op)
        found = _SUBSCRIPTS.search(text)
        if ir.op_is_generic[op] or found is None or b"permutation_map" in text:
            ones = elements(ir, op)
            return [Subscript(b"", k, 1) for k in ones[0]] if len(ones) == 1 else ()
        values = iter(operands[list(operands).index(value) + 1 :])
        terms = [term.strip() for term in found[1].split(b",") if term.strip()]
        sizes = [1] * (len(terms) - len(sizes)) + sizes
        return [self._subscript(term, values, size) for term, size in zip(terms, sizes, strict=False)]

    def _subscript(self, text: bytes, values: Iterator[int], size: int) -> Subscript:
        """Return a subscript; the values that its text names are the next ones."""
        match = _SUM.fullmatch(text)
        assert match is not None
        term, number = match["term"], int(b"".join((match["number"] or b"0").split()))
        names = [next(values, -1) for _ in VALUE_NAME.findall(term)]
        if len(names) == 1 and VALUE_NAME.fullmatch(term):
            return self._sum(names[0], number, size)
        parts = iter(names)
        return Subscript(VALUE_NAME.sub(lambda _: b"%%%d" % self._same(next(parts)), term), number, size)

    def _sum(self, value: int, number: int, size: int) -> Subscript:
        """Return the subscript of a value and a number."""
        ir = self._ir
        for _ in range(_LONGEST_SUM):
            if (literal := constant(ir, value)) is not None:
                return Subscript(b"", number + literal, size)
            if (owner := ir.value_owner[value]) < 0:
                break
            operands, sign = ir.operands_of(owner), _SIGNS.get(ir.name(owner))
            if sign and len(operands) == 2 and (added := constant(ir, operands[1])) is not None:
                value, number = operands[0], number + sign * added
            elif ir.name(owner) == "affine.apply" and (adds := _ADDS_NUMBER.search(ir.expanded_text(owner))):
                value, number = operands[0], number + int(adds["number"].replace(b" ", b""))
            else:
                break
        return Subscript(b"%%%d" % self._same(value), number, size)
