"""The op table against MLIR, where MLIR knows the op and tells its traits without operands."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from iree.compiler import ir

from eio_audit.mlir.traits import OpTraits, op_traits

TRAITS = {"terminator": ir.IsTerminatorTrait, "isolated": ir.IsIsolatedFromAboveTrait}


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


def known(context: ir.Context) -> Iterator[tuple[str, OpTraits, ir.Operation]]:
    for name, row in op_traits().items():
        if context.is_registered_operation(name):
            yield name, row, ir.Operation.create(name)


def declared_effects(op: ir.Operation) -> int | None:
    """How many effects an op declares; None for one that declares nothing, not even that it has none."""
    try:
        return len(list(ir.MemoryEffectsOpInterface(op).get_effects()))
    except ValueError:
        return None


def test_mlir_knows_most_of_its_ops(context: ir.Context) -> None:
    assert sum(1 for _ in known(context)) > 1500


def test_pure_ops_are_pure(context: ir.Context) -> None:
    pure = [(name, op) for name, row, op in known(context) if row == OpTraits(flags=row.flags)]
    assert [name for name, op in pure if declared_effects(op) != 0] == []


def test_unknown_ops_declare_nothing(context: ir.Context) -> None:
    unknown = [(name, op) for name, row, op in known(context) if row.unknown]
    assert [name for name, op in unknown if declared_effects(op) is not None] == []


@pytest.mark.parametrize("flag", TRAITS)
def test_flags_are_traits(context: ir.Context, flag: str) -> None:
    wrong = [
        name for name, row, op in known(context) if (flag in row.flags) != bool(op.has_trait(TRAITS[flag]))
    ]
    assert wrong == []


def test_recursive_ops_have_the_effects_of_their_regions(context: ir.Context) -> None:
    recursive = [(name, op) for name, row, op in known(context) if row.recursive]
    assert [name for name, op in recursive if not op.has_trait(ir.RecursiveMemoryEffectsTrait)] == []
