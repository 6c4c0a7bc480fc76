r"""Calls of functions by text: ``emitpy.call_opaque "ttnn.relu"``, ``emitc.call_opaque "ttnn::relu"``.

tt-mlir prints an op of ``ttnn`` as the call of a Python or C++ function. The call has the effects of that op,
as far as its text shows that it is no more than the op:

- The table knows the op. ``callees`` in ``own_traits.json`` has the functions of another name than their op.
- It has no more operands than the op, none that is a pointer to something else than a device, and no
  destination: no keyword argument ``output_tensor``, and no empty tensor behind the first operand.
- Its opaque texts are constants: numbers, names in the namespaces of tt-metal and of the standard library,
  and constructors (``ttnn.MemoryConfig(...)``). Other text may do anything where it runs.
- No other op has its ``emitpy.name``, which is the name of a Python variable.

Its text shows neither the shapes of the tensors nor all attributes of the op. So a call may trap, and has the
effects that the op has under any attribute: a call of ``ttnn.deallocate`` is a forced free, and a convolution
may free its input.

Every other call may do anything.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from eio_audit.mlir.ir import IR
from eio_audit.mlir.tokens import generic_attributes
from eio_audit.mlir.traits import ANY_NUMBER, UNLISTED, OpTraits, op_of_callee

OPAQUE_CALLS = frozenset(("emitc.call_opaque", "emitpy.call_opaque"))
"""Ops that name what they call in a string."""

OPAQUE_TENSOR = re.compile(
    rb'!emitpy\.opaque<"\[?ttnn\.Tensor\]?">|!emitc\.opaque<"(?:(?:::)?ttnn::Tensor|(?:::)?std::vector<(?:::)?ttnn::Tensor>)">'
)
OPAQUE_DEVICE = re.compile(
    rb'!emitpy\.opaque<"ttnn\.(?:Mesh)?Device">|!emitc\.ptr<!emitc\.opaque<"(?:::)?ttnn::distributed::MeshDevice">>'
)
"""The types of tt-metal in Python and C++: a tensor or several, and a device."""

_TEXT = rb'"((?:[^"\\]|\\.)*)"'
_CUSTOM_CALLEE = re.compile(rb"call_opaque\s+" + _TEXT + rb"\s*\(")
_OPAQUE = re.compile(rb"\bopaque<" + _TEXT + rb">")
_KEYWORDS = re.compile(rb"\bkeyword_args\s*=\s*\[(?P<keywords>[^\]]*)\]")
_NAME = re.compile(rb"\bemitpy\.name\"?\s*=\s*" + _TEXT)
_DESTINATION = rb"output_tensor"
_ADDRESS = re.compile(rb"!emitc\.(?:array|lvalue|ptr)<")
_CONSTANT = re.compile(
    rb"""(?:
    [\s\[\]{}<>),*&]
    | -?[0-9][\w.]*+
    | (?:True|False|None|true|false|nullptr|bool|double|float|int|u?int[0-9]+_t|size_t)\b(?!\s*\()
    | (?:::)?(?:ttnn|ttsl|tt|std|reduction_common)(?:(?:\.|::)\w++)+(?!(?:\.|::)\w|\s*\()
    | (?:::)?(?:ttnn|ttsl|tt)(?:(?:\.|::)\w++)*?(?:\.|::)(?!Create|Get|Set)(?=[A-Z])\w*
      (?:Config|Coord|Grid|Param|Range|RangeSet|Shape|Spec)\(
    | (?<![\w)\]}>])\(
    | \.?[a-z]\w*+\s*=(?!=)\s*(?=[^\s=])
    | '[\w./\ -]*' | \\22[\w./\ -]*\\22 | \\'[\w./\ -]*\\'
    )*""",
    re.VERBOSE,
)
"""By line: brackets, numbers, words, constants and types, constructors, tuples, argument names, strings."""
_ASSIGNED = re.compile(rb"(?<![\w.])[a-z]\w*\s*=")
"""In C++, a name without a dot before ``=`` is a variable that is assigned to."""


def called_ops(ir: IR, assume_pure: Sequence[str] = ()) -> dict[int, str]:
    """Return, by call, the op that it has the effects of. Other calls are left out.

    A row of the project for the calls themselves, or an assumption about them, has precedence.

    Complexity: linear in the texts of the calls.
    """
    names = {
        number
        for number, name in enumerate(ir.names)
        if name in OPAQUE_CALLS
        and ir.op_table.of(name) is UNLISTED
        and not any(fnmatchcase(name, pattern) for pattern in assume_pure)
    }
    if not names:
        return {}
    called: dict[int, str] = {}
    variables: dict[int, bytes] = {}
    for op, name in enumerate(ir.op_name):
        if name in names and (found := _called_op(ir, op)) is not None:
            called[op] = found
            if variable := _NAME.search(ir.bare_text(op)):
                variables[op] = variable[1]
    uses = Counter(variables.values())
    for op, variable_name in variables.items():
        if uses[variable_name] > 1:
            del called[op]
    for op in [op for op in called if _has_destination(ir, op, called)]:
        del called[op]
    return called


def called_row(row: OpTraits) -> OpTraits:
    """Return the row of a call of the function that is printed for an op with this row."""
    on = dict(row.on)
    for places in row.when.values():
        for place, kinds in places.items():
            on[place] = on.get(place, frozenset()) | kinds
    return replace(
        row, effects=row.effects.union(*on.values()), on=on, when={}, flags=row.flags | {"may_trap"}
    )


def _called_op(ir: IR, op: int) -> str | None:
    text, is_generic = ir.alias_texts.expanded(ir.bare_text(op)), ir.op_is_generic[op]
    callees = (
        [value.strip(b'"') for name, value in generic_attributes(text) if name == b"callee"]
        if is_generic
        else _CUSTOM_CALLEE.findall(text)[:1]
    )
    if len(callees) != 1:
        return None
    rest, keywords = _NAME.sub(b"", text), b""
    if match := _KEYWORDS.search(rest):
        keywords, rest = match["keywords"], rest[: match.start()] + rest[match.end() :]
    is_python = ir.name(op) == "emitpy.call_opaque"
    are_constants = all(_is_constant(opaque, is_python=is_python) for opaque in _OPAQUE.findall(rest))
    strings = _OPAQUE.sub(b"", rest).count(b'"') // 2  # the callee and, in generic assembly, the op's name
    has_address = _ADDRESS.search(OPAQUE_DEVICE.sub(b"", rest)) is not None
    if has_address or not are_constants or strings != (2 if is_generic else 1) or _DESTINATION in keywords:
        return None
    return op_of_callee(callees[0].decode("utf-8", "replace").replace("::", ".").removeprefix("."))


def _is_constant(text: bytes, *, is_python: bool) -> bool:
    return _CONSTANT.fullmatch(text) is not None and (is_python or _ASSIGNED.search(text) is None)


def _has_destination(ir: IR, op: int, called: dict[int, str]) -> bool:
    """Whether a call gets more operands than its op, or an empty tensor behind the first operand."""
    operands = ir.operands_of(op)
    most = ir.op_table.of(called[op]).operands
    owners = [ir.value_owner[value] for value in operands[1:]]
    is_empty = any(called.get(owner) == "ttnn.empty" for owner in owners)
    return is_empty or len(operands) > (ANY_NUMBER if most is None else most)
