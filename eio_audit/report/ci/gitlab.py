"""A Code Quality report of GitLab: the part of the Code Climate format that GitLab reads."""

from __future__ import annotations

from eio_audit.audit.check.unjudged import UnjudgedInput
from eio_audit.audit.gate.gate import Verdict
from eio_audit.audit.gate.rules import UNINDEXED
from eio_audit.mlir.source import InputError
from eio_audit.report.ci.finding import (
    annotated_place,
    annotation,
    fingerprints,
    level,
    level_of_unjudged,
    place_of_error,
    repository_path,
)
from eio_audit.report.json import dumped
from eio_audit.report.wording.conclusion import why_not_judged

_SEVERITIES = {"error": "major", "warning": "minor"}


def to_gitlab(verdict: Verdict) -> str:
    """Return the findings as a JSON list, worst first."""
    issues = [_error(error) for error in verdict.check.errors]
    issues += [_unjudged(one, verdict) for one in verdict.check.unjudged]
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


def _unjudged(one: UnjudgedInput, verdict: Verdict) -> dict[str, object]:
    path = repository_path(one.source)
    return {
        "description": f"{UNINDEXED.code} {why_not_judged(one)}",
        "check_name": UNINDEXED.name,
        "fingerprint": f"{UNINDEXED.name} {path}",
        "severity": _SEVERITIES[level_of_unjudged(verdict)],
        "location": {"path": path, "lines": {"begin": 1}},
    }


def _error(error: InputError) -> dict[str, object]:
    path = repository_path(error.source)
    return {
        "description": error.message,
        "check_name": "unreadable",
        "fingerprint": f"unreadable {place_of_error(error)}",
        "severity": "blocker",
        "location": {"path": path, "lines": {"begin": error.position.line if error.position else 1}},
    }
