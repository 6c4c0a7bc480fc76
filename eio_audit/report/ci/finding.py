"""Sentences about a finding, and the places that formats link to."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from eio_audit.audit.gate.gate import Verdict
from eio_audit.audit.gate.rules import ORDER_RULES, UNINDEXED
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


def annotation(finding: Finding) -> str:
    """Return the sentence, with the one of its two places that is not annotated."""
    if finding.model_path is not None:
        where = f"{repository_path(finding.source)}:{finding.line}:{finding.column}"
        return with_origin(sentence(finding), where)
    return with_origin(sentence(finding), printable(str(finding.model or "")))


def level(finding: Finding, verdict: Verdict) -> str:
    """Return ``error`` if such findings fail the gate, else ``warning``."""
    return "error" if verdict.fails_by(finding) else "warning"


def level_of_unjudged(verdict: Verdict) -> str:
    """Return ``error`` if inputs that could not be judged fail the gate, else ``warning``."""
    return "error" if UNINDEXED in verdict.failed else "warning"


def annotated_place(finding: Finding) -> tuple[str, int]:
    """Return the file and line to annotate: the model's if it is in the repository, else the dump's."""
    if finding.model_path is not None and finding.model is not None:
        return printable(finding.model_path), finding.model.line
    return repository_path(finding.source), finding.line


def repository_path(path: str) -> str:
    """Return a path with forward slashes, relative to the current folder if it is inside."""
    if path.startswith("<"):
        return path
    relative = os.path.relpath(path)
    return printable(PurePath(path if relative.startswith("..") else relative).as_posix())


def place_of_error(error: InputError) -> str:
    """Return ``after.mlir:3:7``, or as much of it as is known."""
    position = f":{error.position.line}:{error.position.column}" if error.position else ""
    return printable(error.source) + position


def rest(findings: Sequence[Finding], shown: int) -> str:
    """Return ``... and 12 more findings``. Empty if all are shown."""
    more = len(findings) - shown
    return f"... and {count(more, 'more finding')}" if more > 0 else ""


def fingerprints(findings: Sequence[Finding]) -> list[str]:
    """Return a unique hexadecimal number for each finding that is stable while the finding exists.

    It is a hash of the finding's baseline entry, the dump's pass, and a count among equal findings.
    """
    import hashlib

    from eio_audit.audit.gate.baseline import entry_of

    numbers: Counter[tuple[object, ...]] = Counter()
    prints = [""] * len(findings)
    for k in sorted(range(len(findings)), key=lambda k: (findings[k].line, findings[k].column)):
        entry = entry_of(findings[k], ".")
        parts = (entry.code, entry.source, entry.function, entry.op, entry.origin, findings[k].place.moment)
        numbers[parts] += 1
        text = "\0".join((*parts, str(numbers[parts])))
        prints[k] = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:32]
    return prints
