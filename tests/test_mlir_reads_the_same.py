"""MLIR prints a program in several forms. The reader finds the same ops as MLIR in each."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from iree.compiler import ir

from tests.judge import parse
from tests.reading import ir_of

PROGRAMS = [Path(__file__).parent / "data" / name for name in ("custom_assembly.mlir", "shuffled_loops.mlir")]
IMPLICIT = {"scf.yield", "affine.yield"}
"""Terminators that custom assembly omits."""


def ops_of_mlir(op: ir.Operation) -> Iterator[tuple[str, int, int]]:
    """Yield name, results and operands of the ops inside, in textual order."""
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                inner = inner.operation  # noqa: PLW2901
                yield inner.name, len(inner.results), len(inner.operands)
                yield from ops_of_mlir(inner)


def ops_read(text: str) -> list[tuple[str, int, int]]:
    read = ir_of(text)
    return [(read.name(op), read.result_count(op), len(read.operands_of(op))) for op in range(len(read))][1:]


def visible(ops: list[tuple[str, int, int]], *, custom: bool) -> list[tuple[str, int, int]]:
    return [op for op in ops if not (custom and op in {(name, 0, 0) for name in IMPLICIT})]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
@pytest.mark.parametrize("generic", [True, False], ids=["generic", "custom"])
@pytest.mark.parametrize("local_scope", [True, False], ids=["inline", "alias"])
@pytest.mark.parametrize("debug_info", [True, False], ids=["locations", "bare"])
def test_every_printed_form(path: Path, generic: bool, local_scope: bool, debug_info: bool) -> None:
    module = parse(path.read_text()).operation
    text = module.get_asm(
        print_generic_op_form=generic, use_local_scope=local_scope, enable_debug_info=debug_info
    )
    expected = visible(list(ops_of_mlir(module)), custom=not generic)
    assert visible(ops_read(text), custom=not generic) == expected


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_text_as_written(path: Path) -> None:
    module = parse(path.read_text()).operation
    names = [name for name, _, _ in visible(list(ops_of_mlir(module)), custom=True)]
    read = ir_of(path.read_text())
    assert [read.name(op) for op in range(len(read)) if read.name(op) != "builtin.module"] == names
