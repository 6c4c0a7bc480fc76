"""What a check of a dump found, and the decision of a gate: whether a check passes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from eio_audit.audit.check.check import Check
from eio_audit.audit.check.figures import DumpAudit, Summary
from eio_audit.audit.check.keyed_dump import AuditedDump
from eio_audit.audit.gate.rules import (
    AVOIDABLE,
    FAIL_ON,
    NOT_COMPARABLE,
    ORDER_RULES,
    REVERSED,
    RULE_OF,
    UNAVOIDABLE,
    UNINDEXED,
    Rule,
)
from eio_audit.audit.options import AuditOptions
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.semantics.functions import only_function

if TYPE_CHECKING:  # a check that lists no findings does not import these
    from eio_audit.audit.gate.findings import Baseline, BaselineEntry, Finding

BY_FIGURES = frozenset({*ORDER_RULES, UNINDEXED})
"""The rules that figures decide, or inputs without an index. The findings of the others decide."""


class CheckedDump(NamedTuple):
    """The figures and findings of a dump: plain data without its IR, which another process can send."""

    audit: DumpAudit  # the figures
    functions: frozenset[str | None]  # the symbols of its functions, and None if ops are outside functions
    only_function: str | None  # symbol of the function if the dump shows only that; None for a program
    findings: tuple[Finding, ...]  # the findings of the rules in force

    def of(self, dump: Dump, options: AuditOptions) -> CheckedDump:
        """Return the same result for a dump with the same text, at another place or in another file."""
        lines = dump.first_line - self.audit.place.first_line
        audit = replace(
            self.audit,
            place=dump.place,
            blocks=tuple(block.shifted(lines) for block in self.audit.blocks) if lines else self.audit.blocks,
            undefined_names=tuple(one.shifted(lines) for one in self.audit.undefined_names),
            options=options,
            selected=dump.selected,
        )
        if audit.place == self.audit.place:
            return self._replace(audit=audit)
        findings = tuple(finding.at(audit.place, lines) for finding in self.findings)
        return self._replace(audit=audit, findings=findings)


def checked(dump: AuditedDump, rules: Collection[Rule], described: int | None = None) -> CheckedDump:
    """Return the figures of a dump and the findings of some rules; an InputError for a malformed location.

    ``described`` is as for ``find``.
    """
    findings: tuple[Finding, ...] = ()
    if set(rules) if dump.audit.summary.inversions else set(rules) - set(ORDER_RULES):
        from eio_audit.audit.gate.findings import find

        findings = tuple(find(dump, rules, described))
    return CheckedDump(
        audit=dump.audit,
        functions=frozenset(dump.functions),
        only_function=only_function(dump.ir),
        findings=findings,
    )


class Gate(NamedTuple):
    """The rules of a gate, and what may pass."""

    rules: tuple[Rule, ...] = FAIL_ON["shuffled"]  # the rules in force
    never_fails: bool = False  # whether findings are only reported
    max_inversions: int | None = None  # the most that may pass, in all inputs together; None for none
    # How many inversions the chosen passes of a log made and left, if only these count, not the rules on
    # order; None if all that is left counts.
    introduced: int | None = None
    allows_unindexed: bool = False  # whether inputs pass that cannot be judged: nothing in them is indexed

    @property
    def limits_any(self) -> bool:
        """Whether ``max_inversions`` counts inversions of any kind, not only those of ops out of place."""
        return {*self.rules} & {*ORDER_RULES} - {REVERSED} != {AVOIDABLE}

    def limited(self, figures: Summary) -> int:
        """Return the inversions that ``max_inversions`` is a ceiling of."""
        if not self.limits_any:
            return figures.avoidable_others
        return figures.inversions - (0 if NOT_COMPARABLE in self.rules else figures.not_compared)

    @property
    def needs_findings(self) -> bool:
        """Whether a rule needs findings, not only figures."""
        return bool(set(self.rules) - BY_FIGURES)

    def fails_unindexed(self, check: Check) -> bool:
        """Return whether a check fails because an input of it cannot be judged."""
        return bool(check.unjudged) and not self.allows_unindexed and not self.never_fails

    def failed_rules(self, figures: Summary, found: Iterable[Rule] = ()) -> tuple[Rule, ...]:
        """Return the rules in force that fail. A ceiling is one for all rules on order together.

        No ceiling allows a reversed dependence.

        The figures decide the rules on inversions, and findings of a rule (``found``) all other rules.
        """
        failed = set(found) - BY_FIGURES
        if self.introduced is not None:
            return (AVOIDABLE,) if self.introduced > (self.max_inversions or 0) else ()
        broken = {rule for one, rule in RULE_OF.items() if getattr(figures, one.figure)}
        if figures.unavoidable:
            broken.add(UNAVOIDABLE)
        if self.max_inversions is None:
            failed |= broken
        else:
            is_above = self.limited(figures) > self.max_inversions
            failed |= {*ORDER_RULES} - {REVERSED} if is_above else set()
            failed |= broken & {REVERSED}
        return () if self.never_fails else tuple(rule for rule in self.rules if rule in failed)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision of a gate about a check."""

    check: Check  # the check
    gate: Gate  # the gate
    findings: tuple[Finding, ...]  # the findings of the rules in force, worst first, without known ones
    # The rules that fail the gate, `UNINDEXED` for inputs that could not be judged; empty if it passes.
    failed: tuple[Rule, ...]
    known: int | None = None  # how many findings the baseline knows; None without a baseline
    # Entries of the baseline that are no longer found, and how many of each.
    stale: Mapping[BaselineEntry, int] = field(default_factory=dict)

    def fails_by(self, finding: Finding) -> bool:
        """Return whether such a finding fails the gate."""
        return finding.rule in self.failed


def judge(check: Check, findings: Sequence[Finding], gate: Gate, baseline: Baseline | None = None) -> Verdict:
    """Compare a check with a gate.

    Args:
        check: the figures.
        findings: the findings of the rules in force. They may be omitted if ``gate.needs_findings`` is false,
            there is no baseline, and no report lists them.
        gate: what may pass.
        baseline: findings that pass, too. It replaces the ceilings of the gate. Its entries of inputs that
            could not be judged are not stale.
    """
    unjudged = (UNINDEXED,) if gate.fails_unindexed(check) else ()
    if baseline is None:
        failed = gate.failed_rules(check.each_inversion_once, {finding.rule for finding in findings})
        return Verdict(check, gate, tuple(sorted(findings, key=by_severity)), failed + unjudged)
    compared = baseline.compare(findings, check.judged_sources, gate.rules)
    new = {finding.rule for finding in compared.new}
    failed = () if gate.never_fails else tuple(rule for rule in gate.rules if rule in new)
    found = tuple(sorted(compared.new, key=by_severity))
    return Verdict(check, gate, found, failed + unjudged, compared.known, compared.stale)


def by_severity(finding: Finding) -> tuple[bool, int, str, str, int, int]:
    """Return the key to sort findings by: by falling inversions; among equals, by code, file and line.

    Findings that are gone at the end of a log come last.
    """
    place = finding.source, finding.line, finding.column
    return finding.until is not None, -finding.inversions, finding.rule.code, *place
