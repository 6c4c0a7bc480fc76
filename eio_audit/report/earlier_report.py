"""The report of an earlier check, as ``check --format json`` wrote it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from eio_audit.audit.corpus.comparison import ComparedFigures, EarlierCheck
from eio_audit.mlir.source import InputError, Source
from eio_audit.report.json import SCHEMA
from eio_audit.report.json_file import parse_json

_FIGURES = ComparedFigures._fields
_OPTIONAL = ("errors", "unjudged")


def parse_report(source: Source) -> EarlierCheck:
    """Parse the text of the report.

    Raises:
        InputError: the text is not such a report.
    """
    document = parse_json(source, "a report")
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
