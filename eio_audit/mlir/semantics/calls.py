"""Resolve calls to functions that the dump defines and that cannot be replaced.

A call names its callee by a symbol, which the nearest enclosing symbol table defines. Every other callee is
unknown: a declaration, a nested reference, a function value, a symbol defined twice, or a function that the
linker may replace.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from eio_audit.mlir.aliases import post_order
from eio_audit.mlir.ir import IR
from eio_audit.mlir.tokens import SYMBOL, SYMBOL_NAME, generic_attributes, symbol_of

OUTSIDE = -1
"""In place of a function or another op: the top level of the dump."""

_CUSTOM_CALLEE = re.compile(rb"(?:(?:\s+[a-z_]\w*)*\s+|\s*\(\s*)(?P<symbol>" + SYMBOL + rb")\s*[(,]")
_CUSTOM_SYMBOL = re.compile(rb"(?:\s+[a-z_]\w*)*\s+(?P<symbol>" + SYMBOL + rb")")
_SYMBOL = re.compile(SYMBOL)
_SYMBOL_NAME = re.compile(SYMBOL_NAME)
_NAME = re.compile(rb'(?:%[^"=]*=\s*)?(?:"[^"\n]*"|[\w$.]+)')
_REPLACEABLE = re.compile(
    rb"\b(?:weak|weak_odr|linkonce|linkonce_odr|common|extern_weak|available_externally|appending)\b"
    rb"|\blinkage\"?\s*=\s*(?!#llvm\.linkage<(?:external|internal|private)>)"
    rb"|\bspecifiers\"?\s*=\s*(?!\[(?:\s|,|\"static\"|\"inline\"|\"constexpr\")*\])"
)


class Calls:
    """The calls of one dump.

    Attributes:
        callee: by call, the called function. A call is missing if its callee is unknown, and if it closes a
            cycle, such as a recursive call.
        by_function: by function, the calls in it. OUTSIDE has the calls outside functions. Callees come
            before their callers.
    """

    def __init__(self, ir: IR) -> None:
        self._ir = ir
        rows = [ir.op_table.of(name) for name in ir.names]
        self._is_table = ["symbol_table" in row.flags for row in rows]
        self._is_function = ["function" in row.flags for row in rows]
        is_call = ["call" in row.flags for row in rows]
        calls = [op for op, name in enumerate(ir.op_name) if is_call[name]]
        found = ((call, self._find(call)) for call in calls)
        self.callee = {call: callee for call, callee in found if callee is not None}
        self.by_function = self._callees_first(calls)

    def _callees_first(self, calls: Sequence[int]) -> dict[int, list[int]]:
        calls_in: dict[int, list[int]] = {OUTSIDE: []}
        for call in calls:
            enclosing = self._ir.enclosing_ops(self._ir.op_block[call])
            functions = (op for op in enclosing if self._is_function[self._ir.op_name[op]])
            calls_in.setdefault(next(functions, OUTSIDE), []).append(call)
        done: dict[int, list[int]] = {}

        def callees(function: int) -> list[int]:
            called = reversed(calls_in.get(function, ()))
            return [self.callee[call] for call in called if call in self.callee]

        # Reversed here and in ``callees``: post_order takes the last first, and textual order breaks ties.
        for function in post_order([*calls_in, *self.callee.values()][::-1], callees, done):
            done[function] = calls_in.get(function, [])
        place = {function: k for k, function in enumerate(done)}
        for function, in_function in done.items():
            for call in in_function:
                if call in self.callee and place[self.callee[call]] >= place[function]:
                    del self.callee[call]
        return done

    def _find(self, call: int) -> int | None:
        symbol = self._callee_symbol(call)
        if symbol is None:
            return None
        for op in self._ir.enclosing_ops(self._ir.op_block[call]):
            if _may_hide_symbols(self._ir, op):
                return None
            if self._is_table[self._ir.op_name[op]]:
                return self._functions.get((op, symbol))
        return self._functions.get((OUTSIDE, symbol))

    def _callee_symbol(self, call: int) -> str | None:
        text = self._ir.own_text(call)
        if self._ir.op_is_generic[call]:
            callees = _values(text, b"callee")
            is_symbol = len(callees) == 1 and _SYMBOL.fullmatch(callees[0])
            return symbol_of(callees[0]) if is_symbol else None
        if b"callee" in text:
            return None  # MLIR prefers the attribute to the symbol: call @f() {callee = @g}
        name = _NAME.match(text)
        match = _CUSTOM_CALLEE.match(text, name.end()) if name else None
        return symbol_of(match["symbol"]) if match else None

    @cached_property
    def _functions(self) -> dict[tuple[int, str], int | None]:
        """By symbol table and symbol, the function that a call of the symbol calls. None if unknown."""
        ir, found = self._ir, dict[tuple[int, str], int | None]()
        for op in range(len(ir)):
            symbols = self._symbols(op) if self._is_function[ir.op_name[op]] else ()
            for symbol in symbols:
                key = ir.parent_op(ir.op_block[op]), symbol
                is_fixed = ir.nested_ops(op) and _REPLACEABLE.search(ir.own_text(op)) is None
                found[key] = op if key not in found and is_fixed and len(symbols) == 1 else None
        return found

    def _symbols(self, function: int) -> list[str]:
        """Return the symbol of a function, or those that it may have."""
        ir = self._ir
        header = ir.own_text(function)
        if ir.op_is_generic[function]:
            return list(map(symbol_of, _values(header, b"sym_name")))
        name = _NAME.match(header)
        match = _CUSTOM_SYMBOL.match(header, name.end()) if name else None
        others = map(symbol_of, _SYMBOL_NAME.findall(header))
        return [symbol_of(match["symbol"]), *others] if match else []


def _may_hide_symbols(ir: IR, op: int) -> bool:
    """Whether an op may be a symbol table though no row says so. A row under a pattern says nothing of it."""
    return ir.name(op) not in ir.op_table.rows


def _values(text: bytes, attribute: bytes) -> list[bytes]:
    """Return the values of an attribute in generic form: several if it is in ``<{...}>`` and in ``{...}``."""
    return [value for name, value in generic_attributes(text) if name == attribute]
