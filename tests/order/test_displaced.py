from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit.order.permutation import displaced_by_weight, heaviest_rising, order_profile, ranks_of
from tests.internals import displaced, sorted_runs
from tests.order.small_blocks import count_pairs


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        pytest.param([], [], id="no keys"),
        pytest.param([1, 1, 2], [], id="in order"),
        pytest.param([15, 23, 18, 20], [1], id="one is early"),
        pytest.param([15, 18, 20, 1], [3], id="one is late"),
        pytest.param([9, 1, 2, 3, 0], [0, 4], id="one of each"),
        pytest.param([2, 2, 1, 1, 1], [0, 1], id="equal keys belong together"),
        pytest.param([5, 1, 6, 2], [0, 3], id="the most inversions first"),
    ],
)
def test_displaced(keys: list[int], expected: list[int]) -> None:
    assert displaced(keys) == expected


def test_a_reversed_sequence_keeps_one() -> None:
    assert len(displaced(range(3000, 0, -1))) == 2999


@given(st.lists(st.integers(0, 8), max_size=9))
def test_displaced_is_a_smallest_set_that_carries_most(keys: list[int]) -> None:
    at = sorted_runs(keys).inversions_by_position()
    sets = [
        (-len(removed), sum(at[position] for position in removed))
        for count in range(len(keys) + 1)
        for removed in combinations(range(len(keys)), count)
        if not count_pairs([key for position, key in enumerate(keys) if position not in removed])
    ]
    found = displaced(keys)
    assert (-len(found), sum(at[position] for position in found)) == max(sets)


def test_each_inversion_is_at_both_ends() -> None:
    assert sorted_runs([1, 5, 2, 3, 9]).inversions_by_position() == [0, 2, 1, 1, 0]


@given(st.lists(st.integers(-3, 12) | st.integers(), max_size=40))
def test_the_number_of_inversions_at_each_position(keys: list[int]) -> None:
    for position, at in enumerate(sorted_runs(keys).inversions_by_position()):
        others = keys[:position] + keys[position + 1 :]
        assert at == count_pairs(keys) - count_pairs(others)


@pytest.mark.parametrize(
    ("keys", "parts", "expected"),
    [
        ([], 3, ()),
        ([7], 3, (0.0,)),
        ([3, 2, 1, 0], 2, (1.0, 0.0)),
        ([0, 1, 5, 2, 3, 4], 3, (0.0, 1.0, 0.6)),
        ([2, 2, 1], 3, (0.5, 1.0, 0.0)),
    ],
)
def test_the_profile_has_where_the_farthest_op_of_each_part_belongs(
    keys: list[int], parts: int, expected: tuple[float, ...]
) -> None:
    assert order_profile(keys, parts) == expected


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4)), max_size=12))
def test_ranges_apart_leave_out_what_all_ranges_together_do(weighted: list[tuple[int, int]]) -> None:
    keys, weights = [key for key, _ in weighted], [weight for _, weight in weighted]
    kept = heaviest_rising(ranks_of(keys), weights)
    assert displaced_by_weight(keys, weights) == sorted({*range(len(keys))} - {*kept})
