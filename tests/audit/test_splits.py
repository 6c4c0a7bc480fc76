"""Splits: which ops they are, the avoidable inversions they cause, and how the gate treats them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eio_audit import AuditOptions, BlockAudit, Gate, check, fix, read_text
from tests.audit.test_hoisted_constants import constant, function, judged
from tests.internals import audit_dump, find
from tests.rules import AVOIDABLE, ORDER_RULES, SPLIT, WRONG_INDEX


def op(name: str, result: str, index: int, *operands: str) -> str:
    types = ", ".join("i32" for _ in operands)
    return f'  %{result} = "ttir.{name}"({", ".join(operands)}) : ({types}) -> i32 loc("{index}|x")'


def free(value: str) -> str:
    return f'  "ttnn.deallocate"({value}) : (i32) -> ()'


def block_of(*ops: str) -> BlockAudit:
    [block] = check(read_text(function(*ops))).dumps[0].blocks
    return block


def figures(block: BlockAudit) -> tuple[int, int, int]:
    return block.avoidable, block.avoidable_splits, block.left_splits


FUSED = op("matmul", "m", 1, "%a")
Q, K = op("slice_static", "q", 2, "%m"), op("slice_static", "k", 5, "%m")
HEAD = [op("abs", "s", 3, "%q"), op("exp", "t", 4, "%s")]
SUM = op("add", "u", 6, "%t", "%k")
SPLITS = (FUSED, Q, K, *HEAD, SUM)


@pytest.mark.parametrize(
    ("ops", "splits"),
    [
        pytest.param(SPLITS, ["%q", "%k"], id="slices behind a fused matmul"),
        pytest.param((FUSED, Q, free("%a"), K), ["%q", "%k"], id="a free between them"),
        pytest.param((FUSED, Q, op("abs", "s", 3, "%q"), K), [], id="an op between them"),
        pytest.param((FUSED, Q), [], id="only one reads the value"),
        pytest.param((FUSED, Q, op("abs", "k", 5, "%m")), [], id="other names"),
        pytest.param((FUSED, Q, op("slice_static", "k", 5, "%q")), [], id="other values"),
        pytest.param(
            (op("slice_static", "q", 2, "%a"), op("slice_static", "k", 5, "%a")), [], id="an argument"
        ),
        pytest.param(
            (FUSED, op("add", "q", 2, "%a", "%m"), op("add", "k", 5, "%m", "%a"), K.replace("%k", "%l")),
            ["%q", "%k"],
            id="the value is any operand",
        ),
    ],
)
def test_what_a_split_is(ops: tuple[str, ...], splits: list[str]) -> None:
    dump = audit_dump(read_text(function(*ops))[0])
    flags = dump.keys.splits_by_op
    assert [dump.ir.first_result_name(op) for op, flag in enumerate(flags) if flag] == splits


@pytest.mark.parametrize(
    ("ops", "expected"),
    [
        pytest.param(SPLITS, (2, 2, 1), id="a split"),
        pytest.param((op("abs", "s", 2, "%a"), op("exp", "t", 1, "%a")), (1, 0, 0), id="out of place"),
        pytest.param((FUSED, Q, K, *reversed([op("abs", "s", 3, "%a"), op("exp", "t", 4, "%a")]), SUM), (3, 2, 1), id="both"),
        pytest.param((FUSED, op("slice_static", "q", 0, "%m"), K), (0, 0, 0), id="its index is wrong"),
    ],
)  # fmt: skip
def test_how_many_avoidable_inversions_are_of_splits(
    ops: tuple[str, ...], expected: tuple[int, int, int]
) -> None:
    assert figures(block_of(*ops)) == expected


def test_a_fix_moves_them() -> None:
    assert check(read_text(fix(read_text(function(*SPLITS))).text)).summary.inversions == 0


def test_splits_that_follow_are_not_counted() -> None:
    [block] = check(read_text(function(*SPLITS)), AuditOptions(follow="splits")).dumps[0].blocks
    assert (block.followed, *figures(block)) == (2, 0, 0, 0)


@pytest.mark.parametrize(
    ("gate", "failed"),
    [
        pytest.param(Gate(), (), id="by default"),
        pytest.param(Gate((AVOIDABLE,)), (), id="moved"),
        pytest.param(Gate(ORDER_RULES), (SPLIT,), id="any"),
    ],
)
def test_what_a_gate_says(gate: Gate, failed: tuple[object, ...]) -> None:
    assert judged(function(*SPLITS), gate).failed == failed


def test_the_finding_is_at_the_first_split_that_moves() -> None:
    [finding] = find(audit_dump(read_text(function(*SPLITS))[0]), ORDER_RULES)
    assert (finding.rule, finding.line, finding.inversions) == (SPLIT, 4, 2)
    assert finding.message == "1 split stays beside its source (2 inversions); fix moves it"


def test_an_op_that_only_moves_if_splits_follow() -> None:
    """What of the others is out of place is found with the splits at their consumers."""
    ops = (FUSED, Q, K, op("exp", "t", 4, "%q"), op("abs", "s", 3, "%q"), op("add", "u", 6, "%t", "%k"))
    found = find(audit_dump(read_text(function(*ops))[0]), ORDER_RULES)
    assert [(one.rule, one.inversions) for one in found] == [(AVOIDABLE, 1), (SPLIT, 2)]


def test_a_fused_attention_passes_with_constants_and_splits() -> None:
    """Stamped, fused and canonicalized: constants first, the slices behind the matmul."""
    heads = [
        text
        for k in range(3)
        for text in (
            op("abs", f"h{k}", 10 * k + 3, f"%s{k}"),
            op("add", f"i{k}", 10 * k + 5, f"%h{k}", f"%c{k}"),
        )
    ]
    constants = [constant(k, 10 * k + 4) for k in range(3)]
    slices = [op("slice_static", f"s{k}", 10 * k + 2, "%m") for k in range(3)]
    text = function(*constants, FUSED, *slices, *heads)
    verdict = judged(text, Gate((AVOIDABLE, WRONG_INDEX)))
    summary = verdict.check.summary
    assert (verdict.failed, summary.avoidable_others) == ((), 0)
    assert (
        summary.avoidable_constants + summary.avoidable_splits == summary.avoidable == summary.inversions > 0
    )


@settings(deadline=None)
@given(st.permutations(range(4)), st.integers(0, 3))
def test_splits_of_heads_in_any_order_are_never_out_of_place(order: list[int], start: int) -> None:
    """Each head reads its slice; the slices stand behind the matmul, the heads in their order."""
    slices = [op("slice_static", f"s{k}", 10 * k + 2 + start, "%m") for k in order]
    heads = [op("abs", f"h{k}", 10 * k + 3 + start, f"%s{k}") for k in range(4)]
    block = block_of(FUSED, *slices, *heads)
    assert (block.avoidable_others, block.wrong_indices) == (0, 0)
    assert block.avoidable == block.avoidable_splits == block.inversions
