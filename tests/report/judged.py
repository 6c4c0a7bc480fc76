"""A check with its findings, as the command makes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from eio_audit import AuditOptions, Dump, Gate, Verdict, check
from tests.internals import AuditedDump, LogFindings, judge

PLAIN = AuditOptions()
DEFAULT = Gate()


def judged(
    dumps: Iterable[Dump],
    options: AuditOptions = PLAIN,
    gate: Gate = DEFAULT,
    visit: Callable[[AuditedDump], None] = lambda dump: None,
    *,
    verbose: bool = False,
) -> Verdict:
    findings = LogFindings(gate.rules)

    def take(dump: AuditedDump) -> None:
        findings.add(dump)
        visit(dump)

    result = check(dumps, options, take, describes_all=verbose)
    return judge(result, findings.findings, gate)
