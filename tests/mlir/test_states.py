"""What files' names tell of states before and after passes."""

import pytest

from tests.internals import Moment, State, find_states, parse_state

BEFORE, AFTER, SOURCE = Moment.BEFORE, Moment.AFTER, Moment.SOURCE


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ttir-before-erase-inverse-ops", State("ttir", "erase-inverse-ops", BEFORE)),
        ("net_after_EraseInverseOps_0", State("net", "EraseInverseOps_0", AFTER)),
        ("my net.AFTER cse", State("my net", "cse", AFTER)),
        ("before", State("", "", BEFORE)),
        ("after-cse", State("", "cse", AFTER)),
        ("net-after", State("net", "", AFTER)),
        ("a-before-hoist-after-use", State("a", "hoist-after-use", BEFORE)),
        ("beforehand", None),
        ("hereafter-x", None),
        ("ttir", None),
    ],
)
def test_a_name(name: str, expected: State | None) -> None:
    assert parse_state(name) == expected


def found(*names: str) -> dict[str, State]:
    return find_states({name: name for name in names}).by_file


PAIR = {"n-before-p": State("n", "p", BEFORE), "n-after-p": State("n", "p", AFTER)}


@pytest.mark.parametrize("source", ["n", "n-source", "n_input", "n.original", "n-Initial", "source"])
def test_the_source_of_a_pair(source: str) -> None:
    assert found(source, *PAIR) == {**PAIR, source: State("n", "p", SOURCE)}


@pytest.mark.parametrize("other", ["m", "m-source", "n-final", "n-before-q", "after"])
def test_another_file_is_no_state(other: str) -> None:
    assert found(other, *PAIR) == PAIR


def test_the_source_of_two_passes_is_of_neither() -> None:
    assert set(found("n", *PAIR, "n-before-q", "n-after-q")) == {*PAIR, "n-before-q", "n-after-q"}


def test_a_source_without_a_program_is_that_of_the_only_one() -> None:
    other = ("m-before-p", "m-after-p")
    assert set(found("source", *PAIR, *other)) == {*PAIR, *other}


def test_without_a_pair_there_are_no_states() -> None:
    assert found("n", "n-before-p", "n-after-q", "m-after-p") == {}


def test_names_that_say_the_same_are_told() -> None:
    states = find_states({name: name for name in (*PAIR, "n_before_p")})
    assert (set(states.by_file), states.alike) == ({"n-after-p"}, (("n-before-p", "n_before_p"),))
