"""SARIF 2.1.0, the Static Analysis Results Interchange Format (an OASIS standard)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from urllib.parse import quote

from eio_audit.audit.check.figures import UnjudgedInput
from eio_audit.audit.fix.fix import Replacement
from eio_audit.audit.gate.findings import Finding
from eio_audit.audit.gate.gate import Verdict
from eio_audit.audit.gate.rules import AVOIDABLE, UNINDEXED, Rule
from eio_audit.mlir.source import InputError
from eio_audit.report.ci.finding import (
    annotated_place,
    fingerprints,
    level,
    level_of_unjudged,
    repository_path,
    rest,
    sentence,
)
from eio_audit.report.json import dumped
from eio_audit.report.manual import look_up
from eio_audit.report.wording.conclusion import why_not_judged

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MOST_RESULTS = 5000  # the most in a run that services which read SARIF accept or keep
FINGERPRINT = "eioAudit/v1"


def to_sarif(verdict: Verdict, version: str, replacements: Mapping[str, Replacement] | None = None) -> str:
    """Return the findings, worst first, as one run of this version of the tool.

    ``replacements`` are what a fix changes in files. The worst avoidable finding of a file has its fix.
    """
    shown, fixes = verdict.findings[:MOST_RESULTS], dict(replacements or {})
    notices = [_notification(error) for error in verdict.check.errors]
    if more := rest(verdict.findings, len(shown)):
        notices.append({"level": "note", "message": {"text": more}})
    unjudged = verdict.check.unjudged
    rules = [rule for rule in verdict.gate.rules if rule is not UNINDEXED] + [UNINDEXED] * bool(unjudged)
    driver = {
        "name": "eio-audit",
        "version": version,
        "informationUri": f"pkg:generic/eio-audit@{version}",
        "rules": [_rule(rule) for rule in rules],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [
            {"executionSuccessful": not verdict.check.errors, "toolExecutionNotifications": notices}
        ],
        "columnKind": "unicodeCodePoints",
        "results": [_unjudged(one, verdict) for one in unjudged]
        + [
            _result(finding, level(finding, verdict), fingerprint)
            | (_fix(finding.source, fixes.pop(finding.source)) if _is_fixed(finding, fixes) else {})
            for finding, fingerprint in zip(shown, fingerprints(shown), strict=True)
        ],
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return dumped(document)


def _rule(rule: Rule) -> dict[str, object]:
    [entry] = look_up(rule.code)
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "help": {"text": f"'eio-audit help {rule.code}' explains how to fix it.", "markdown": entry.text},
    }


def _result(finding: Finding, level_name: str, fingerprint: str) -> dict[str, object]:
    in_dump = _location(repository_path(finding.source), finding.line, finding.column)
    place, other, what = in_dump, None, "in the model"
    if finding.model_path is not None:
        place, other, what = _location(*annotated_place(finding)), in_dump, "in the dump"
    elif finding.model is not None:
        other = _location(finding.model.file, finding.model.line)
    related = {} if other is None else {"relatedLocations": [{**other, "message": {"text": what}}]}
    return {
        "ruleId": finding.rule.code,
        "level": level_name,
        "message": {"text": sentence(finding)},
        "locations": [place],
        "partialFingerprints": {FINGERPRINT: fingerprint},
        **related,
    }


def _is_fixed(finding: Finding, fixes: Mapping[str, Replacement]) -> bool:
    return finding.rule is AVOIDABLE and finding.source in fixes


def _fix(source: str, replacement: Replacement) -> dict[str, object]:
    """Return the fix of a file: all that ``eio-audit fix`` changes in it, as one replacement of lines."""
    region = {"startLine": replacement.first, "startColumn": 1, "endLine": replacement.end, "endColumn": 1}
    change = {
        "artifactLocation": {"uri": _uri(repository_path(source))},
        "replacements": [{"deletedRegion": region, "insertedContent": {"text": replacement.text}}],
    }
    what = "restores the original order of the file, as eio-audit fix does; it is verified"
    return {"fixes": [{"description": {"text": what}, "artifactChanges": [change]}]}


def _unjudged(one: UnjudgedInput, verdict: Verdict) -> dict[str, object]:
    path = repository_path(one.source)
    return {
        "ruleId": UNINDEXED.code,
        "level": level_of_unjudged(verdict),
        "message": {"text": why_not_judged(one)},
        "locations": [_location(path)],
        "partialFingerprints": {FINGERPRINT: f"{UNINDEXED.name} {path}"},
    }


def _location(path: str, line: int | None = None, column: int | None = None) -> dict[str, object]:
    """Return a file, a line of it, or a column of the line."""
    place: dict[str, object] = {"artifactLocation": {"uri": _uri(path)}}
    if line is not None:
        place["region"] = {"startLine": max(line, 1)} | ({} if column is None else {"startColumn": column})
    return {"physicalLocation": place}


def _uri(path: str) -> str:
    """Return the path as a URI, relative to the repository or absolute."""
    encoded = quote(path, errors="backslashreplace")
    return f"file://{encoded}" if PurePath(path).is_absolute() else encoded


def _notification(error: InputError) -> dict[str, object]:
    place = (error.position.line, error.position.column) if error.position else ()
    return {
        "level": "error",
        "message": {"text": error.message},
        "locations": [_location(repository_path(error.source), *place)],
    }
