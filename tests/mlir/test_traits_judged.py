"""The op table against MLIR, where MLIR knows the op and tells its traits without a whole program."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from iree.compiler import ir

from tests.internals import OpTraits, op_traits

TRAITS = {"terminator": ir.IsTerminatorTrait, "isolated": ir.IsIsolatedFromAboveTrait}
CRASHING = ("vm.global.load.", "transform.foreach", "transform.sequence")
"""Ops that MLIR does not survive without operands or attributes."""
KINDS = {
    "read": ir.MemoryEffect.Read,
    "write": ir.MemoryEffect.Write,
    "alloc": ir.MemoryEffect.Allocate,
    "free": ir.MemoryEffect.Free,
}


@pytest.fixture(scope="module")
def context() -> Iterator[ir.Context]:
    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        for dialect in {name.partition(".")[0] for name in op_traits()}:
            try:
                context.dialects[dialect]
            except IndexError:  # a dialect that this MLIR does not have
                continue
        yield context


@pytest.fixture(scope="module")
def values(context: ir.Context) -> list[ir.Value]:
    """Operands for any op: which effects it declares on them does not depend on their types."""
    maker = ir.Operation.create("builtin.unrealized_conversion_cast", results=[ir.F32Type.get()] * 8)
    return list(maker.results)


def operation(name: str, values: list[ir.Value]) -> ir.Operation:
    """An op with operands and results, for what MLIR answers by looking at them."""
    return ir.Operation.create(name, operands=values, results=[ir.F32Type.get()] * 2)


def known(context: ir.Context) -> Iterator[tuple[str, OpTraits]]:
    for name, row in op_traits().items():
        if context.is_registered_operation(name) and not name.startswith(CRASHING):
            yield name, row


def declared_effects(op: ir.Operation) -> list[ir.MemoryEffectInstance] | None:
    """The effects that an op declares; None for one that declares nothing, not even that it has none."""
    try:
        return list(ir.MemoryEffectsOpInterface(op).get_effects())
    except ValueError:
        return None


def is_told(row: OpTraits, effect: ir.MemoryEffectInstance, values: list[ir.Value]) -> bool:
    """Whether a row tells an effect of an op with ``values`` as its operands."""
    kind = next(kind for kind, mlir in KINDS.items() if effect.effect == mlir)
    bound = frozenset[str]().union(*row.on.values())
    if kind in (row.effects - bound) | row.on.get("everything", frozenset()):
        return True
    if effect.value is not None and effect.value in values:
        places = {f"operand {values.index(effect.value)}", "operand ?"}
    else:  # a result, or the resource that the op acts on
        places = {place for place in row.on if not place.startswith("operand")}
    return any(kind in row.on.get(place, ()) for place in places)


def test_mlir_knows_most_of_its_ops(context: ir.Context) -> None:
    assert sum(1 for _ in known(context)) > 1500


def test_pure_ops_are_pure(context: ir.Context) -> None:
    rows = ((name, row) for name, row in known(context) if "numbers" not in row.flags)
    pure = [name for name, row in rows if row == OpTraits(flags=row.flags)]
    assert [name for name in pure if declared_effects(ir.Operation.create(name)) != []] == []


def test_unknown_ops_declare_nothing(context: ir.Context) -> None:
    unknown = [name for name, row in known(context) if row.unknown]
    assert [name for name in unknown if declared_effects(ir.Operation.create(name)) is not None] == []


def test_mlir_knows_no_effect_that_a_row_does_not_tell(context: ir.Context, values: list[ir.Value]) -> None:
    listed = [(name, row) for name, row in known(context) if row.effects]
    wrong = [
        name
        for name, row in listed
        for effect in declared_effects(operation(name, values)) or ()
        if not is_told(row, effect, values)
    ]
    assert wrong == []
    assert len(listed) > 130


@pytest.mark.parametrize("flag", TRAITS)
def test_flags_are_traits(context: ir.Context, flag: str) -> None:
    wrong = [
        name
        for name, row in known(context)
        if (flag in row.flags) != bool(ir.Operation.create(name).has_trait(TRAITS[flag]))
    ]
    assert wrong == []


def test_recursive_ops_have_the_effects_of_their_regions(context: ir.Context) -> None:
    recursive = [name for name, row in known(context) if row.recursive]
    wrong = [
        name for name in recursive if not ir.Operation.create(name).has_trait(ir.RecursiveMemoryEffectsTrait)
    ]
    assert wrong == []


def test_ops_that_do_not_trap_are_speculatable(context: ir.Context, values: list[ir.Value]) -> None:
    """Those that may be run where they were not run, if the ops in their regions may.

    StableHLO answers by the types of operands, which are not those of the ops here.
    """
    harmless = [
        name
        for name, row in known(context)
        if not (row.effects or row.unknown or row.dynamic or "may_trap" in row.flags)
        and not name.startswith(("chlo.", "emitc.constant", "stablehlo."))
    ]
    wrong = [name for name in harmless if not is_speculatable(operation(name, values))]
    assert wrong == []
    assert len(harmless) > 900


def is_speculatable(op: ir.Operation) -> bool:
    try:
        answer = ir.ConditionallySpeculatable(op).getSpeculatability()
    except ValueError:  # the op does not say
        return False
    return answer != ir.Speculatability.NotSpeculatable
