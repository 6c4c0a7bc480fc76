"""What a gate says of a check, in sentences."""

from __future__ import annotations

from eio_audit.audit.gate import Verdict
from eio_audit.report.wording import count


def verdict_lines(verdict: Verdict) -> list[str]:
    """How the check compares with ceilings and baseline; none where the gate has neither."""
    gate, figures = verdict.gate, verdict.check.summary
    lines = []
    if gate.max_avoidable is not None:
        lines.append(_ceiling(figures.avoidable, "avoidable inversion", gate.max_avoidable))
    if gate.max_inversions is not None:
        lines.append(_ceiling(figures.inversions, "inversion", gate.max_inversions))
    if verdict.known is not None:
        stale = sum(verdict.stale.values())
        parts = [count(len(verdict.findings), "new finding"), f"{verdict.known:,} known"]
        lines.append(
            ", ".join(parts) + (f"; {count(stale, 'known one')} not found any more" if stale else "")
        )
    return lines


def _ceiling(number: int, noun: str, most: int) -> str:
    verb = "is" if number == 1 else "are"
    return f"{count(number, noun)} {verb} {'more than' if number > most else 'within'} the {most:,} allowed"
