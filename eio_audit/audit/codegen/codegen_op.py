"""An op in the code that code generation prints: its name, and names for its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eio_audit.mlir.ir import IR


@dataclass(frozen=True, slots=True)
class CodegenOp:
    """An op in the code.

    Attributes:
        name: its full name, ``ttir.permute``.
        results: the names of its results as printed, ``%2``, or ``%2#1`` of several.
        operands: the names of the values it uses, with those that only its regions use; ``%arg0`` for
            an argument.
    """

    name: str
    results: tuple[str, ...]
    operands: tuple[str, ...]


def codegen_op(ir: IR, op: int) -> CodegenOp:
    """The op as code shows it."""
    return CodegenOp(ir.name(op), value_names(ir, ir.result_values(op)), value_names(ir, values_used(ir, op)))


def value_names(ir: IR, values: Sequence[int]) -> tuple[str, ...]:
    """The names of values: of results as they are printed, of arguments by number."""
    return tuple(_value_name(ir, value) for value in values)


def _value_name(ir: IR, value: int) -> str:
    owner = ir.value_owner[value]
    if owner < 0:
        return f"%arg{ir.block_arguments[-1 - owner].index(value)}"
    printed, place = ir.results(owner), value - ir.first_result[owner]
    return printed[place] if len(printed) == ir.result_count(owner) else f"{printed[0]}#{place}"


def values_used(ir: IR, op: int) -> list[int]:
    """The values that an op, or what is nested in it, uses and that are not defined inside it."""
    if not ir.nested_ops(op):
        return list(ir.operands_of(op))
    inside, owners = range(op, ir.subtree_end[op]), ir.value_owner
    values = [value for inner in inside for value in ir.operands_of(inner)]
    definers = (owners[v] if owners[v] >= 0 else ir.parent_op(-1 - owners[v]) for v in values)
    return [value for value, definer in zip(values, definers, strict=True) if definer not in inside]
