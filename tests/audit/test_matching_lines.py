from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from eio_audit.audit.diff.matching import gaps_between, matching_lines

TEXTS = st.lists(st.sampled_from("abc}"), max_size=12)


@given(TEXTS, TEXTS)
def test_matches_are_equal_lines_in_order(old: list[str], new: list[str]) -> None:
    matches = matching_lines(old, new)
    assert all(old[i] == new[j] for i, j in matches)
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(matches))


@given(st.permutations(range(8)))
def test_as_few_lines_as_possible_have_moved(order: list[int]) -> None:
    lengths = [1] * len(order)
    for k, line in enumerate(order):
        lengths[k] += max((lengths[p] for p in range(k) if order[p] < line), default=0)
    assert len(matching_lines(order, range(8))) == max(lengths)


def test_lines_that_others_like_them_hid_are_found_between_matches() -> None:
    old = ["x", "1", "a", "2", "x", "b"]
    new = ["1", "a", "2", "x", "b"]
    assert matching_lines(old, new) == [(1, 0), (2, 1), (3, 2), (4, 3), (5, 4)]


def test_gaps() -> None:
    assert list(gaps_between([(0, 1), (2, 2)], 4, 3)) == [
        (range(0), range(1)),
        (range(1, 2), range(2, 2)),
        (range(3, 4), range(3, 3)),
    ]
