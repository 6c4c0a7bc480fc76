"""Find and read MLIR's report of execution times in a log (``-mlir-timing``).

The report has an entry for each pass of the pipeline, as a tree or as a list. MLIR prints it after the dumps.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from eio_audit.mlir.source import Source, Span, find_all

_TITLE = b"... Execution time report ..."
_HEAD = re.compile(
    re.escape(_TITLE) + rb"[ \t]*\r?\n===-+===[ \t]*\r?\n[^\n]*\n[ \t]*\r?\n(?P<columns>[^\n]{0,200})\n"
)
_COLUMN = re.compile(rb"--+ ?([A-Z][A-Za-z ]*?) ?--+")
_TIME = rb" *(-?\d{1,9}\.\d{1,9}) \([^()\n]*\)"
_NAME = rb"  ((?:  )*)(\S[^\r\n]*)\r?(?:\n|\Z)"
_PIPELINE = re.compile(r"'(?P<op>[^']+)' Pipeline")


class TimedEntry(NamedTuple):
    """An entry of a report.

    Attributes:
        name: the class name of a pass, as in markers; otherwise a text such as ``'func.func' Pipeline``.
        seconds: its wall time. If it ran on several threads, that of the slowest.
        stage: 0-based number of the outermost entry that it is in. In a tree, stages run one after another.
        op_name: the op that its innermost pipeline runs on; None outside the pipelines that a report shows.
    """

    name: str
    seconds: float
    stage: int
    op_name: str | None


class TimingReport(NamedTuple):
    """A report of execution times.

    Attributes:
        line: the 1-based line of its title.
        entries: from top to bottom.
    """

    line: int
    entries: tuple[TimedEntry, ...]


def find_timing_reports(source: Source) -> list[TimingReport]:
    """Return the reports of a text that have wall times, in order of appearance."""
    reports = []
    data = source.data
    for offset in find_all(data, _TITLE, Span(0, len(data))):
        head = _HEAD.match(data, offset)
        *times, last = _COLUMN.findall(head["columns"]) if head else [b""]
        if head and b"Wall Time" in times and last == b"Name":
            row = re.compile(_TIME * len(times) + _NAME)
            rows = []
            end = head.end()
            while match := row.match(data, end):
                *numbers, indent, name = match.groups()
                rows.append((numbers[times.index(b"Wall Time")], len(indent) // 2, name))
                end = match.end()
            reports.append(TimingReport(source.line_at(offset), _entries(rows)))
    return reports


def _entries(rows: list[tuple[bytes, int, bytes]]) -> tuple[TimedEntry, ...]:
    """Return the entries of rows: each a time, its depth and a name."""
    entries = list[TimedEntry]()
    ops: list[str | None] = []  # by depth, the op of the innermost pipeline that children are in
    stage = -1
    for seconds, depth, raw_name in rows:
        name = raw_name.decode("utf-8", "replace").rstrip()
        del ops[depth:]
        stage += depth == 0
        op_name = ops[-1] if ops else None
        entries.append(TimedEntry(name, float(seconds), stage, op_name))
        pipeline = _PIPELINE.fullmatch(name)
        ops.append(pipeline["op"] if pipeline else op_name)
    return tuple(entries)
