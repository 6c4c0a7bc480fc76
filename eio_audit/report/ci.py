"""Findings in the formats that CI services and editors read: lines, GitHub, GitLab, JUnit and SARIF."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple

from eio_audit.audit.check.figures import BlockAudit, DumpAudit, UnjudgedInput
from eio_audit.audit.gate.rules import AVOIDABLE, UNINDEXED, Rule
from eio_audit.mlir.source import InputError, printable
from eio_audit.report.json import dumped
from eio_audit.report.wording import IN_VERBOSE, order
from eio_audit.report.wording.conclusion import next_lines, steps_after, verdict_line, why_not_judged

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from eio_audit.audit.fix.fix import Replacement
    from eio_audit.audit.gate.findings import Finding
    from eio_audit.audit.gate.gate import Verdict

SHOWN_ANNOTATIONS = 10  # GitHub shows no more annotations of one level per step
SEVERITIES = {"error": "major", "warning": "minor"}  # of GitLab, by level


class Issue(NamedTuple):
    """An input that cannot be read, one that cannot be judged, or a finding, as GitHub and GitLab show it."""

    level: str  # `error` if it fails the gate, else `warning`
    message: str
    path: str  # in the repository
    line: int | None
    column: int | None = None
    rule: Rule | None = None  # None for an input that cannot be read


def _unread(error: InputError) -> Issue:
    at = error.position
    place = (at.line, at.column) if at else (None, None)
    return Issue("error", error.message, repository_path(error.source), *place)


def _issues(verdict: Verdict, most: int | None = None) -> Iterator[Issue]:
    """Yield the errors, the inputs that cannot be judged, and the findings; of each kind the first ones."""
    yield from map(_unread, verdict.check.errors[:most])
    for one in verdict.check.unjudged[:most]:
        level, path = _level_of_unjudged(verdict), repository_path(one.source)
        yield Issue(level, why_not_judged(one), path, 1, None, UNINDEXED)
    for finding in verdict.findings[:most]:
        path, line = _annotated_place(finding)
        other = printable(str(finding.model or ""))  # the one of its two places that is not annotated
        if finding.model_path is not None:
            other = f"{repository_path(finding.source)}:{finding.line}:{finding.column}"
        said = order.with_origin(order.sentence(finding), other)
        column = None if finding.model_path else finding.column
        yield Issue(_level(finding, verdict), said, path, line, column, finding.rule)


def _by_file(verdict: Verdict) -> str:
    """Return which configuration file changed what counts, and by which keys. Empty if none did."""
    by_file = verdict.check.configuration
    return f"what counts is changed {by_file}" if by_file else ""


def _level(finding: Finding, verdict: Verdict) -> str:
    return "error" if verdict.fails_by(finding) else "warning"


def _level_of_unjudged(verdict: Verdict) -> str:
    return "error" if UNINDEXED in verdict.failed else "warning"


def _annotated_place(finding: Finding) -> tuple[str, int]:
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


@cache
def _path_anywhere(source: str) -> str:
    """Return the path of a file in its git repository, or else its name: the same in any current folder."""
    if source.startswith("<"):
        return source
    file = Path(os.path.abspath(source))  # noqa: PTH100  links stay as they are
    root = next((folder for folder in file.parents if (folder / ".git").exists()), file.parent)
    return file.relative_to(root).as_posix()


def fingerprints(findings: Sequence[Finding]) -> list[str]:
    """Return a unique hexadecimal number for each finding that is stable while the finding exists.

    It is a hash of the finding's baseline entry, the dump's pass, and a count among equal findings.
    """
    import hashlib

    from eio_audit.audit.gate.findings import entry_of

    numbers: Counter[tuple[object, ...]] = Counter()
    prints = [""] * len(findings)
    for k in sorted(range(len(findings)), key=lambda k: (findings[k].line, findings[k].column)):
        entry = entry_of(findings[k], ".")
        parts = (
            entry.code,
            _path_anywhere(findings[k].source),
            entry.function,
            entry.op,
            entry.origin,
            findings[k].place.moment,
        )
        numbers[parts] += 1
        text = "\0".join((*parts, str(numbers[parts])))
        prints[k] = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:32]
    return prints


def to_github(verdict: Verdict) -> str:
    """Return the worst findings as annotations, then the verdict as a plain log line."""
    lines = [*map(_annotation, _issues(verdict, SHOWN_ANNOTATIONS))]
    lines += filter(None, [order.rest(verdict.findings, SHOWN_ANNOTATIONS)])
    lines += [verdict_line(verdict), *next_lines(steps_after(verdict))]
    return "".join(f"{printable(line)}\n" for line in lines)


def error_annotation(error: InputError) -> str:
    """Return an error about unreadable input as an annotation."""
    return _annotation(_unread(error))


def _annotation(issue: Issue) -> str:
    title = issue.rule and f"{issue.rule.code} {issue.rule.name}"
    properties = {"file": issue.path, "line": issue.line, "col": issue.column, "title": title}
    known = ((key, value) for key, value in properties.items() if value is not None)
    listed = ",".join(f"{key}={_escaped(str(value), ':,')}" for key, value in known)
    return f"::{issue.level} {listed}::{_escaped(issue.message)}"


def _escaped(text: str, separators: str = "") -> str:
    """Percent-encode the characters that would end the command, a property or a line."""
    for character in "%\r\n" + separators:
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def to_concise(verdict: Verdict, *, verbose: bool = False) -> str:
    """Return the findings, worst first, then the verdict. Unreadable files are named on standard error."""
    lines = order.lines_of(verdict.findings, None if verbose else order.SHOWN_FINDINGS)
    if not verbose and len(verdict.findings) > order.SHOWN_FINDINGS:
        lines[-1] += IN_VERBOSE
    lines += [verdict_line(verdict, verbose=verbose), *next_lines(steps_after(verdict))]
    return "".join(f"{printable(line)}\n" for line in lines)


def to_gitlab(verdict: Verdict) -> str:
    """Return the findings as a JSON list, worst first."""
    check, issues = verdict.check, []
    prints = [f"unreadable {order.place_of_error(error)}" for error in check.errors]
    prints += [printable(f"{UNINDEXED.name} {_path_anywhere(one.source)}") for one in check.unjudged]
    prints += fingerprints(verdict.findings)
    for issue, fingerprint in zip(_issues(verdict), prints, strict=True):
        rule = issue.rule
        issues.append(
            {
                "description": f"{rule.code} {issue.message}" if rule else issue.message,
                "check_name": rule.name if rule else "unreadable",
                "fingerprint": fingerprint,
                "severity": SEVERITIES[issue.level] if rule else "blocker",
                "location": {"path": issue.path, "lines": {"begin": issue.line or 1}},
            }
        )
    if by_file := check.configuration:
        path = repository_path(by_file.file)
        issues.append(
            {
                "description": _by_file(verdict),
                "check_name": "configuration",
                "fingerprint": f"configuration {path} {' '.join(by_file.keys)}",
                "severity": "info",
                "location": {"path": path, "lines": {"begin": 1}},
            }
        )
    return dumped(issues)


def to_junit(verdict: Verdict) -> str:
    """Return the check as XML. A block fails if its findings fail the gate.

    Its other findings, its hoisted constants and its splits are its output.
    """
    of_block: dict[tuple[object, ...], list[Finding]] = {}
    for finding in verdict.findings:
        place = (finding.source, finding.place.line, finding.function, finding.block, finding.block_line)
        of_block.setdefault(place, []).append(finding)
    from xml.etree.ElementTree import Element, SubElement, indent, tostring

    root = Element("testsuites", name="eio-audit")
    for dump in verdict.check.dumps:
        suite = SubElement(root, "testsuite", name=printable(order.heading_of(dump)))
        if by_file := _by_file(verdict):
            properties = SubElement(suite, "properties")
            SubElement(properties, "property", name="configuration", value=by_file)
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
            message = printable(f"{order.place_of_error(error)}: {error.message}")
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
    from xml.etree.ElementTree import SubElement

    name = " ".join(filter(None, (block.function, block.block, f"at line {block.line}")))
    case = SubElement(suite, "testcase", classname=printable(dump.source), name=printable(name))
    failures = [finding for finding in findings if verdict.fails_by(finding)]
    others = [finding for finding in findings if not verdict.fails_by(finding)]
    if failures:
        failure = SubElement(case, "failure", type=failures[0].rule.code, message=order.sum_of(block))
        failure.text = "\n".join(map(printable, order.lines_of(failures)))
    lines = order.lines_of(others)
    lines += [said for _, said in order.told_apart(block, verdict.gate.rules)]
    if lines:
        SubElement(case, "system-out").text = "\n".join(map(printable, lines))


SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MOST_RESULTS = 5000  # the most in a run that services which read SARIF accept or keep
FINGERPRINT = "eioAudit/v1"


def _repository() -> str:
    """Return the address of the repository, which pyproject.toml names."""
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        urls = metadata("eio-audit").get_all("Project-URL", [])
    except PackageNotFoundError:  # run from a checkout that is not installed
        urls = []
    return next((url.removeprefix("Repository, ") for url in urls), "pkg:generic/eio-audit")


def to_sarif(verdict: Verdict, version: str, replacements: Mapping[str, Replacement] | None = None) -> str:
    """Return the findings, worst first, as one run. The worst avoidable one of a file has its replacement."""
    shown, fixes = verdict.findings[:MOST_RESULTS], dict(replacements or {})
    notices = [_notification(error) for error in verdict.check.errors]
    if more := order.rest(verdict.findings, len(shown)):
        notices.append({"level": "note", "message": {"text": more}})
    unjudged = verdict.check.unjudged
    rules = [rule for rule in verdict.gate.rules if rule is not UNINDEXED] + [UNINDEXED] * bool(unjudged)
    driver = {
        "name": "eio-audit",
        "version": version,
        "informationUri": _repository(),
        "rules": [_rule(rule) for rule in rules],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [
            {
                "executionSuccessful": not verdict.check.errors,
                "toolExecutionNotifications": notices,
                **_configuration(verdict),
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": [_unjudged(one, verdict) for one in unjudged]
        + [
            _result(finding, _level(finding, verdict), fingerprint)
            | (_fix(finding.source, fixes) if finding.rule is AVOIDABLE and finding.source in fixes else {})
            for finding, fingerprint in zip(shown, fingerprints(shown), strict=True)
        ],
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return dumped(document)


def _configuration(verdict: Verdict) -> dict[str, object]:
    by_file = verdict.check.configuration
    if by_file is None:
        return {}
    place = _location(repository_path(by_file.file))
    notice = {"level": "note", "message": {"text": _by_file(verdict)}, "locations": [place]}
    return {"toolConfigurationNotifications": [notice]}


def _rule(rule: Rule) -> dict[str, object]:
    from eio_audit.report.manual import look_up

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
        place, other, what = _location(*_annotated_place(finding)), in_dump, "in the dump"
    elif finding.model is not None:
        other = _location(finding.model.file, finding.model.line)
    related = {} if other is None else {"relatedLocations": [{**other, "message": {"text": what}}]}
    return {
        "ruleId": finding.rule.code,
        "level": level_name,
        "message": {"text": order.sentence(finding)},
        "locations": [place],
        "partialFingerprints": {FINGERPRINT: fingerprint},
        **related,
    }


def _fix(source: str, fixes: dict[str, Replacement]) -> dict[str, object]:
    replacement = fixes.pop(source)
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
        "level": _level_of_unjudged(verdict),
        "message": {"text": why_not_judged(one)},
        "locations": [_location(path)],
        "partialFingerprints": {FINGERPRINT: printable(f"{UNINDEXED.name} {_path_anywhere(one.source)}")},
    }


def _location(path: str, line: int | None = None, column: int | None = None) -> dict[str, object]:
    place: dict[str, object] = {"artifactLocation": {"uri": _uri(path)}}
    if line is not None:
        place["region"] = {"startLine": max(line, 1)} | ({} if column is None else {"startColumn": column})
    return {"physicalLocation": place}


def _uri(path: str) -> str:
    from urllib.parse import quote

    encoded = quote(path, errors="backslashreplace")
    return f"file://{encoded}" if PurePath(path).is_absolute() else encoded


def _notification(error: InputError) -> dict[str, object]:
    place = (error.position.line, error.position.column) if error.position else ()
    return {
        "level": "error",
        "message": {"text": error.message},
        "locations": [_location(repository_path(error.source), *place)],
    }
