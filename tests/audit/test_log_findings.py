"""The findings of logs: each once, charged to its pass, in ``check`` and in ``trace``."""

from __future__ import annotations

import pytest

from eio_audit import Check, Finding, Gate, InputError, Rule, Trace, check, read, read_text, trace
from eio_audit.audit.log.program_log import ProgramLog
from tests.audit.test_trace import traced
from tests.internals import RULES, Baseline, LogFindings, judge
from tests.logs import dump, function, module
from tests.rules import AVOIDABLE, UNAVOIDABLE
from tests.test_samples import SAMPLES

ORDERED, SHUFFLED = function("f", 1, 2), function("f", 2, 1)
RESNET = SAMPLES / "resnet" / "all_passes_alias.log"
NO_LOCATION = next(rule for rule in RULES if rule.name == "unknown-location")


def checked(text: str, *rules: Rule) -> tuple[Check, list[Finding]]:
    findings = LogFindings(rules or (AVOIDABLE,))
    result = check(read_text(text), visit=findings.add)
    assert result.errors == ()
    return result, findings.findings


def lives(*dumps: str) -> list[tuple[str | None, str | None, bool | None]]:
    """Of each finding: the pass that brought it in, when it was gone, whether it is left."""
    return [(f.pass_name, f.until, f.left) for f in checked("".join(dumps))[1]]


def around(pass_name: str, before: str, after: str) -> str:
    return dump("Before", pass_name, before) + dump("After", pass_name, after)


def test_brought_in_and_still_there() -> None:
    log = around("a", ORDERED, SHUFFLED) + around("b", SHUFFLED, SHUFFLED)
    [found] = checked(log)[1]
    assert (found.pass_name, found.until, found.left) == ("a", None, True)
    assert (found.place.line, found.line, found.place.moment) == (9, 11, "after a")


def test_repaired() -> None:
    assert lives(around("a", ORDERED, SHUFFLED), around("b", SHUFFLED, ORDERED)) == [("a", "after b", False)]


def test_repaired_before_a_pass() -> None:
    assert lives(around("a", ORDERED, SHUFFLED), around("b", ORDERED, ORDERED)) == [("a", "before b", False)]


def test_come_again() -> None:
    log = around("a", ORDERED, SHUFFLED), around("b", SHUFFLED, ORDERED), around("c", ORDERED, SHUFFLED)
    assert lives(*log) == [("a", "after b", False), ("c", None, True)]


def test_functions_are_followed_apart() -> None:
    f, g = SHUFFLED, function("g", 4, 3)
    log = around("a", ORDERED, f), around("a", function("g", 3, 4), g), around("b", f, ORDERED)
    assert lives(*log) == [("a", "after b", False), ("a", None, True)]


def test_a_module_with_the_name_of_a_function_is_no_function() -> None:
    """As in a trace: a pass on the module @f is charged with what is new in @g."""
    scope = " ('builtin.module' operation: @f)"
    before, after = (module(ORDERED, function("g", *own)) for own in ((3, 4), (4, 3)))
    log = "".join([dump("Before", "a", before, scope), dump("Before", "b", after, scope)])
    assert [found.pass_name for found in checked(log)[1]] == ["a"]
    assert [one.pass_name for one in trace(read_text(log)).passes if one.made] == ["a"]


def test_a_finding_is_charged_to_the_pass_that_made_its_pairs() -> None:
    """A pass that makes a fix possible, by replacing ops of unknown effect, put nothing out of order."""
    unknown = function("f", 2, 1).replace("ttir.add", "my.op")
    log = around("a", unknown.replace("2|", "0|"), unknown), around("b", unknown, SHUFFLED)
    assert lives(*log) == [("a", None, True)]


def test_a_finding_of_a_dump_that_cannot_be_compared_is_charged_to_its_pass(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise InputError("passes.log", None, "expected '}'")

    monkeypatch.setattr(ProgramLog, "compared", fail)
    unknown = function("f", 2, 1).replace("ttir.add", "my.op")
    log = around("a", unknown.replace("2|", "0|"), unknown), around("b", unknown, SHUFFLED)
    assert lives(*log) == [("b", None, True)]


def test_what_the_first_dump_has_is_charged_to_no_pass() -> None:
    assert lives(dump("After", "a", SHUFFLED), dump("After", "b", SHUFFLED)) == [(None, None, True)]


def test_one_dump_does_not_tell_what_is_left() -> None:
    assert lives(dump("After", "a", SHUFFLED)) == [(None, None, None)]


def test_dumps_before_passes_only() -> None:
    log = dump("Before", "a", ORDERED), dump("Before", "b", SHUFFLED), dump("Before", "c", SHUFFLED)
    assert lives(*log) == [("a", None, True)]


def test_a_conversion_renames_the_op() -> None:
    converted = SHUFFLED.replace("ttir.", "ttnn.")
    assert lives(around("a", ORDERED, SHUFFLED), around("b", SHUFFLED, converted)) == [("a", None, True)]


def test_outlining_changes_the_function() -> None:
    inner, outer = module(SHUFFLED), module(function("f", 1), function("g", 2, 1))
    assert lives(around("a", module(ORDERED), inner), around("b", inner, outer)) == [("a", None, True)]


def test_a_function_that_a_dump_of_the_module_does_not_show_may_be_left() -> None:
    two, one = module(SHUFFLED, function("g", 3)), module(function("g", 3))
    assert lives(around("a", module(ORDERED, function("g", 3)), two), around("b", two, one)) == [
        ("a", None, None)
    ]


def test_a_module_printed_without_locations_tells_nothing() -> None:
    log = around("a", module(ORDERED), module(SHUFFLED)), module(function("f", None, None))
    assert lives(*log) == [("a", None, True)]


def test_a_dump_without_any_index_does_not_tell_that_a_finding_is_gone() -> None:
    bare = function("f", None, None)
    assert lives(around("a", ORDERED, SHUFFLED), dump("After", "b", bare)) == [("a", None, None)]
    log = around("a", ORDERED, SHUFFLED), dump("After", "b", bare), dump("After", "c", ORDERED)
    assert lives(*log) == [("a", "after c", False)]


def test_programs_are_followed_apart() -> None:
    assert lives(SHUFFLED, "// -----\n", SHUFFLED) == [(None, None, None)] * 2


def test_findings_alike_are_counted() -> None:
    twice = function("f", 3, 4, 1, 1)
    assert len(lives(around("a", ORDERED, twice), around("b", twice, twice))) == 2
    assert lives(around("a", ORDERED, twice), around("b", twice, function("f", 3, 1))) == [
        ("a", None, True),
        ("a", "after b", False),
    ]


def test_other_rules_find_an_op_once_too() -> None:
    text = function("f", 1, None)
    found = checked(around("a", text, text), NO_LOCATION)[1]
    assert [(f.op.result, f.left) for f in found] == [("%1", True)]


@pytest.mark.parametrize(
    ("gate", "failed"),
    [
        (Gate(), [AVOIDABLE]),
        (Gate((AVOIDABLE, UNAVOIDABLE)), [AVOIDABLE]),
        (Gate(never_fails=True), []),
        (Gate(max_inversions=1), []),
    ],
)
def test_what_fails_because_of_an_inversion_that_was_repaired(gate: Gate, failed: list[Rule]) -> None:
    result, findings = checked(around("a", ORDERED, SHUFFLED) + around("b", SHUFFLED, ORDERED))
    assert list(judge(result, findings, gate).failed) == failed


def test_findings_that_are_left_come_first() -> None:
    many, few = function("f", 3, 1, 2), function("g", 2, 1)
    start = around("a", function("f", 1, 2, 3), many), around("b", function("g", 1, 2), few)
    result, findings = checked("".join([*start, dump("After", "c", function("f", 1, 2, 3))]))
    assert [f.function for f in judge(result, findings, Gate()).findings] == ["@g", "@f"]


def test_a_baseline_of_a_log_knows_each_finding_once() -> None:
    log = around("a", ORDERED, SHUFFLED) + around("b", SHUFFLED, SHUFFLED)
    result, findings = checked(log)
    baseline = Baseline.of(findings, ".")
    assert (baseline.size, judge(result, findings, Gate(), baseline).known) == (1, 1)
    again = checked(log + around("c", SHUFFLED, ORDERED) + around("d", ORDERED, SHUFFLED))
    assert judge(*again, Gate(), baseline).known == 2


def test_figures_count_what_many_dumps_show_once() -> None:
    log = around("a", function("f", 1, 2, 3), function("f", 2, 1, 3))
    log += around("b", function("f", 2, 1, 3), function("f", 3, 2, 1))
    log += around("c", function("f", 3, 2, 1), function("f", 1, 3, 2))
    result = checked(log)[0]
    assert (
        result.summary.avoidable,
        result.each_inversion_once.avoidable,
        result.at_end_of_log.avoidable,
    ) == (9, 3, 1)


def test_the_findings_of_the_resnet() -> None:
    findings = LogFindings((AVOIDABLE,))
    result = check(read(str(RESNET)), visit=findings.add)
    by_pass: dict[tuple[object, ...], int] = {}
    for f in findings.findings:
        key = f.pass_name, f.until, f.left
        by_pass[key] = by_pass.get(key, 0) + f.inversions
    assert by_pass == {
        ("ttir-flatten-sliding-window", "after ttir-explicate-tms", False): 33,
        ("ttir-erase-inverse-ops", None, True): 22,
        ("ttir-erase-inverse-ops", "after ttir-implicit-broadcast-fold", False): 0,
    }
    assert len(findings.findings) == 23
    assert (
        result.summary.avoidable,
        result.each_inversion_once.avoidable,
        result.at_end_of_log.avoidable,
    ) == (173, 55, 21)


# ---------------------------------------------------------------- trace


def left(result: Trace) -> list[tuple[str | None, int | None, int, int]]:
    """Of each finding that is left: the pass, the dump that shows what it did, line and column."""
    return [
        (
            one.finding.pass_name,
            None if one.made_at is None else one.made_at.line,
            one.finding.line,
            one.finding.column,
        )
        for one in result.left
    ]


def test_trace_has_the_line_of_the_last_dump() -> None:
    result = traced(around("a", ORDERED, SHUFFLED), around("b", module(SHUFFLED), module(SHUFFLED)))
    assert left(result) == [("a", 9, 30, 5)]


def test_trace_of_what_came_again() -> None:
    log = around("a", ORDERED, SHUFFLED), around("b", SHUFFLED, ORDERED), around("c", ORDERED, SHUFFLED)
    assert [(p.pass_name, p.made, p.undone, p.left) for p in traced(*log).passes] == [
        ("a", 1, 0, 0),
        ("b", 0, 1, 0),
        ("c", 1, 0, 1),
    ]


def test_trace_of_two_functions() -> None:
    f, g = SHUFFLED, function("g", 4, 3)
    result = traced(around("a", ORDERED, f), around("a", function("g", 3, 4), g), around("b", f, ORDERED))
    assert [(one.finding.function, one.finding.pass_name) for one in result.left] == [("@g", "a")]


def test_trace_of_inversions_that_were_there_from_the_start() -> None:
    result = traced(around("a", SHUFFLED, SHUFFLED))
    assert (left(result), result.initial_left) == ([(None, None, 11, 3)], 1)
    assert traced(around("a", SHUFFLED, ORDERED)).passes[0].undone == 1


def test_trace_of_a_pass_that_the_log_does_not_show() -> None:
    result = traced(around("a", ORDERED, ORDERED), around("b", SHUFFLED, SHUFFLED))
    assert [one[:2] for one in left(result)] == [(None, 17)]


def test_trace_of_a_function_that_is_gone() -> None:
    two, one = module(SHUFFLED, function("g", 3)), module(function("g", 3))
    result = traced(around("a", module(ORDERED, function("g", 3)), two), around("b", two, one))
    assert (left(result), [(p.made, p.undone, p.left) for p in result.passes]) == ([], [(1, 0, 0), (0, 0, 0)])


def test_trace_of_a_pass_that_drops_all_indices() -> None:
    result = traced(around("a", ORDERED, SHUFFLED), dump("After", "b", function("f", None, None)))
    assert left(result) == [("a", 9, 11, 3)]
    assert (result.at_end_of_log.inversions, [(p.left, p.lost) for p in result.passes]) == (
        1,
        [(1, 0), (0, 2)],
    )


def test_trace_of_a_function_that_was_folded_away() -> None:
    result = traced(around("a", ORDERED, SHUFFLED), dump("After", "b", function("f")))
    assert (left(result), [p.undone for p in result.passes], result.unindexed) == ([], [0, 0], 0)


@pytest.mark.parametrize(("last", "undone", "end"), [(ORDERED, 1, 0), (SHUFFLED, 0, 1)])
def test_trace_of_a_dump_with_indices_behind_one_without(last: str, undone: int, end: int) -> None:
    bare = dump("After", "b", function("f", None, None))
    result = traced(around("a", ORDERED, SHUFFLED), bare, dump("After", "c", last))
    assert (result.at_end_of_log.inversions, [p.made for p in result.passes]) == (end, [1, 0, 0])
    assert [p.undone for p in result.passes] == [0, 0, undone]


def test_trace_of_a_function_that_is_gone_after_a_dump_without_indices() -> None:
    two, bare = module(ORDERED, function("g", 3)), module(function("f", None, None), function("g", None))
    log = around("a", two, module(SHUFFLED, function("g", 3))), dump("After", "b", bare)
    result = traced(*log, dump("After", "c", module(function("g", 3))))
    assert (left(result), result.at_end_of_log.inversions) == ([], 0)


def test_trace_of_a_function_that_was_inlined() -> None:
    two, one = module(function("f", 5), SHUFFLED.replace("@f", "@g")), module(function("f", 2, 1, 5))
    result = traced(
        around("a", module(function("f", 5), ORDERED.replace("@f", "@g")), two), around("b", two, one)
    )
    assert [(one.finding.pass_name, one.finding.inversions) for one in result.left] == [("a", 1)]
