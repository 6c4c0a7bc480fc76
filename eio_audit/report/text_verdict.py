"""What a gate says of a check, for people: how it compares with ceilings and baseline, and what is new."""

from __future__ import annotations

from rich.console import Console

from eio_audit.audit.gate import Verdict
from eio_audit.report.console import print_line
from eio_audit.report.finding import SHOWN_FINDINGS, background, rest, sentence
from eio_audit.report.verdict import verdict_lines


def print_verdict(verdict: Verdict, console: Console, *, verbose: bool = False) -> None:
    """Prints nothing where the report on the order has said everything."""
    for line in verdict_lines(verdict):
        print_line(console, line)
    if verdict.known is None and not verdict.gate.needs_findings:
        return
    shown = verdict.findings if verbose else verdict.findings[:SHOWN_FINDINGS]
    for finding in shown:
        style = "red" if finding.rule in verdict.failed else "yellow"
        origin = background(finding)
        print_line(
            console,
            (f"{finding.source}:{finding.line}: ", "bold"),
            (finding.rule.code, style),
            f" {sentence(finding)}",
            (f" ({origin})" if origin else "", "dim"),
            indent=2,
        )
    if more := rest(verdict.findings, len(shown)):
        print_line(console, (f"{more}; --verbose shows all", "dim"), indent=2)
    for entry, number in sorted(verdict.stale.items()):
        times = f" ({number:,} times)" if number > 1 else ""
        what = " ".join(filter(None, (entry.source, entry.code, entry.function, entry.op, entry.origin)))
        print_line(console, (f"not found any more{times}: {what}", "dim"), indent=2)
