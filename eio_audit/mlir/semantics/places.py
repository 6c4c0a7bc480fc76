"""The few ops that need a certain place, for a reason that is no value and no effect.

MLIR or LLVM rejects a program, or leaves undefined what it does, where another op comes in between:

- ``llvm.landingpad`` is the first op of its block. MLIR checks it (``InvokeOp::verify``).
- A ``musttail`` call, and a call of ``llvm.experimental.deoptimize``, is directly before the return. Only ops
  that become no instruction, such as constants, may be between. LLVM checks it (``Verifier.cpp``).
- An ``inalloca`` allocation is the newest one on the stack when it is passed to a call (LLVM's language
  reference, "inalloca"). Nothing checks it.

``spirv.Variable`` is not one of them: the serializer writes it to the start of its function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from eio_audit.mlir.ir import IR

_MUSTTAIL = re.compile(rb"(?<![\w$.@%^!#-])musttail(?![\w$.-])|\bTailCallKind\W*=\s*#[\w$-]+(?![\w$.<-])")
"""The word, or a tail call kind that is an alias without definition."""
_INALLOCA = re.compile(rb"(?<![\w$.@%^!#-])(?:llvm\.)?inalloca(?![\w$.-])")
_DEOPTIMIZE = b"llvm.experimental.deoptimize"
_WORDS = (b"landingpad", b"musttail", b"TailCallKind", b"inalloca", _DEOPTIMIZE)
_PLACED = ("llvm.landingpad", "llvm.alloca")


def ops_with_places(ir: IR) -> Iterator[int]:
    """Yield the ops for which one of the next three functions may hold, in textual order.

    Complexity: linear in the text, which is only searched for a few words, and in the ops if one is there.
    """
    names = {number for number, name in enumerate(ir.names) if name in _PLACED or _is_call(name)}
    if names and any(ir.source.data.find(word, ir.span.start, ir.span.end) >= 0 for word in _WORDS):
        yield from (op for op, name in enumerate(ir.op_name) if name in names)


def must_be_first(ir: IR, op: int) -> bool:
    """Whether no op may come between the start of the op's block and the op."""
    return ir.name(op) == "llvm.landingpad"


def must_precede_terminator(ir: IR, op: int) -> bool:
    """Whether no op may come between the op and the terminator of its block."""
    if not _is_call(ir.name(op)):
        return False
    return _DEOPTIMIZE in ir.bare_text(op) or _MUSTTAIL.search(ir.attribute_text(op)) is not None


def is_newest_allocation(ir: IR, op: int) -> bool:
    """Whether the op makes an ``inalloca`` allocation, or is a call that gets one.

    No allocation may come between the two, nor may one that follows the call come before it. So no op that
    ``changes_stack`` may move from one side of the op to the other.
    """
    if ir.name(op) == "llvm.alloca":
        return _INALLOCA.search(ir.attribute_text(op)) is not None
    if not _is_call(ir.name(op)):
        return False
    definers = [ir.value_owner[value] for value in ir.operands_of(op)]
    return _INALLOCA.search(ir.attribute_text(op)) is not None or any(
        ir.name(definer) == "llvm.alloca" and is_newest_allocation(ir, definer)
        for definer in definers
        if definer >= 0
    )


def changes_stack(ir: IR, op: int) -> bool:
    """Whether the op itself, without its regions, allocates on the stack, or frees what is there."""
    return ir.name(op).rpartition(".")[2] in ("alloca", "stacksave", "stackrestore")


def _is_call(name: str) -> bool:
    """Whether it is a call of a function or an intrinsic, such as ``llvm.call`` or ``func.call``."""
    return name.rpartition(".")[2] in ("call", "call_intrinsic")
