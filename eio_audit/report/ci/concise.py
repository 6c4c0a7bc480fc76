"""One line per finding, ``path:line:column: CODE message``, as editors and problem matchers read it."""

from __future__ import annotations

from eio_audit.audit.gate.gate import Verdict
from eio_audit.mlir.printable import printable
from eio_audit.report.ci.finding import SHOWN_FINDINGS, lines_of, place_of_error
from eio_audit.report.wording.conclusion import verdict_line


def to_concise(verdict: Verdict, *, verbose: bool = False) -> str:
    """Return the findings, worst first, then the verdict."""
    lines = [f"{place_of_error(error)}: error: {error.message}" for error in verdict.check.errors]
    lines += lines_of(verdict.findings, None if verbose else SHOWN_FINDINGS)
    if not verbose and len(verdict.findings) > SHOWN_FINDINGS:
        lines[-1] += "; --verbose shows all"
    lines.append(verdict_line(verdict, verbose=verbose))
    return "".join(f"{printable(line)}\n" for line in lines)
