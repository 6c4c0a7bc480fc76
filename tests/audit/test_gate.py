from __future__ import annotations

import pytest

from eio_audit import Gate, Rule, Verdict, check, read_text
from tests.audit.test_baseline import SHUFFLED, op
from tests.audit.test_baseline import body as function
from tests.internals import Baseline, find, judge
from tests.rules import AVOIDABLE, UNAVOIDABLE, WRONG_INDEX

FORCED = function(op(1, "neg"), op(0, "abs", operand="%v1"))
BOTH = (AVOIDABLE, UNAVOIDABLE)


def verdict(text: str, gate: Gate, baseline: Baseline | None = None) -> Verdict:
    found = []
    result = check(read_text(text, name="in.mlir"), visit=lambda dump: found.extend(find(dump, gate.rules)))
    return judge(result, found, gate, baseline)


@pytest.mark.parametrize(
    ("text", "gate", "failed"),
    [
        (SHUFFLED, Gate(), [AVOIDABLE]),
        (FORCED, Gate(), [WRONG_INDEX]),
        (FORCED, Gate((AVOIDABLE,)), []),
        (FORCED, Gate(BOTH), [UNAVOIDABLE]),
        (SHUFFLED, Gate(BOTH), [AVOIDABLE]),
        (SHUFFLED + FORCED.replace("@f", "@g"), Gate(BOTH), [AVOIDABLE, UNAVOIDABLE]),
        (SHUFFLED, Gate((UNAVOIDABLE,)), []),
        (SHUFFLED, Gate(never_fails=True), []),
        (SHUFFLED, Gate((AVOIDABLE,), max_inversions=1), [AVOIDABLE]),
        (SHUFFLED, Gate((AVOIDABLE,), max_inversions=2), []),
        (FORCED, Gate(BOTH, max_inversions=0), [AVOIDABLE, UNAVOIDABLE]),
        (FORCED, Gate(max_inversions=0), [AVOIDABLE, WRONG_INDEX]),
        (FORCED, Gate(max_inversions=1), []),
        (SHUFFLED, Gate(max_inversions=2), []),
    ],
)
def test_what_fails(text: str, gate: Gate, failed: list[Rule]) -> None:
    assert list(verdict(text, gate).failed) == failed


@pytest.mark.parametrize("gate", [Gate(), Gate(BOTH), Gate((UNAVOIDABLE,)), Gate(BOTH, max_inversions=1)])
@pytest.mark.parametrize("text", [SHUFFLED, FORCED])
def test_the_figures_say_the_same_as_the_findings(text: str, gate: Gate) -> None:
    assert judge(check(read_text(text)), [], gate).failed == verdict(text, gate).failed


def test_known_findings_pass() -> None:
    baseline = Baseline.of(verdict(SHUFFLED, Gate()).findings, ".")
    result = verdict(SHUFFLED, Gate(), baseline)
    assert (result.findings, result.failed, result.known) == ((), (), 1)


def test_new_findings_fail() -> None:
    result = verdict(SHUFFLED, Gate(), Baseline(".", {}))
    assert (len(result.findings), result.failed, result.known) == (1, (AVOIDABLE,), 0)


def test_new_findings_of_a_gate_that_never_fails() -> None:
    assert verdict(SHUFFLED, Gate(never_fails=True), Baseline(".", {})).failed == ()
