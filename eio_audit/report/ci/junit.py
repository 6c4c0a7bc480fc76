"""JUnit XML, which every CI system shows: a test suite per dump, a test case per block."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from eio_audit.audit.check.figures import BlockAudit, DumpAudit
from eio_audit.audit.check.unjudged import UnjudgedInput
from eio_audit.audit.gate.findings import Finding
from eio_audit.audit.gate.gate import Verdict
from eio_audit.audit.gate.rules import HOISTED
from eio_audit.mlir.printable import printable
from eio_audit.report.ci.finding import lines_of, place_of_error
from eio_audit.report.wording.conclusion import why_not_judged
from eio_audit.report.wording.order import hoisted_constants, place_of, sum_of


def to_junit(verdict: Verdict) -> str:
    """Return the check as XML. A block fails if its findings fail the gate.

    Its other findings and its hoisted constants are its output.
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
    if HOISTED not in verdict.gate.rules and (hoisted := hoisted_constants(block)):
        lines.append(hoisted)
    if lines:
        SubElement(case, "system-out").text = "\n".join(map(printable, lines))
