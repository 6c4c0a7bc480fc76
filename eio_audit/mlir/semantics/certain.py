"""What an op touches for certain, and whether two touches conflict.

Two values are the same if pure ops of the same text compute them of the same values, as two
``memref.get_global`` of one symbol. A view leads to the memory that it is a part of. Two parts of a memory
may be apart, and ``%m[%i]`` and ``%m[%i + 1]`` are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from eio_audit.mlir.ir import IR
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.semantics.accesses import VALUE_CASTS, VIEWS, elements, vector_sizes
from eio_audit.mlir.semantics.value_types import constant
from eio_audit.mlir.tokens import VALUE, VALUE_NAME

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
