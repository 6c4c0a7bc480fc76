"""One line per finding, ``path:line: CODE message``, which editors and problem matchers understand."""

from __future__ import annotations

from eio_audit.audit.gate.gate import Verdict
from eio_audit.mlir.printable import printable
from eio_audit.report.ci.finding import SHOWN_FINDINGS, description, place_of_error, rest
from eio_audit.report.wording.conclusion import conclusion, verdict_lines


def to_concise(verdict: Verdict, *, verbose: bool = False) -> str:
    """The findings, worst first, then what was checked."""
    shown = verdict.findings if verbose else verdict.findings[:SHOWN_FINDINGS]
    lines = [f"{place_of_error(error)}: error: {error.message}" for error in verdict.check.errors]
    lines += [f"{f.source}:{f.line}: {f.rule.code} {description(f)}" for f in shown]
    if more := rest(verdict.findings, len(shown)):
        lines.append(f"{more}; --verbose shows all")
    lines += [*verdict_lines(verdict), conclusion(verdict.check)]
    return "".join(f"{printable(line)}\n" for line in lines)
