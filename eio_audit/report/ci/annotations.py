"""Findings in the formats of editors and CI systems: lines, GitHub annotations, GitLab issues, JUnit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from eio_audit.audit.check.figures import BlockAudit, DumpAudit, UnjudgedInput
from eio_audit.audit.gate.findings import Finding
from eio_audit.audit.gate.gate import Verdict
from eio_audit.audit.gate.rules import UNINDEXED
from eio_audit.mlir.source import InputError, printable
from eio_audit.report.ci.finding import (
    SHOWN_FINDINGS,
    annotated_place,
    annotation,
    fingerprints,
    level,
    level_of_unjudged,
    lines_of,
    place_of_error,
    repository_path,
    rest,
)
from eio_audit.report.json import dumped
from eio_audit.report.wording.commands import next_lines
from eio_audit.report.wording.conclusion import steps_after, verdict_line, why_not_judged
from eio_audit.report.wording.order import place_of, sum_of, told_apart

SHOWN_ANNOTATIONS = 10  # GitHub shows no more annotations of one level per step


def to_github(verdict: Verdict) -> str:
    """Return the worst findings as annotations, then the verdict as a plain log line."""
    shown = verdict.findings[:SHOWN_ANNOTATIONS]
    lines = [error_annotation(error) for error in verdict.check.errors[:SHOWN_ANNOTATIONS]]
    lines += [_unjudged_annotation(one, verdict) for one in verdict.check.unjudged[:SHOWN_ANNOTATIONS]]
    lines += [_annotation(finding, level(finding, verdict)) for finding in shown]
    lines += filter(None, [rest(verdict.findings, len(shown))])
    lines += [verdict_line(verdict), *next_lines(steps_after(verdict))]
    return "".join(f"{printable(line)}\n" for line in lines)


def error_annotation(error: InputError) -> str:
    """Return an error about unreadable input as an annotation."""
    place = {"line": error.position.line, "col": error.position.column} if error.position else {}
    return _command("error", error.message, file=repository_path(error.source), **place)


def _unjudged_annotation(one: UnjudgedInput, verdict: Verdict) -> str:
    title = f"{UNINDEXED.code} {UNINDEXED.name}"
    path = repository_path(one.source)
    return _command(level_of_unjudged(verdict), why_not_judged(one), file=path, line=1, title=title)


def _annotation(finding: Finding, level_name: str) -> str:
    path, line = annotated_place(finding)
    column = {"col": finding.column} if finding.model_path is None else {}
    title = f"{finding.rule.code} {finding.rule.name}"
    return _command(level_name, annotation(finding), file=path, line=line, **column, title=title)


def _command(name: str, message: str, **properties: object) -> str:
    listed = ",".join(f"{key}={_escaped(str(value), ':,')}" for key, value in properties.items())
    return f"::{name} {listed}::{_escaped(message)}"


def _escaped(text: str, separators: str = "") -> str:
    """Percent-encode the characters that would end the command, a property or a line."""
    for character in "%\r\n" + separators:
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def to_concise(verdict: Verdict, *, verbose: bool = False) -> str:
    """Return the findings, worst first, then the verdict."""
    lines = [f"{place_of_error(error)}: error: {error.message}" for error in verdict.check.errors]
    lines += lines_of(verdict.findings, None if verbose else SHOWN_FINDINGS)
    if not verbose and len(verdict.findings) > SHOWN_FINDINGS:
        lines[-1] += "; --verbose shows all"
    lines += [verdict_line(verdict, verbose=verbose), *next_lines(steps_after(verdict))]
    return "".join(f"{printable(line)}\n" for line in lines)


_SEVERITIES = {"error": "major", "warning": "minor"}


def to_gitlab(verdict: Verdict) -> str:
    """Return the findings as a JSON list, worst first."""
    issues = []
    for error in verdict.check.errors:
        place = repository_path(error.source), error.position.line if error.position else 1
        issues.append(
            _issue("unreadable", error.message, f"unreadable {place_of_error(error)}", "blocker", place)
        )
    for one in verdict.check.unjudged:
        path, severity = repository_path(one.source), _SEVERITIES[level_of_unjudged(verdict)]
        said = f"{UNINDEXED.code} {why_not_judged(one)}"
        issues.append(_issue(UNINDEXED.name, said, f"{UNINDEXED.name} {path}", severity, (path, 1)))
    prints = fingerprints(verdict.findings)
    for finding, fingerprint in zip(verdict.findings, prints, strict=True):
        said, severity = f"{finding.rule.code} {annotation(finding)}", _SEVERITIES[level(finding, verdict)]
        issues.append(_issue(finding.rule.name, said, fingerprint, severity, annotated_place(finding)))
    return dumped(issues)


def _issue(
    name: str, description: str, fingerprint: str, severity: str, place: tuple[str, int]
) -> dict[str, object]:
    path, line = place
    return {
        "description": description,
        "check_name": name,
        "fingerprint": fingerprint,
        "severity": severity,
        "location": {"path": path, "lines": {"begin": line}},
    }


def to_junit(verdict: Verdict) -> str:
    """Return the check as XML. A block fails if its findings fail the gate.

    Its other findings, its hoisted constants and its splits are its output.
    """
    of_block: dict[tuple[object, ...], list[Finding]] = {}
    for finding in verdict.findings:
        place = (finding.source, finding.place.line, finding.function, finding.block, finding.block_line)
        of_block.setdefault(place, []).append(finding)
    root = Element("testsuites", name="eio-audit")
    for dump in verdict.check.dumps:
        suite = SubElement(root, "testsuite", name=printable(f"{place_of(dump)} {dump.moment}".rstrip()))
        for block in dump.blocks:
            findings = of_block.get((dump.source, dump.line, block.function, block.block, block.line), [])
            _add_case(suite, dump, block, findings, verdict)
        if dump.is_unindexed:
            name = why_not_judged(UnjudgedInput(dump.source, 1, dump.located > 0))
            case = SubElement(suite, "testcase", classname=printable(dump.source), name="has op indices")
            SubElement(case, "skipped", message=name)
    for source, errors in groupby(verdict.check.errors, key=lambda error: error.source):
        suite = SubElement(root, "testsuite", name=printable(source))
        for error in errors:
            case = SubElement(suite, "testcase", classname=printable(source), name="can be read")
            message = printable(f"{place_of_error(error)}: {error.message}")
            SubElement(case, "error", type="unreadable", message=message)
    counted = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}
    for element in (root, *root):
        for name, tag in counted.items():
            element.set(name, str(len(list(element.iter(tag)))))
    indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _add_case(
    suite: Element, dump: DumpAudit, block: BlockAudit, findings: Sequence[Finding], verdict: Verdict
) -> None:
    name = " ".join(filter(None, (block.function, block.block, f"at line {block.line}")))
    case = SubElement(suite, "testcase", classname=printable(dump.source), name=printable(name))
    failures = [finding for finding in findings if verdict.fails_by(finding)]
    others = [finding for finding in findings if not verdict.fails_by(finding)]
    if failures:
        failure = SubElement(case, "failure", type=failures[0].rule.code, message=sum_of(block))
        failure.text = "\n".join(map(printable, lines_of(failures)))
    lines = lines_of(others)
    lines += [said for _, said in told_apart(block, verdict.gate.rules)]
    if lines:
        SubElement(case, "system-out").text = "\n".join(map(printable, lines))
