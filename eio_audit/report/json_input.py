"""JSON that a user hands in: a baseline, and the report of an earlier check. An error names its place."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields
from typing import Any

from eio_audit.audit.corpus.corpus_figures import ComparedFigures, EarlierCheck
from eio_audit.audit.gate.baseline import Baseline, BaselineEntry
from eio_audit.mlir.printable import printable_in_json
from eio_audit.mlir.source import InputError, Source
from eio_audit.report.json import SCHEMA


def _parse_json(source: Source, what: str) -> object:
    """Parse a file. ``what`` is what it should be: ``a baseline``.

    Raises:
        InputError: it is not JSON, or it is nested too deeply.
    """
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
        raise InputError(source.name, None, f"this is nested too deeply to be {what}") from error


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
    document = _parse_json(source, "a baseline")
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


_FIGURES = ComparedFigures._fields
_OPTIONAL = ("errors", "unjudged")


def parse_report(source: Source) -> EarlierCheck:
    """Parse the report of an earlier check, as ``check --format json`` wrote it.

    Raises:
        InputError: the text is not such a report.
    """
    document = _parse_json(source, "a report")
    is_report = isinstance(document, dict) and document.get("schema") == SCHEMA
    if not isinstance(document, dict) or not is_report or document.get("command") != "check":
        raise source.error(0, "expected a report of 'eio-audit check --format json'")
    models = {str(one["model"]): figures for one, figures in _entries(source, document, "models")}
    passes = {
        (one.get("pass"), one.get("when")): figures for one, figures in _entries(source, document, "passes")
    }
    return EarlierCheck(models, passes)


def _entries(
    source: Source, document: Mapping[str, Any], name: str
) -> Iterator[tuple[dict[str, Any], ComparedFigures]]:
    """Yield the entries of a list of figures, each with those that are compared."""
    entries = document.get(name)
    if not isinstance(entries, list):
        raise source.error(0, f"this report has no list of {name}: an older version may have written it")
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, dict) or not _is_named(entry, name):
            raise InputError(source.name, None, f"{name}, entry {number}: expected an object with its name")
        numbers: list[Any] = [entry.get(figure, 0 if figure in _OPTIONAL else None) for figure in _FIGURES]
        if not all(type(number) is int and number >= 0 for number in numbers):
            expected = f"expected numbers of {', '.join(_FIGURES)}"
            raise InputError(source.name, None, f"{name}, entry {number}: {expected}")
        yield entry, ComparedFigures(*numbers)


def _is_named(entry: Mapping[str, Any], name: str) -> bool:
    if name == "models":
        return isinstance(entry.get("model"), str)
    return all(isinstance(entry.get(key), str | None) for key in ("pass", "when"))
