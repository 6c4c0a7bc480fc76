"""A Code Quality report of GitLab: the part of the Code Climate format that GitLab reads."""

from __future__ import annotations

from eio_audit.audit.gate.gate import Verdict
from eio_audit.mlir.source import InputError
from eio_audit.report.ci.finding import (
    annotated_place,
    annotation,
    fingerprints,
    level,
    place_of_error,
    repository_path,
)
from eio_audit.report.json import dumped

_SEVERITIES = {"error": "major", "warning": "minor"}


def to_gitlab(verdict: Verdict) -> str:
    """Return the findings as a JSON list, worst first."""
    issues = [_error(error) for error in verdict.check.errors]
    prints = fingerprints(verdict.findings)
    for finding, fingerprint in zip(verdict.findings, prints, strict=True):
        path, line = annotated_place(finding)
        issue: dict[str, object] = {
            "description": f"{finding.rule.code} {annotation(finding)}",
            "check_name": finding.rule.name,
            "fingerprint": fingerprint,
            "severity": _SEVERITIES[level(finding, verdict)],
            "location": {"path": path, "lines": {"begin": line}},
        }
        issues.append(issue)
    return dumped(issues)


def _error(error: InputError) -> dict[str, object]:
    path = repository_path(error.source)
    return {
        "description": error.message,
        "check_name": "unreadable",
        "fingerprint": f"unreadable {place_of_error(error)}",
        "severity": "blocker",
        "location": {"path": path, "lines": {"begin": error.position.line if error.position else 1}},
    }
