from array import array
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit.audit.fix.placement import Placement, placement_of_ops
from eio_audit.mlir.rewriting.pieces import BlockOrder
from tests.reading import ir_of

NESTED = """module {
  "t.a"() ({
    "t.b"() : () -> ()
    "t.c"() : () -> ()
    "t.d"() : () -> ()
  }) : () -> ()
  "t.e"() : () -> ()
  "t.f"() : () -> ()
  "t.g"() : () -> ()
}
"""
"""Its ops are 0, the module, to 7; 1 holds 2, 3 and 4."""


@pytest.mark.parametrize(
    ("orders", "starts", "stops"),
    [
        pytest.param({}, [0], [8], id="no other order"),
        pytest.param(
            {1: [1, 0, 2, 3]}, [0, 5, 1, 6], [1, 6, 5, 8], id="an op goes with what is nested in it"
        ),
        pytest.param({2: [0, 2, 1]}, [0, 2, 4, 3, 5], [2, 3, 5, 4, 8], id="nested ops alone"),
        pytest.param(
            {1: [1, 2, 3, 0], 2: [1, 2, 0]}, [0, 5, 1, 3, 2], [1, 8, 2, 5, 3], id="both, one inside the other"
        ),
    ],
)
def test_ops_stand_in_runs(orders: dict[int, list[int]], starts: list[int], stops: list[int]) -> None:
    in_pieces = {block: BlockOrder(order) for block, order in orders.items()}
    placement = placement_of_ops(ir_of(NESTED), in_pieces)
    assert (placement.starts, placement.stops) == (starts, stops)


def test_what_belongs_to_ops_is_placed_with_them() -> None:
    ops = Placement([2, 0], [3, 2])
    assert ops.along([0, 1, 1, 4]).old_of == [1, 2, 3, 0]


def cut_and_shuffled(order: list[int], cuts: set[int]) -> Placement:
    """Nine numbers in runs between cuts, which are taken in that order."""
    runs = list(pairwise(sorted({0, 9, *cuts})))
    taken = [runs[k] for k in order if k < len(runs)]
    return Placement([start for start, _ in taken], [stop for _, stop in taken])


placements = st.builds(cut_and_shuffled, st.permutations(range(9)), st.sets(st.integers(1, 8)))


@given(placements)
def test_kept_numbers_are_those_before_which_nothing_has_changed(placement: Placement) -> None:
    kept = [number for run in placement.kept for number in range(run.start, run.stop)]
    moved = [number for run in placement.moved_to for number in range(run.start, run.stop)]
    assert sorted(kept + moved) == list(range(9))
    assert all(placement.old_of[number] == number for number in kept)
    assert all(sorted(placement.old_of[:number]) == list(range(number)) for number in kept)


@given(placements, st.data())
def test_a_column_is_shifted_by_one_amount_for_each_run(placement: Placement, data: st.DataObject) -> None:
    old = array("q", data.draw(st.lists(st.integers(0, 9), min_size=9, max_size=9)))
    shifts = [
        0 if place == start else 9 * (place - start)
        for place, start in zip(placement.places, placement.starts, strict=True)
    ]
    new = placement.in_new_order(old)
    for run, shift in zip(placement.runs(), shifts, strict=True):
        for number in run:
            new[number] += shift
    assert placement.are_shifted(shifts, (old, new))
    new[data.draw(st.integers(0, 8))] += data.draw(st.sampled_from([-1, 1]))
    assert not placement.are_shifted(shifts, (old, new))
