import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit.mlir.pieces import Stretch, moved_stretches, pieces


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        pytest.param([], [], id="no ops"),
        pytest.param([0, 1, 2], [], id="nothing moves"),
        pytest.param([1, 2, 0], [Stretch(range(3), [range(1, 3), range(1)])], id="all moves"),
        pytest.param([0, 2, 1, 3], [Stretch(range(1, 3), [range(2, 3), range(1, 2)])], id="some move"),
        pytest.param(
            [2, 1, 0, 3], [Stretch(range(3), [range(2, 3), range(1, 2), range(1)])], id="one stays between"
        ),
        pytest.param(
            [1, 0, 3, 2],
            [Stretch(range(2), [range(1, 2), range(1)]), Stretch(range(2, 4), [range(3, 4), range(2, 3)])],
            id="stretches may touch",
        ),
    ],
)
def test_moved_stretches(order: list[int], expected: list[Stretch]) -> None:
    assert list(moved_stretches(order)) == expected


@given(st.permutations(range(9)))
def test_pieces_are_the_order(order: list[int]) -> None:
    assert [op for piece in pieces(order) for op in piece] == order


@given(st.permutations(range(9)))
def test_outside_of_moved_stretches_every_op_stays(order: list[int]) -> None:
    written = list(range(9))
    for stretch in moved_stretches(order):
        ops = [op for piece in stretch.pieces for op in piece]
        assert sorted(ops) == list(stretch.places)
        written[stretch.places.start : stretch.places.stop] = ops
    assert written == order
