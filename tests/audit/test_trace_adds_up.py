"""All pairs out of order at the end were there from the start or are left by a pass, in every trace."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from eio_audit import Trace, read_text, trace
from eio_audit.audit.corpus.models import find_models
from eio_audit.audit.corpus.trace_models import TraceModel, pass_totals, trace_models
from tests.internals import find_dump_files
from tests.logs import dump, function, logs, module, nested

SAMPLES = Path(__file__).parent.parent.parent / "sample_irs"
LOGS = [*sorted(SAMPLES.glob("*/*.log")), SAMPLES / "small" / "tree"]


def expect_adds_up(result: Trace) -> None:
    left = sum(traced.left for traced in result.passes)
    assert result.initial_left + left == result.at_end_of_log.inversions
    for traced in result.passes:
        assert traced.made >= traced.left == sum(traced.left_classes.values())
    assert result.initial >= result.initial_left == sum(result.initial_classes.values())
    assert sum(total.left for total in pass_totals([result])) == left


@settings(max_examples=2 * settings().max_examples)
@given(logs(has_namesakes=False))
def test_made_logs_add_up(text: str) -> None:
    expect_adds_up(trace(read_text(text)))


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_sample_logs_add_up(path: Path) -> None:
    found = [(str(path), file) for file in find_dump_files(str(path))]
    for model in trace_models(find_models(found), TraceModel(is_only_file=len(found) == 1)).models:
        expect_adds_up(model.trace)
        assert model.left == model.trace.at_end_of_log.inversions


def states(*orders: tuple[int, ...]) -> Trace:
    """A function in these orders, after the passes p0, p1, and so on."""
    return trace(read_text("".join(dump("After", f"p{k}", function("f", *o)) for k, o in enumerate(orders))))


def test_more_inversions_of_an_op_are_those_of_the_pass_that_made_them() -> None:
    result = states((0, 1, 2), (0, 2, 1), (2, 0, 1))
    assert [(one.pass_name, one.made, one.left) for one in result.passes] == [
        ("p0", 0, 0),
        ("p1", 1, 1),
        ("p2", 1, 1),
    ]


def test_a_pass_that_puts_one_pair_in_order_and_another_out_of_order_did_both() -> None:
    result = states((0, 1, 2, 3), (1, 0, 2, 3), (0, 1, 3, 2))
    assert [(one.pass_name, one.made, one.undone, one.left) for one in result.passes] == [
        ("p0", 0, 0, 0),
        ("p1", 1, 0, 0),
        ("p2", 1, 1, 1),
    ]


def test_what_was_there_from_the_start_is_left_or_undone_too() -> None:
    result = states((2, 1, 0), (0, 2, 1))
    assert (result.initial, result.passes[-1].undone, result.initial_left) == (3, 2, 1)


def test_a_function_that_vanishes_takes_its_inversions_with_it() -> None:
    f, g = function("f", 1, 0), function("g", 0, 1)
    text = dump("After", "a", module(f, g)) + dump("After", "b", module(g))
    result = trace(read_text(text))
    assert (result.initial, result.initial_left, len(result.left)) == (1, 0, 0)


def test_a_function_that_vanishes_where_nothing_can_be_judged_takes_its_inversions_with_it() -> None:
    f, other, g = function("f", 1, 0), function("f", None), function("g", None)
    text = (
        dump("After", "a", module(f, g))
        + dump("After", "b", module(other, g))
        + dump("After", "c", module(g))
    )
    result = trace(read_text(text))
    assert (result.initial, result.initial_left, result.at_end_of_log.inversions) == (1, 0, 0)


def test_of_functions_with_one_name_the_last_one_counts() -> None:
    first, last = (
        nested(function("f", 2, 1), header="module @a"),
        nested(function("f", 1, 2), header="module @b"),
    )
    result = trace(read_text(dump("After", "a", first) + dump("After", "b", last)))
    assert (result.initial, result.initial_left, result.at_end_of_log.inversions) == (1, 0, 0)


INVALID = "func.func @g(%a: i32) -> i32 {\n  %0 = arith.addi %a, %b : i32\n  return %a : i32\n}\n"


@pytest.mark.parametrize("later", [(2, 1), (1, 2), (3, 2, 1)])
@pytest.mark.parametrize("is_alone", [False, True])
def test_what_a_pass_that_failed_left_counts_once_a_dump_can_be_judged(
    later: tuple[int, ...], is_alone: bool
) -> None:
    f, g = function("f", *later), function("g", 1)
    text = (
        dump("After", "a", module(function("f", 1, 2), g))
        + dump("After", "b", module(f, INVALID)).replace("(b)", "Failed (b)")
        + dump("After", "c", f if is_alone else module(f, g))
    )
    result = trace(read_text(text))
    expect_adds_up(result)
    assert [one.left for one in result.passes] == [0, 0, result.at_end_of_log.inversions]


def test_a_function_that_was_shown_without_its_module_is_the_one_in_it() -> None:
    """Behind another program it is outermost. Its last dump is compared with the module that has shown it since."""
    f, shuffled = function("f", 1, 2), function("f", 2, 1)
    shown = [module(f), module(function("i", 1)), shuffled, module(f), shuffled]
    result = trace(read_text("".join(dump("After", f"p{k}", text) for k, text in enumerate(shown))))
    expect_adds_up(result)
    assert [one.left for one in result.passes] == [0, 0, 0, 0, 1]
