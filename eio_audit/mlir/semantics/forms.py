"""What the rows of the op table do not say of an op: that its form is another one, or that it needs a place.

**Forms.** A row holds for the form of an op that its definition has. An op in another form may do anything:

- *Other operands.* There are more than the definition has, or in groups that it does not have, or an op of
  ``ttir`` or ``ttnn`` gets an empty tensor: until 2025 it wrote its result there. An op of ``ttir`` keeps its
  row if nothing else uses that tensor.
- *Recipes.* A clause of OpenMP or OpenACC names a symbol whose regions the op runs.
- *Other values than numbers.* EmitC prints an operator, which a type of the program may define.
- *Pasted text.* An op of EmitC shows opaque text, or uses a value whose text is printed where it is used.

An op without a row whose name says that it pastes text (``sv.verbatim``) is a fence: see ``pastes_text``.

**Places.** A few ops need a certain place, for a reason that is no value and no effect. MLIR or LLVM rejects
a program, or leaves undefined what it does, where another op comes in between:

- Until 2023, the k-th ``scf.reduce`` of a block gave the k-th result of ``scf.parallel``.
- ``llvm.landingpad`` is the first op of its block. MLIR checks it (``InvokeOp::verify``).
- A ``musttail`` call, and a call of ``llvm.experimental.deoptimize``, is directly before the return. Only ops
  that become no instruction, such as constants, may be between. LLVM checks it (``Verifier.cpp``).
- An ``inalloca`` allocation is the newest one on the stack when it is passed to a call (LLVM's language
  reference, "inalloca"). Nothing checks it.

``spirv.Variable`` is not one of them: the serializer writes it to the start of its function.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain, compress, count, islice
from operator import and_, gt, sub

from eio_audit.mlir.ir import IR
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.semantics.value_types import (
    attributes_of,
    constant,
    is_false,
    result_types,
    shown_storage,
)
from eio_audit.mlir.traits import ANY_NUMBER, OpTraits

_GROUPS = pattern(rb"\boperand(?:SegmentSizes|_segment_sizes|_constraints)\b")
"""Attributes of an op that tell its groups of operands. ``operand_constraints`` was one of destinations."""
_INPUTS_AND_OUTPUTS = pattern(
    rb"\boperand_(?:constraints|segment_sizes)\b"
    rb"|\boperandSegmentSizes\"?\s*=\s*+(?!array<i32:\s*\d+\s*(?:>|,\s*\d+\s*,))"
)
"""Two groups, or groups as they were printed when ops had destinations."""
_OPAQUE = pattern(rb"\bopaque\b")
_CONVERSIONS = (".to_layout", ".to_device", ".to_memory_config", ".to_tensor_spec", ".typecast", ".reshape")
"""Ops between an empty tensor and the op that wrote into it."""
_PASTES = pattern(r"(?:[._]|^)(?:verbatim|include|ifn?def|macro|inline_(?:asm|cpp|code))(?:[._]|$)")
_NUMBER = pattern(rb"-?[0-9]+\s*:")
_LAST_NUMBER = pattern(rb",\s*(-?[0-9]+)\s*(?:\{[^{}]*\}\s*)?(?::[^:]*)?\Z")
_SIGN_BIT = 1 << 31
_TRAINING = 5  # the operand of a normalization of torch that says whether it trains, behind mean and variance
_PASTED_WHERE_USED = frozenset(("emitc.expression", "emitc.literal", "emitpy.expression", "emitpy.literal"))
_MUSTTAIL = pattern(rb"(?<![\w$.@%^!#-])musttail(?![\w$.-])|\bTailCallKind\W*=\s*#[\w$-]+(?![\w$.<-])")
"""The word, or a tail call kind that is an alias without definition."""
_INALLOCA = pattern(rb"(?<![\w$.@%^!#-])(?:llvm\.)?inalloca(?![\w$.-])")
COUNTED = "scf.reduce"  # the k-th of these ops in a block gives the k-th result of the op around it
_DEOPTIMIZE = b"llvm.experimental.deoptimize"
_WORDS = (b"landingpad", b"musttail", b"TailCallKind", b"inalloca", COUNTED.encode(), _DEOPTIMIZE)
_PLACED = ("llvm.landingpad", "llvm.alloca", COUNTED)


class Forms:
    """Which ops of one dump have another form than their row.

    ``rows`` has, by number of an op's name, its row of the shipped table. None for a row of the project.

    Complexity: linear in the texts of the ops that may have another form.
    """

    def __init__(self, ir: IR, rows: Sequence[OpTraits | None]) -> None:
        self._ir = ir
        self._rows = rows

    @cached_property
    def others(self) -> frozenset[int]:
        """The ops that have another form, so that they may do anything."""
        written = (*self._with_other_operands(), *self._with_destinations())
        in_place = (op for op in written if not self._has_new_destinations(op))
        others = (self._with_recipes(), self._with_pasted_text(), self._with_other_values())
        return frozenset(chain(in_place, *others))

    def may_be_volatile(self, op: int) -> bool:
        """Whether bit 31 of the op's last argument may be set. It is clear if a constant says so."""
        ir = self._ir
        values = [value for name, value in attributes_of(ir, op) if name == b"aux"]
        if not all(map(_NUMBER.match, values)):
            return True
        shown = [int(value.partition(b":")[0]) for value in values]
        shown += [int(match[1]) for match in _LAST_NUMBER.finditer(ir.expanded_text(op))]
        if not shown and (operands := ir.operands_of(op)):
            shown = [number] if (number := constant(ir, operands[-1])) is not None else []
        return not shown or any(not 0 <= number < _SIGN_BIT for number in shown)

    def written_statistics(self, op: int) -> Sequence[int]:
        """Return the running mean and variance that an op of ``torch`` writes: none if it does not train.

        Whether it trains, a constant says. ``instance_norm`` writes them back in any case.
        """
        ir, operands = self._ir, self._ir.operands_of(op)
        if len(operands) <= _TRAINING:
            return operands
        writes = ir.name(op) == "torch.aten.instance_norm" or not is_false(ir, operands[_TRAINING])
        return operands[_TRAINING - 2 : _TRAINING] if writes else ()

    def _ops(self, *flags: str) -> Iterator[int]:
        """Yield the ops whose row has one of the flags, but no declarations."""
        is_meant = [
            row is not None and not row.is_declaration and not row.flags.isdisjoint(flags)
            for row in self._rows
        ]
        if any(is_meant):
            yield from (op for op, name in enumerate(self._ir.op_name) if is_meant[name])

    def _with_other_operands(self) -> Iterator[int]:
        """Yield the ops in generic assembly whose operands the definition does not have."""
        ir = self._ir
        rows = [None if row is None or row.is_declaration else row for row in self._rows]
        most = [ANY_NUMBER if row is None or row.operands is None else row.operands for row in rows]
        starts = ir.operand_start
        has_more = map(gt, map(sub, islice(starts, 1, None), starts), map(most.__getitem__, ir.op_name))
        yield from compress(count(), map(and_, has_more, ir.op_is_generic))
        for offset in self._offsets_of_groups():
            op = bisect_right(ir.op_start, offset) - 1  # the op, or one in its regions before it
            while op >= 0 and offset >= ir.op_end[op]:
                op = ir.parent_op(ir.op_block[op])
            row = rows[ir.op_name[op]] if op >= 0 and ir.op_is_generic[op] else None
            if row is not None and self._has_other_groups(op, row):
                yield op

    def _offsets_of_groups(self) -> Iterator[int]:
        """Yield where the dump has an attribute of ``_GROUPS``. A literal is found ten times as fast."""
        data, end = self._ir.source.data, self._ir.span.end
        offset = data.find(b"operand", self._ir.span.start, end)
        while offset >= 0:
            if _GROUPS.match(data, offset, end):
                yield offset
            offset = data.find(b"operand", offset + 1, end)

    def _has_other_groups(self, op: int, row: OpTraits) -> bool:
        """Whether the op, which groups its operands, does so as its definition does not."""
        if row.operands is not None and "segments" not in row.flags:
            return True
        found = _INPUTS_AND_OUTPUTS.search(self._ir.bare_text(op))
        return found is not None and self._may_have_destination(self._ir.op_name[op])

    def _with_destinations(self) -> Iterator[int]:
        """Yield the ops that get an empty tensor after their first operand, though they write none."""
        ir = self._ir
        has_empty = any(name.endswith(".empty") for name in ir.names)
        may_have = [has_empty and self._may_have_destination(name) for name in range(len(ir.names))]
        for op, name in enumerate(ir.op_name) if any(may_have) else ():
            if may_have[name] and any(map(self._is_empty, ir.operands_of(op)[1:])):
                yield op

    def _is_empty(self, value: int) -> bool:
        """Whether the value is an empty tensor, perhaps in another layout or on another device."""
        ir, owner = self._ir, self._ir.value_owner[value]
        while owner >= 0 and ir.name(owner).endswith(_CONVERSIONS) and ir.operands_of(owner):
            owner = ir.value_owner[ir.operands_of(owner)[0]]
        return owner >= 0 and ir.name(owner).endswith(".empty")

    def _has_new_destinations(self, op: int) -> bool:
        """Whether the op has, behind its operands, an empty tensor per result, and nothing else uses that.

        So ``ttir`` was printed until December 2025. Nobody but the users of the result sees what it writes.
        An empty tensor outside a loop around the op does not count: its next round writes there again.
        """
        ir, operands, row = self._ir, self._ir.operands_of(op), self._rows[self._ir.op_name[op]]
        if row is None or not self._may_have_destination(ir.op_name[op]) or ir.name(op)[:5] != "ttir.":
            return False
        inputs = len(operands) - len(ir.result_values(op))
        return 0 < inputs <= (ANY_NUMBER if row.operands is None else row.operands) and all(
            self._uses[value] == 1
            and (owner := ir.value_owner[value]) >= 0
            and ir.name(owner).endswith(".empty")
            and ir.op_block[owner] == ir.op_block[op]
            for value in operands[inputs:]
        )

    @cached_property
    def _uses(self) -> Counter[int]:
        return Counter(chain(self._ir.operands, *self._ir.late_operands.values()))

    def _may_have_destination(self, name: int) -> bool:
        """Whether ops of this name had a destination once, and have none by their row."""
        row = self._rows[name]
        is_silent = row is not None and not (row.effects or row.dynamic or row.unknown)
        return is_silent and self._ir.names[name].startswith(("ttir.", "ttnn."))

    def _with_recipes(self) -> Iterator[int]:
        return (op for op in self._ops("recipes") if b"@" in self._ir.expanded_text(op))

    def _with_other_values(self) -> Iterator[int]:
        return (op for op in self._ops("numbers") if shown_storage(self._ir, op))

    def _with_pasted_text(self) -> Iterator[int]:
        ir = self._ir
        printed = list(self._ops("pasted"))
        if any(ir.name(op) == "emitc.variable" and not self._is_of_lvalue(op) for op in printed):
            yield from printed  # until 2024 a variable was its value, which its users read
            return
        yield from (op for op in printed if _OPAQUE.search(ir.expanded_text(op)))
        is_pasted = [name in _PASTED_WHERE_USED for name in ir.names]
        if any(is_pasted):
            for op in range(len(ir)):
                owners = [ir.value_owner[value] for value in ir.operands_of(op)]
                if any(owner >= 0 and is_pasted[ir.op_name[owner]] for owner in owners):
                    yield op

    def _is_of_lvalue(self, variable: int) -> bool:
        types = result_types(self._ir, variable) or ()
        return any(self._ir.expanded(one).startswith((b"!emitc.lvalue<", b"!emitc.array<")) for one in types)


def pastes_text(name: str) -> bool:
    """Whether the name of an op without a row says that its text is printed as it is.

    >>> pastes_text("sv.verbatim"), pastes_text("sv.ifdef.procedural"), pastes_text("my.included")
    (True, True, False)
    """
    return _PASTES.search(name) is not None


def ops_with_places(ir: IR) -> Iterator[int]:
    """Yield the ops that are ``COUNTED``, or for which one of the next three functions may hold, in order.

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
    return name.rpartition(".")[2] in ("call", "call_intrinsic")
