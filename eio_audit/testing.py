"""An assertion for the tests of a compiler: a pass leaves the IR in its original order."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from eio_audit.audit.check.check import check
from eio_audit.audit.fix.fix import fix
from eio_audit.audit.gate.gate import Gate, Verdict, judge
from eio_audit.audit.gate.rules import FAIL_ON
from eio_audit.audit.log.log_findings import LogFindings
from eio_audit.audit.options import AuditOptions
from eio_audit.mlir.input.dumps import Dump, read, read_text
from eio_audit.mlir.source import InputError, decoded
from eio_audit.report.documents.check import check_document
from eio_audit.report.text.console import Console
from eio_audit.report.text.document import print_document
from eio_audit.report.text.unified_diff import unified_diff

__all__ = ["assert_in_original_order"]

SHOWN_LINES = 60  # the most lines of a diff in a message
SHOWN_CHARACTERS = 120  # the most per line: enough for the op and its operands


def assert_in_original_order(
    ir: str | bytes | Path,
    options: AuditOptions | None = None,
    *,
    fail_on: Literal["shuffled", "out-of-place", "any"] = "shuffled",
) -> None:
    """Assert that the ops of printed IR are in their original order, as far as dependences allow.

    Print the IR with locations. They contain the indices of the ops, as for ``eio-audit check``.

    Args:
        ir: the text of one or more dumps, or their file.
        options: as for ``check``.
        fail_on: ``shuffled`` allows no op out of place and no wrong index, only inversions of hoisted
            constants and splits. ``out-of-place`` also allows wrong indices. ``any`` allows no inversion.

    Raises:
        AssertionError: the ops are in another order. The message is the report of ``eio-audit check`` and a
            diff of the ops that a fix would move.
        InputError: the IR cannot be read, or none of its ops has an index.
        ValueError: ``ir`` is a path as a ``str``, or ``fail_on`` has another value.

    >>> assert_in_original_order('"t.a"() : () -> () loc("0|a")')
    """
    __tracebackhide__ = True  # pytest shows the test's line, not this function's
    if fail_on not in FAIL_ON:
        raise ValueError(f"expected fail_on to be 'shuffled', 'out-of-place' or 'any', not {fail_on!r}")
    options = options or AuditOptions()
    dumps = read(ir) if isinstance(ir, Path) else read_text(ir)
    gate = Gate(FAIL_ON[fail_on])
    findings = LogFindings(gate.rules)
    result = check(dumps, options, findings.add)
    for error in result.errors:
        raise error
    if not result.summary.has_indices:
        name = str(ir) if isinstance(ir, Path) else "<text>"
        raise InputError(name, None, "no op carries an op index, so there is no order to assert")
    verdict = judge(result, findings.findings, gate)
    if verdict.failed:
        raise AssertionError(_message(verdict, dumps, options))


def _message(verdict: Verdict, dumps: Sequence[Dump], options: AuditOptions) -> str:
    report = io.StringIO()
    print_document(check_document(verdict), Console(report, color=False))
    source = dumps[0].source
    diff = unified_diff(source.file.data[:], fix(dumps, options).text, source.name)
    lines = decoded(b"".join(diff[:SHOWN_LINES])).rstrip("\n").split("\n")
    shown = [f"{line[:SHOWN_CHARACTERS]}..." if len(line) > SHOWN_CHARACTERS else line for line in lines]
    if len(diff) > SHOWN_LINES:
        shown.append(f"... and {len(diff) - SHOWN_LINES:,} more lines")
    return "\n".join(["the ops are not in their original order", report.getvalue().rstrip(), *shown])
