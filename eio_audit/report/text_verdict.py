"""What a gate says of a check, for people: how it compares with ceilings and baseline, and what is new."""

from __future__ import annotations

from rich.console import Console

from eio_audit.audit.findings import Finding
from eio_audit.audit.gate import Verdict
from eio_audit.report.console import print_line
from eio_audit.report.finding import SHOWN_FINDINGS, background, rest, sentence
from eio_audit.report.verdict import verdict_lines


def print_verdict(verdict: Verdict, console: Console, *, verbose: bool = False) -> None:
    """Prints nothing where the report on the order has said everything."""
    for line in verdict_lines(verdict):
        print_line(console, line)
    limit = None if verbose else SHOWN_FINDINGS
    if verdict.known is not None or verdict.gate.needs_findings:
        for finding in verdict.findings[:limit]:
            _print_finding(finding, verdict, console)
        if more := rest(verdict.findings, len(verdict.findings[:limit])):
            print_line(console, (f"{more}; --verbose shows all", "dim"), indent=2)
    for entry, number in sorted(verdict.stale.items())[:limit]:
        times = f" ({number:,} times)" if number > 1 else ""
        what = " ".join(filter(None, (entry.source, entry.code, entry.function, entry.op, entry.origin)))
        print_line(console, (f"not found any more{times}: {what}", "dim"), indent=2)


def _print_finding(finding: Finding, verdict: Verdict, console: Console) -> None:
    origin = background(finding)
    print_line(
        console,
        (f"{finding.source}:{finding.line}: ", "bold"),
        (finding.rule.code, "red" if finding.rule in verdict.failed else "yellow"),
        f" {sentence(finding)}",
        (f" ({origin})" if origin else "", "dim"),
        indent=2,
    )
