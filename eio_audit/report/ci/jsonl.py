"""Findings as JSON Lines: one object per line, to be read as they come."""

from __future__ import annotations

import json
from dataclasses import asdict

from eio_audit.audit.gate.gate import Verdict
from eio_audit.mlir.printable import printable_in_json
from eio_audit.report.json import error_fields, finding_fields


def to_jsonl(verdict: Verdict) -> str:
    """Errors, findings, and last the figures; ``type`` says which of them an object is."""
    objects = [{"type": "error", **error_fields(error)} for error in verdict.check.errors]
    objects += [{"type": "finding", **finding_fields(finding)} for finding in verdict.findings]
    objects.append({"type": "summary", **asdict(verdict.check.summary)})
    return "".join(printable_in_json(json.dumps(fields, ensure_ascii=False)) + "\n" for fields in objects)
