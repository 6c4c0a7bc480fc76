"""What reports say of frees."""

import io

from eio_audit import AuditOptions, explain, read_text
from tests.cli.running import run
from tests.internals import Console, rendered
from tests.report.judged import judged

PLAIN = AuditOptions()
COUNTED = AuditOptions(follow="none")
T = "tensor<256xf32>"


def op(result: str, index: int, operand: str = "%a") -> str:
    return f'{result} = "ttnn.abs"({operand}) : ({T}) -> {T} loc("{index}|x")'


def free(value: str, index: int) -> str:
    return f'"ttnn.deallocate"({value}) <{{force = false}}> : ({T}) -> () loc("{index}|x")'


def function(*ops: str, results: str = "") -> str:
    return "\n".join([f"func.func @f(%a: {T}) {{", *ops, f"return {results}", "}"])


# Ordered by its index, the free of %0 goes behind %2.
HOLDING = function(op("%0", 1), op("%1", 2, "%0"), free("%0", 9), op("%2", 3, "%1"), free("%1", 9))
MIXED = function(op("%0", 3), op("%1", 2, "%0"), free("%0", 9), op("%2", 4))
MISPLACED = function(op("%0", 1), op("%1", 2), free("%0", 2), free("%1", 2))


def checked(text: str, options: AuditOptions = PLAIN, *, verbose: bool = False) -> list[str]:
    file = io.StringIO()
    result = judged(read_text(text, "a.mlir"), options, verbose=verbose)
    rendered(result, "text", Console(file, color=False, verbose=verbose))
    return file.getvalue().splitlines()


def fixed(text: str, *options: str) -> list[str]:
    return run("fix", "-", *options, stdin=text.encode()).stderr.decode().splitlines()


def test_how_many_inversions_a_free_is_an_end_of_and_how_many_following_leaves() -> None:
    assert (
        "    1 of 2 inversions involves the one op that only frees: "
        "--follow none counts them, without it 1 would be left"
    ) in checked(MIXED, COUNTED, verbose=True)
    only_frees = checked(HOLDING, COUNTED, verbose=True)
    assert "    the inversion" not in "".join(only_frees)
    assert (
        "    1 inversion involves one of 2 ops that only free: "
        "--follow none counts them, without it none would be left"
    ) in only_frees
    assert not any("only free" in line for line in checked(MIXED, verbose=True))


def test_frees_that_follow_are_named_in_the_last_line() -> None:
    [line] = checked(HOLDING)
    assert line == "passed: 1 dump, 1 block, 6 ops (2 follow their last uses): all in order"


def test_a_fix_by_the_indices_of_frees_moves_the_free_and_one_by_those_of_others_does_not() -> None:
    assert fixed(HOLDING, "--follow", "none") == ["<stdin>: 1 op moved, 1 inversion removed; none remains"]
    assert fixed(HOLDING) == ["<stdin>: in order: unchanged"]
    assert fixed(MISPLACED) == ["<stdin>: in order: unchanged"]


def test_a_fix_that_moves_other_ops_counts_the_frees_that_it_moves() -> None:
    text = function(op("%0", 2), op("%1", 1), free("%0", 2), free("%1", 2))
    assert fixed(text) == ["<stdin>: 2 ops moved (1 unindexed), 1 inversion removed; none remains"]


def explained(text: str, line: int, options: AuditOptions = PLAIN) -> list[str]:
    file = io.StringIO()
    rendered(explain(read_text(text, "a.mlir"), str(line), options), "text", Console(file, color=False))
    return file.getvalue().splitlines()


def test_an_explanation_of_a_free() -> None:
    assert "    it only frees; its last use is #2 ttnn.abs %1 (line 3)" in explained(HOLDING, 4, COUNTED)
    followed = explained(HOLDING, 4)
    why = "because it only frees (--follow none counts it)"
    assert f"    its index does not count, {why}" in followed
    assert "    it follows its last use, #2 ttnn.abs %1 (line 3)" in followed
