"""The search for the counts after which a state changes."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit.audit.bisect.pass_search import Halving


def equal_weights(_old: str, _new: str) -> int:
    return 1


def distance(old: str, new: str) -> int:
    return abs(ord(new) - ord(old))


def searched(states: str, jobs: int, choose: st.DataObject) -> tuple[Halving, list[int]]:
    """The search to its end with so many states asked for at once, and the counts that it asked for."""
    halving = Halving({0: states[0], len(states) - 1: states[-1]}, distance)
    asked: list[int] = []
    waiting: list[int] = []
    while True:
        while len(waiting) < jobs and (count := halving.next()) is not None:
            waiting.append(count)
            asked.append(count)
        if not waiting:
            return halving, asked
        count = waiting.pop(choose.draw(st.integers(0, len(waiting) - 1)))
        halving.put(count, states[count])


SEQUENCES = st.text("abcd", min_size=2, max_size=40)


@given(SEQUENCES, st.integers(1, 4), st.data())
def test_what_it_finds_are_changes_of_one_count(states: str, jobs: int, data: st.DataObject) -> None:
    found = list(searched(states, jobs, data)[0].changes)
    assert [one for one in found if not one.is_one or states[one.first] == states[one.last]] == []


@given(SEQUENCES, st.integers(1, 4), st.data())
def test_a_change_that_it_misses_is_between_two_equal_states(
    states: str, jobs: int, data: st.DataObject
) -> None:
    halving, _ = searched(states, jobs, data)
    found = {one.last for one in halving.changes}
    hidden = {
        count
        for low, high in pairwise(sorted(halving.states))
        if halving.states[low] == halving.states[high]
        for count in range(low + 1, high + 1)
    }
    changes = {count for count in range(1, len(states)) if states[count] != states[count - 1]}
    assert found <= changes <= found | hidden


@given(st.lists(st.integers(0, 3), min_size=2, max_size=40), st.integers(1, 4), st.data())
def test_if_no_state_comes_back_it_finds_every_change(
    steps: list[int], jobs: int, data: st.DataObject
) -> None:
    states = "".join(chr(97 + sum(steps[: place + 1])) for place in range(len(steps)))
    changes = [count for count in range(1, len(states)) if steps[count]]
    assert [one.last for one in searched(states, jobs, data)[0].changes] == changes


@given(SEQUENCES, st.integers(1, 4), st.data())
def test_each_change_takes_at_most_as_many_states_as_a_search_alone(
    states: str, jobs: int, data: st.DataObject
) -> None:
    halving, asked = searched(states, jobs, data)
    most = math.ceil(math.log2(len(states) - 1)) if len(states) > 2 else 0
    assert len(asked) <= most * len(list(halving.changes))
    assert len(set(asked)) == len(asked)


@given(SEQUENCES)
def test_the_interval_whose_ends_differ_most_comes_first(states: str) -> None:
    halving = Halving({0: states[0], len(states) - 1: states[-1]}, distance)
    while (count := halving.next()) is not None:
        known = sorted(halving.states)
        differences = {
            (low + high) // 2: distance(states[low], states[high])
            for low, high in pairwise(known)
            if high - low > 1
        }
        assert differences[count] == max(differences.values()) > 0
        halving.put(count, states[count])


@pytest.mark.parametrize(
    ("known", "asked"),
    [
        ({0: "a", 8: "b", 16: "z"}, [12, 4, None]),
        ({0: "a", 8: "y", 16: "z"}, [4, 12, None]),
        ({0: "a", 4: "b", 16: "c"}, [10, 2, None]),  # of equals, the longer
        ({0: "a", 8: "b", 16: "b"}, [4, None]),
        ({0: "a", 1: "b"}, [None]),
        ({0: "a", 8: "a"}, [None]),
        ({5: "a", 8: "b"}, [6, None]),
    ],
)
def test_the_order_in_which_states_are_asked_for(known: dict[int, str], asked: list[int | None]) -> None:
    halving = Halving(known, distance)
    assert [halving.next() for _ in asked] == asked


def test_what_is_not_asked_for_yet_is_an_interval_that_is_not_resolved() -> None:
    halving = Halving({0: "a", 8: "b", 9: "c"}, equal_weights)
    assert [*halving.changes] == [(0, 8), (8, 9)]
    assert [one.is_one for one in halving.changes] == [False, True]


def test_an_interval_whose_state_cannot_be_had_is_given_up() -> None:
    halving = Halving({0: "a", 8: "b"}, equal_weights)
    assert halving.next() == 4
    halving.drop(4)
    assert halving.next() is None
    assert [*halving.changes] == [(0, 8)]
