"""Two runs of one compiler: where their logs part."""

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import InputError, read_text
from eio_audit.audit.diff.matching import match_ops
from tests.audit.counting import counting
from tests.internals import Workers, compare_runs, local_workers, read_ir

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


def compared(first: str, second: str) -> tuple[int, int, int | None, str | None]:
    """Pairs, pairs that differ, the line of the first of these in the first log, and how it differs."""
    runs = compare_runs(read_text(first), read_text(second))
    line = runs.first[0].line if runs.first else None
    return runs.pairs, runs.different, line, runs.difference.sameness.sameness if runs.difference else None


def test_equal_logs_are_the_same() -> None:
    text = log(("cse", ONE), ("canonicalize", ONE))
    assert compared(text, text) == (2, 0, None, None)
    assert compare_runs(read_text(text), read_text(text)).is_same


def test_line_ends_are_no_difference() -> None:
    text = log(("cse", ONE))
    assert compared(text, text.replace("\n", "\r\n")) == (1, 0, None, None)


def test_the_first_pass_that_differs_is_found() -> None:
    first = log(("a", ONE), ("b", ONE), ("c", ONE))
    assert compared(first, log(("a", ONE), ("b", SWAPPED), ("c", OTHER))) == (3, 2, 7, "order")
    assert compared(first, log(("a", ONE), ("b", ONE), ("c", OTHER))) == (3, 1, 13, "none")


def test_dumps_are_paired_by_pass_not_by_place() -> None:
    first, second = log(("a", ONE), ("b", OTHER)), log(("b", OTHER), ("a", ONE))
    assert compared(first, second) == (2, 0, None, None)


def test_a_pass_that_runs_twice_is_paired_in_turn() -> None:
    first, second = log(("a", ONE), ("a", OTHER)), log(("a", ONE), ("a", ONE))
    assert compared(first, second) == (2, 1, 7, "none")


def test_dumps_of_one_run_only_are_counted() -> None:
    runs = compare_runs(read_text(log(("a", ONE))), read_text(log(("a", ONE), ("b", ONE), ("c", ONE))))
    (_, none), (dump, two) = runs.only_in
    assert (none, two, dump and dump.line, runs.is_same) == (0, 2, 7, False)
    assert not runs.is_same_as_asked


RENAMED = ONE.replace("%a", "%x")


def unlike(first: str, second: str, wanted: str, workers: Workers | None = None) -> object:
    """The line of the first pair that is not the same, in the first log, and in what sense it is."""
    runs = compare_runs(read_text(first), read_text(second), same_as=wanted, workers=workers)
    assert runs.is_same_as_asked == (runs.unlike is None)
    return runs.unlike and (runs.unlike.first.line, runs.unlike.verdict.sameness)


def test_a_later_pair_may_differ_in_more_than_names() -> None:
    first = log(("a", ONE), ("b", ONE), ("c", ONE))
    second = log(("a", RENAMED), ("b", SWAPPED), ("c", OTHER))
    assert unlike(first, second, "bytes") == (1, "names")
    assert unlike(first, second, "names") == (7, "order")
    assert unlike(first, second, "order") == (13, "none")
    assert unlike(first, log(("a", RENAMED), ("b", SWAPPED), ("c", ONE)), "order") is None


def test_two_texts_are_compared_once() -> None:
    first, second = log(*[("a", ONE)] * 4), log(*[("a", RENAMED)] * 4)
    with counting(read_ir) as counts:
        assert unlike(first, second, "order") is None
    assert counts == {"read_ir": 2}


def test_a_pair_whose_ops_stay_in_place_is_not_matched() -> None:
    first = log(("a", ONE), ("b", ONE), ("c", OTHER))
    second = log(("a", ONE), ("b", RENAMED), ("c", OTHER.replace("%b", "%y")))
    with counting(match_ops) as counts:
        assert unlike(first, second, "order") is None
    assert counts == {"match_ops": 1}  # for the pair that is shown


@given(
    st.lists(st.sampled_from([ONE, OTHER, SWAPPED, RENAMED]), max_size=8),
    st.sampled_from(["bytes", "names", "order", "none"]),
)
def test_other_processes_find_the_same(workers: Workers, texts: list[str], wanted: str) -> None:
    first, second = log(*(("cse", ONE) for _ in texts)), log(*(("cse", text) for text in texts))
    assert unlike(first, second, wanted, workers) == unlike(first, second, wanted)


def test_a_pair_that_cannot_be_read_is_an_error(workers: Workers) -> None:
    first, second = log(("a", ONE), ("b", ONE)), log(("a", RENAMED), ("b", ONE[:-2]))
    for who in (None, workers):
        with pytest.raises(InputError, match="the dump ends inside a region"):
            unlike(first, second, "order", who)


def of_thread(name: str, passes: list[str]) -> list[str]:
    """The dumps that one thread prints: of a function, or of an op without a name."""
    header = f"func.func @{name}()" if name != "-" else "util.initializer"
    return [
        f"// -----// IR Dump After {one} ({one}) //----- //\n{header} {{\n  x.y {k} : i32\n}}\n\n"
        for k, one in enumerate(passes)
    ]


@given(
    threads=st.lists(
        st.tuples(st.sampled_from(["f", "g", "h", "-"]), st.lists(st.sampled_from("abc"), max_size=4)),
        max_size=4,
    ),
    random=st.randoms(use_true_random=False),
)
def test_functions_that_threads_print_in_any_order_are_the_same(
    threads: list[tuple[str, list[str]]], random: Random
) -> None:
    printed = [of_thread(*one) for one in {name: (name, passes) for name, passes in threads}.values()]

    def interleaved() -> str:
        left, text = [list(one) for one in printed if one], ""
        while left:
            one = random.choice(left)
            text += one.pop(0)
            left = [one for one in left if one]
        return text

    runs = compare_runs(read_text(interleaved()), read_text(interleaved()))
    assert (runs.is_same, runs.pairs) == (True, sum(map(len, printed)))


def test_the_order_of_the_passes_of_a_function_counts() -> None:
    first, second = (log(("a", one), ("a", other)) for one, other in ((ONE, OTHER), (OTHER, ONE)))
    assert compared(first, second)[:2] == (2, 2)


def test_modules_without_names_are_paired_by_what_they_hold() -> None:
    one, other = (
        f"// -----// IR Dump After A (a) //----- //\nmodule {{\n  func.func @{f}() {{\n    x.y {f}\n  }}\n}}\n"
        for f in "fg"
    )
    assert compared(one + other, other + one)[:2] == (2, 0)


def test_ops_without_names_that_differ_are_compared_in_turn() -> None:
    first, second = ("".join(of_thread("-", ["a", "b"])), "".join(of_thread("-", ["b", "a"])))
    assert compared(first, second)[:3] == (2, 2, 1)


@pytest.mark.parametrize(
    "noise", ["[2024-11-05 19:23:15.{}] [info] done\n", "\nElapsed: 0.{} s\n", "12:00:00.{} | INFO | a\n\n"]
)
@pytest.mark.parametrize("aliases", ["", "#loc = loc(unknown)\n"])
def test_what_is_printed_below_a_dump_is_no_part_of_it(noise: str, aliases: str) -> None:
    first, second = (log(("a", ONE + aliases + noise.format(k)), ("b", ONE)) for k in (180, 201))
    assert compared(first, second) == (2, 0, None, None)


def test_a_second_region_is_part_of_the_op() -> None:
    op = '"x.y"() ({{\n  x.a\n}}, {{\n  x.b {}\n}}) : () -> ()\n'
    assert compared(log(("a", op.format(1))), log(("a", op.format(2))))[:2] == (1, 1)


def test_aliases_and_resources_are_part_of_the_dump() -> None:
    for below in (
        "#loc = loc({})\n",
        "{{-#\n  dialect_resources: {{\n    builtin: {{ a: {} }}\n  }}\n#-}}\n",
    ):
        first, second = (log(("a", ONE + below.format(k))) for k in ('"1"', '"2"'))
        assert compared(first, second)[:2] == (1, 1)
