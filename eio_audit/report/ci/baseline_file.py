"""A baseline as a file: JSON with one finding per line, sorted, so that changes to it can be reviewed."""

from __future__ import annotations

import json
from dataclasses import asdict, fields

from eio_audit.audit.gate.baseline import Baseline, BaselineEntry
from eio_audit.mlir.printable import printable_in_json
from eio_audit.mlir.source import InputError, Source
from eio_audit.report.json_file import parse_json

SCHEMA = "eio-audit-baseline/1"
_FIELDS = tuple(field.name for field in fields(BaselineEntry))


def baseline_to_json(baseline: Baseline) -> str:
    """Return the text of the file."""
    lines = []
    for entry, count in sorted(baseline.counts.items()):
        known = asdict(entry) | ({"count": count} if count > 1 else {})
        lines.append(printable_in_json(json.dumps(known, ensure_ascii=False)))
    listed = "\n  " + ",\n  ".join(lines) + "\n" if lines else ""
    return f'{{"schema": "{SCHEMA}", "findings": [{listed}]}}\n'


def parse_baseline(source: Source, folder: str) -> Baseline:
    """Parse the text of the file. Equal entries add up.

    Raises:
        InputError: the text is not a baseline.
    """
    document = parse_json(source, "a baseline")
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise InputError(source.name, None, f'expected a baseline: {{"schema": "{SCHEMA}", ...}}')
    findings = document.get("findings")
    if not isinstance(findings, list):
        raise InputError(source.name, None, 'expected a list of "findings"')
    counts: dict[BaselineEntry, int] = {}
    for number, known in enumerate(findings, 1):
        entry, count = _entry(source, number, known)
        counts[entry] = counts.get(entry, 0) + count
    return Baseline(folder, counts)


def _entry(source: Source, number: int, known: object) -> tuple[BaselineEntry, int]:
    if not isinstance(known, dict):
        raise InputError(source.name, None, f"finding {number}: expected an object")
    texts = [known.get(name) for name in _FIELDS]
    count = known.get("count", 1)
    if not all(isinstance(text, str) for text in texts):
        raise InputError(source.name, None, f"finding {number}: expected texts for {', '.join(_FIELDS)}")
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise InputError(source.name, None, f"finding {number}: expected a count from 1")
    return BaselineEntry(*map(str, texts)), count
