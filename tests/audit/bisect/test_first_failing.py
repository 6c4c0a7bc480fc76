"""The first number at which a property fails, where some numbers cannot be judged."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit.audit.bisect.pass_search import first_failing


@given(st.integers(1, 60), st.data())
def test_it_is_found_up_to_what_cannot_be_judged(high: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(1, high))
    unknown = data.draw(st.sets(st.integers(1, high - 1))) if high > 1 else set()
    low, bad = first_failing(0, high, lambda number: None if number in unknown else number < first)
    assert low < first <= bad
    assert {*range(low + 1, bad)} <= unknown
    assert low not in unknown
    assert bad not in unknown


@given(st.integers(1, 1000), st.data())
def test_it_takes_as_many_tests_as_a_binary_search(high: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(1, high))
    tested: list[int] = []

    def holds(number: int) -> bool:
        tested.append(number)
        return number < first

    assert first_failing(0, high, holds) == (first - 1, first)
    assert len(tested) <= math.ceil(math.log2(high))


def test_the_ends_are_not_tested() -> None:
    tested: list[int] = []
    first_failing(0, 4, lambda number: bool(tested.append(number)))
    assert tested == [2, 1]


@pytest.mark.parametrize(
    ("unknown", "found"),
    [
        (set(), (4, 5)),
        ({5}, (4, 6)),
        ({4}, (3, 5)),
        ({4, 5}, (3, 6)),
        ({*range(1, 10)}, (0, 10)),
        ({1}, (4, 5)),
    ],
)
def test_numbers_that_cannot_be_judged(unknown: set[int], found: tuple[int, int]) -> None:
    assert first_failing(0, 10, lambda number: None if number in unknown else number < 5) == found
