"""Where the time of a compiler goes: the runs of each pass added up, from its reports of times.

MLIR prints such a report with ``-mlir-timing``, as text or as JSON, in a log or alone.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from eio_audit.mlir.input.markers import find_markers
from eio_audit.mlir.input.timing_reports import find_timing_reports
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.source import Source

_JSON = pattern(rb"\[\s*\{\"(?:wall|user)\": \{\"duration\":")
_DURATION = b'": {"duration":'
_NO_PASS = pattern(r"'[^']+' Pipeline|\(A\) .*|root|Total")
"""The entries that are no work of their own: those of the passes in them are others, or they are a sum."""
_TOTAL = "Total"


class PassTime(NamedTuple):
    """The time of all runs of a pass, or of another part of the compiler."""

    name: str  # the pass as its dumps call it, if the log has one; else the name in the report: `Parser`
    places: int  # how many entries it has: its places in the pipeline
    seconds: float  # the wall time
    share: float  # the part of the total


class TimeTable(NamedTuple):
    """The times of a log."""

    source: str  # the file
    total: float  # the wall time of all, in seconds
    passes: tuple[PassTime, ...]  # the longest first; none if the log has no report


def time_table(source: Source) -> TimeTable:
    """Return the times in all reports of a file, added up by pass."""
    seconds, places = defaultdict[str, float](float), defaultdict[str, int](int)
    total = 0.0
    for name, own in (*_in_text(source), *_in_json(source)):
        if name == _TOTAL:
            total += own
        elif not _NO_PASS.fullmatch(name):
            seconds[name] += own
            places[name] += 1
    markers = (marker for _, marker in find_markers(source.data) if marker is not None) if seconds else ()
    called = {marker.class_name: marker.pass_name for marker in markers}
    rows = [
        PassTime(called.get(name, name), places[name], own, own / total if total else 0.0)
        for name, own in seconds.items()
    ]
    return TimeTable(source.name, total, tuple(sorted(rows, key=lambda one: (-one.seconds, one.name))))


def _in_text(source: Source) -> Iterator[tuple[str, float]]:
    for report in find_timing_reports(source):
        for entry in report.entries:
            yield entry.name, entry.seconds


def _in_json(source: Source) -> Iterator[tuple[str, float]]:
    offset = 0
    if source.data.find(_DURATION) < 0:  # faster than the pattern
        return
    while found := _JSON.search(source.data, offset):
        offset = found.end()
        with suppress(ValueError):
            text = source.data[found.start() :].decode("utf-8", "surrogateescape")
            entries, end = json.JSONDecoder().raw_decode(text)
            yield from _json_entries(entries)
            offset = found.start() + len(
                text[:end].encode("utf-8", "surrogateescape")
            )  # lists in it are read


def _json_entries(entries: Sequence[Any]) -> Iterator[tuple[str, float]]:
    for entry in entries:
        if isinstance(entry, dict) and isinstance(entry.get("wall"), dict):
            yield str(entry.get("name", "")), float(entry["wall"].get("duration", 0))
            yield from _json_entries(entry.get("passes", ()))


class ComparedTime(NamedTuple):
    """The time of a pass in two logs."""

    name: str
    before: float  # in seconds; 0 if the log has no time of it
    after: float

    @property
    def change(self) -> float:
        """How much longer it takes, in seconds; negative if it takes less."""
        return self.after - self.before


class TimeComparison(NamedTuple):
    """The times of two logs."""

    before: TimeTable
    after: TimeTable

    @property
    def times(self) -> tuple[ComparedTime, ...]:
        """The times of each pass, the largest change first; none if a log has no report."""
        return compared_times(self.before, self.after)


def compared_times(before: TimeTable, after: TimeTable) -> tuple[ComparedTime, ...]:
    """Return the times of each pass in two logs, the largest change first; none if a log has no report."""
    if not (before.passes and after.passes):
        return ()
    old, new = ({one.name: one.seconds for one in table.passes} for table in (before, after))
    rows = [
        ComparedTime(name, old.get(name, 0.0), new.get(name, 0.0)) for name in dict.fromkeys([*old, *new])
    ]
    return tuple(sorted(rows, key=lambda one: -abs(one.change)))
