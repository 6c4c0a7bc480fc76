"""What a pass introduced is repaired later or left, in every trace; nothing is left that nobody brought in."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eio_audit import Trace, read_text, trace
from tests.audit.test_trace import dump, function, logs, module
from tests.internals import (
    TraceModel,
    find_dump_files,
    find_models,
    pass_totals,
    shares,
    trace_models,
    withdraw,
)

SAMPLES = Path(__file__).parent.parent.parent / "sample_irs"
LOGS = [*sorted(SAMPLES.glob("*/*.log")), SAMPLES / "small" / "tree"]

Who = tuple[str | None, bool]


def expect_adds_up(result: Trace) -> None:
    left, repaired, introduced = Counter[Who](), Counter[Who](), Counter[Who]()
    for one in result.left:
        assert sum(number for _, number in one.shares) == one.finding.inversions
        for arrival, number in one.shares:
            left[arrival.pass_name, arrival.is_initial] += number
    for repair in result.repaired:
        repaired[repair.pass_name, repair.is_initial] += repair.inversions
    introduced[None, True] = result.initial
    for traced in result.passes:
        assert traced.introduced >= traced.left >= 0
        introduced[traced.pass_name, False] += traced.introduced
    assert +introduced == left + repaired
    assert {total.pass_name: total.left for total in pass_totals([result]) if total.left} == {
        name: number for (name, is_initial), number in left.items() if number and not is_initial
    }
    assert (result.initial_left, sum(left.values())) == (left[None, True], result.at_end_of_log.avoidable)


@settings(max_examples=2 * settings().max_examples)
@given(logs())
def test_made_logs_add_up(text: str) -> None:
    expect_adds_up(trace(read_text(text)))


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_sample_logs_add_up(path: Path) -> None:
    found = [(str(path), file) for file in find_dump_files(str(path))]
    for model in trace_models(find_models(found), TraceModel(is_only_file=len(found) == 1)).models:
        expect_adds_up(model.trace)
        assert model.initial + model.introduced == model.repaired + model.left


def states(*orders: tuple[int, ...]) -> Trace:
    """A function in these orders, after the passes p0, p1, and so on."""
    return trace(read_text("".join(dump("After", f"p{k}", function("f", *o)) for k, o in enumerate(orders))))


def test_more_inversions_of_an_op_are_those_of_the_pass_that_added_them() -> None:
    result = states((0, 1, 2), (0, 2, 1), (2, 0, 1))
    assert [(one.pass_name, one.introduced, one.left) for one in result.passes] == [
        ("p0", 0, 0),
        ("p1", 1, 1),
        ("p2", 1, 1),
    ]
    [left] = result.left
    assert [(arrival.pass_name, number) for arrival, number in left.shares] == [("p1", 1), ("p2", 1)]


def test_a_pass_that_only_changes_which_op_a_fix_moves_introduced_nothing() -> None:
    result = states((0, 1, 2, 3), (1, 0, 2, 3), (0, 1, 3, 2))
    assert [(one.pass_name, one.introduced, one.repaired, one.left) for one in result.passes] == [
        ("p0", 0, 0, 0),
        ("p1", 1, 0, 1),
        ("p2", 0, 0, 0),
    ]
    assert result.repaired == ()


def test_what_was_there_from_the_start_is_left_or_repaired_too() -> None:
    result = states((2, 1, 0), (0, 2, 1))
    assert (result.initial, result.initial_repaired, result.initial_left) == (3, 2, 1)
    assert [(one.is_initial, one.by, one.inversions) for one in result.repaired] == [(True, "p1", 2)]


def test_a_function_that_vanishes_takes_its_inversions_with_it() -> None:
    f, g = function("f", 1, 0), function("g", 0, 1)
    text = dump("After", "a", module(f, g)) + dump("After", "b", module(g))
    result = trace(read_text(text))
    assert (result.initial, result.initial_left, len(result.left)) == (1, 0, 0)


ledgers = st.dictionaries(st.sampled_from("abc"), st.integers(0, 9)).map(Counter)


@given(ledgers, st.integers(-3, 40), st.lists(st.tuples(st.sampled_from("abcd"), st.integers(-3, 9))))
def test_what_is_taken_is_missing(ledger: Counter[str], number: int, first: list[tuple[str, int]]) -> None:
    before = ledger.copy()
    taken = withdraw(ledger, number, first)
    assert taken + ledger == +before
    assert taken.total() == min(max(number, 0), before.total())
    assert min(ledger.values(), default=0) >= 0


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(-5, 9))), st.data())
def test_shares_add_up_to_the_findings_and_to_the_ledger(
    findings: list[tuple[str, int]], data: st.DataObject
) -> None:
    total = sum(number for _, number in findings)
    while total < 0:
        findings.append(("a", 9))
        total += 9
    cut = sorted(data.draw(st.integers(0, total)) for _ in range(2))
    ledger = Counter(a=cut[0], b=cut[1] - cut[0], c=total - cut[1])
    divided = shares(findings, ledger)
    assert [share.total() for share in divided] == [number for _, number in findings]
    summed = Counter[str]()
    for share in divided:
        summed.update(share)
    assert summed == ledger
