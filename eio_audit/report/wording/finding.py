"""Sentences about a finding, and the places that they name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from eio_audit.audit.gate.rules import ORDER_RULES
from eio_audit.mlir.source import InputError, printable
from eio_audit.report.wording.numbers import count

if TYPE_CHECKING:  # a check of dumps in order does not import this
    from eio_audit.audit.gate.findings import Finding

SHOWN_FINDINGS = 30  # the most findings that a report for people lists unless verbose


def sentence(finding: Finding) -> str:
    """Return ``#23 ttir.permute %8 belongs after #7 ttir.exp %9 (line 9): 3 inversions, fix moves it``."""
    colon, log = "" if finding.rule in ORDER_RULES else ":", lifetime(finding)
    subject = "" if finding.is_of_block else f"{finding.op.title}{colon} "
    return printable(f"{subject}{finding.message}{f'; {log}' if log else ''}")


def lifetime(finding: Finding) -> str:
    """Return ``introduced by canonicalize, gone after cse``. Empty if unknown."""
    origin = f"introduced by {finding.pass_name}" if finding.pass_name else ""
    gone = f"gone {finding.until}" if finding.until else ""
    left = "left at the end" if finding.left else ""
    return ", ".join(filter(None, (origin, gone or left))) if gone or left else ""


def place(finding: Finding) -> str:
    """Return ``after.mlir:3:7``."""
    return f"{finding.source}:{finding.line}:{finding.column}"


def background(finding: Finding) -> str:
    """Return where its op comes from: ``Conv2d[net.conv1], model.py:14``. Empty if unknown or of a block."""
    if finding.is_of_block:
        return ""
    return printable(", ".join(filter(None, (finding.op.module, str(finding.model or "")))))


def lines_of(findings: Sequence[Finding], most: int | None = SHOWN_FINDINGS) -> list[str]:
    """Return a line for each finding, ``path:line:column: CODE message (its origin)``, then the ``rest``."""
    shown = findings[:most]
    lines = [f"{place(f)}: {f.rule.code} {with_origin(sentence(f), background(f))}" for f in shown]
    return [*lines, *filter(None, [rest(findings, len(shown))])]


def with_origin(text: str, origin: str) -> str:
    """Return the text with its origin in parentheses, if there is one."""
    return f"{text} ({origin})" if origin else text


def place_of_error(error: InputError) -> str:
    """Return ``after.mlir:3:7``, or as much of it as is known."""
    position = f":{error.position.line}:{error.position.column}" if error.position else ""
    return printable(error.source) + position


def rest(findings: Sequence[Finding], shown: int) -> str:
    """Return ``... and 12 more findings``. Empty if all are shown."""
    more = len(findings) - shown
    return f"... and {count(more, 'more finding')}" if more > 0 else ""
