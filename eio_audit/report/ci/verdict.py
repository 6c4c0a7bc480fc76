"""The verdict of a gate, in sentences."""

from __future__ import annotations

from eio_audit.audit.gate.gate import Verdict
from eio_audit.report.wording.order import count


def verdict_lines(verdict: Verdict) -> list[str]:
    """How the check compares with ceilings and baseline, and how much rules beyond the order found."""
    gate, figures = verdict.gate, verdict.check.summary
    lines = []
    if gate.max_avoidable is not None:
        lines.append(_ceiling(figures.avoidable, "avoidable inversion", gate.max_avoidable))
    if gate.max_inversions is not None:
        lines.append(_ceiling(figures.inversions, "inversion", gate.max_inversions))
    if verdict.known is None and gate.needs_findings:
        lines.append(count(len(verdict.findings), "finding"))
    if verdict.known is not None:
        stale = sum(verdict.stale.values())
        new = count(len(verdict.findings), "new finding") if verdict.findings else "no new finding"
        gone = f"; {stale:,} of the baseline not found any more" if stale else ""
        lines.append(f"{new}, {verdict.known:,} known{gone}")
    return lines


def _ceiling(number: int, noun: str, most: int) -> str:
    verb = "is" if number == 1 else "are"
    compared = "more than" if number > most else "within"
    return f"{count(number, noun)} {verb} {compared} the {most:,} allowed"
