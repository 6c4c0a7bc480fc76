"""Two runs of one compiler: where their logs part."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import InputError, read_text
from tests.internals import Sameness, Workers, compare_runs, local_workers

MARKER = "// -----// IR Dump After {} ('func.func' operation: @f) //----- //\n"
BODY = "func.func @f() {{\n  %a = arith.constant {} : i32\n  %b = arith.constant 2 : i32\n  return\n}}\n"


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with local_workers(2) as started:
        yield started


def log(*passes: tuple[str, str]) -> str:
    return "".join(MARKER.format(name) + text for name, text in passes)


ONE, OTHER = BODY.format(1), BODY.format(3)
SWAPPED = "func.func @f() {\n  %b = arith.constant 2 : i32\n  %a = arith.constant 1 : i32\n  return\n}\n"


def compared(first: str, second: str) -> tuple[int, int, int | None, Sameness | None]:
    """Pairs, pairs that differ, the line of the first of these in the first log, and how it differs."""
    runs = compare_runs(read_text(first), read_text(second))
    line = runs.first[0].line if runs.first else None
    return runs.pairs, runs.different, line, runs.difference.sameness.sameness if runs.difference else None


def test_equal_logs_are_the_same() -> None:
    text = log(("cse", ONE), ("canonicalize", ONE))
    assert compared(text, text) == (2, 0, None, None)
    assert compare_runs(read_text(text), read_text(text)).is_same


def test_the_first_pass_that_differs_is_found() -> None:
    first = log(("a", ONE), ("b", ONE), ("c", ONE))
    assert compared(first, log(("a", ONE), ("b", SWAPPED), ("c", OTHER))) == (3, 2, 7, Sameness.ORDER)
    assert compared(first, log(("a", ONE), ("b", ONE), ("c", OTHER))) == (3, 1, 13, Sameness.NONE)


def test_dumps_are_paired_by_pass_not_by_place() -> None:
    first, second = log(("a", ONE), ("b", OTHER)), log(("b", OTHER), ("a", ONE))
    assert compared(first, second) == (2, 0, None, None)


def test_a_pass_that_runs_twice_is_paired_in_turn() -> None:
    first, second = log(("a", ONE), ("a", OTHER)), log(("a", ONE), ("a", ONE))
    assert compared(first, second) == (2, 1, 7, Sameness.NONE)


def test_dumps_of_one_run_only_are_counted() -> None:
    runs = compare_runs(read_text(log(("a", ONE))), read_text(log(("a", ONE), ("b", ONE), ("c", ONE))))
    (_, none), (dump, two) = runs.only_in
    assert (none, two, dump and dump.line, runs.is_same) == (0, 2, 7, False)
    assert not runs.is_same_as_asked


RENAMED = ONE.replace("%a", "%x")


def unlike(first: str, second: str, wanted: Sameness, workers: Workers | None = None) -> object:
    """The line of the first pair that is not the same, in the first log, and in what sense it is."""
    runs = compare_runs(read_text(first), read_text(second), same_as=wanted, workers=workers)
    assert runs.is_same_as_asked == (runs.unlike is None)
    return runs.unlike and (runs.unlike.first.line, runs.unlike.verdict.sameness)


def test_a_later_pair_may_differ_in_more_than_names() -> None:
    first = log(("a", ONE), ("b", ONE), ("c", ONE))
    second = log(("a", RENAMED), ("b", SWAPPED), ("c", OTHER))
    assert unlike(first, second, Sameness.BYTES) == (1, Sameness.NAMES)
    assert unlike(first, second, Sameness.NAMES) == (7, Sameness.ORDER)
    assert unlike(first, second, Sameness.ORDER) == (13, Sameness.NONE)
    assert unlike(first, log(("a", RENAMED), ("b", SWAPPED), ("c", ONE)), Sameness.ORDER) is None


@given(st.lists(st.sampled_from([ONE, OTHER, SWAPPED, RENAMED]), max_size=8), st.sampled_from(Sameness))
def test_other_processes_find_the_same(workers: Workers, texts: list[str], wanted: Sameness) -> None:
    first, second = log(*(("cse", ONE) for _ in texts)), log(*(("cse", text) for text in texts))
    assert unlike(first, second, wanted, workers) == unlike(first, second, wanted)


def test_a_pair_that_cannot_be_read_is_an_error(workers: Workers) -> None:
    first, second = log(("a", ONE), ("b", ONE)), log(("a", RENAMED), ("b", ONE[:-2]))
    for who in (None, workers):
        with pytest.raises(InputError, match="the dump ends inside a region"):
            unlike(first, second, Sameness.ORDER, who)
