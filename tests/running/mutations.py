"""The model with one rule switched off, to see that a judge notices.

Each mutation is the name of a rule and a function that switches the rule off through pytest's ``MonkeyPatch``.
When the model changes, only this table changes with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from eio_audit.audit import dependence
from eio_audit.mlir.semantics import accesses, calls, effects
from tests.internals import IR, OpTable, OpTraits
from tests.internals import forms_module as forms
from tests.internals import resources_module as resources
from tests.internals import value_types_module as value_types

Patch = Callable[[pytest.MonkeyPatch], None]


def _changed(owner: Any, name: str, replacement: Any) -> Patch:
    """One name of the model means something else."""
    return lambda monkeypatch: monkeypatch.setattr(owner, name, replacement)


def _noted(change: Callable[[effects.Touches], effects.Touches]) -> Patch:
    """What ops touch is changed as it is noted."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        note = effects.EffectTable._note
        monkeypatch.setattr(
            effects.EffectTable, "_note", lambda self, op, found: note(self, op, change(found))
        )

    return patch


def _without_kind(kind: str) -> Patch:
    """Effects of one kind keep no order."""
    return _noted(lambda found: {place: kinds - {kind} for place, kinds in found.items() if kinds - {kind}})


def _without_resource(*resources: str) -> Patch:
    """What is touched there keeps no order."""
    return _noted(lambda found: {where: kinds for where, kinds in found.items() if where not in resources})


def _pure_where(is_meant: Callable[[effects.EffectTable, int, OpTraits], bool]) -> Patch:
    """Some ops touch nothing themselves."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        own = effects.EffectTable._own_touches

        def none(self: effects.EffectTable, op: int, row: OpTraits) -> effects.Touches:
            return {} if is_meant(self, op, row) else own(self, op, row)

        monkeypatch.setattr(effects.EffectTable, "_own_touches", none)

    return patch


def _silent(*names: str) -> Patch:
    return _pure_where(lambda table, op, row: table._ir.name(op) in names)


def _rows(change: Callable[[OpTraits], OpTraits], *names: str) -> Patch:
    """The rows of all ops, or of some ops and dialects (``arith.``), are changed."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        init = effects.EffectTable.__init__

        def changed(self: effects.EffectTable, ir: IR, assume_pure: Any = ()) -> None:
            of = type(ir.op_table).of

            def other(table: OpTable, name: str) -> OpTraits:
                is_meant = not names or not {name, name[: name.find(".") + 1]}.isdisjoint(names)
                return change(of(table, name)) if is_meant else of(table, name)

            with pytest.MonkeyPatch.context() as inner:
                inner.setattr(type(ir.op_table), "of", other)
                init(self, ir, assume_pure)

        monkeypatch.setattr(effects.EffectTable, "__init__", changed)

    return patch


def _without_flag(flag: str) -> Patch:
    def change(row: OpTraits) -> OpTraits:
        return row if row is effects.UNLISTED else _replaced(row, flags=row.flags - {flag})

    return _rows(change)


def _replaced(row: OpTraits, **fields: Any) -> OpTraits:
    import dataclasses  # noqa: PLC0415

    return dataclasses.replace(row, **fields)


def _updated_by_destination_style_alone(row: OpTraits) -> OpTraits:
    is_meant = row is not effects.UNLISTED and "destination_style" not in row.flags
    return _replaced(row, flags=row.flags - {"updates"}) if is_meant else row


def _payloads_are_safe(ir: IR, op: int, shapes: value_types.DynamicShapes) -> bool:
    """An op that is printed without operands does not trap."""
    return not ir.operands_of(op) or value_types.cannot_trap(ir, op, shapes)


def _first_number(ir: IR, value: int) -> int | None:
    """Any number in the text of a constant is what it is."""
    owner = ir.value_owner[value]
    found = re.search(rb"(\d+) : (?:index|i\d)", ir.text(owner)) if owner >= 0 else None
    return int(found[1]) if found else None


def _numbers_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (accesses, value_types):
        monkeypatch.setattr(module, "constant", _first_number)


def _attributes_of_any_length(ir: IR, op: int) -> list[tuple[bytes, bytes]]:
    """An attribute counts for those whose name is the end of its name."""
    return [(name.rpartition(b".")[2], value) for name, value in value_types.attributes_of(ir, op)]


def _promises_anywhere(declaration: bytes, *, is_generic: bool) -> bool:
    """What is in another attribute says what the function does."""
    return b"no_unwind" in declaration and b"will_return" in declaration and b"= none" in declaration


def _all_fresh(row: OpTraits) -> OpTraits:
    return row if row is effects.UNLISTED else _replaced(row, flags=row.flags | {"fresh"})


def _unlisted(*names: str) -> Patch:
    return _rows(lambda row: effects.UNLISTED, *names)


def _unbound(place: str, *names: str) -> Patch:
    """Effects on a place are effects on everything, for all ops or some."""

    def change(row: OpTraits) -> OpTraits:
        return _replaced(row, effects=frozenset(("read", "write")), on={}) if place in row.on else row

    return _rows(change, *names)


def _only_described(*names: str) -> Patch:
    """Only these ops may have a row by their text."""
    described = calls.described_operators

    def fewer(ir: IR, assume_pure: Any = ()) -> Iterator[tuple[int, OpTraits]]:
        return ((op, row) for op, row in described(ir, assume_pure) if ir.name(op) in names)

    return _changed(effects, "described_operators", fewer)


def _no_operator_on_numbers(self: forms.Forms) -> Iterator[int]:
    return self._ops("numbers")


def _no_effects_of_regions(monkeypatch: pytest.MonkeyPatch) -> None:
    in_one_block = resources._Walk._in_one_block

    def outside_regions(self: Any, earlier: int, op: int) -> tuple[int, int, int] | None:
        pair = in_one_block(self, earlier, op)
        return pair if pair is not None and pair[1:] == (earlier, op) else None

    monkeypatch.setattr(resources._Walk, "_in_one_block", outside_regions)


def _calls_of_calls_are_pure(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the calls in a function touch, its callers do not."""
    executed = effects.EffectTable._executed_with

    def without_calls(self: effects.EffectTable, op: int) -> Iterator[int]:
        return (inner for inner in executed(self, op) if inner not in self._calls.callee)

    monkeypatch.setattr(effects.EffectTable, "_executed_with", without_calls)


def _no_uses_in_regions(monkeypatch: pytest.MonkeyPatch) -> None:
    add = dependence.DependenceGraph.add

    def fewer(self: dependence.DependenceGraph, producer: int, user: int, kind: str) -> None:
        if kind != "capture":
            add(self, producer, user, kind)

    monkeypatch.setattr(dependence.DependenceGraph, "add", fewer)


def _chain(*, reads_wait: bool = True, changes_wait: bool = True, among_changes: bool = True) -> Patch:
    """Reads do not wait for changes, or changes not for reads, or not for each other."""

    def last(self: Any, *, changes: bool) -> list[int]:
        waits = among_changes if changes else reads_wait
        return [self.last_change] if self.last_change >= 0 and waits else []

    def add(self: Any, op: int, *, changes: bool) -> list[int]:
        before = last(self, changes=changes)
        if not changes:
            self.reads.append(op)
            return before + (self.changes_of_parts.add(op, op, is_read=True) if reads_wait else [])
        before += self.reads if changes_wait else []
        before += self.touches_of_parts if changes_wait and among_changes else []
        self.last_change, self.reads, self.touches_of_parts = op, [], []
        self.changes_of_parts = resources._Alternation()
        return before

    def add_part(self: Any, op: int, part: Any, *, changes: bool) -> list[int]:
        self.touches_of_parts.append(op)
        whole = self.changes_of_parts.add(op, part, is_read=False) if changes and changes_wait else []
        return last(self, changes=changes) + whole

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(resources._Node, "add", add)
        monkeypatch.setattr(resources._Node, "add_part", add_part)

    return patch


def _no_late_operands(monkeypatch: pytest.MonkeyPatch) -> None:
    def direct(self: IR, op: int) -> Any:
        return self.operands[self.operand_start[op] : self.operand_start[op + 1]]

    monkeypatch.setattr(IR, "operands_of", direct)


def _no_escape(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an unknown op is given stays where it was."""
    join = resources.Buffers._join

    def without_memory(self: resources.Buffers, values: Any, place: Any = None) -> None:
        join(self, values)

    monkeypatch.setattr(resources.Buffers, "_join", without_memory)


def _first_symbol(self: calls.Calls, call: int) -> str | None:
    match = re.search(calls.SYMBOL, self._ir.own_text(call))
    return calls.symbol_of(match[0]) if match else None


def _any_table(self: calls.Calls, call: int) -> int | None:
    """The callee is looked up in the whole dump instead of the nearest symbol table."""
    symbol = self._callee_symbol(call)
    return next((op for (_, name), op in self._functions.items() if name == symbol and op is not None), None)


def _types_without_aliases(monkeypatch: pytest.MonkeyPatch) -> None:
    """An alias of a type is taken for a plain type."""

    def of_text(self: Any, text: bytes, *, inside: bool = False) -> value_types.Storage:
        return value_types._storage(value_types.without_strings(text), inside=inside)

    monkeypatch.setattr(value_types.ValueTypes, "_of_text", of_text)
    monkeypatch.setattr(
        value_types,
        "dialect_type",
        lambda name: value_types.Storage.ANYTHING if b"." in name else value_types.Storage.PLAIN,
    )


def _unknown_types_are_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    known = value_types.dialect_type

    def plain(name: bytes) -> value_types.Storage:
        storage = known(name)
        return value_types.Storage.PLAIN if storage is value_types.Storage.ANYTHING else storage

    monkeypatch.setattr(value_types, "dialect_type", plain)


def _only_own_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function's effect on a view of its argument is none on the argument."""
    summary = effects.EffectTable._summary

    def narrow(self: effects.EffectTable, function: int) -> Any:
        touches, _, is_fence = summary(self, function)
        return touches, frozenset(), is_fence

    monkeypatch.setattr(effects.EffectTable, "_summary", narrow)


def _no_forms(kind: str) -> Patch:
    """No op has another form of one kind than its row."""
    return _changed(forms.Forms, kind, lambda self: iter(()))


def _last_attribute(monkeypatch: pytest.MonkeyPatch) -> None:
    values = calls._values
    monkeypatch.setattr(calls, "_values", lambda text, attribute: values(text, attribute)[-1:])


def _allocations_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """What touches any memory does not touch an allocation."""
    wholes = resources._wholes

    def without_memory(place: Any) -> tuple[Any, ...]:
        return tuple(whole for whole in wholes(place) if whole != resources.MEMORY)

    monkeypatch.setattr(resources, "_wholes", without_memory)


def _elements_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """What touches a whole does not touch its elements."""
    wholes = resources._wholes
    monkeypatch.setattr(
        resources,
        "_wholes",
        lambda place: () if isinstance(place, tuple) and len(place) > 1 else wholes(place),
    )


def _arguments_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Elements of two arguments are told apart."""
    arguments = effects.EffectTable._arguments.func
    monkeypatch.setattr(
        effects.EffectTable, "_arguments", property(lambda self: dict.fromkeys(arguments(self), True))
    )


def _found_through_unlisted_ops(self: calls.Calls, call: int) -> int | None:
    """The function that a call names in the nearest listed symbol table around it."""
    symbol = self._callee_symbol(call)
    around = self._ir.enclosing_ops(self._ir.op_block[call])
    table = next((op for op in around if self._is_table[self._ir.op_name[op]]), calls.OUTSIDE)
    return None if symbol is None else self._functions.get((table, symbol))


def _all_arguments(self: effects.EffectTable) -> dict[int, bool]:
    """The arguments of all blocks."""
    return {value: False for values in self._ir.block_arguments.values() for value in values}


def _has_a_safe_form(ir: IR, op: int, shapes: value_types.DynamicShapes) -> bool:
    """Whether a constant may show that the op does not trap."""
    name = ir.name(op)
    is_division = value_types._DIVISION.fullmatch(name) is not None
    return is_division or name.startswith(("memref.subview", "scf.for", "tensor.dim", "tensor.ext"))


def _callees_without_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a function does to the rounding mode and the like, its callers do not."""
    summary = effects.EffectTable._summary

    def less(self: effects.EffectTable, function: int) -> Any:
        touches, *others = summary(self, function)
        return ({place: kinds for place, kinds in touches.items() if place != "environment"}, *others)

    monkeypatch.setattr(effects.EffectTable, "_summary", less)


def _attributes_with_unknown_aliases(self: effects.EffectTable, op: int) -> bytes:
    """An alias that the dump does not define says nothing."""
    return self._ir.attribute_text(op)


def _no_memory_behind_plain_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """An effect on a value that is no address concerns nobody."""
    touched = effects.EffectTable._resources

    def of_buffers(self: effects.EffectTable, op: int, where: str) -> set[Any]:
        ir = self._ir
        values = ir.result_values(op) if where.startswith("result") else resources.operands_at(ir, op, where)
        is_plain = all(self._buffers.resource(value) is None for value in values)
        return set() if is_plain else touched(self, op, where)

    monkeypatch.setattr(effects.EffectTable, "_resources", of_buffers)


@dataclass(frozen=True)
class Mutation:
    """A rule that is switched off.

    Attributes:
        patch: switches it off.
        judge: who notices: ``xdsl``, ``machine``, ``emitc``, ``hidden`` for types that no text shows, ``devices``
            for tensors that are changed in place, ``legal``: a program in which one op must stay before another,
            or ``swaps``: a program in which two ops may change places, and no longer do.
        kinds: what the programs are made of, where the usual mix seldom shows the rule.
    """

    patch: Patch
    judge: str = "xdsl"
    kinds: tuple[str, ...] = ()


MUTATIONS: Mapping[str, Mutation] = {
    "reads do not wait for changes": Mutation(_chain(reads_wait=False)),
    "changes do not wait for reads": Mutation(_chain(changes_wait=False)),
    "changes do not wait for changes": Mutation(_chain(among_changes=False)),
    "no reads": Mutation(_without_kind("read")),
    "no writes": Mutation(_without_kind("write")),
    "no frees": Mutation(_without_kind("free")),
    "no effects of regions": Mutation(_no_effects_of_regions),
    "no uses in regions": Mutation(_no_uses_in_regions),
    "terminators are free": Mutation(
        _changed(dependence.Dependences, "_add_terminator", lambda self, graph: None)
    ),
    "calls are pure": Mutation(_changed(effects.EffectTable, "_call_touches", lambda self, call, callee: {})),
    "calls of calls are pure": Mutation(_calls_of_calls_are_pure),
    "destination-style ops are pure": Mutation(
        _pure_where(lambda table, op, row: row.dynamic and "destination_style" in row.flags)
    ),
    "memref.copy is pure": Mutation(_silent("memref.copy")),
    "affine.store is pure": Mutation(_silent("affine.store")),
    "affine.load is pure": Mutation(_silent("affine.load")),
    "an effect on no value concerns nobody": Mutation(_without_resource(effects.EVERYTHING), "legal"),
    "llvm.store is pure": Mutation(_silent("llvm.store"), "machine"),
    "llvm.load is pure": Mutation(_silent("llvm.load"), "machine"),
    "cf.assert is pure": Mutation(_silent("cf.assert"), "machine"),
    "an op without a row is pure": Mutation(
        _pure_where(lambda table, op, row: row is effects.UNLISTED), "machine"
    ),
    "vector.print is pure": Mutation(_silent("vector.print"), "machine", ("print_",)),
    "what may trap passes what may not return": Mutation(_without_resource(effects.CONTROL), "machine"),
    "no state has an order": Mutation(_without_resource(*effects.STATES), "machine"),
    "no two tensors share a buffer": Mutation(
        _changed(resources.Buffers, "_join", lambda self, values, place=None: None), "devices"
    ),
    "no buffer crosses the edge of a region": Mutation(
        _changed(resources.Buffers, "_join_across_edges", lambda self, *regions, **escapes: None), "devices"
    ),
    "users of a tensor do not read it": Mutation(
        _changed(effects.EffectTable, "_add_reads", lambda self, resources: None), "devices"
    ),
    "emitc.assign is pure": Mutation(_silent("emitc.assign"), "emitc"),
    "emitc.load is pure": Mutation(_silent("emitc.load"), "emitc"),
    "hidden types are plain": Mutation(_changed(value_types, "UNLISTED", object()), "hidden"),
    "a callee leaves the environment alone": Mutation(_callees_without_environment, "legal"),
    "values of unknown types are read by nobody": Mutation(
        _changed(value_types.ValueTypes, "has_unknown_types", False), "legal"
    ),
    "unknown aliases say nothing": Mutation(
        _changed(effects.EffectTable, "_attributes", _attributes_with_unknown_aliases), "legal"
    ),
    "plain values lead to no memory": Mutation(_no_memory_behind_plain_values, "legal"),
    "type aliases are plain": Mutation(_types_without_aliases, "legal"),
    "unknown types are plain": Mutation(_unknown_types_are_plain, "legal"),
    "all results are fresh": Mutation(_rows(_all_fresh), "legal"),
    "memory behind a tensor is another": Mutation(_without_resource(resources.MEMORY), "legal"),
    "unknown ops leave what they are given": Mutation(_no_escape, "legal"),
    "what a function keeps, its callers do not know": Mutation(
        _changed(resources.Buffers, "_join_across_calls", lambda self, calls: None), "legal"
    ),
    "an unforced free leaves the value": Mutation(
        _changed(effects, "handle", lambda value: "nowhere"), "legal"
    ),
    "conditions never hold": Mutation(
        _changed(effects, "condition_holds", lambda condition, attributes: False), "legal"
    ),
    "attributes are not looked up": Mutation(
        _changed(effects.EffectTable, "_attributes", lambda self, op: self._ir.bare_text(op)), "legal"
    ),
    "the first symbol is the callee": Mutation(
        _changed(calls.Calls, "_callee_symbol", _first_symbol), "legal"
    ),
    "any symbol table will do": Mutation(_changed(calls.Calls, "_find", _any_table), "legal"),
    "every function has its last body": Mutation(
        _changed(calls, "_REPLACEABLE", re.compile(rb"(?!)")), "legal"
    ),
    "unlisted ops are no symbol tables": Mutation(
        _changed(calls.Calls, "_find", _found_through_unlisted_ops), "legal"
    ),
    "a function leaves its arguments alone": Mutation(_only_own_buffers, "legal"),
    "arguments of a function are never one buffer": Mutation(
        _changed(resources.Buffers, "_pass_arguments", lambda self, operands, function: None), "legal"
    ),
    "fences hold nothing back": Mutation(
        _changed(resources, "_fenced", lambda ir, fences, blocks: iter(())), "legal"
    ),
    "stack, files and solvers have no order": Mutation(_without_resource(*effects.STATES), "legal"),
    "loops return": Mutation(_without_flag("may_not_return"), "legal"),
    "blocks do not loop": Mutation(
        _changed(effects.EffectTable, "_may_loop", lambda self, regions: False), "legal"
    ),
    "nothing traps": Mutation(_changed(OpTraits, "may_trap", property(lambda row: False)), "legal"),
    "results of one symbol are apart": Mutation(_without_flag("shared"), "legal"),
    "types of unlisted ops are plain": Mutation(_changed(value_types, "UNLISTED", object()), "legal"),
    "custom assembly shows every type": Mutation(
        _changed(value_types.ValueTypes, "_of_custom", lambda self, text, op: self._of_text(text)), "legal"
    ),
    "elements are numbers": Mutation(
        _changed(value_types, "list_parts", lambda text, start=0: iter(())), "legal"
    ),
    "the last of two attributes counts": Mutation(_last_attribute, "legal"),
    "symbols are free in every op": Mutation(
        _changed(effects.EffectTable, "_add_symbols", lambda self: None), "legal"
    ),
    "no op has a place": Mutation(_changed(resources, "_in_place", lambda ir, blocks: iter(())), "legal"),
    "the newest allocation is like others": Mutation(
        _changed(effects, "is_newest_allocation", lambda ir, op: False), "legal"
    ),
    "only its own value leads to an allocation": Mutation(_allocations_apart),
    "operands show what every op touches": Mutation(_changed(effects, "ACCESSES", re.compile(".*")), "legal"),
    "tensors are values in every dialect": Mutation(
        _changed(OpTable, "keeps_values", lambda self, name: True), "legal"
    ),
    "all shapes are known": Mutation(
        _changed(value_types.DynamicShapes, "shown_by", lambda self, op: False), "legal"
    ),
    "unlisted ops paste no text": Mutation(_changed(effects, "pastes_text", lambda name: False), "legal"),
    "opaque text does nothing": Mutation(_no_forms("_with_pasted_text"), "legal"),
    "clauses name no code": Mutation(_no_forms("_with_recipes"), "legal"),
    "variables of clauses are left alone": Mutation(_silent("omp.parallel", "omp.simd"), "legal"),
    "lanes are apart": Mutation(_without_flag("convergent"), "legal"),
    "no operand makes an access volatile": Mutation(
        _changed(forms.Forms, "may_be_volatile", lambda self, op: False), "legal"
    ),
    "a cached call of an unknown function is pure": Mutation(_silent("ttcore.load_cached"), "legal"),
    "every op has the form of its row": Mutation(_changed(forms.Forms, "others", frozenset()), "legal"),
    "groups of operands are not looked at": Mutation(
        _changed(forms.Forms, "_has_other_groups", lambda self, op, row: False), "legal"
    ),
    "operands are not counted": Mutation(_rows(lambda row: _replaced(row, operands=None)), "legal"),
    "no op writes into an empty tensor": Mutation(_no_forms("_with_destinations"), "legal"),
    "a nested attribute is one of the op": Mutation(
        _changed(effects, "_of_the_op", lambda attributes: attributes), "legal"
    ),
    "an empty tensor is not converted": Mutation(_changed(forms, "_CONVERSIONS", ("?",)), "legal"),
    "a type has no space before its bracket": Mutation(
        _changed(value_types, "_SPACE", re.compile(rb"(?!)")), "legal"
    ),
    "a number is decimal": Mutation(_changed(effects, "_HEXADECIMAL", re.compile(rb"(?!)")), "legal"),
    "bufferization writes nothing": Mutation(
        _changed(effects.EffectTable, "_add_updates", lambda self: None), "legal"
    ),
    "elementwise ops are not bufferized": Mutation(
        _rows(lambda row: _replaced(row, flags=row.flags - {"updates"}), "arith.", "complex.", "math."),
        "legal",
    ),
    "only destination-style ops update": Mutation(_rows(_updated_by_destination_style_alone), "legal"),
    "running statistics are read": Mutation(_without_flag("statistics"), "legal"),
    "no normalization trains": Mutation(_changed(forms, "is_false", lambda ir, value: True), "legal"),
    "no integers are divided": Mutation(
        _changed(value_types, "_may_divide_integers", lambda ir, op: False),
        "machine",
        ("guarded_tensors", "store", "say"),
    ),
    "a payload without operands is safe": Mutation(
        _changed(effects, "cannot_trap", _payloads_are_safe), "legal"
    ),
    "a constant is any number of its text": Mutation(_numbers_anywhere, "legal"),
    "an attribute may have a longer name": Mutation(
        _changed(forms, "attributes_of", _attributes_of_any_length), "legal"
    ),
    "bundles of a call say nothing": Mutation(
        _changed(calls, "_has_bundles", lambda call, is_generic: False), "legal"
    ),
    "another attribute promises the same": Mutation(
        _changed(calls, "_does_nothing", _promises_anywhere), "legal"
    ),
    "a model does nothing where it is made": Mutation(
        _silent("arc.sim.instantiate", "arc.sim.step"), "legal"
    ),
    "every destination is new": Mutation(
        _changed(
            forms.Forms, "_has_new_destinations", lambda self, op: self._ir.name(op).startswith("ttir.")
        ),
        "legal",
    ),
    "every access is of another element": Mutation(
        _changed(effects, "elements", lambda ir, op: [(op,)]), "legal"
    ),
    "arguments do not overlap": Mutation(_arguments_apart, "legal"),
    "elements are no part of their memory": Mutation(_elements_apart, "legal"),
    "every argument is one of a function": Mutation(
        _changed(effects.EffectTable, "_arguments", property(_all_arguments)), "legal"
    ),
    "what may be safe is safe": Mutation(_changed(effects, "cannot_trap", _has_a_safe_form), "legal"),
    "functions without effect return": Mutation(
        _changed(
            calls, "_does_nothing", lambda declaration, is_generic: calls._NO_MEMORY.search(declaration)
        ),
        "legal",
    ),
    "some memory is no memory": Mutation(
        _changed(calls, "_NO_MEMORY", re.compile(rb"#llvm\.memory_effects<.*")), "legal"
    ),
    "only ops with effects loop": Mutation(
        _changed(effects.EffectTable, "_loops", lambda self: iter(())), "legal"
    ),
    "communication has no order": Mutation(_without_resource("communication"), "legal"),
    "an effect on no value is seen by nobody": Mutation(
        _changed(resources, "_SEEN_OUTSIDE", frozenset()), "legal"
    ),
    "custom calls only compute": Mutation(
        _changed(calls, "_row", lambda aliased, acts, row=calls._row: row(aliased, acts=False)),
        "legal",
    ),
    "custom calls change no operand": Mutation(
        _changed(calls, "_row", lambda aliased, acts, row=calls._row: row(None, acts=acts)), "legal"
    ),
    "custom calls get tensors only": Mutation(
        _changed(calls, "shown_storage", lambda ir, op: value_types.Storage.CONTENT), "legal"
    ),
    "custom calls of tt-mlir are like others": Mutation(_changed(calls, "_IN_PLACE", b"?"), "legal"),
    "every operator is a function": Mutation(
        _changed(calls, "_operator", lambda ir, op: calls._FUNCTION), "legal"
    ),
    "a declaration is an empty function": Mutation(
        _changed(calls, "_does_nothing", lambda declaration, *, is_generic: True), "legal"
    ),
    "destinations are read only": Mutation(_changed(effects, "destinations", lambda ir, op: ()), "legal"),
    "a vector is one element": Mutation(_changed(accesses, "vector_sizes", lambda ir, op: []), "legal"),
    "every op names another global": Mutation(
        _changed(effects.EffectTable, "_global", lambda self, op: (effects._OUTSIDE, -1 - op)), "legal"
    ),
    "every global has elements": Mutation(
        _changed(effects, "extents_of", lambda ir, op, number: [4]), "legal"
    ),
    "all operators are on numbers": Mutation(_no_forms("_with_other_values"), "legal"),
    "collectives touch everything": Mutation(_unbound("communication"), "swaps"),
    "prints touch everything": Mutation(_unbound("files", "gpu.printf", "vector.print"), "swaps"),
    "custom calls may do anything": Mutation(_only_described("torch.operator"), "swaps"),
    "operators of ONNX may do anything": Mutation(
        _only_described(*calls._NAME_WHAT_THEY_DO - {calls._OPERATOR}), "swaps"
    ),
    "composites may do anything": Mutation(_changed(calls, "_COMPOSITES", frozenset()), "swaps"),
    "sharding constraints may do anything": Mutation(_unlisted("sdy.sharding_constraint"), "swaps"),
    "alloc_tensor may do anything": Mutation(_unlisted("bufferization.alloc_tensor"), "swaps"),
    "operators of EmitC may do anything": Mutation(
        _changed(forms.Forms, "_with_other_values", _no_operator_on_numbers), "swaps"
    ),
    "only plain accesses are of an allocation": Mutation(
        _changed(effects, "ACCESSES", re.compile(r"(?:affine|llvm|memref)\.(?:load|store)|memref\.dealloc")),
        "swaps",
    ),
    "a view is of any memory": Mutation(_changed(effects, "source", lambda ir, value: value), "swaps"),
    "all operands are destinations": Mutation(
        _changed(effects, "destinations", lambda ir, op: ir.operands_of(op)), "swaps"
    ),
    "affine maps are unknown": Mutation(_changed(accesses, "_MEMREF_OF_AFFINE", {}), "swaps"),
    "only affine accesses have elements": Mutation(_changed(accesses, "_MEMREF", {}), "swaps"),
    "all globals are one": Mutation(
        _changed(effects.EffectTable, "_global", lambda self, op: effects.EVERYTHING), "swaps"
    ),
    "memrefs of globals are of any memory": Mutation(_changed(effects, "GET_GLOBAL", "?"), "swaps"),
}
