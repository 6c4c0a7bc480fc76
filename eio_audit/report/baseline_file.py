"""The file of a baseline, in JSON. An error in one that a user hands in names its place."""

from __future__ import annotations

import json
from dataclasses import asdict, fields

from eio_audit.audit.gate.baseline import Baseline, BaselineEntry
from eio_audit.mlir.source import InputError, Source, printable_in_json


def _parse_json(source: Source) -> object:
    try:
        text = bytes(source.data).decode()
        return json.loads(text)
    except UnicodeDecodeError as error:
        raise source.error(error.start, "this is not UTF-8, which JSON is written in") from error
    except json.JSONDecodeError as error:
        offset = len(text[: error.pos].encode())
        raise source.error(offset, error.msg[:1].lower() + error.msg[1:]) from error
    except ValueError as error:
        raise InputError(source.name, None, "a number in this file has too many digits") from error
    except RecursionError as error:
        raise InputError(source.name, None, "this is nested too deeply to be a baseline") from error


BASELINE_SCHEMA = "eio-audit-baseline/1"
_ENTRY_FIELDS = tuple(field.name for field in fields(BaselineEntry))


def baseline_to_json(baseline: Baseline) -> str:
    """Return the text of a baseline: one finding per line, sorted, so that changes to it can be reviewed."""
    lines = []
    for entry, count in sorted(baseline.counts.items()):
        known = asdict(entry) | ({"count": count} if count > 1 else {})
        lines.append(printable_in_json(json.dumps(known, ensure_ascii=False)))
    listed = "\n  " + ",\n  ".join(lines) + "\n" if lines else ""
    return f'{{"schema": "{BASELINE_SCHEMA}", "findings": [{listed}]}}\n'


def parse_baseline(source: Source, folder: str) -> Baseline:
    """Parse the text of a baseline. Equal entries add up.

    Raises:
        InputError: the text is not a baseline.
    """
    document = _parse_json(source)
    if not isinstance(document, dict) or document.get("schema") != BASELINE_SCHEMA:
        raise InputError(source.name, None, f'expected a baseline: {{"schema": "{BASELINE_SCHEMA}", ...}}')
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
    texts = [known.get(name) for name in _ENTRY_FIELDS]
    count = known.get("count", 1)
    if not all(isinstance(text, str) for text in texts):
        raise InputError(
            source.name, None, f"finding {number}: expected texts for {', '.join(_ENTRY_FIELDS)}"
        )
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise InputError(source.name, None, f"finding {number}: expected a count from 1")
    return BaselineEntry(*map(str, texts)), count
