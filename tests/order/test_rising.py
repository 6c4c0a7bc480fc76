from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.internals import heaviest_rising


def test_one_heavy_op_outweighs_two_that_rise() -> None:
    assert heaviest_rising([2, 0, 1], [5, 2, 2]) == [0]


def test_nothing_rises_in_nothing() -> None:
    assert heaviest_rising([], []) == []


@given(st.permutations(range(7)), st.lists(st.integers(1, 9), min_size=7, max_size=7))
def test_no_rising_subsequence_is_heavier(ranks: list[int], weights: list[int]) -> None:
    def rises(chosen: tuple[int, ...]) -> bool:
        return all(ranks[one] < ranks[other] for one, other in pairwise(chosen))

    found = heaviest_rising(ranks, weights)[::-1]
    assert rises(tuple(found))
    assert sum(weights[place] for place in found) == max(
        sum(weights[place] for place in chosen)
        for count in range(8)
        for chosen in combinations(range(7), count)
        if rises(chosen)
    )
