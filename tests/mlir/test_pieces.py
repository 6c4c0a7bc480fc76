import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit.mlir.rewriting.pieces import BlockOrder, Stretch


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
    assert BlockOrder(order).moved_stretches == expected


@given(st.permutations(range(9)))
def test_pieces_are_the_order(order: list[int]) -> None:
    assert [op for piece in BlockOrder(order).pieces for op in piece] == order


@given(st.permutations(range(9)))
def test_outside_of_moved_stretches_every_op_stays(order: list[int]) -> None:
    written = list(range(9))
    for stretch in BlockOrder(order).moved_stretches:
        ops = [op for piece in stretch.pieces for op in piece]
        assert sorted(ops) == list(stretch.places)
        written[stretch.places.start : stretch.places.stop] = ops
    assert written == order


@given(st.permutations(range(9)))
def test_places_are_where_the_order_has_the_ops(order: list[int]) -> None:
    assert [order[place] for place in BlockOrder(order).places()] == list(range(9))


@given(st.lists(st.integers(-1, 5), max_size=6), st.integers(0, 6))
def test_an_order_holds_each_op_once(order: list[int], count: int) -> None:
    assert BlockOrder(order).holds_each_once(count) == (sorted(order) == list(range(count)))


@given(st.permutations(range(6)))
def test_a_permutation_holds_each_op_once(order: list[int]) -> None:
    assert BlockOrder(order).holds_each_once(6)
