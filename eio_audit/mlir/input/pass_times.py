"""The runs of passes that the times in MLIR's reports are of.

A report of times comes after the dumps. An entry of it covers the runs of that pass on all functions. If the
log tells which entry each run belongs to, the runs of an entry have its time together. Otherwise the entries
of the same name are added up. No time is divided among runs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from eio_audit.mlir.input.dumps import Dump, DumpPlace
from eio_audit.mlir.input.timing_reports import TimedEntry, TimingReport, find_timing_reports

_DECIMALS = 4  # those of a time in a report


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
