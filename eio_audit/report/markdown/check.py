"""A check as Markdown, for the summary of a CI job or a comment on a change."""

from __future__ import annotations

from collections.abc import Sequence

from eio_audit.audit.check.figures import DumpAudit
from eio_audit.audit.gate.gate import Verdict
from eio_audit.mlir.printable import printable
from eio_audit.report.ci.finding import SHOWN_FINDINGS, background, place, place_of_error, rest, sentence
from eio_audit.report.markdown.code import code, literal, row
from eio_audit.report.wording.conclusion import reasons, status, steps_after
from eio_audit.report.wording.numbers import count
from eio_audit.report.wording.order import heading_of, sum_of

SHOWN_DUMPS = 10


def to_markdown(verdict: Verdict, *, verbose: bool = False) -> str:
    """Return the verdict, the dumps with inversions and the findings, worst first."""
    lines = [f"### eio-audit: {status(verdict)}", "", "; ".join(reasons(verdict))]
    lines += [f"<br>{literal(step)}" for step in steps_after(verdict)]
    lines += _errors(verdict)
    lines += _dumps(verdict.check.dumps)
    lines += _findings(verdict, verbose=verbose)
    return "\n".join(map(printable, lines)) + "\n"


def _errors(verdict: Verdict) -> list[str]:
    errors = verdict.check.errors
    lines = [f"- {_code(place_of_error(error))}: {_code(error.message)}" for error in errors]
    return ["", *lines] if lines else []


def _dumps(dumps: Sequence[DumpAudit]) -> list[str]:
    broken = sorted((d for d in dumps if d.summary.inversions), key=lambda d: -d.summary.inversions)
    rows = [
        [_code(heading_of(dump)), sum_of(dump.summary), f"{dump.summary.wrong_labels:,}"]
        for dump in broken[:SHOWN_DUMPS]
    ]
    more = f"... and {count(len(broken) - len(rows), 'more dump')} with inversions"
    return _table(["dump", "inversions", "wrong indices"], rows, more if len(broken) > len(rows) else "")


def _findings(verdict: Verdict, *, verbose: bool) -> list[str]:
    shown = verdict.findings if verbose else verdict.findings[:SHOWN_FINDINGS]
    rows = [[f.rule.code, *map(_code, (place(f), sentence(f), background(f)))] for f in shown]
    return _table(["code", "place", "finding", "from"], rows, rest(verdict.findings, len(shown)))


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]], more: str) -> list[str]:
    """Return an empty line, the table and a note on what it leaves out. Nothing without rows."""
    if not rows:
        return []
    return ["", row(titles), row("---" for _ in titles), *map(row, rows), *(["", more] if more else [])]


def _code(text: str) -> str:
    return code(printable(text))
