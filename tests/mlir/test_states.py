"""What files' names tell of states before and after passes."""

import pytest

from eio_audit.mlir.input.folders import find_states

Said = tuple[str, str, str]


def found(*names: str) -> dict[str, Said]:
    """By file, the program, the pass and the moment that its name tells."""
    states = find_states({name: name for name in names}).by_file
    return {name: (state.program, state.pass_name, state.moment.name) for name, state in states.items()}


@pytest.mark.parametrize(
    ("name", "other", "expected"),
    [
        ("ttir-before-erase-inverse-ops", "ttir-after-erase-inverse-ops", ("ttir", "erase-inverse-ops", "BEFORE")),
        ("net_after_EraseInverseOps_0", "net_before_EraseInverseOps_0", ("net", "EraseInverseOps_0", "AFTER")),
        ("my net.AFTER cse", "my net.Before cse", ("my net", "cse", "AFTER")),
        ("before", "after", ("", "", "BEFORE")),
        ("after-cse", "before-cse", ("", "cse", "AFTER")),
        ("net-after", "net-before", ("net", "", "AFTER")),
        ("a-before-hoist-after-use", "a-after-hoist-after-use", ("a", "hoist-after-use", "BEFORE")),
    ],
)  # fmt: skip
def test_a_name(name: str, other: str, expected: Said) -> None:
    assert found(name, other)[name] == expected


@pytest.mark.parametrize(("name", "other"), [("beforehand", "afterhand"), ("hereafter-x", "herebefore-x")])
def test_a_moment_is_a_word_of_its_own(name: str, other: str) -> None:
    assert found(name, other) == {}


PAIR = {"n-before-p": ("n", "p", "BEFORE"), "n-after-p": ("n", "p", "AFTER")}


@pytest.mark.parametrize("source", ["n", "n-source", "n_input", "n.original", "n-Initial", "source"])
def test_the_source_of_a_pair(source: str) -> None:
    assert found(source, *PAIR) == {**PAIR, source: ("n", "p", "SOURCE")}


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
