"""What a log has beside its dumps: the times of passes, and the errors, each of the pass that it came from.

MLIR's report of times (``-mlir-timing``) comes after the dumps. It has one entry for each place in the
pipeline, as a tree or as a list. An entry covers the runs of that pass on all functions. If the log tells
which entry each run belongs to, the runs of an entry have its time together. Otherwise the entries of the
same name are added up. No time is divided among runs.

A compiler prints the errors of a pass before the dump of that pass. So they are those of the next dump after
a pass. If several threads compile, or the compiler ends, there is no such dump: they are those of the pass
that failed, or had begun, in the dump above them.
"""

from __future__ import annotations

import re
import shlex
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from eio_audit.mlir.input.dumps import Dump, DumpPlace, text_below
from eio_audit.mlir.input.function_texts import outermost_op
from eio_audit.mlir.input.markers import CRASH, PLACE, other_text
from eio_audit.mlir.source import Source, Span, find_all
from eio_audit.mlir.tokens import REPRODUCER

if TYPE_CHECKING:  # a look for notes follows no passes
    from eio_audit.audit.log.program_text import ProgramText
    from eio_audit.audit.log.scope_steps import TracedPlace
    from eio_audit.audit.log.walk import PassRun
    from eio_audit.mlir.source import Text

_TITLE = b"... Execution time report ..."
_HEAD = re.compile(
    re.escape(_TITLE) + rb"[ \t]*\r?\n===-+===[ \t]*\r?\n[^\n]*\n[ \t]*\r?\n(?P<columns>[^\n]{0,200})\n"
)
_COLUMN = re.compile(rb"(?<!-)--++ ?([A-Z][A-Za-z ]*?) ?--+")
_ROW = re.compile(
    rb"(?P<times>(?: *-?\d{1,9}\.\d{1,9} \([^()\n]{0,20}\))+)"
    rb"  (?P<indent>(?:  )*)(?P<name>\S[^\r\n]*)\r?(?:\n|\Z)"
)
_TIME = re.compile(rb"((?:-\d++|(?<!\d)\d++)\.\d++) \(")
_PIPELINE = re.compile(r"'(?P<op>[^']+)' Pipeline")
_DECIMALS = 4  # those of a time in a report
_OP_NAME = re.compile(rb"(?:^|[ \"])([\w$.-]++)")  # a word that may be the name of an op
_ERROR_MARK = b": error: "
_ERROR = re.compile(
    rb"(?:[^\n]{0,200}[\s\]])??(?P<place>" + PLACE + rb"): (?:error|note): (?P<message>"
    rb"see current operation(?=:)|[^\r\n]*+)"
)
_FIRST_MESSAGE = re.compile(rb": (?:error|warning|remark|note): (?P<shown>see current operation:)?")
_OP = rb"[ \t]*\n?(?:%[^=\n]*+= )?\"?(?P<op>[A-Za-z_][\w$]*+\.[\w$.-]++)"
_SHOWN = re.compile(rb"see current operation:" + _OP)
_NAMED = re.compile(rb"'(?P<op>[A-Za-z_][\w$]*+\.[\w$.-]++)'")
_EXECUTING = re.compile(rb"Pipeline failed while executing \[[`'](?P<name>[\w:]+)")
_CRASHED = re.compile(rb"(?m)^(?:" + CRASH + rb")[^\n]*+")
_TELLING = re.compile(rb"LLVM ERROR|Assertion|UNREACHABLE|terminate|Fatal|Segmentation|Out of memory")
_CUT_MARKER = b"\n// -----// IR Dump "  # a whole one ends the dump
MOST_LINES = 3  # how many lines of the op that an error names are kept
_FILE = re.compile(r'"?(?P<file>[^"]+?)"?(?P<place>:\d+:\d+)')


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


def find_timing_reports(source: Source) -> list[TimingReport]:
    """Return the reports of a text that have wall times, in order of appearance."""
    reports = []
    data = source.data
    for offset in find_all(data, _TITLE, Span(0, len(data))):
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
        self._seen: Source | None = None

    def look_at(self, source: Source) -> None:
        """Take the reports of a text. Dumps of one text, one after another, take them once."""
        if source is self._seen:
            return
        self._seen = source
        if reports := find_timing_reports(source):
            self._reports.setdefault(source.name, []).extend(reports)

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


class Diagnostic(NamedTuple):
    """An error of a compiler, or its crash."""

    line: int  # 1-based line of the log
    message: str  # what it says: `failed to legalize operation 'tm_tensor.scan'`
    place: str = ""  # the location that it is at, as printed: `model.mlir:12:13`; empty for a crash
    op_name: str = ""  # the op that it shows or names; empty for none
    op_lines: tuple[int, ...] = ()  # the lines of the log where that op is, in the last valid dumps
    pass_name: str = ""  # the class name of the pass, if the compiler says which one failed


def diagnostics_in(source: Source, span: Span) -> Iterator[Diagnostic]:
    """Yield the errors and the crash in a text, such as that below a dump, in order of appearance."""
    data = source.data
    pass_name = ""
    if found := _EXECUTING.search(data, *span):
        pass_name = found["name"].decode("utf-8", "replace")
    marks = [*find_all(data, _ERROR_MARK, span)]
    if (first := _FIRST_MESSAGE.search(data, *span)) and first["shown"]:  # its error is not in the paste
        marks.insert(0, first.start())
    starts = {max(data.rfind(b"\n", span.start, mark) + 1, span.start): mark for mark in reversed(marks)}
    in_order = sorted((mark, start) for start, mark in starts.items())  # the first of each line
    for (mark, start), (following, _) in pairwise([*in_order, (span.end, 0)]):
        error = _ERROR.match(data, start, span.end)
        if error is None:
            continue
        shown = _SHOWN.search(data, mark, following) or _NAMED.search(error["message"])
        yield Diagnostic(
            source.line_at(start),
            error["message"].decode("utf-8", "replace").strip(),
            error["place"].decode("utf-8", "replace"),
            shown["op"].decode("utf-8", "replace") if shown else "",
            pass_name=pass_name,
        )
    if crash := _CRASHED.search(data, *span):
        is_telling = _TELLING.search(crash[0])
        text = crash[0].decode("utf-8", "replace").strip() if is_telling else "the compiler crashed"
        yield Diagnostic(source.line_at(crash.start()), text, pass_name=pass_name)


def notes_on(dump: Dump, below: Span) -> Iterator[tuple[int, str]]:
    """Yield what else is in or above a dump, or in its ``text_below``, with its 1-based line.

    It is what a compiler that failed printed to make it fail again, or the debug log of a pattern driver.
    """
    source = dump.source
    if (offset := source.data.find(REPRODUCER, dump.span.start, below.end)) >= 0:
        yield source.line_at(offset), "reproducer of a compiler that failed"
    if (offset := source.data.find(_CUT_MARKER, max(dump.span.start - 1, 0), below.end)) >= 0:
        yield source.line_at(offset + 1), "a marker that its line end cuts off: is this log wrapped?"
    for text, part in filter(None, [dump.above, (source, below)]):
        if (other := other_text(text.data, *part)) is not None and "debug log" in other[1]:
            yield text.line_at(other[0]), other[1]


_ARGUMENTS = re.compile(rb"(?m)^(?:\d+\.\s+)?Program arguments: (?P<words>\S.*?)\s*$")
_PRINTED = re.compile(rb"(?m)^Pass Manager with \d+ pass(?:es)?:\r?\n(?P<words>\S.*?)\s*$")
_KEPT = re.compile(rb'pipeline: "(?P<words>(?:[^"\\]|\\.)*)"')


def compiler_in(data: Text, span: Span) -> str:
    """Return the compiler with its arguments as far as a text tells: all, or its pipeline; else empty."""
    for expression, lead in ((_ARGUMENTS, b"Program arguments: "), (_PRINTED, b"Pass Manager with ")):
        if data.find(lead, *span) >= 0 and (found := expression.search(data, *span)):
            words = found["words"].decode("utf-8", "replace")
            return words if expression is _ARGUMENTS else _with_pipeline(words)
    start = data.find(REPRODUCER, *span)
    found = _KEPT.search(data, start, span.end) if start >= 0 else None
    return _with_pipeline(found["words"].decode("utf-8", "replace").replace('\\"', '"')) if found else ""


def _with_pipeline(pipeline: str) -> str:
    return f"COMPILER {shlex.quote(f'--pass-pipeline={pipeline}')} INPUT"


class Suspect(NamedTuple):
    """The pass of a dump, as far as errors below it may be its own."""

    program: str  # its program
    run: PassRun
    place: TracedPlace  # the dump
    is_likely: bool  # whether it failed, or has not ended


class Failures:
    """Takes dump after dump. The errors are given to passes by ``charged``, and ``at_end``."""

    def __init__(self) -> None:
        self.notes: dict[tuple[str, int], str] = {}  # what else is in the log, by its file and 1-based line
        self.compiler = ""  # the compiler with its arguments, as far as the log tells them
        self._seen: set[tuple[str, int]] = set()
        self.pending: list[Diagnostic] = []  # those above the next dump
        self._last: Suspect | None = None
        self._failed: Suspect | None = None  # the last pass that failed
        self._last_dump: tuple[Dump, int] | None = None  # and the length of its op

    def below(self, dump: Dump, known: ProgramText) -> list[Diagnostic]:
        """Return the errors below a dump, and find the ops of those above it. Its text is not known yet."""
        symbol = outermost_op(dump).symbol if dump.has_failed else None
        if dump.has_failed:  # they are its own
            self.pending += diagnostics_in(*dump.above) if dump.above else ()
            self.pending = [located(one._replace(op_lines=()), known, symbol) for one in self.pending]
        last, length = self._last_dump or (dump, None)
        name, span = dump.source.name, text_below(dump, length if dump.has_text_of(last) else None)
        self._last_dump = dump, span.start - dump.span.start
        self.notes |= {(name, line): note for line, note in notes_on(dump, span)}
        for data, part in ((dump.source.data, Span(dump.span.start, span.end)), *self._above(dump)):
            self.compiler = self.compiler or compiler_in(data, part)
        found = {(name, error.line): error for error in diagnostics_in(dump.source, span)}
        new = [error for place, error in found.items() if place not in self._seen]
        self._seen |= found.keys()
        return [located(one, known, symbol) for one in new] if dump.has_failed else new

    @staticmethod
    def _above(dump: Dump) -> list[tuple[Text, Span]]:
        return [] if dump.above is None else [(dump.above[0].data, dump.above[1])]

    def charged(
        self, pass_: Suspect | None, below: Sequence[Diagnostic]
    ) -> Iterator[tuple[Suspect, list[Diagnostic]]]:
        """Yield the passes that errors are known to be of, after a dump of a pass; None for any other dump.

        ``below`` are the errors below it.
        """
        if pass_ is None:
            self.pending += below
            return
        if self.pending:
            last, is_end = self._last, pass_.place.when != "before"
            may_be_last = last is not None and (last.is_likely or not is_end)
            is_own = is_end and (pass_.run.failed or not may_be_last)
            yield pass_ if is_own or last is None else last, self.pending
        self.pending, self._last = [*below], pass_
        self._failed = pass_ if pass_.run.failed else self._failed

    def at_end(self) -> tuple[Suspect | None, list[Diagnostic]]:
        """Return the errors at the end of the log, and the pass that they are of, if that is known."""
        last = self._last if self._last is not None and self._last.is_likely else self._failed
        return last, self.pending


def located(error: Diagnostic, known: ProgramText, symbol: str | None) -> Diagnostic:
    """Return an error with the lines of the op that it names, those at its location if there are any.

    ``symbol`` is that of the function or module that it is about, if it is known.
    """
    if not error.op_name or error.op_lines:
        return error
    name = error.op_name.encode()
    place = _FILE.fullmatch(error.place)
    at = b'"%b"%b' % (place["file"].encode(), place["place"].encode()) if place else b""
    found, found_there = list[int](), list[int]()
    for lines in known.lines(symbol):
        for text, number, aliases in zip(lines.texts, lines.numbers, lines.aliases, strict=True):
            if name in _OP_NAME.findall(text):
                found.append(number)
                if at and at in text + aliases.used_in(text):
                    found_there.append(number)
    return error._replace(op_lines=tuple(sorted(found_there or found)[:MOST_LINES]))
