"""Real passes of a real compiler on stamped programs, judged by MLIR. benchmarks/real_passes.md has the figures."""

from functools import cache

import pytest

from tests.real_passes import DOCUMENT, PROGRAMS, Program, Result, run
from tests.tools import needs_mlir_opt

MARKS = {"iree-opt": (), "mlir-opt": (needs_mlir_opt,)}


@cache
def result_of(name: str) -> Result:
    return run(next(Program.read(path) for path in PROGRAMS if path.stem == name))


@pytest.mark.parametrize(
    "name", [pytest.param(path.stem, marks=MARKS[Program.read(path).tool]) for path in PROGRAMS]
)
def test_the_fix_is_the_same_program_in_the_best_order(name: str) -> None:
    result = result_of(name)
    assert result.changed
    assert result.same
    assert result.after.certified
    assert (result.fixed.inversions, result.fixed.avoidable) == (result.after.minimum, 0)


@pytest.mark.parametrize(
    "name", [pytest.param(path.stem, marks=MARKS[Program.read(path).tool]) for path in PROGRAMS]
)
def test_with_indices_put_right_no_inversion_is_left_but_in_graph_regions(name: str) -> None:
    result = result_of(name)
    whole, after = result.relabelled, result.after
    assert (whole.wrong_indices, whole.avoidable) == (0, 0)
    assert whole.inversions - whole.not_compared == after.minimum - after.forced - after.knock_on
    assert result.same_but_labels


def test_what_is_hoisted_out_of_a_loop_is_not_comparable() -> None:
    after = result_of("loop-invariant-code-motion").after
    assert (after.wrong_indices, after.not_compared) == (0, after.inversions)


def test_constants_gathered_at_the_top_are_avoidable() -> None:
    after = result_of("canonicalize").after
    assert (after.forced, after.avoidable) == (0, after.inversions)
    assert after.avoidable > 0


def test_what_is_hoisted_out_of_a_loop_that_uses_it_is_forced() -> None:
    after = result_of("loop-invariant-code-motion").after
    assert (after.forced, after.avoidable) == (after.inversions, 0)
    assert after.forced > 0


def test_inlining_keeps_the_order() -> None:
    assert result_of("inline").after.inversions == 0


def test_the_page_has_a_row_for_every_program() -> None:
    page = DOCUMENT.read_text()
    assert [path.stem for path in PROGRAMS if Program.read(path).about not in page] == []
