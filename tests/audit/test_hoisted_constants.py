"""The avoidable inversions that hoisted constants cause, and how the gate treats them."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eio_audit import AuditOptions, BlockAudit, Gate, Verdict, check, fix, read, read_text
from tests.internals import Baseline, LogFindings, audit_dump, find, judge
from tests.rules import AVOIDABLE, HOISTED, SPLIT, UNAVOIDABLE

DATA = Path(__file__).parents[1] / "data" / "hoisted_constants"
FOLLOWING = AuditOptions(follow="constants")
BOTH_FOLLOW = AuditOptions(follow=("constants", "splits"))


def constant(k: int, index: int) -> str:
    return f'  %c{k} = "ttir.constant"() : () -> i32 loc("{index}|c")'


def op(k: int, index: int, *operands: str) -> str:
    types = ", ".join("i32" for _ in operands)
    name = "ttir.abs" if len(operands) == 1 else "ttir.add"
    return f'  %{k} = "{name}"({", ".join(operands)}) : ({types}) -> i32 loc("{index}|x")'


def function(*ops: str) -> str:
    return "\n".join(["func.func @f(%a: i32) {", *ops, "  return", "}"])


def block_of(*ops: str) -> BlockAudit:
    [block] = check(read_text(function(*ops))).dumps[0].blocks
    return block


def figures(block: BlockAudit) -> tuple[int, int, int]:
    return block.avoidable, block.avoidable_constants, block.hoisted_constants


def judged(text: str, gate: Gate) -> Verdict:
    findings = LogFindings(gate.rules)
    return judge(check(read_text(text), visit=findings.add), findings.findings, gate)


HOISTED_ALONE = (constant(0, 9), op(0, 1, "%a"), op(1, 2, "%0"), op(2, 10, "%1", "%c0"))
SHUFFLED_ALONE = (op(0, 2, "%a"), op(1, 1, "%a"), constant(0, 3), op(2, 4, "%0", "%c0"))
BOTH = (constant(0, 9), op(0, 2, "%a"), op(1, 1, "%a"), op(2, 10, "%0", "%c0"))


@pytest.mark.parametrize(
    ("name", "inversions"), [("canonicalized.mlir", 1_656), ("after_eio.mlir", 1_104)], ids=str
)
def test_canonicalized_programs(name: str, inversions: int) -> None:
    dumps = read(str(DATA / name))
    [block] = check(dumps).dumps[0].blocks
    assert (block.inversions, *figures(block)) == (inversions, inversions, inversions, 24)
    assert check(read_text(fix(dumps).text)).summary.inversions == 0


@pytest.mark.parametrize(
    ("ops", "expected"),
    [
        pytest.param(HOISTED_ALONE, (2, 2, 1), id="a hoisted constant"),
        pytest.param(SHUFFLED_ALONE, (1, 0, 0), id="other ops"),
        pytest.param(BOTH, (3, 2, 1), id="both"),
        pytest.param((constant(0, 9), op(0, 1, "%c0")), (0, 0, 0), id="a constant that its consumer needs"),
        pytest.param(
            (constant(0, 5), constant(1, 4), op(0, 6, "%c0", "%c1")), (1, 1, 2), id="constants only"
        ),
    ],
)
def test_how_many_avoidable_inversions_are_of_constants(
    ops: tuple[str, ...], expected: tuple[int, int, int]
) -> None:
    assert figures(block_of(*ops)) == expected


def test_ops_that_leave_their_order_for_constants_are_of_constants() -> None:
    """Two constants of index 10 feed #5. #7 is better before both, though that inverts it with #5."""
    ops = [constant(k, 10) for k in range(2)]
    user, other = op(0, 5, "%c0", "%c1"), op(1, 7, "%a")
    block = block_of(*ops, user, other)
    assert (block.inversions, block.minimum, *figures(block)) == (4, 3, 1, 1, 2)
    assert figures(block_of(other, *ops, user)) == (0, 0, 0)


def test_constants_that_follow_are_not_hoisted() -> None:
    [block] = check(read_text(function(*BOTH)), FOLLOWING).dumps[0].blocks
    assert figures(block) == (1, 0, 0)


@settings(deadline=None)
@given(st.data())
def test_the_rest_is_what_is_left_if_constants_and_splits_follow(data: st.DataObject) -> None:
    size = data.draw(st.integers(2, 9))
    ops, names = [], ["%a"]
    for k in range(size):
        index = data.draw(st.integers(0, size))
        if data.draw(st.booleans()):
            ops.append(constant(k, index))
            names.append(f"%c{k}")
        else:
            used = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=2))
            ops.append(op(k, index, *used))
            names.append(f"%{k}")
    [dump] = read_text(function(*ops))
    audited = audit_dump(dump)
    [block] = audited.audit.blocks
    left = [check([dump], options).summary for options in (FOLLOWING, BOTH_FOLLOW)]
    least = min(block.avoidable, *(one.avoidable for one in left))
    may_be_copies = block.not_comparable or any(one.not_compared for one in left)
    assert may_be_copies or block.avoidable_others == least
    assert block.avoidable == block.avoidable_constants + block.avoidable_splits + block.avoidable_others
    assert (block.hoisted_constants > 0) == (block.avoidable_constants > 0)
    assert (block.left_splits > 0) == (block.avoidable_splits > 0)
    figures = {
        AVOIDABLE: block.avoidable_others,
        HOISTED: block.avoidable_constants,
        SPLIT: block.avoidable_splits,
    }
    found = find(audited, (AVOIDABLE, HOISTED, SPLIT))
    assert {rule: sum(f.inversions for f in found if f.rule == rule) for rule in figures} == figures
    for rule in (HOISTED, SPLIT):
        assert sum(f.rule == rule for f in found) == (figures[rule] > 0)


def test_the_finding_is_at_the_first_hoisted_constant() -> None:
    [finding] = find(audit_dump(read_text(function(*HOISTED_ALONE))[0]), (AVOIDABLE, HOISTED))
    assert (finding.rule, finding.line, finding.inversions) == (HOISTED, 2, 2)
    assert finding.message == "1 constant is hoisted (2 inversions); fix puts it back"


def test_findings_of_other_ops_are_charged_without_constants() -> None:
    first, second = find(audit_dump(read_text(function(*BOTH))[0]), (AVOIDABLE, HOISTED))
    assert (first.rule, first.op.index, first.inversions) == (AVOIDABLE, 2, 1)
    assert first.message == "belongs after #1 ttir.abs %1 (line 4): 1 inversion, fix moves it"
    assert (second.rule, second.inversions) == (HOISTED, 2)


@pytest.mark.parametrize(
    ("gate", "ops", "failed"),
    [
        (Gate(), HOISTED_ALONE, ()),
        (Gate(), BOTH, (AVOIDABLE,)),
        (Gate((AVOIDABLE,), max_inversions=1), BOTH, ()),
        (Gate((AVOIDABLE, HOISTED)), HOISTED_ALONE, (HOISTED,)),
        (Gate((AVOIDABLE, UNAVOIDABLE, HOISTED)), BOTH, (AVOIDABLE, HOISTED)),
        (Gate((AVOIDABLE, UNAVOIDABLE), max_inversions=3), BOTH, ()),
        (Gate((AVOIDABLE, UNAVOIDABLE), max_inversions=2), BOTH, (AVOIDABLE, UNAVOIDABLE)),
    ],
)
def test_what_a_gate_lets_pass(gate: Gate, ops: tuple[str, ...], failed: tuple[object, ...]) -> None:
    assert judged(function(*ops), gate).failed == failed


def test_in_a_log_one_class_does_not_hide_the_other() -> None:
    """As many inversions are avoidable in both dumps, first of a constant, then of other ops."""
    marker = "// -----// IR Dump After {} //----- //\n"
    hoisted = function(constant(0, 9), op(0, 1, "%a"), op(2, 10, "%0", "%c0"))
    shuffled = function(op(0, 2, "%a"), op(1, 1, "%a"), constant(0, 9), op(2, 10, "%0", "%c0"))
    text = f"{marker.format('P')}{hoisted}\n{marker.format('Q')}{shuffled}\n"
    result = judged(text, Gate()).check
    assert [dump.summary.avoidable for dump in result.dumps] == [1, 1]
    assert (result.each_inversion_once.avoidable_others, result.each_inversion_once.avoidable_constants) == (
        1,
        1,
    )
    assert judged(text, Gate()).failed == (AVOIDABLE,)


def test_a_block_stays_known_when_more_constants_are_hoisted() -> None:
    gate = Gate((AVOIDABLE, HOISTED))
    before = judged(function(*HOISTED_ALONE), gate).findings
    baseline = Baseline.of(before, ".")
    [entry] = baseline.counts
    assert (entry.code, entry.function, entry.op, entry.origin) == ("EIO004", "@f", "", "")
    more = function(constant(1, 8), *HOISTED_ALONE[:3], op(2, 10, "%1", "%c0", "%c1"))
    compared = baseline.compare(judged(more, gate).findings, ["<text>"], gate.rules)
    assert (compared.new, compared.known, dict(compared.stale)) == ((), 1, {})


def test_a_block_with_hoisted_constants_is_one_finding_of_a_log() -> None:
    marker = "// -----// IR Dump After {} //----- //\n"
    more = function(constant(1, 8), *HOISTED_ALONE[:3], op(2, 10, "%1", "%c0", "%c1"))
    text = f"{marker.format('P')}{function(*HOISTED_ALONE)}\n{marker.format('Q')}{more}\n"
    [finding] = judged(text, Gate((HOISTED,))).findings
    assert (finding.place.moment, finding.left) == ("after P", True)


def test_a_finding_says_if_only_a_fix_that_lets_constants_follow_moves_the_op() -> None:
    """#4 feeds #0. If its index counts, #1 is better before both; otherwise #4 and #0 are better before #1."""
    ops = (op(0, 1, "%a"), constant(1, 4), constant(2, 0), op(3, 0, "%c1"))
    [dump] = read_text(function(*ops))
    assert figures(audit_dump(dump).audit.blocks[0])[:2] == (2, 1)
    [finding, _] = find(audit_dump(dump), (AVOIDABLE, HOISTED))
    assert finding.message == (
        "belongs after #0 ttir.abs %3 (line 5): 1 inversion, fix --follow constants moves it"
    )
    assert fix([dump]).text.decode() == function(ops[2], ops[0], ops[1], ops[3])
    assert fix([dump], FOLLOWING).text.decode() == function(ops[1], ops[2], ops[3], ops[0])
