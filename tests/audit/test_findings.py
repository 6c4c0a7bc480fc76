from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis.strategies import integers

from eio_audit import AuditOptions, Dump, Finding, IndexPattern, Rule, read, read_text
from eio_audit.audit.check.keyed_dump import SharedWork
from eio_audit.audit.gate.gate import by_severity
from tests.audit.test_check import ISSUE
from tests.audit.test_fix import SHUFFLED
from tests.cli.running import SAMPLES
from tests.internals import RULES, audit_dump, find
from tests.programs import programs
from tests.report.judged import judged
from tests.rules import AVOIDABLE, HOISTED, SPLIT, UNAVOIDABLE, UNKNOWN_LOCATION, WRONG_INDEX

OPTIONS = AuditOptions()
READABLE = [rule for rule in RULES if rule.code != "EIO107"]
"""All rules but the one that finds 'DEBUG|', with which the programs here are numbered."""


def findings(text: str, *rules: Rule, options: AuditOptions = OPTIONS) -> list[Finding]:
    [dump] = read_text(text, name="in.mlir")
    return find(audit_dump(dump, options), rules or READABLE)


def body(*ops: str) -> str:
    return "\n".join(["func.func @f(%a: i32) -> i32 {", *ops, "return %a : i32", "}", ""])


def op(index: int, rest: str = "|m.py:1|forward|2|op", operand: str = "%a", result: str | None = None) -> str:
    return f'{result or f"%{index}"} = "ttir.abs"({operand}) : (i32) -> i32 loc("DEBUG|{index}{rest}")'


def told(found: Finding) -> tuple[str, int | None, str]:
    return found.rule.code, found.op.index, found.message


def test_an_op_that_a_fix_moves() -> None:
    assert list(map(told, findings(SHUFFLED))) == [
        ("EIO001", 1, "belongs after #0 ttir.abs %0 (line 3): 1 inversion, fix moves it")
    ]


def test_an_op_that_no_fix_moves() -> None:
    [found] = findings(ISSUE, UNAVOIDABLE)
    assert told(found) == ("EIO002", 18, "is late: 1 unavoidable inversion")


def test_an_index_that_contradicts_dataflow() -> None:
    [found] = findings(ISSUE, WRONG_INDEX)
    assert told(found) == (
        "EIO003",
        23,
        "should carry #18 (of ttir.reshape %57, line 5): in 1 inversion, fix --relabel corrects it",
    )
    assert (found.line, found.inversions) == (4, 1)


def test_where_a_finding_is() -> None:
    [found] = findings(ISSUE, UNAVOIDABLE)
    assert (found.source, found.place.line, found.line, found.column) == ("in.mlir", 2, 5, 3)
    assert (found.function, found.block, found.block_line, found.place.moment) == ("@main", "^bb0", 3, "")
    assert found.model == ("m.py", 2)


def test_one_op_that_stands_late_behind_many() -> None:
    assert list(map(told, findings(body(op(1), op(2), op(3), op(0))))) == [
        ("EIO001", 0, "belongs before #1 ttir.abs %1 (line 2): 3 inversions, fix moves it")
    ]


def test_what_is_avoidable_and_what_is_not() -> None:
    text = body(op(5), op(3, operand="%5"), op(1, result="%x"), op(0))
    found = findings(text, AVOIDABLE, UNAVOIDABLE)
    assert [(f.rule.code, f.op.index, f.inversions) for f in found] == [
        ("EIO001", 0, 3),
        ("EIO001", 1, 2),
        ("EIO002", 3, 1),
    ]
    assert found[2].message == "is late: 1 unavoidable inversion"


def test_only_the_rules_that_are_wanted() -> None:
    text = body(op(5), op(3, operand="%5"), op(0))
    assert {f.rule for f in findings(text, AVOIDABLE)} == {AVOIDABLE}
    assert {f.rule for f in findings(text, UNAVOIDABLE)} == {UNAVOIDABLE}


def test_a_graph_region_has_no_order() -> None:
    text = 'module {\n"t.a"() : () -> () loc("2|a")\n"t.b"() : () -> () loc("1|b")\n}\n'
    [found] = findings(text)
    assert told(found) == ("EIO002", 1, "is late: 1 inversion in a graph region, which has no order")


def test_the_dump_of_a_log() -> None:
    marker = "// -----// IR Dump After CSE (cse) ('builtin.module' operation) //----- //\n"
    [found] = findings(marker + SHUFFLED)
    assert (found.place.moment, found.place.line) == ("after cse", 1)


def test_worst_first() -> None:
    text = body(op(5), op(4)).replace("@f", "@g") + body(op(1), op(2), op(3), op(0))
    assert [finding.op.index for finding in judged(read_text(text)).findings] == [0, 5]


@pytest.mark.parametrize(
    ("rest", "origin"),
    [
        ("|Net[net]|Conv2d[net.conv1]|m.py:14|forward|15|conv_tm0", "Net[net]|Conv2d[net.conv1]|m.py|forward|conv_tm0"),
        ("|m.py:14|forward|15|conv", "m.py|forward|conv"),
        ("|conv", "conv"),
        ("|", ""),
    ],
)  # fmt: skip
def test_the_origin_has_no_numbers_that_edits_elsewhere_change(rest: str, origin: str) -> None:
    assert {f.origin for f in findings(body(op(7, rest), op(3, rest)))} == {origin}


def test_the_origin_of_another_index_pattern() -> None:
    text = body('%0 = t.a loc("add.17")', '%1 = t.a loc("add.16")')
    options = AuditOptions(IndexPattern(r"\.(?P<index>\d+)$"), assume_pure=("t.*",))
    assert {f.origin for f in findings(text, options=options)} == {"add."}


def test_codes_are_used_once() -> None:
    assert len({rule.code for rule in RULES}) == len({rule.name for rule in RULES}) == len(RULES)


def moved_by_fix(dump: Dump) -> list[Finding]:
    """The findings about the ops that a fix moves, hoisted constants and splits too."""
    return find(audit_dump(dump, work=SharedWork(finds_classes=False)), [AVOIDABLE])


@given(programs())
def test_there_are_findings_exactly_where_the_figures_say_so(program: str) -> None:
    [dump] = read_text(program)
    audited = audit_dump(dump)
    figures = audited.audit.summary
    assert len(moved_by_fix(dump)) == sum(b.moved - b.moved_unindexed for b in audited.audit.blocks)
    assert bool(moved_by_fix(dump)) == (figures.avoidable > 0)
    assert bool(find(audited, [AVOIDABLE])) == (figures.avoidable_others > 0)
    assert len(find(audited, [HOISTED])) == (figures.avoidable_constants > 0)
    assert len(find(audited, [SPLIT])) == (figures.avoidable_splits > 0)
    assert bool(find(audited, [UNAVOIDABLE])) == (figures.minimum > 0)
    assert len(find(audited, [WRONG_INDEX])) == figures.wrong_indices


@given(programs())
def test_the_findings_account_for_all_inversions(program: str) -> None:
    [dump] = read_text(program)
    audited = audit_dump(dump)
    figures = audited.audit.summary
    assert sum(f.inversions for f in moved_by_fix(dump)) == figures.avoidable
    assert sum(f.inversions for f in find(audited, [AVOIDABLE])) == figures.avoidable_others
    assert sum(f.inversions for f in find(audited, [HOISTED])) == figures.avoidable_constants
    assert sum(f.inversions for f in find(audited, [SPLIT])) == figures.avoidable_splits
    apart = figures.avoidable_constants + figures.avoidable_splits
    assert figures.avoidable_others + apart == figures.avoidable
    assert sum(f.inversions for f in find(audited, [UNAVOIDABLE])) == figures.minimum - figures.not_compared


@given(programs())
def test_an_op_has_one_finding_on_its_order(program: str) -> None:
    """A wrong index is no other finding, and explains what a fix leaves."""
    [dump] = read_text(program)
    audited = audit_dump(dump)
    found = find(audited, [AVOIDABLE, UNAVOIDABLE, WRONG_INDEX])
    assert len({finding.line for finding in found}) == len(found)
    wrong = {finding.block_line for finding in found if finding.rule is WRONG_INDEX}
    assert not wrong & {finding.block_line for finding in found if finding.rule is UNAVOIDABLE}


@given(programs(), integers(0, 3))
def test_the_worst_are_described_and_the_others_count_and_sort_the_same(program: str, described: int) -> None:
    [dump] = read_text(program)
    audited = audit_dump(dump)
    whole, cut = find(audited, READABLE), find(audited, READABLE, described)
    assert list(map(by_severity, cut)) == list(map(by_severity, whole))
    assert [finding.block for finding in cut] == [finding.block for finding in whole]
    worst, others = sorted(cut, key=by_severity)[:described], sorted(cut, key=by_severity)[described:]
    assert worst == sorted(whole, key=by_severity)[:described]
    assert not any(map(is_described, others))


def is_described(finding: Finding) -> bool:
    return bool(finding.message or finding.origin or finding.model or finding.op.module)


def test_the_findings_of_a_resnet_are_the_ops_that_a_fix_moves() -> None:
    [dump] = read(str(SAMPLES / "resnet" / "after_alias.mlir"))
    audited = audit_dump(dump)
    assert sum(f.inversions for f in find(audited, [AVOIDABLE])) == 22
    assert len(find(audited, [AVOIDABLE])) == sum(block.moved for block in audited.audit.blocks)


def test_the_ops_that_move_are_the_fewest_with_the_unindexed_ones_that_move_too() -> None:
    user = op(1, operand="%v", result="%user")
    text = body(
        op(2), op(3), '%u = "ttir.abs"(%a) : (i32) -> i32', '%v = "ttir.abs"(%u) : (i32) -> i32', user
    )
    assert [f.op.index for f in findings(text, AVOIDABLE)] == [2, 3]


def test_every_indexed_op_may_move() -> None:
    unknown = '%{0} = "my.op"() : () -> i32'
    text = body(
        unknown.format("x"),
        unknown.format("y") + ' loc("1|late")',
        '%p = "ttir.abs"(%a) : (i32) -> i32',
        unknown.format("z"),
        '%q = "ttir.add"(%p, %x) : (i32, i32) -> i32 loc("0|early")',
    )
    assert list(map(told, findings(text, AVOIDABLE))) == [
        ("EIO001", 0, "belongs before my.op %z (line 5): 1 inversion, fix moves it"),
        ("EIO001", 1, "goes after ttir.abs %p (line 4): fix moves it for the sake of others"),
    ]


def test_an_op_that_moves_for_the_sake_of_another_one() -> None:
    user = op(7, operand="%9", result="%user")
    text = body(op(9), user, *(op(7, result=f"%{name}") for name in "bcd"))
    assert list(map(told, findings(text, AVOIDABLE))) == [
        ("EIO001", 9, "belongs after #7 ttir.abs %d (line 6): 3 inversions, fix moves it"),
        ("EIO001", 7, "goes after #7 ttir.abs %d (line 6): fix moves it for the sake of others"),
    ]


def test_a_move_that_adds_inversions_so_that_others_can_go() -> None:
    user = '%user = "ttir.add"(%p, %q) : (i32, i32) -> i32 loc("5|user")'
    text = body(op(9, result="%p"), op(9, result="%q"), user, op(6), op(7), op(8), op(8, result="%last"))
    assert [(f.op.result, f.inversions) for f in findings(text, AVOIDABLE)] == [
        ("%p", 4),
        ("%q", 4),
        ("%user", -4),
    ]
    assert findings(text, AVOIDABLE)[2].message == (
        "goes after #8 ttir.abs %last (line 8): fix moves it for the sake of others, which adds 4 inversions"
    )


def test_locations_are_looked_at_where_it_is_asked_for() -> None:
    text = body(op(0), op(1), '%x = "ttir.abs"(%a) : (i32) -> i32')
    assert findings(text, AVOIDABLE, UNAVOIDABLE) == []
    [found] = findings(text, UNKNOWN_LOCATION)
    assert (told(found), found.line) == (("EIO101", None, "no location"), 4)
