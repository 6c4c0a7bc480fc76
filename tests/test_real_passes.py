"""Real passes of a real compiler over stamped programs, judged by MLIR; docs/real_passes.md has the figures."""

import pytest

from tests.real_passes import DOCUMENT, PROGRAMS, Program, run

OF_IREE = [program for path in PROGRAMS if (program := Program.read(path)).tool == "iree-opt"]


@pytest.mark.parametrize("program", OF_IREE, ids=lambda program: program.path.stem)
def test_the_fix_is_the_same_program_in_the_best_order(program: Program) -> None:
    result = run(program)
    assert result.changed
    assert result.same
    assert result.after.certified
    assert (result.fixed.inversions, result.fixed.avoidable) == (result.after.minimum, 0)


def program(name: str) -> Program:
    return next(p for p in OF_IREE if p.path.stem == name)


def test_constants_gathered_at_the_top_are_avoidable() -> None:
    after = run(program("canonicalize")).after
    assert (after.forced, after.avoidable) == (0, after.inversions)
    assert after.avoidable > 0


def test_what_is_hoisted_out_of_a_loop_that_uses_it_is_forced() -> None:
    after = run(program("loop-invariant-code-motion")).after
    assert (after.forced, after.avoidable) == (after.inversions, 0)
    assert after.forced > 0


def test_inlining_keeps_the_order() -> None:
    assert run(program("inline")).after.inversions == 0


def test_the_page_has_a_row_for_every_program() -> None:
    page = DOCUMENT.read_text()
    assert [path.stem for path in PROGRAMS if Program.read(path).about not in page] == []
