"""Whether what was checked may pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from eio_audit.audit.check.check import Check
from eio_audit.audit.check.figures import Summary
from eio_audit.audit.gate.rules import AVOIDABLE, UNAVOIDABLE, Rule

if TYPE_CHECKING:  # a check that lists no findings does without them
    from eio_audit.audit.gate.baseline import Baseline, BaselineEntry
    from eio_audit.audit.gate.findings import Finding


@dataclass(frozen=True, slots=True)
class Gate:
    """What a gate looks for and lets through.

    Attributes:
        rules: those in force.
        never_fails: findings are reported and nothing more.
        max_inversions: so many inversions in all that is checked may pass; None for no unavoidable one.
        max_avoidable: so many avoidable inversions in all that is checked may pass; None for none.
    """

    rules: tuple[Rule, ...] = (AVOIDABLE,)
    never_fails: bool = False
    max_inversions: int | None = None
    max_avoidable: int | None = None

    @property
    def needs_findings(self) -> bool:
        """Whether more than the figures decides."""
        return bool(set(self.rules) - {AVOIDABLE, UNAVOIDABLE})

    def failed_rules(self, figures: Summary, found: Iterable[Rule] = ()) -> tuple[Rule, ...]:
        """The rules in force whose ceiling, zero by default, is exceeded.

        Args:
            figures: they decide on the order.
            found: the rules that found something; they decide on all else.
        """
        failed = set(found) - {AVOIDABLE, UNAVOIDABLE}
        if figures.avoidable > (self.max_avoidable or 0):
            failed.add(AVOIDABLE)
        most = self.max_inversions
        if figures.minimum if most is None else figures.inversions > most:
            failed.add(UNAVOIDABLE)
        return () if self.never_fails else tuple(rule for rule in self.rules if rule in failed)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a gate decides about a check.

    Attributes:
        check: what was checked.
        gate: what it was compared with.
        findings: of the rules in force, worst first, known ones left out.
        failed: the rules because of which the gate fails; none where it passes.
        known: how many findings the baseline knows; None without a baseline.
        stale: entries of the baseline that are not found any more, and how many of each.
    """

    check: Check
    gate: Gate
    findings: tuple[Finding, ...]
    failed: tuple[Rule, ...]
    known: int | None = None
    stale: Mapping[BaselineEntry, int] = field(default_factory=dict)


def judge(check: Check, findings: Sequence[Finding], gate: Gate, baseline: Baseline | None = None) -> Verdict:
    """Compares a check with a gate.

    Args:
        check: the figures.
        findings: those of the rules in force; may be left out where ``gate.needs_findings`` is false, there
            is no baseline and nobody wants to see them.
        gate: what may pass.
        baseline: findings that may pass. It goes with no ceiling of the gate.
    """
    if baseline is None:
        failed = gate.failed_rules(check.summary, {finding.rule for finding in findings})
        return Verdict(check, gate, tuple(worst_first(findings)), failed)
    compared = baseline.compare(findings, {dump.source for dump in check.dumps}, gate.rules)
    new = {finding.rule for finding in compared.new}
    failed = () if gate.never_fails else tuple(rule for rule in gate.rules if rule in new)
    return Verdict(check, gate, tuple(worst_first(compared.new)), failed, compared.known, compared.stale)


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """The findings of most inversions first; among equals in the order of codes, files and lines."""
    return sorted(findings, key=lambda f: (-f.inversions, f.rule.code, f.source, f.line, f.column))
