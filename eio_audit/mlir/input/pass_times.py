"""The times in MLIR's reports (``-mlir-timing``), as text or as JSON, in a log or alone.

A report has an entry for each place in a pipeline, as a tree or a list. It comes after the dumps. An entry
covers the runs of that pass on all functions. If the log tells which entry each run belongs to, the runs of
an entry have its time together. Otherwise the entries of the same name are added up. No time is divided among
runs.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from eio_audit.mlir.input.dumps import Dump, DumpPlace
from eio_audit.mlir.input.markers import find_markers
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.source import Source, Span, Text, decoded, find_all

_TITLE = b"... Execution time report ..."
_HEAD = pattern(
    re.escape(_TITLE) + rb"[ \t]*\r?\n===-+===[ \t]*\r?\n[^\n]*\n[ \t]*\r?\n(?P<columns>[^\n]{0,200})\n"
)
_COLUMN = pattern(rb"(?<!-)--++ ?([A-Z][A-Za-z ]*?) ?--+")
_ROW = pattern(
    rb"(?P<times>(?: *-?\d{1,9}\.\d{1,9} \([^()\n]{0,20}\))+)"
    rb"  (?P<indent>(?:  )*)(?P<name>\S[^\r\n]*)\r?(?:\n|\Z)"
)
_TIME = pattern(rb"((?:-\d++|(?<!\d)\d++)\.\d++) \(")
_PIPELINE = pattern(r"'(?P<op>[^']+)' Pipeline")
_DECIMALS = 4  # those of a time in a report
_JSON = pattern(rb"\[\s*\{\"(?:wall|user)\": \{\"duration\":")
_DURATION = b'": {"duration":'
_NO_PASS = pattern(r"'[^']+' Pipeline|\(A\) .*|root|Total")
"""The entries that are no work of their own: those of the passes in them are others, or they are a sum."""
_TOTAL = "Total"


class TimedEntry(NamedTuple):
    """An entry of a report."""

    name: str  # the class name of a pass, as in markers; otherwise a text such as `'func.func' Pipeline`
    seconds: float  # its wall time; if it ran on several threads, that of the slowest
    stage: int  # 0-based number of the outermost entry that it is in; in a tree, stages run one after another
    # The op that its innermost pipeline runs on; None outside the pipelines that a report shows.
    op_name: str | None


class TimingReport(NamedTuple):
    """A report of execution times."""

    line: int  # the 1-based line of its title
    entries: tuple[TimedEntry, ...]  # from top to bottom


def find_timing_reports(source: Source, start: int = 0) -> list[TimingReport]:
    """Return the reports of a text that have wall times, in order of appearance."""
    reports = []
    data = source.data
    for offset in find_all(data, _TITLE, Span(start, len(data))):
        head = _HEAD.match(data, offset)
        columns = _COLUMN.findall(head["columns"]) if head else []
        if head and b"Wall Time" in columns:
            rows = _rows(data, head.end(), columns)
            reports.append(TimingReport(source.line_at(offset), _entries(rows)))
    return reports


def _rows(data: Text, offset: int, columns: Sequence[bytes]) -> Iterator[tuple[float, int, str]]:
    """Yield the wall time, the depth and the name of each row; the last column is the name."""
    place = columns.index(b"Wall Time")
    while match := _ROW.match(data, offset):
        times = _TIME.findall(match["times"])
        if len(times) != len(columns) - 1:
            return
        name = decoded(match["name"]).rstrip()
        yield float(times[place]), len(match["indent"]) // 2, name
        offset = match.end()


def _entries(rows: Iterable[tuple[float, int, str]]) -> tuple[TimedEntry, ...]:
    entries = list[TimedEntry]()
    ops: list[str | None] = []  # by depth, the op of the innermost pipeline that the entries below are in
    stage = -1
    for seconds, depth, name in rows:
        del ops[depth:]
        stage += depth == 0
        op_name = ops[-1] if ops else None
        entries.append(TimedEntry(name, seconds, stage, op_name))
        pipeline = _PIPELINE.fullmatch(name)
        ops.append(pipeline["op"] if pipeline else op_name)
    return tuple(entries)


class TimedRun(NamedTuple):
    """What is known of a run before it has a time."""

    class_name: str | None  # the class name of the pass; None for passes that the log does not show
    program: str  # the program that it ran on
    function: str | None  # symbol of the function that it ran on; None for a whole program
    place: DumpPlace  # the dump that shows its result
    changed: bool  # whether it changed anything


class PassTimes:
    """Collects the reports of a log, and gives times to runs."""

    def __init__(self) -> None:
        self._reports: dict[str, list[TimingReport]] = {}
        self._last: Dump | None = None

    def look_at(self, dump: Dump) -> None:
        """Take the reports of the text of a dump. Dumps of one text, one after another, take them once."""
        last, self._last = self._last, dump
        if last is not None and dump.source is last.source:
            return
        is_known = last is not None and not self._reports and dump.has_text_of(last)
        if reports := find_timing_reports(dump.source, dump.span.end if is_known else 0):
            self._reports.setdefault(dump.source.name, []).extend(reports)

    def of(self, runs: Sequence[TimedRun]) -> list[tuple[float | None, int]]:
        """Return the times of runs, which are in the order in which they ended.

        A report covers the runs above it in its file, up to the report before. Each time is given to one of
        the runs that it covers, with their number. The others have None, and 0.
        """
        covered = defaultdict[tuple[str, int], dict[int, TimedRun]](dict)
        for number, run in enumerate(runs):
            reports = self._reports.get(run.place.source, ())
            place = bisect_right(reports, run.place.line, key=lambda report: report.line)
            if place < len(reports):
                covered[run.place.source, place][number] = run
        times: list[tuple[float | None, int]] = [(None, 0)] * len(runs)
        for (source, place), own in covered.items():
            for seconds, numbers in _shared_times(own, self._reports[source][place].entries):
                carrier = next((k for k in numbers if runs[k].changed), numbers[0])
                times[carrier] = round(seconds, _DECIMALS), len(numbers)
        return times


_Placed: TypeAlias = list[tuple[TimedEntry, list[int]]]  # entries, each with the numbers of its runs


def _shared_times(runs: dict[int, TimedRun], entries: Sequence[TimedEntry]) -> list[tuple[float, list[int]]]:
    """Return times, each with the ascending numbers of the runs that it covers."""
    numbers = defaultdict[str, list[int]](list)
    for number, run in runs.items():
        if run.class_name is not None:
            numbers[run.class_name].append(number)
    named = defaultdict[str, list[TimedEntry]](list)
    for entry in entries:
        if entry.name in numbers:
            named[entry.name].append(entry)
    placed = {name: _placed(own, {k: runs[k] for k in numbers[name]}) for name, own in named.items()}
    stages = {k: entry.stage for group in placed.values() for entry, covered in group for k in covered}
    in_log = [stages[k] for k in sorted(stages)]
    in_order = in_log == sorted(in_log)  # not if passes run other passes inside themselves
    shared = list[tuple[float, list[int]]]()
    for name, own in named.items():
        if in_order and placed[name]:
            shared += [(entry.seconds, covered) for entry, covered in placed[name]]
        else:
            shared.append((sum(entry.seconds for entry in own), numbers[name]))
    return shared


def _placed(entries: Sequence[TimedEntry], runs: dict[int, TimedRun]) -> _Placed:
    """Return the entries of one name with their runs; nothing if the numbers of runs do not tell.

    They do if each function, and each whole program, has one run for each entry.
    """
    placed: _Placed = []
    for in_function in (False, True):
        own = [entry for entry in entries if (entry.op_name not in (None, "builtin.module")) == in_function]
        by_scope = defaultdict[tuple[str, str | None], list[int]](list)
        for number, run in runs.items():
            if (run.function is not None) == in_function:
                by_scope[run.program, run.function].append(number)
        if {len(own)} != ({len(scope) for scope in by_scope.values()} or {0}):
            return []
        placed += [(entry, sorted(scope[k] for scope in by_scope.values())) for k, entry in enumerate(own)]
    return placed


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
    in_text = ((entry.name, entry.seconds) for one in find_timing_reports(source) for entry in one.entries)
    for name, own in chain(in_text, _in_json(source)):
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


def _in_json(source: Source) -> Iterator[tuple[str, float]]:
    offset = 0
    if source.data.find(_DURATION) < 0:  # faster than the pattern
        return
    while found := _JSON.search(source.data, offset):
        offset = found.end()
        with suppress(ValueError):
            text = source.data[found.start() :].decode("utf-8", "surrogateescape")
            entries, end = json.JSONDecoder().raw_decode(text)
            yield from _json_entries(entries)  # and the lists in it
            offset = found.start() + len(text[:end].encode("utf-8", "surrogateescape"))


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
        if not (self.before.passes and self.after.passes):
            return ()
        old, new = ({one.name: one.seconds for one in table.passes} for table in (self.before, self.after))
        names = dict.fromkeys([*old, *new])
        rows = [ComparedTime(name, old.get(name, 0.0), new.get(name, 0.0)) for name in names]
        return tuple(sorted(rows, key=lambda one: -abs(one.change)))
