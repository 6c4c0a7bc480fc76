"""JUnit's XML, which every CI system shows: a test suite per dump, a test case per block."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from eio_audit.audit.check.figures import BlockAudit, DumpAudit
from eio_audit.audit.gate.findings import Finding
from eio_audit.audit.gate.gate import Verdict
from eio_audit.mlir.printable import printable
from eio_audit.mlir.source import InputError
from eio_audit.report.ci.finding import lines_of, place_of_error
from eio_audit.report.wording.order import moment_of, place_of


def to_junit(verdict: Verdict) -> str:
    """The check as XML: a block fails because of the findings that fail the gate; others are its output."""
    of_block: dict[tuple[object, ...], list[Finding]] = {}
    for finding in verdict.findings:
        place = (finding.source, finding.dump_line, finding.function, finding.block, finding.block_line)
        of_block.setdefault(place, []).append(finding)
    root = Element("testsuites", name="eio-audit")
    for dump in verdict.check.dumps:
        suite = SubElement(root, "testsuite", name=printable(f"{place_of(dump)} {moment_of(dump)}".rstrip()))
        for block in dump.blocks:
            findings = of_block.get((dump.source, dump.line, block.function, block.block, block.line), [])
            _add_case(suite, dump, block, findings, verdict)
    for source, errors in groupby(verdict.check.errors, key=lambda error: error.source):
        _add_unreadable(SubElement(root, "testsuite", name=printable(source)), errors)
    _add_counts(root)
    indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _add_case(
    suite: Element, dump: DumpAudit, block: BlockAudit, findings: Sequence[Finding], verdict: Verdict
) -> None:
    name = " ".join(filter(None, (block.function, block.block, f"at line {block.line}")))
    case = SubElement(suite, "testcase", classname=printable(dump.source), name=printable(name))
    failures = [finding for finding in findings if finding.rule in verdict.failed]
    others = [finding for finding in findings if finding.rule not in verdict.failed]
    if failures:
        figures = f"{block.inversions:,} inversions, {block.avoidable:,} avoidable"
        failure = SubElement(case, "failure", type=failures[0].rule.code, message=figures)
        failure.text = _listed(failures)
    if others:
        SubElement(case, "system-out").text = _listed(others)


def _listed(findings: Sequence[Finding]) -> str:
    return "\n".join(map(printable, lines_of(findings)))


def _add_unreadable(suite: Element, errors: Iterable[InputError]) -> None:
    for error in errors:
        case = SubElement(suite, "testcase", classname=printable(error.source), name="can be read")
        message = printable(f"{place_of_error(error)}: {error.message}")
        SubElement(case, "error", type="unreadable", message=message)


def _add_counts(root: Element) -> None:
    for element in (root, *root):
        element.set("tests", str(sum(1 for _ in element.iter("testcase"))))
        element.set("failures", str(sum(1 for _ in element.iter("failure"))))
        element.set("errors", str(sum(1 for _ in element.iter("error"))))
