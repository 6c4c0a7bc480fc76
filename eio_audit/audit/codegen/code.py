"""The functions that code generation prints, and their callers, without types and attributes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from eio_audit.audit.dependence import ValueUsers
from eio_audit.audit.functions import ends_block, function_symbol
from eio_audit.mlir.ir import IR

_ARGUMENT = re.compile(r"%(?:.+_)?arg[0-9]+")
"""The names that arguments get here; a result may have been printed with such a name, too."""


@dataclass(frozen=True, slots=True)
class CodegenOp:
    """An op in the code, or a call of a function.

    Attributes:
        name: its full name, ``ttir.permute``, or the name of the function called.
        results: the names of its results as printed: ``%2``, or ``%2#1`` if it has several.
        operands: the names of the values that it and its regions use: ``%arg0`` for an argument,
            ``%bb1_arg0`` for an argument of a block ``^bb1`` that is not the first.
    """

    name: str
    results: tuple[str, ...]
    operands: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FunctionCode:
    """The code of a function.

    Attributes:
        name: its name; for a caller its symbol, ``@forward``.
        arguments: the names of its arguments, in order of use.
        body: its ops, in order.
        returned: the names of the values it returns, in order of definition.
    """

    name: str
    arguments: tuple[str, ...]
    body: tuple[CodegenOp, ...]
    returned: tuple[str, ...]


def function_code(
    ir: IR, name: str, ops: Sequence[int], arguments: Sequence[int], returned: Sequence[int]
) -> FunctionCode:
    """Return the code of a function of some ops, with values as its arguments and results."""
    body = tuple(_code_of(ir, op) for op in ops)
    return FunctionCode(name, _names(ir, arguments), body, _names(ir, returned))


def caller_code(
    ir: IR, caller: int, functions: Sequence[FunctionCode], members: Collection[int]
) -> FunctionCode:
    """Return the code of a function that is cut into others: calls of these, in order.

    Ops in none of them (not in ``members``) come before the first call that uses them; the rest at the end.
    """
    blocks = [block for region in ir.regions_of[caller] for block in ir.region_blocks[region]]
    body = [op for block in blocks for op in ir.block_ops[block]]
    returned = ir.operands_of(body.pop()) if body and ends_block(ir, body[-1]) else ()
    others = [_code_of(ir, op) for op in body if op not in members]
    return FunctionCode(
        function_symbol(ir, caller) or "",
        _names(ir, ir.block_arguments[blocks[0]]),
        tuple(_calls(functions, others)),
        _names(ir, returned),
    )


def _calls(functions: Sequence[FunctionCode], others: Sequence[CodegenOp]) -> Iterator[CodegenOp]:
    makers = {result: number for number, op in enumerate(others) for result in op.results}
    waiting = set(range(len(others)))
    for one in functions:
        needed, values = [], list(one.arguments)
        while values:
            number = makers.get(values.pop())
            if number in waiting:
                waiting.remove(number)
                needed.append(number)
                values += others[number].operands
        yield from (others[number] for number in sorted(needed))
        yield CodegenOp(one.name, one.returned, one.arguments)
    yield from (others[number] for number in sorted(waiting))


def interface(ir: IR, ops: Mapping[int, Sequence[int]], users: ValueUsers) -> tuple[list[int], list[int]]:
    """Return the values that some ops take from other ops, and the values that other ops take from them.

    Args:
        ir: the dump.
        ops: per op, the values that it uses.
        users: per value, the ops that use it.
    """
    first, counts, nested_end = ir.first_result, ir.result_counts, ir.subtree_end
    inside = {inner for op in ops for inner in range(op, nested_end[op])}
    made = dict.fromkeys(value for op in ops for value in range(first[op], first[op] + counts[op]))
    used = dict.fromkeys(chain.from_iterable(ops.values()))
    taken = [value for value in used if value not in made]
    return taken, [value for value in made if not inside.issuperset(users[value])]


def values_used(ir: IR, op: int) -> list[int]:
    """Return the values that an op and its nested ops use and that are defined outside it."""
    if not ir.nested_ops(op):
        return list(ir.operands_of(op))
    inside, owners = range(op, ir.subtree_end[op]), ir.value_owner
    values = [value for inner in inside for value in ir.operands_of(inner)]
    definers = (owners[v] if owners[v] >= 0 else ir.parent_op(-1 - owners[v]) for v in values)
    return [value for value, definer in zip(values, definers, strict=True) if definer not in inside]


def _code_of(ir: IR, op: int) -> CodegenOp:
    return CodegenOp(ir.name(op), _names(ir, ir.result_values(op)), _names(ir, values_used(ir, op)))


def _names(ir: IR, values: Sequence[int]) -> tuple[str, ...]:
    return tuple(_value_name(ir, value) for value in values)


def _value_name(ir: IR, value: int) -> str:
    owner = ir.value_owner[value]
    if owner < 0:
        block = -1 - owner
        name = f"arg{ir.block_arguments[block].index(value)}"
        is_entry = block == ir.region_blocks[ir.block_region[block]][0]
        return f"%{name}" if is_entry else f"%{ir.block_name(block)[1:]}_{name}"
    name = ir.result_names(owner)[value - ir.first_result[owner]]
    return f"{name}#0" if _ARGUMENT.fullmatch(name) else name
