"""The verdict of a gate as text: how a check compares with ceilings and baseline, and what is new."""

from __future__ import annotations

from eio_audit.audit.gate.findings import Finding
from eio_audit.audit.gate.gate import Verdict
from eio_audit.report.ci.finding import SHOWN_FINDINGS, background, rest, sentence
from eio_audit.report.text.console import Console
from eio_audit.report.wording.conclusion import verdict_lines

SHOWN_STALE = 5
"""How many entries of a baseline that are not found any more a report names that is not verbose."""

SHOWN_FIELDS = 4
"""Fields of an origin that are shown: the innermost module, file, function and framework op."""


def print_verdict(verdict: Verdict, console: Console, *, verbose: bool = False) -> None:
    """Prints what the report on the order leaves open; nothing for the default gate."""
    for line in verdict_lines(verdict):
        console.print(line)
    if verdict.known is not None or verdict.gate.needs_findings:
        shown = verdict.findings if verbose else verdict.findings[:SHOWN_FINDINGS]
        for finding in shown:
            _print_finding(finding, verdict, console)
        if more := rest(verdict.findings, len(shown)):
            console.print((f"{more}; --verbose shows all", "dim"), indent=2)
    entries = sorted(verdict.stale.items())
    stale = entries if verbose else entries[:SHOWN_STALE]
    for entry, number in stale:
        times = f" ({number:,} times)" if number > 1 else ""
        origin = "|".join(entry.origin.split("|")[-SHOWN_FIELDS:])
        what = " ".join(filter(None, (entry.source, entry.code, entry.function, entry.op, origin)))
        console.print((f"not found any more{times}: {what}", "dim"), indent=2)
    if more_stale := len(entries) - len(stale):
        console.print((f"... and {more_stale:,} more; --verbose shows all", "dim"), indent=2)


def _print_finding(finding: Finding, verdict: Verdict, console: Console) -> None:
    origin = background(finding)
    console.print(
        (f"{finding.source}:{finding.line}: ", "bold"),
        (finding.rule.code, "red" if finding.rule in verdict.failed else "yellow"),
        f" {sentence(finding)}",
        (f" ({origin})" if origin else "", "dim"),
        indent=2,
    )
