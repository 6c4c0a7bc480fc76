"""How many lines each dump of a log changes, by its text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import read_text
from tests.audit.test_trace import dump, module
from tests.internals import changed_lines


def function(name: str, *ops: str) -> str:
    lines = [f'  %{k} = "t.{op}"() : () -> i32' for k, op in enumerate(ops)]
    return "\n".join([f"func.func @{name}() {{", *lines, "  return", "}", ""])


def changes(*texts: str) -> list[int]:
    return list(changed_lines(read_text("".join(dump("After", "p", text) for text in texts))))


F = function("f", "a", "b", "c")


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([F, F], [0, 0]),
        ([F, F.replace("%", "%v")], [0, 0]),
        ([F, F.replace("i32\n", 'i32 loc("x")\n')], [0, 0]),
        ([F, function("f", "a", "b")], [0, 1]),
        ([F, function("f", "a", "b", "c", "d")], [0, 1]),
        ([F, function("f", "a", "x", "c")], [0, 2]),
        ([F, function("f", "b", "c", "a")], [0, 2]),
        ([F, function("g", "a"), F], [0, 0, 0]),
        ([F, function("g", "a"), function("f", "a", "b"), function("g", "b")], [0, 0, 1, 2]),
        ([module(F), F, module(F)], [0, 0, 0]),
        ([module(F), function("f", "a"), module(function("f", "a"))], [0, 2, 0]),
        ([module(F), module(F, function("g", "x"))], [0, 2]),
        ([module(F), "module {\n  t.global\n}\n"], [0, 1]),
    ],
)
def test_changed_lines(texts: list[str], expected: list[int]) -> None:
    assert changes(*texts) == expected


def test_each_program_has_its_own_lines() -> None:
    dumps = read_text("".join(dump("After", "p", text) for text in (F, function("f", "a"))))
    others = read_text(f"{F}// -----\n{function('f', 'a')}")
    assert [*changed_lines(dumps)] == [0, 2]
    assert [*changed_lines(others)] == [0, 0]


NAMES = st.sampled_from("fgh")
FUNCTIONS = st.builds(
    lambda name, ops: function(name, *ops), NAMES, st.lists(st.sampled_from("abc"), max_size=4)
)


@given(st.lists(FUNCTIONS, min_size=1, max_size=6))
def test_a_dump_that_is_printed_again_changes_nothing(texts: list[str]) -> None:
    twice = [text for text in texts for _ in range(2)]
    assert changes(*twice)[1::2] == [0] * len(texts)


@given(st.lists(FUNCTIONS, min_size=1, max_size=6))
def test_the_number_of_lines_that_a_dump_has_and_had_is_the_most_that_it_changes(texts: list[str]) -> None:
    known: dict[str, int] = {}
    for text, changed in zip(texts, changes(*texts), strict=True):
        name, lines = text.partition("(")[0], text.count("\n")
        assert changed <= known.get(name, 0) + lines
        assert changed == 0 or name in known
        known[name] = lines
