"""Since which state the inversions of the last state have been there."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.internals import left_by_state

BLOCKS = st.lists(st.lists(st.integers(0, 5), max_size=6), max_size=3)
STATES = st.lists(st.dictionaries(st.sampled_from([None, "@f", "@g"]), BLOCKS), min_size=1, max_size=5)
Functions = Mapping[str | None, Sequence[Sequence[int]]]


def inverted(state: Functions) -> set[tuple[object, ...]]:
    """The inverted pairs: the function, and the key and the number of both ops."""
    pairs = set()
    for function, blocks in state.items():
        seen = Counter[int]()
        for keys in blocks:
            ops = [(key, number) for key in keys for number in [seen[key]] if not seen.update([key])]
            pairs |= {(function, one, other) for one, other in combinations(ops, 2) if one[0] > other[0]}
    return pairs


def charged(states: Sequence[Functions], key: int | None) -> list[int]:
    """Each pair that is inverted at the end, looked for in the states from the end on."""
    numbers = [0] * len(states)
    sets = [inverted(state) for state in states]
    for pair in sets[-1]:
        since = len(states) - 1
        while since and pair in sets[since - 1]:
            since -= 1
        _, one, other = pair
        numbers[since] += key is None or key in (one[0], other[0])
    return numbers


@given(STATES)
def test_each_inversion_is_charged_to_the_state_since_which_it_is_there(states: list[Functions]) -> None:
    assert left_by_state(states) == charged(states, None)


@given(STATES, st.integers(0, 5))
def test_with_a_key_only_its_inversions_count(states: list[Functions], key: int) -> None:
    assert left_by_state(states, key) == charged(states, key)


@given(STATES)
def test_the_sum_is_the_number_of_inversions_at_the_end(states: list[Functions]) -> None:
    assert sum(left_by_state(states)) == len(inverted(states[-1]))


@pytest.mark.parametrize(
    ("orders", "left"),
    [
        ([[2, 1]], [1]),
        ([[1, 2], [2, 1]], [0, 1]),
        ([[2, 1], [1, 2]], [0, 0]),
        ([[2, 1], [1, 2], [2, 1]], [0, 0, 1]),  # repaired and made again
        ([[2, 1, 3], [2, 3, 1], [3, 2, 1]], [1, 1, 1]),
        ([[2, 1], [2, 1, 1]], [1, 1]),  # the second op with this key is new
        ([[2, 1, 1], [2, 1]], [1, 0]),
    ],
)
def test_the_states_of_one_block(orders: list[list[int]], left: list[int]) -> None:
    assert left_by_state([{"@f": [order]} for order in orders]) == left


def test_ops_of_two_blocks_are_not_inverted() -> None:
    assert left_by_state([{"@f": [[2], [1]]}]) == [0]


def test_a_pair_that_was_in_two_blocks_is_new() -> None:
    assert left_by_state([{"@f": [[2], [1]]}, {"@f": [[2, 1]]}]) == [0, 1]


def test_a_pair_that_goes_to_another_function_is_new() -> None:
    assert left_by_state([{"@f": [[2, 1]]}, {"@g": [[2, 1]]}]) == [0, 1]


def test_without_states_there_is_nothing_to_count() -> None:
    assert left_by_state([]) == []
