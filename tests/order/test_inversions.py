import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit.order.permutation import inversions_charged
from tests.internals import count_inversions, sorted_runs
from tests.order.small_blocks import count_pairs

SEQUENCES = st.lists(st.integers(-3, 12) | st.integers(), max_size=40)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ([], 0),
        ([7], 0),
        ([4, 4, 4], 0),
        ([15, 23, 18], 1),
        ([3, 2, 1], 3),
        ([2, 1, 2, 1], 3),
        ([10**40, -(10**40)], 1),
    ],
)
def test_inversions(keys: list[int], expected: int) -> None:
    assert count_inversions(keys) == expected


def test_a_reversed_sequence_inverts_every_pair() -> None:
    assert count_inversions(range(5000, 0, -1)) == 5000 * 4999 // 2


def test_two_sorted_halves_the_wrong_way_round() -> None:
    assert count_inversions([*range(1000, 3000), *range(1000)]) == 2000 * 1000


def test_long_shuffled_sequences_agree_with_the_inversions_at_each_position() -> None:
    keys = random.Random(1).choices(range(3000), k=5000)
    assert 2 * count_inversions(keys) == sum(sorted_runs(keys).inversions_by_position())


@given(SEQUENCES)
def test_inversions_are_the_pairs_out_of_order(keys: list[int]) -> None:
    assert count_inversions(keys) == count_pairs(keys)


@given(SEQUENCES)
def test_inversions_do_not_depend_on_the_length_of_runs(keys: list[int]) -> None:
    assert count_inversions(keys, chunk_size=3) == count_pairs(keys)


@given(SEQUENCES)
def test_keys_are_left_as_they_are(keys: list[int]) -> None:
    before = list(keys)
    count_inversions(keys)
    assert keys == before


def test_an_inversion_of_two_chosen_ends_is_charged_to_the_smaller_key() -> None:
    assert inversions_charged([23, 18, 16, 15], [0, 1, 2]) == [1, 2, 3]


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=20))
def test_an_inversion_is_charged_once_to_a_chosen_end_the_smaller_key_if_both_are(
    ends: list[tuple[int, bool]],
) -> None:
    keys = [key for key, _ in ends]
    chosen = [place for place, (_, is_chosen) in enumerate(ends) if is_chosen]
    charged = dict.fromkeys(chosen, 0)
    for first, second in combinations(range(len(keys)), 2):
        end = second if second in charged else first
        if keys[first] > keys[second] and end in charged:
            charged[end] += 1
    assert inversions_charged(keys, chosen) == list(charged.values())
