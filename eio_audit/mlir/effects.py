"""What the operations of a dump do to memory, as far as that keeps them in order.

Tensors are values: an effect bound to a tensor operand (an in-place cache update, a deallocation)
concerns that tensor and its views only. Memref-like values share one memory. An effect bound to nothing
concerns all memory, and an op that is not listed, or declares nothing, may do anything. Allocations keep no
order of their own: only the uses of what they allocate do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cached_property

from eio_audit.mlir.aliases import AliasClasses, is_declaration
from eio_audit.mlir.ir import IR
from eio_audit.mlir.traits import UNLISTED, OpTraits

ANY = frozenset({"read", "write", "free"})
_ORDERED = ANY
"""Kinds of effect that keep an order."""

_READ_WRITE = frozenset({"read", "write"})
_STRING = re.compile(rb'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"')
_CALLEE = re.compile(rb'@(?:[\w$.-]+|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+")(?!::)')
_TOKEN = re.compile(rb'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"|//[^\n]*|->|[(){}\[\]<>:,]')
_PAREN = re.compile(rb"\s*+\(")
_MEMREF_LIKE = re.compile(rb"\bmemref<|![A-Za-z_]|\bptr\b")
_TENSOR_LIKE = re.compile(rb"(?:tensor|vector)<|[su]?i\d|b?f\d|tf32|index|none|complex<")


@dataclass(frozen=True, slots=True)
class Effects:
    """The effects of one op, those of its regions included; kinds are ``read``, ``write``, ``free``.

    Attributes:
        anywhere: effects on all memory, tensors included.
        memory: effects on memref-like values.
        values: effects on tensors, by alias class (``EffectTable.alias_class``).
    """

    anywhere: frozenset[str] = frozenset()
    memory: frozenset[str] = frozenset()
    values: Mapping[int, frozenset[str]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.anywhere or self.memory or self.values)

    def __or__(self, other: Effects) -> Effects:
        values = dict(self.values)
        for value, kinds in other.values.items():
            values[value] = values.get(value, frozenset()) | kinds
        return Effects(self.anywhere | other.anywhere, self.memory | other.memory, values)


PURE = Effects()
ANY_EFFECT = Effects(anywhere=ANY)


class EffectSource(StrEnum):
    """How the effects of an op are known."""

    LISTED = "listed"
    """The op table declares them."""
    CONFIGURED = "configured"
    """The project's own rows of the op table declare them."""
    CONTENTS = "contents"
    """They are those of the ops in its regions."""
    CALLEE = "callee"
    """They are those of the function it calls, which the dump holds."""
    UNKNOWN = "unknown"
    """The op table lists the op but cannot tell its effects: it may do anything."""
    UNLISTED = "unlisted"
    """The op table does not list the op: it may do anything."""
    ASSUMED = "assumed"
    """It is taken to do nothing, because that was asked for."""


class EffectTable:
    """The effects of every op of one dump.

    Args:
        ir: the dump.
        assume_pure: shell patterns (``my.*``); ops whose full name matches one are taken to do nothing.
            What the ops in their regions do still counts.

    Attributes:
        unknown_ops: how often each op occurs that may do anything, by full name.
        assumed_pure: how many ops are taken to do nothing that otherwise would do something, by the first
            pattern that matches.

    Complexity: linear in ops and operands, apart from the ops that do have effects on tensors.
    """

    def __init__(self, ir: IR, assume_pure: Sequence[str] = ()) -> None:
        self._ir = ir
        self._rows = [ir.op_table.of(name) for name in ir.names]
        self._effects: dict[int, Effects] = {}
        self._callees: dict[int, int] = {}
        self._assumed = [_first_match(name, assume_pure) for name in ir.names]
        self.unknown_ops: Counter[str] = Counter()
        self.assumed_pure: Counter[str] = Counter()
        if assume_pure or not all(map(_is_harmless, self._rows)):
            self._fill()

    def acting(self, ops: Sequence[int]) -> list[int]:
        """The places of those of ``ops`` that have effects."""
        return [k for k, op in enumerate(ops) if op in self._effects] if self._effects else []

    def of(self, op: int) -> Effects:
        """The op's effects; an op without any gives ``PURE``."""
        return self._effects.get(op, PURE)

    def source_of(self, op: int) -> EffectSource:
        """How the op's effects are known."""
        row = self._rows[self._ir.op_name[op]]
        if self._assumed[self._ir.op_name[op]] is not None and not _is_harmless(row):
            return EffectSource.ASSUMED
        if row is UNLISTED:
            return EffectSource.UNLISTED
        if op in self._callees:
            return EffectSource.CALLEE if self._callees[op] >= 0 else EffectSource.UNKNOWN
        if is_declaration(row) or row.recursive:
            return EffectSource.CONTENTS
        if row.unknown or (row.dynamic and "destination_style" not in row.flags):
            return EffectSource.UNKNOWN
        is_own = self._ir.op_table.is_own(self._ir.name(op))
        return EffectSource.CONFIGURED if is_own else EffectSource.LISTED

    def alias_class(self, value: int) -> int:
        """A value that stands for this one and all that may share its buffer."""
        return self._aliases.of(value)

    @cached_property
    def _aliases(self) -> AliasClasses:
        """Made when an op has effects on tensors, which is seldom."""
        is_assumed = [pattern is not None for pattern in self._assumed]
        return AliasClasses(
            self._ir, [OpTraits() if a else r for a, r in zip(is_assumed, self._rows, strict=True)]
        )

    # ------------------------------------------------------------------ all ops, innermost first

    def _fill(self) -> None:
        ir = self._ir
        is_silent = [_is_silent(row) for row in self._rows]
        calls: list[int] = []
        for op in range(len(ir) - 1, -1, -1):
            if is_silent[ir.op_name[op]] and op not in self._effects:
                continue
            row = self._rows[ir.op_name[op]]
            pattern = self._assumed[ir.op_name[op]]
            if pattern is not None:
                self.assumed_pure[pattern] += not _is_harmless(row)
                self._add(op, PURE)
                continue
            if "call" in row.flags and row.unknown:
                calls.append(op)
                continue
            self._add(op, self._own_effects(op, row))
        if calls:
            self._add_calls(calls)

    def _add(self, op: int, own: Effects) -> None:
        """Adds effects to an op and hands what it has in all to the op around it."""
        total = self._effects.get(op, PURE) | own
        if not total:
            return
        self._effects[op] = total
        parent = self._ir.parent_op(self._ir.op_block[op])
        if parent >= 0:
            seen_from_outside = self._through_arguments(total, parent)
            self._effects[parent] = self._effects.get(parent, PURE) | seen_from_outside

    def _through_arguments(self, effects: Effects, parent: int) -> Effects:
        """An effect on an argument of the parent's region may be one on any operand of the parent."""
        ir, values = self._ir, dict(effects.values)
        for value, kinds in effects.values.items():
            owner = ir.value_owner[value]
            if owner < 0 and ir.parent_op(-1 - owner) == parent:
                for operand in ir.operands_of(parent):
                    alias = self.alias_class(operand)
                    values[alias] = values.get(alias, frozenset()) | kinds
        return Effects(effects.anywhere, effects.memory, values)

    def _own_effects(self, op: int, row: OpTraits) -> Effects:
        """What the op does itself, apart from its regions."""
        if is_declaration(row) or row.recursive:
            return PURE
        if row.dynamic and "destination_style" in row.flags:
            return Effects(memory=_READ_WRITE) if self._has_memref_like(op) else PURE
        if row.unknown or row.dynamic:
            self.unknown_ops[self._ir.name(op)] += 1
            return ANY_EFFECT
        return self._declared_effects(op, row)

    def _declared_effects(self, op: int, row: OpTraits) -> Effects:
        bound: frozenset[str] = frozenset().union(*row.on.values())
        result = Effects(anywhere=(row.effects - bound) & _ORDERED)
        for place, kinds in row.on.items():
            kinds &= _ORDERED  # noqa: PLW2901
            if kinds:
                result |= self._bound_effect(op, place, kinds)
        return result

    def _bound_effect(self, op: int, place: str, kinds: frozenset[str]) -> Effects:
        kind, _, number = place.partition(" ")
        if not number:  # a state that no value shows
            return Effects(anywhere=kinds)
        if kind == "result":  # a value nobody else has yet: its uses come after it anyway
            return (
                PURE
                if self._function_type(op) is not None and not self._has_memref_like(op)
                else Effects(memory=kinds)
            )
        operands = self._ir.operands_of(op)
        types = self._operand_types(op)
        if types is None or not number.isdigit() or len(types) != len(operands):
            chosen = range(len(operands))  # the position is not known from the text: any operand
        else:
            chosen = range(int(number), min(int(number) + 1, len(operands)))
        effects = PURE
        for position in chosen:
            if self._is_tensor(op, types, position):
                effects |= Effects(values={self.alias_class(operands[position]): kinds})
            else:
                effects |= Effects(memory=kinds)
        return effects

    # ------------------------------------------------------------------ calls

    def _add_calls(self, calls: Iterable[int]) -> None:
        """A call has the effects of the function it calls; a recursive or foreign one may do anything."""
        functions = self._functions()
        callees = self._callees = {call: self._callee(call, functions) for call in calls}
        called_from: dict[int, list[int]] = {}
        for call in callees:
            called_from.setdefault(self._function_around(call), []).append(call)
        done: dict[int, Effects] = {}
        for root in [f for f in functions.values() if f >= 0] + [-1]:
            self._summarize(root, callees, called_from, done)

    def _summarize(
        self, root: int, callees: dict[int, int], called_from: dict[int, list[int]], done: dict[int, Effects]
    ) -> None:
        """Settles the calls inside ``root`` after those inside the functions it calls, without recursion."""
        stack, active = [root], {root}
        while stack:
            function = stack[-1]
            if function in done:
                active.discard(stack.pop())
                continue
            waiting = [callees[call] for call in called_from.get(function, ()) if callees[call] >= 0]
            callee = next((c for c in waiting if c not in done and c not in active), None)
            if callee is not None:
                stack.append(callee)
                active.add(callee)
                continue
            for call in called_from.get(function, ()):
                summary = done.get(callees[call], ANY_EFFECT) if callees[call] >= 0 else ANY_EFFECT
                if summary.anywhere == ANY:
                    self.unknown_ops[self._ir.name(call)] += callees[call] < 0
                self._add_upwards(call, summary)
            own = self._effects.get(function, PURE) if function >= 0 else PURE
            done[function] = (
                ANY_EFFECT if self._has_foreign_values(function, own) else Effects(own.anywhere, own.memory)
            )
            active.discard(stack.pop())

    def _has_foreign_values(self, function: int, effects: Effects) -> bool:
        """Whether a function changes a tensor that its caller can see: one of its arguments."""
        owners = (self._ir.value_owner[value] for value in effects.values)
        return any(owner < 0 and self._ir.parent_op(-1 - owner) == function for owner in owners)

    def _add_upwards(self, op: int, effects: Effects) -> None:
        while op >= 0 and effects and not is_declaration(self._rows[self._ir.op_name[op]]):
            self._effects[op] = self._effects.get(op, PURE) | effects
            op = self._ir.parent_op(self._ir.op_block[op])
        if op >= 0 and effects:
            self._effects[op] = self._effects.get(op, PURE) | effects

    def _functions(self) -> dict[str, int]:
        """The functions with a body, by symbol; -1 where a symbol is defined twice."""
        ir, found = self._ir, dict[str, int]()
        is_function = ["function" in row.flags for row in self._rows]
        for op in range(len(ir)):
            if is_function[ir.op_name[op]] and ir.subtree_end[op] > op + 1 and (symbol := ir.symbol(op)):
                found[symbol] = -1 if symbol in found else op
        return found

    def _callee(self, call: int, functions: dict[str, int]) -> int:
        match = _CALLEE.search(_STRING.sub(b'""', self._ir.text(call)))
        return functions.get(match[0].decode("utf-8", "replace"), -1) if match else -1

    def _function_around(self, op: int) -> int:
        ir = self._ir
        around = ir.enclosing_ops(ir.op_block[op])
        return next((o for o in around if "function" in self._rows[ir.op_name[o]].flags), -1)

    # ------------------------------------------------------------------ types, as far as the text tells

    def _has_memref_like(self, op: int) -> bool:
        return _MEMREF_LIKE.search(_STRING.sub(b'""', self._ir.own_text(op))) is not None

    def _is_tensor(self, op: int, types: list[bytes] | None, position: int) -> bool:
        if types is not None and position < len(types):
            return _TENSOR_LIKE.match(types[position]) is not None
        return not self._has_memref_like(op)

    def _operand_types(self, op: int) -> list[bytes] | None:
        """The types before ``->`` of a generic op, or None for custom assembly."""
        text = self._function_type(op)
        return None if text is None else _split_types(text)

    def _function_type(self, op: int) -> bytes | None:
        """The trailing ``(operand types) -> ...`` of a generic op, or None."""
        ir = self._ir
        if not ir.op_is_generic[op]:
            return None
        text = ir.tail(op) if ir.subtree_end[op] > op + 1 else ir.text(op)
        found = -1
        for token, depth in _tokens(text):
            if token[0] == b":" and depth <= 0 and (paren := _PAREN.match(text, token.end())):
                found = paren.end() - 1
        return None if found < 0 else text[found:]


def _is_silent(row: OpTraits) -> bool:
    return not (row.unknown or row.dynamic or row.effects & _ORDERED)


def _is_harmless(row: OpTraits) -> bool:
    """Whether the op does nothing itself, apart from its regions."""
    return _is_silent(row) or is_declaration(row)


def _first_match(name: str, patterns: Sequence[str]) -> str | None:
    return next((pattern for pattern in patterns if fnmatchcase(name, pattern)), None)


def _tokens(text: bytes) -> Iterator[tuple[re.Match[bytes], int]]:
    """The brackets, strings and separators of a text, each with how many brackets are open behind it."""
    depth = 0
    for token in _TOKEN.finditer(text):
        if token[0] in (b"(", b"[", b"{", b"<"):
            depth += 1
        elif token[0] in (b")", b"]", b"}", b">"):
            depth -= 1
        yield token, depth


def _split_types(text: bytes) -> list[bytes]:
    """The types of ``(t0, t1, ...)`` at the start of ``text``."""
    types, start = [], 1
    for token, depth in _tokens(text):
        if (token[0] == b"," and depth == 1) or depth == 0:
            types.append(text[start : token.start()].strip())
            start = token.end()
            if depth == 0:
                break
    return [t for t in types if t]
