"""Resolve calls: to functions of the dump that cannot be replaced, and to what their text names.

**Functions of the dump.** A call names its callee by a symbol, which the nearest enclosing symbol table
defines. Every other callee is unknown: a declaration, a nested reference, a function value, a symbol defined
twice, or a function that the linker may replace. A declaration that says that the function touches no memory,
returns and does not unwind is as good as an empty body. A composite op calls its decomposition.

**Calls by text** are ``emitpy.call_opaque "ttnn.relu"`` and ``emitc.call_opaque "ttnn::relu"``. tt-mlir
prints an op of ``ttnn`` as the call of a Python or C++ function. The call has the effects of that op, as far
as its text shows that it is no more than the op:

- The table knows the op. ``callees`` in ``own_traits.json`` has the functions of another name than their op.
- It has no more operands than the op, none that is a pointer to something else than a device, and no
  destination: no keyword argument ``output_tensor``, and no empty tensor behind the first operand.
- Its opaque texts are constants: numbers, names in the namespaces of tt-metal and of the standard library,
  and constructors (``ttnn.MemoryConfig(...)``). Other text may do anything where it runs.
- No other op has its ``emitpy.name``, which is the name of a Python variable.

Its text shows neither the shapes of the tensors nor all attributes of the op. So a call may trap, and has the
effects that the op has under any attribute: a call of ``ttnn.deallocate`` is a forced free, and a convolution
may free its input. Every other call by text may do anything.

**Custom calls.** StableHLO's tensors are values: a custom call reads its operands, and changes those that
``output_operand_aliases`` names. With ``has_side_effect``, or with computations that it calls, it may do
anything else. MHLO assumes that unless ``has_side_effect`` is false. A call that only annotates its operand
(``@Sharding``) gives that operand. The targets of tt-mlir (``@tt.update_cache``) may change any tensor that
they get, and so may an unclear target. A call of other values than tensors may do anything.

**ONNX.** Torch-MLIR's ``torch.operator "onnx.Relu"`` is that operator of the ONNX standard. All of them are
functions of their operands, but those that draw random numbers or run graphs (``If``, ``Loop``, ``Scan``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache, cached_property

from eio_audit.mlir.ir import IR
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.semantics.value_types import OPAQUE_CALLS, OPAQUE_DEVICE, Storage, shown_storage
from eio_audit.mlir.source import decoded
from eio_audit.mlir.tokens import (
    SYMBOL,
    SYMBOL_NAME,
    SYMBOL_USE,
    generic_attributes,
    outermost_brackets,
    post_order,
    symbol_of,
)
from eio_audit.mlir.traits import (
    ANY_NUMBER,
    EVERYTHING,
    KINDS,
    STATES,
    OpTraits,
    onnx_functions,
    op_of_callee,
)

OUTSIDE = -1  # in place of a function or another op: the top level of the dump
_CUSTOM_CALLEE = pattern(rb"(?:(?:\s+[a-z_]\w*)*\s+|\s*\(\s*)(?P<symbol>" + SYMBOL + rb")\s*[(,]")
_CUSTOM_SYMBOL = pattern(rb"(?:\s+[a-z_]\w*)*\s+(?P<symbol>" + SYMBOL + rb")")
_NAME = pattern(rb'(?:%[^"=]*=\s*)?(?:"[^"\n]*"|[\w$.]+)')
_REPLACEABLE = pattern(
    rb"\b(?:weak|weak_odr|linkonce|linkonce_odr|common|extern_weak|available_externally|appending)\b"
    rb"|\blinkage\"?\s*=\s*+(?!#llvm\.linkage<(?:external|internal|private)>)"
    rb"|\bspecifiers\"?\s*=\s*+(?!\[(?:\s|,|\"static\"|\"inline\"|\"constexpr\")*\])"
)
_NO_MEMORY = pattern(rb"#llvm\.memory_effects<(?:\s*+\w++\s*+=\s*+none\s*+,?)+>")
_ATTRIBUTES = pattern(rb"\sattributes\s*\{")
_NO_BUNDLES = pattern(rb"array<i32\s*>|\[\s*\]")
_COMPOSITES = frozenset(("mhlo.composite", "stablehlo.composite"))
"""Ops that stand for the function that they name as their decomposition."""
_DECOMPOSITION = pattern(rb"\bdecomposition\s*=\s*+(" + SYMBOL + rb")(?!\s*::)")
_TEXT = rb'"((?:[^"\\]|\\.)*)"'
_OPAQUE_CALLEE = pattern(rb"call_opaque\s+" + _TEXT + rb"\s*\(")
_OPAQUE = pattern(rb"\bopaque<" + _TEXT + rb">")
_KEYWORDS = pattern(rb"\bkeyword_args\s*=\s*\[(?P<keywords>[^\]]*)\]")
_PYTHON_NAME = pattern(rb"\bemitpy\.name\"?\s*=\s*" + _TEXT)
_DESTINATION = rb"output_tensor"
_ADDRESS = pattern(rb"!emitc\.(?:array|lvalue|ptr)<")
_CONSTANT = pattern(
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
_ASSIGNED = pattern(rb"(?<![\w.])[a-z]\w*\s*=")
"""In C++, a name without a dot before ``=`` is a variable that is assigned to."""
_OPERATOR = "torch.operator"
_NAME_WHAT_THEY_DO = frozenset(("mhlo.custom_call", "stablehlo.custom_call", _OPERATOR))
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


class Calls:
    """The calls of one dump."""

    def __init__(self, ir: IR) -> None:
        self._ir = ir
        rows = [ir.op_table.of(name) for name in ir.names]
        self._is_table = ["symbol_table" in row.flags for row in rows]
        self._is_function = ["function" in row.flags for row in rows]
        is_call = ["call" in row.flags for row in rows]
        calls = [op for op, name in enumerate(ir.op_name) if is_call[name]]
        found = ((call, self._find(call)) for call in calls)
        # By call, the called function. A call is missing if its callee is unknown, and if it closes
        # a cycle, such as a recursive call.
        self.callee = {call: callee for call, callee in found if callee is not None}
        # By function, the calls in it. OUTSIDE has the calls outside functions. Callees come before
        # their callers.
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
            if self._ir.name(op) not in self._ir.op_table.rows:
                return None  # it may be a symbol table: a row under a pattern says nothing of that
            if self._is_table[self._ir.op_name[op]]:
                return self._functions.get((op, symbol))
        return self._functions.get((OUTSIDE, symbol))

    def _callee_symbol(self, call: int) -> str | None:
        text = self._ir.own_text(call)
        if _has_bundles(text, is_generic=bool(self._ir.op_is_generic[call])):
            return None  # what stands in a bundle, the call may read and write, whatever its function does
        if self._ir.name(call) in _COMPOSITES:
            named = _DECOMPOSITION.findall(self._ir.expanded_text(call))
            is_certain = len(named) == 1 and call not in self._ir.regions_of
            return symbol_of(named[0]) if is_certain else None
        if self._ir.op_is_generic[call]:
            callees = _values(text, b"callee")
            is_symbol = len(callees) == 1 and SYMBOL_USE.fullmatch(callees[0])
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
                is_known = ir.nested_ops(op) or _does_nothing(
                    ir.attribute_text(op), is_generic=bool(ir.op_is_generic[op])
                )
                is_fixed = is_known and _REPLACEABLE.search(ir.own_text(op)) is None
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
        others = map(symbol_of, SYMBOL_NAME.findall(header))
        return [symbol_of(match["symbol"]), *others] if match else []


def _has_bundles(call: bytes, *, is_generic: bool) -> bool:
    """Whether a call of LLVM has operand bundles: ``call @f(%a) ["deopt"(%b : i32)]``."""
    if not is_generic:
        return any(opening == b"[" for _, _, opening in outermost_brackets(call))
    bundles = _values(call, b"op_bundle_sizes") + _values(call, b"op_bundle_tags")
    return any(_NO_BUNDLES.fullmatch(value) is None for value in bundles)


def _does_nothing(declaration: bytes, *, is_generic: bool) -> bool:
    """Whether a declaration of LLVM says that all that a call does is to give its result.

    Only its own attributes say so, none in the brackets of others and none with a longer name.
    """
    if b"memory_effects" not in declaration or b"convergent" in declaration:
        return False
    if not is_generic and (keyword := _ATTRIBUTES.search(declaration)):
        declaration = b"()" + declaration[keyword.end() - 1 :]  # as generic assembly has them
    attributes = generic_attributes(declaration)
    effects = [value for name, value in attributes if name == b"memory_effects"]
    does_return = {(b"no_unwind", b""), (b"will_return", b"")} <= {*attributes}
    return does_return and len(effects) == 1 and _NO_MEMORY.fullmatch(effects[0]) is not None


def _values(text: bytes, attribute: bytes) -> list[bytes]:
    """Return the values of an attribute in generic form: several if it is in ``<{...}>`` and in ``{...}``."""
    return [value for name, value in generic_attributes(text) if name == attribute]


def called_ops(ir: IR, assume_pure: Sequence[str] = ()) -> dict[int, tuple[str, OpTraits]]:
    """Return, by call, the op that it has the effects of, and the row of the call. Other calls are left out.

    A row of the project for the calls themselves, or an assumption about them, has precedence.

    Complexity: linear in the texts of the calls.
    """
    called: dict[int, str] = {}
    variables: dict[int, bytes] = {}
    for op in _ops_named(ir, OPAQUE_CALLS, assume_pure):
        if (found := _called_op(ir, op)) is not None:
            called[op] = found
            if variable := _PYTHON_NAME.search(ir.bare_text(op)):
                variables[op] = variable[1]
    uses = Counter(variables.values())
    for op, variable_name in variables.items():
        if uses[variable_name] > 1:
            del called[op]
    for op in [op for op in called if _has_destination(ir, op, called)]:
        del called[op]
    rows = {name: _called_row(ir.op_table.of(name)) for name in called.values()}
    return {op: (name, rows[name]) for op, name in called.items()}


def _ops_named(ir: IR, names: Collection[str], assume_pure: Sequence[str]) -> Iterator[int]:
    """Yield the ops with one of the names, if no row of the project and no assumption is about the name."""
    numbers = {
        number
        for number, name in enumerate(ir.names)
        if name in names
        and not ir.op_table.is_own(name)
        and not any(fnmatchcase(name, pattern) for pattern in assume_pure)
    }
    yield from (op for op, number in enumerate(ir.op_name) if number in numbers) if numbers else ()


def _called_row(row: OpTraits) -> OpTraits:
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
        else _OPAQUE_CALLEE.findall(text)[:1]
    )
    if len(callees) != 1:
        return None
    rest, keywords = _PYTHON_NAME.sub(b"", text), b""
    if match := _KEYWORDS.search(rest):
        keywords, rest = match["keywords"], rest[: match.start()] + rest[match.end() :]
    is_python = ir.name(op) == "emitpy.call_opaque"
    are_constants = all(_is_constant(opaque, is_python=is_python) for opaque in _OPAQUE.findall(rest))
    strings = _OPAQUE.sub(b"", rest).count(b'"') // 2  # the callee and, in generic assembly, the op's name
    has_address = _ADDRESS.search(OPAQUE_DEVICE.sub(b"", rest)) is not None
    if has_address or not are_constants or strings != (2 if is_generic else 1) or _DESTINATION in keywords:
        return None
    return op_of_callee(decoded(callees[0]).replace("::", ".").removeprefix("."))


def _is_constant(text: bytes, *, is_python: bool) -> bool:
    return _CONSTANT.fullmatch(text) is not None and (is_python or _ASSIGNED.search(text) is None)


def _has_destination(ir: IR, op: int, called: dict[int, str]) -> bool:
    """Whether a call gets more operands than its op, or an empty tensor behind the first operand."""
    operands = ir.operands_of(op)
    most = ir.op_table.of(called[op]).operands
    owners = [ir.value_owner[value] for value in operands[1:]]
    is_empty = any(called.get(owner) == "ttnn.empty" for owner in owners)
    return is_empty or len(operands) > (ANY_NUMBER if most is None else most)


def described_operators(ir: IR, assume_pure: Sequence[str] = ()) -> Iterator[tuple[int, OpTraits]]:
    """Yield the ops whose text tells more than the row of their name, each with a row of its own.

    A row of the project for the name, or an assumption about it, has precedence.

    Complexity: linear in the texts of these ops.
    """
    for op in _ops_named(ir, _NAME_WHAT_THEY_DO, assume_pure):
        row = _operator(ir, op) if ir.name(op) == _OPERATOR else _custom_call(ir, op)
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
