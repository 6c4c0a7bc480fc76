"""The states of a pass as a log: the name of each step is the name of a pass."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import read_text
from eio_audit.audit.bisect.attempts import WITHOUT_PATTERNS, is_step, name_of_step
from eio_audit.audit.bisect.bisect import write_log
from eio_audit.audit.bisect.pass_search import Halving
from tests.internals import Attempt

IR = b"func.func @f() {\n  return\n}\n"


def name_of(step: tuple[int, int], attempt: Attempt | None) -> str:
    first, last = step
    [interval] = Halving({first: "a", last: "b"}, lambda *_: 1).changes
    return name_of_step(interval, attempt)


@pytest.mark.parametrize(
    ("step", "attempt", "name"),
    [
        ((430, 431), Attempt(431, "ns::P<ns::AddOp>", "ttir.add", "%130", 69), "P<AddOp> attempt 431 on #69 ttir.add %130"),
        ((0, 1), Attempt(1, "P", "func.func"), "P attempt 1 on func.func"),
        ((0, 1), Attempt(1, "P", ""), "P attempt 1"),
        ((0, 1), None, "attempt 1"),
        ((8, 20), None, "attempts 9 to 20 not resolved"),
        ((0, 1), Attempt(1, "(unnamed pattern)", "cf.br"), "[unnamed pattern] attempt 1 on cf.br"),
        ((0, 1), Attempt(1, "f()::(lambda at x.cpp:3:4)", "a.b"), "f[]..[lambda at x.cpp.3.4] attempt 1 on a.b"),
    ],
)  # fmt: skip
def test_the_name_of_a_step(step: tuple[int, int], attempt: Attempt | None, name: str) -> None:
    assert name_of(step, attempt) == name


def logged(pass_name: str, *names: str) -> list[tuple[str | None, str | None, int, bytes]]:
    """What the log of some states is read as: the moment, the pass, the line and the text of each dump."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "states.log"
        write_log(path, pass_name, names, [IR] * (len(names) + 1))
        dumps = read_text(path.read_bytes(), "states.log")
    return [(d.place.when, d.place.pass_name, d.line, d.text.strip() + b"\n") for d in dumps]


def test_the_log_has_the_state_before_and_after_each_step() -> None:
    assert logged("cse", "without patterns", "P attempt 1 on a.b %0") == [
        ("before", "cse", 1, IR),
        ("after", "without patterns", 6, IR),
        ("after", "P attempt 1 on a.b %0", 11, IR),
    ]


ODD = st.sampled_from(
    ["(", ")", "::", " Failed", "'f' operation: @f", "IR Dump After x", "<", "{-#", "loc(unknown)", "\n", "\t", '"', "//"]
)  # fmt: skip
NAMES = st.lists(
    ODD | st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=5), max_size=6
)


@given(st.lists(NAMES.map("".join), min_size=1, max_size=3))
def test_any_pattern_keeps_its_name(patterns: list[str]) -> None:
    names = [name_of((0, 1), Attempt(1, f"P{pattern}", "a.b", "%0")) for pattern in patterns]
    read = [(when, name) for when, name, *_ in logged("canonicalize", *names)]
    assert read == [("before", "canonicalize"), *(("after", name) for name in names)]


@pytest.mark.parametrize("name", ["canonicalize", "(anonymous namespace)::MyPass", "my::Pass"])
def test_the_pass_keeps_its_name(name: str) -> None:
    assert logged(name, "without patterns")[0][:2] == ("before", name)


@pytest.mark.parametrize(
    "name",
    [
        WITHOUT_PATTERNS,
        name_of_step((4, 5), None),
        name_of_step((2, 5), None),
        name_of_step((430, 431), Attempt(431, "ns::P", "a.b", "%0", 69)),
    ],
)
def test_the_name_of_a_step_is_known_again(name: str) -> None:
    assert is_step(name)


@pytest.mark.parametrize("name", ["cse", "(anonymous namespace)::Attempt", "attempts", "attempt"])
def test_the_name_of_a_pass_is_no_step(name: str) -> None:
    assert not is_step(name)
