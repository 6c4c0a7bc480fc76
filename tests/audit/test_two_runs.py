"""Two runs of one compiler: where their logs part."""

from eio_audit import Sameness, compare_runs, read_text

MARKER = "// -----// IR Dump After {} ('func.func' operation: @f) //----- //\n"
BODY = "func.func @f() {{\n  %a = arith.constant {} : i32\n  %b = arith.constant 2 : i32\n  return\n}}\n"


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
    assert not runs.is_same_as(Sameness.ORDER)
