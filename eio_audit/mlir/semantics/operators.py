"""Ops that name in a string what they do: custom calls of StableHLO and MHLO, and operators of ONNX.

**Custom calls.** StableHLO's tensors are values: a custom call reads its operands, and changes those that
``output_operand_aliases`` names. With ``has_side_effect``, or with computations that it calls, it may do
anything else. MHLO assumes that unless ``has_side_effect`` is false. A call that only annotates its operand
(``@Sharding``) gives that operand. The targets of tt-mlir (``@tt.update_cache``) may change any tensor that
they get, and so may an unclear target. A call of other values than tensors may do anything.

**ONNX.** Torch-MLIR's ``torch.operator "onnx.Relu"`` is that operator of the ONNX standard. All of them are
functions of their operands, but those that draw random numbers or run graphs (``If``, ``Loop``, ``Scan``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache

from eio_audit.mlir.ir import IR
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.semantics.value_types import Storage, shown_storage
from eio_audit.mlir.traits import EVERYTHING, KINDS, STATES, OpTraits, onnx_functions

CUSTOM_CALLS = frozenset(("mhlo.custom_call", "stablehlo.custom_call"))
_OPERATOR = "torch.operator"
_TARGET = pattern(rb'custom_call\s+@"?([\w.$-]+)|\bcall_target_name"?\s*=\s*"([^"\\]*)"')
_ANNOTATIONS = frozenset((b"Sharding", b"SPMDFullToShardShape", b"SPMDShardToFullShape"))
"""Targets of custom calls that say how a tensor is spread over devices, and do nothing."""
_IN_PLACE = b"tt."
_SIDE_EFFECT = pattern(rb"\bhas_side_effect\s*=\s*(\w*)")
_CALLED = pattern(rb"\bcalled_computations\b(?!\s*=\s*\[\s*\])")
_ALIASES = pattern(rb"\boutput_operand_aliases\b(?!\s*=\s*\[\s*\])")
_ALIASED = pattern(rb"\boperand_index\s*=\s*([0-9]+)")
_NAME_OF_OPERATOR = pattern(rb'torch\.operator\s*"onnx\.(\w+)"|\bname"?\s*=\s*"onnx\.(\w+)"')
_FUNCTION = OpTraits(flags=frozenset(("may_trap",)))
"""A result may be an operand."""


def described_operators(ir: IR, assume_pure: Sequence[str] = ()) -> Iterator[tuple[int, OpTraits]]:
    """Yield the ops whose text tells more than the row of their name, each with a row of its own.

    A row of the project for the name, or an assumption about it, has precedence.

    Complexity: linear in the texts of these ops.
    """
    names = {
        number
        for number, name in enumerate(ir.names)
        if (name in CUSTOM_CALLS or name == _OPERATOR)
        and not ir.op_table.is_own(name)
        and not any(fnmatchcase(name, pattern) for pattern in assume_pure)
    }
    for op, name in enumerate(ir.op_name) if names else ():
        if name in names:
            row = _operator(ir, op) if ir.names[name] == _OPERATOR else _custom_call(ir, op)
            if row is not None:
                yield op, row


def _custom_call(ir: IR, op: int) -> OpTraits | None:
    text = ir.alias_texts.expanded(ir.bare_text(op))
    targets = [custom or generic for custom, generic in _TARGET.findall(text)]
    may_do_anything = len(targets) != 1 or targets[0].startswith(_IN_PLACE)
    if may_do_anything or shown_storage(ir, op) & Storage.ADDRESS:
        return None
    words = ir.attribute_text(op)
    said = _SIDE_EFFECT.findall(words)
    is_silent = all(value == b"false" for value in said) and (said or ir.name(op) == "stablehlo.custom_call")
    has_aliases = _ALIASES.search(words) is not None
    aliased = frozenset(map(int, _ALIASED.findall(words))) if has_aliases else None
    acts = not is_silent or _CALLED.search(words) is not None
    if targets[0] in _ANNOTATIONS and not said and not acts and not has_aliases:
        return _FUNCTION
    return _row(aliased, acts=acts)


@cache
def _row(aliased: frozenset[int] | None, *, acts: bool) -> OpTraits:
    """Return the row of a custom call that changes some operands, all of them if it does not say which."""
    write = frozenset(("write",))
    on: dict[str, frozenset[str]] = {}
    if aliased is not None:
        on = {f"operand {number}": write for number in aliased} or {"operand ?": write}
    flags = {"may_trap", *(("fresh",) if on else ())}  # with aliases, a result is the operand that they name
    if acts:
        on |= {EVERYTHING: frozenset(KINDS), **dict.fromkeys(STATES, frozenset(("read", "write")))}
        flags.add("may_not_return")
    return OpTraits(effects=frozenset[str]().union(*on.values()), on=on, flags=frozenset(flags))


def _operator(ir: IR, op: int) -> OpTraits | None:
    text = ir.alias_texts.expanded(ir.bare_text(op))
    names = [custom or generic for custom, generic in _NAME_OF_OPERATOR.findall(text)]
    is_function = len(names) == 1 and op not in ir.regions_of
    return _FUNCTION if is_function and names[0].decode() in onnx_functions() else None
