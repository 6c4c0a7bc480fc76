import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit.order.permutation import permuted_ranges
from tests.internals import sorted_runs
from tests.order.small_blocks import count_pairs


def runs(keys: list[int]) -> tuple[list[int], list[int], list[int], list[int]]:
    found = sorted_runs(keys)
    return found.starts, found.lengths, found.ranks, found.inversions_at


def test_what_is_in_order_is_one_run() -> None:
    assert runs([1, 1, 5, 7]) == ([0], [4], [0], [0])


def test_no_keys_have_no_run() -> None:
    assert runs([]) == ([], [], [], [])


def test_an_op_that_moved_up_stands_alone() -> None:
    assert runs([0, 8, 1, 2, 9]) == ([0, 1, 2, 4], [1, 1, 2, 1], [0, 2, 1, 3], [0, 2, 1, 0])


def test_equal_keys_belong_in_textual_order() -> None:
    assert sorted_runs([2, 1, 2]).ranks == [1, 0, 2]


@given(st.lists(st.integers(0, 12), max_size=30))
def test_the_keys_of_a_run_carry_the_same_inversions(keys: list[int]) -> None:
    found = sorted_runs(keys).inversions_by_position()
    assert len(found) == len(keys)
    for position in range(len(keys)):
        others = keys[:position] + keys[position + 1 :]
        assert found[position] == count_pairs(keys) - count_pairs(others)


@given(st.lists(st.integers(0, 9), max_size=20))
def test_the_inversions_of_the_runs_are_those_of_the_keys(keys: list[int]) -> None:
    assert sorted_runs(keys).inversions == count_pairs(keys)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        pytest.param([], [], id="no ops"),
        pytest.param([0, 1, 2], [], id="nothing moves"),
        pytest.param([1, 2, 0], [(range(3), [range(1, 3), range(1)])], id="all moves"),
        pytest.param([0, 2, 1, 3], [(range(1, 3), [range(2, 3), range(1, 2)])], id="some move"),
        pytest.param(
            [2, 1, 0, 3],
            [(range(3), [range(2, 3), range(1, 2), range(1)])],
            id="one stays between",
        ),
        pytest.param(
            [1, 0, 3, 2],
            [
                (range(2), [range(1, 2), range(1)]),
                (range(2, 4), [range(3, 4), range(2, 3)]),
            ],
            id="ranges may touch",
        ),
    ],
)
def test_permuted_ranges(order: list[int], expected: list[tuple[range, list[range]]]) -> None:
    assert permuted_ranges(order) == expected


@given(st.permutations(range(9)))
def test_outside_of_permuted_ranges_every_op_stays(order: list[int]) -> None:
    written = list(range(9))
    for places, runs in permuted_ranges(order):
        ops = [op for run in runs for op in run]
        assert sorted(ops) == list(places)
        written[places.start : places.stop] = ops
    assert written == order


@given(st.permutations(range(9)))
def test_no_range_of_a_permuted_range_is_closed(order: list[int]) -> None:
    for places, _ in permuted_ranges(order):
        for stop in range(places.start + 1, places.stop):
            assert set(order[places.start : stop]) != set(range(places.start, stop))
