from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from eio_audit import Finding, read_text
from tests.internals import RULES, Baseline, audit_dump, find
from tests.rules import AVOIDABLE, UNAVOIDABLE


def op(index: int, name: str, operand: str = "%a", line: int = 2) -> str:
    return f'%v{index} = "ttir.{name}"({operand}) : (i32) -> i32 loc("DEBUG|{index}|Net[net]|net.py:1|forward|{line}|{name}")'


def body(*ops: str) -> str:
    return "\n".join(["func.func @f(%a: i32) -> i32 {", *ops, "return %a : i32", "}", ""])


SHUFFLED = body(op(1, "neg"), op(2, "exp"), op(0, "abs"))
TWICE = body(op(2, "neg"), op(3, "exp"), op(4, "tanh"), op(0, "abs"), op(1, "abs"))


def findings(*texts: str, name: str = "in.mlir") -> list[Finding]:
    return [
        f
        for text in texts
        for dump in read_text(text, name=name)
        for f in find(audit_dump(dump), [AVOIDABLE])
    ]


class Compared:
    """Findings against a baseline of older ones: what is new, how many are known, and entries by their fields."""

    def __init__(self, old: list[Finding], new: list[Finding], *sources: str) -> None:
        found = Baseline.of(old, ".").compare(new, sources or ["in.mlir"], RULES)
        self.new, self.known = found.new, found.known
        self.stale, self.remaining = fields(found.stale), fields(found.remaining.counts)


def fields(counts: Mapping[Any, int]) -> dict[tuple[str, ...], int]:
    """Entries of a baseline by their fields, and how often each is there."""
    return {tuple(entry): count for entry, count in counts.items()}


def entry(name: str, source: str = "in.mlir") -> tuple[str, ...]:
    return source, "EIO001", "@f", f"ttir.{name}", f"Net[net]|net.py|forward|{name}"


def test_what_a_finding_is_known_by() -> None:
    assert fields(Baseline.of(findings(SHUFFLED), ".").counts) == {entry("abs"): 1}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("%v", "%"),
        ("func.func", "\n// a comment\nfunc.func"),
        ("|1|forward|2|", "|7|forward|9|"),
        ("DEBUG|2|", "DEBUG|12|"),
        ('return %a', op(50, "tanh") + "\nreturn %a"),
        ("i32 {\n", "i32 {\n" + op(0, "tanh").replace("%v0", "%x") + "\n"),
    ],
    ids=["value names", "line numbers", "model lines", "indices", "an op behind", "an op before"],
)  # fmt: skip
def test_edits_elsewhere_leave_a_finding_known(old: str, new: str) -> None:
    result = Compared(findings(SHUFFLED), findings(SHUFFLED.replace(old, new)))
    assert (result.new, result.known, result.stale) == ((), 1, {})


@pytest.mark.parametrize(
    ("old", "new"), [("@f(", "@g("), ("ttir.abs", "ttir.floor"), ("|net.py", "|other.py")]
)
def test_another_finding_is_new_and_the_old_one_stale(old: str, new: str) -> None:
    result = Compared(findings(SHUFFLED), findings(SHUFFLED.replace(old, new)))
    assert (len(result.new), result.known, result.stale) == (1, 0, {entry("abs"): 1})
    assert result.remaining == {}


def test_the_same_finding_of_another_file_is_new() -> None:
    result = Compared(findings(SHUFFLED), findings(SHUFFLED, name="other.mlir"), "other.mlir")
    assert (len(result.new), result.stale) == (1, {})


def test_findings_alike_are_counted() -> None:
    assert fields(Baseline.of(findings(TWICE), ".").counts) == {entry("abs"): 2}
    more = Compared(findings(SHUFFLED), findings(TWICE))
    assert ([f.op.result for f in more.new], more.known) == (["%v1"], 1)
    fewer = Compared(findings(TWICE), findings(SHUFFLED))
    assert (fewer.new, fewer.stale, fewer.remaining) == ((), {entry("abs"): 1}, {entry("abs"): 1})


def test_an_op_in_several_dumps_of_a_log_is_known_once() -> None:
    marker = "// -----// IR Dump After {} ('func.func' operation) //----- //\n"
    log = "".join(marker.format(name) + SHUFFLED for name in ("A (a)", "B (b)"))
    assert fields(Baseline.of(findings(log), ".").counts) == {entry("abs"): 1}
    assert Compared(findings(SHUFFLED), findings(log)).known == 2


def test_nothing_is_stale_that_was_not_looked_for() -> None:
    baseline = Baseline.of(findings(SHUFFLED), ".")
    assert baseline.compare([], ["other.mlir"], [AVOIDABLE]).stale == {}
    assert baseline.compare([], ["in.mlir"], [UNAVOIDABLE]).stale == {}
    assert fields(baseline.compare([], ["in.mlir"], [AVOIDABLE]).stale) == {entry("abs"): 1}


def test_files_are_seen_from_the_baseline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    old = Baseline.of(findings(SHUFFLED, name="/repo/dumps/in.mlir"), "/repo")
    assert list(fields(old.counts)) == [entry("abs", "dumps/in.mlir")]
    assert old.compare(findings(SHUFFLED, name="repo/dumps/in.mlir"), [], RULES).new == ()
