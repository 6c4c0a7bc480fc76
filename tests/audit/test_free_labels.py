"""What putting labels right does to frees that follow their last use."""

import pytest
from hypothesis import given

from eio_audit import AuditOptions, check, fix, read, read_text
from tests.audit.test_free_places import FREES, free, function, op
from tests.cli.running import SAMPLES
from tests.programs import freeing_programs
from tests.reading import ir_of


def indices(text: bytes) -> list[int]:
    ir = ir_of(text)
    return [
        int(location.partition(b'"')[2].partition(b"|")[0])
        for k in ir.block_ops[ir.op_block[1]]
        if (location := ir.location_text(k))
    ]


def relabelled(*ops: str) -> list[int]:
    return indices(fix(read_text(function(*ops)), FREES, relabel="nested").text)


@pytest.mark.parametrize(
    ("ops", "expected"),
    [
        pytest.param([op("%0", 1), free("%a", 9), op("%1", 3, "%0")], [1, 1, 3], id="above what is behind"),
        pytest.param([op("%0", 4), free("%a", 2), op("%1", 5, "%0")], [4, 4, 5], id="below what is before"),
        pytest.param([op("%0", 1), free("%a", 2), op("%1", 3, "%0")], [1, 2, 3], id="one that fits is kept"),
        pytest.param(
            [op("%0", 1), op("%1", 1, "%0"), free("%a", 3), free("%0", 2), op("%2", 4, "%1")],
            [1, 1, 3, 3, 4],
            id="between the neighbours it gets",
        ),
        pytest.param(
            [op("%0", 1), op("%1", 1, "%0, %a"), free("%a", 3), free("%0", 2), op("%2", 4, "%1")],
            [1, 1, 3, 3, 4],
            id="the most keep theirs",
        ),
        pytest.param([free("%a", 9), '"ttnn.zeros"() : () -> i32 loc("2|x")'], [2, 2], id="at the start"),
        pytest.param([free("%a", 9), free("%a", 3), free("%a", 4)], [3, 3, 4], id="among themselves"),
        pytest.param([op("%0", 1), free("%a", 0), free("%0", 0)], [1, 1, 1], id="at the end"),
    ],
)
def test_a_free_takes_the_label_of_what_stands_before_it_unless_its_own_fits(
    ops: list[str], expected: list[int]
) -> None:
    assert relabelled(*ops) == expected


def test_without_following_them_frees_are_like_other_ops() -> None:
    text = function(op("%0", 4), free("%a", 2), op("%1", 5, "%0"))
    assert indices(fix(read_text(text), AuditOptions(follow="none"), relabel="nested").text) == [4, 4, 5]
    assert indices(fix(read_text(text), FREES).text) == [4, 2, 5]


def test_a_final_dump_is_in_order_again_and_no_op_moves() -> None:
    result = fix(read(str(SAMPLES / "ttnn" / "small.mlir")), FREES, relabel="nested")
    after = check(read_text(result.text))
    assert (after.summary.inversions, result.relabelled, result.moved) == (0, 12, 0)


def comparable_inversions(text: str, options: AuditOptions) -> int:
    """Return the inversions of a text that a gate counts: those between ops that the index compares."""
    summary = check(read_text(text), options).summary
    return summary.inversions - sum(summary.not_comparable.values())


@given(freeing_programs())
def test_no_inversion_is_left_for_anybody_and_a_second_run_changes_nothing(text: str) -> None:
    once = fix(read_text(text), FREES, relabel="flat")
    if once.before.has_indices:
        assert comparable_inversions(once.text, AuditOptions(follow="none")) == 0
    assert comparable_inversions(once.text, FREES) == 0
    assert fix(read_text(once.text), FREES, relabel="flat").text == once.text


def test_derived_ops_that_follow_are_no_neighbours() -> None:
    derived = op("%0", 9).replace('loc("9|x")', 'loc("9|x_tm0"("9|x"))')
    text = function(derived, free("%a", 2), op("%1", 3, "%0"))
    options = AuditOptions(follow=["derived", "frees"])
    result = fix(read_text(text), options, relabel="flat")
    assert indices(result.text) == [9, 2, 3]
