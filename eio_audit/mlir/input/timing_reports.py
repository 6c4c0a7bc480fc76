"""MLIR's reports of times (``-mlir-timing``): an entry for each place in a pipeline, as a tree or a list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.source import Source, Span, Text, find_all

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
        name = match["name"].decode("utf-8", "replace").rstrip()
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
