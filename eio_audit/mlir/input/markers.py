"""Recognize the lines of a log, and what a file name says of a dump.

The lines are the markers of dumps, lines of IR, what loggers print among them, and MLIR's report of execution
times (``-mlir-timing``). The report comes after the dumps and has an entry for each pass of the pipeline, as
a tree or as a list.

Inside a dump, only lines of known form are skipped, so that a damaged op is never skipped. These are lines of
loggers (``[date] [LEVEL] ...``, ``date time | LEVEL ...``, ``I0821 12:00:00 ...``), diagnostics
(``file:line:col: error: ...``) with the op that they show or the source line and caret below them, and
warnings of Python.

A file name may imply a *state* of a program. Names without ending have three forms. ``-``, ``_``, ``.`` and
blanks separate words:

- ``[PROGRAM-]before[-PASS]`` and ``[PROGRAM-]after[-PASS]``: ``ttir-before-erase-inverse-ops``,
  ``net_after_EraseInverseOps``, ``before``. The first of the two words counts.
- ``PROGRAM`` or ``[PROGRAM-]source`` (``input``, ``original``, ``initial``): the source of both.

These names count only in a folder with a pair, before and after, of one program and one pass. Elsewhere
``after_fusion`` may be just the name of a stage.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain, pairwise
from typing import NamedTuple

from eio_audit.mlir.files import Text, UnreadableFileError, read_blocks, whole_lines
from eio_audit.mlir.source import Source, Span, find_all, line_end
from eio_audit.mlir.tokens import OR_FAIL, nesting, symbol_of

_COMMON = b"IR "
_LEADS = (b"// -----// ", b"---- ", b"END OF ML", b"ML", b"// *** ")
"""``_COMMON`` is in all markers; ``bytes.find`` looks for it. ``_LEADS`` has the text before it in each."""

_PASS = re.compile(
    rb"// -----// IR Dump (?P<when>Before|After) (?P<pass>.+?)(?P<failed> Failed)?"
    rb"(?: \('(?P<op>[^'\n]*)' operation(?:: (?P<symbol>@[^\n]*?))?\))? //----- //"
)
_OLD_PASS = re.compile(
    rb"// \*\*\* IR Dump (?P<when>Before|After) (?P<pass>[^\n*]+?)(?P<failed> Failed)? \*\*\*"
    rb"(?: \('(?P<op>[^'\n]*)' operation(?:: (?P<symbol>@[^\n]*?))?\))?"
)
"""The marker of MLIR until 2020."""
_JIT = re.compile(rb"---- IR Dump (?P<when>before|after) (?P<pass>[^\n]+?) ----")
_STAGE = re.compile(rb"MLIR Module (?P<stage>[\w.-]+):")
_END = re.compile(rb"END OF MLIR MODULE")
_ARGUMENT = (
    r"(?s)(?P<name>(?:\(anonymous namespace\)|::|[^:(])+?)(?: Failed)?(?: \((?P<old>.*)\)|: (?P<new>.*))?\Z"
)
_BYTECODE = b"ML\xefR"
_SIGN = (
    rb"(?m)^[ \t]*+(?:"
    rb"%[\w$.-]++(?::\d++)?(?:, %[\w$.-]++(?::\d++)?)* = (?:\"|[A-Za-z_]\w*+\.)"
    rb"|\"[\w$-]++\.[\w$.-]++\"\("
    rb"|module\b[^\n]*?\{[ \t\r]*$"
    rb"|[A-Za-z_]\w*+\.[\w.$]++(?= )[^\n]*?(?:[ (,]%\w| @[\w\"]| loc\(| \{[ \t\r]*$)"
    rb"|[#!][A-Za-z_][\w$.-]*+ = (?:loc\(|[#!][\w$]|\w++<)"
    rb"|\}[^\n]*? loc\([#\"u]"
    rb")"
)
"""The start of a line with an op, an alias or the end of a region. Compiled on first use."""

_LEVEL = rb"(?:trace|debug|info|warn(?:ing)?|error|fatal|critical|success)"
_COLOUR = rb"\x1b\[[0-9;]*[A-Za-z]"
_OP_START = rb"[ \t]*+(?:%|\"[\w$.-]+\"\(|\})"
_NOISE = (
    rb"(?:" + _COLOUR + OR_FAIL + rb")++(?!" + _OP_START + rb")"  # coloured by a logger
    rb"|\[[^\]\n\"]*\d\d:\d\d[^\]\n]*\]|(?i:\[\s*" + _LEVEL + rb"\s*\])"
    rb"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d[.,| ]"
    rb"|[IWEF]\d{4} \d\d:\d\d:\d\d"
    rb"|(?i:" + _LEVEL + rb")(?::|\s*+\||\s{2,}\S)|note: |remark: "
    rb"|Traceback \(most recent call last\)|File \"[^\"\n]*\", line \d+"
    rb"|[^\s:\"%()]+\.py:\d+: \w"
)
PLACE = (
    rb"(?:(?:[^\s:\"%()]+|<[\w ]+>|\"[^\"\n]*\"):\d+:\d+"
    rb"|loc\((?:[^()\"\n]|\"[^\"\n]*\"|\([^()\n]*\))*\)|<unknown>:0)"
)
"""A location as a diagnostic begins with it."""
_DIAGNOSTIC = PLACE + rb": (?:error|warning|note|remark): "
EXCERPT = re.compile(rb"[^\n]*+\n[ \t]*+\^[~ \t\r]*+(?=\n|\Z)")
"""A source line with a caret below it. A diagnostic of many lines may stand above it."""
_MESSAGE_AND_EXCERPT = rb"[^\n]*+\n" + EXCERPT.pattern
_SHOWN_OP = re.compile(
    rb"[^\n]*?(?P<known>see current operation:[ \t\r]*)?(?:(?<= )|(?(known)|(?!)))\n"
    rb"(?(known)[ \t]*)(?=[%\"A-Za-z_])"
)
"""A message that ends with a blank. MLIR shows an op of several lines from the next line on.

Editors and forms drop the blank, wrap the line or indent it, but for that the message is known.
"""
_LONGEST_SHOWN_OP = 1 << 20
_FLUSH_LINE = re.compile(rb"\n(?=[^ \t\r\n}^%)#])")
"""The start of a line that is not indented. A printer indents all lines in a function."""
CRASH = (
    rb"[ \t]*+(?:PLEASE (?:submit|ATTACH)|Stack dump:|LLVM ERROR: |Assertion failed|[^\n]*: Assertion "
    rb"|#\d+ 0x[0-9a-f]+|Segmentation fault|Aborted\b|Killed\b|terminate called|(?:Floating point|Illegal)\b"
    rb"|(?:Fatal Python error|UNREACHABLE executed|Out of memory|Bus error|double free)\b|\*\*\* "
    rb"|free\(\): |==\d+==ERROR: |libc\+\+abi: |(?:zsh: |[\w/.-]*sh: line )[^\n]*(?i:fault|abort|kill))"
)
"""The first line that a compiler prints when it crashes."""
_NO_IR = CRASH + rb"|Traceback \(most recent|Thread \d+ \"|thread '|===-|```"
"""The same, or that of what else may follow the last marker of a log."""
_NAMES_PATTERNS = "'eio-audit bisect -- COMPILER ARGS' names the patterns that changed ops"
_LLVM_IR = b"; ModuleID = '", b'source_filename = "', b"; *** IR Dump ", b"*** IR Dump ", b"define "
_GREEDY = b"Processing operation : '", b'Trying to match "', b"} -> success", b"} -> failure"
_CONVERSION = b"Legalizing operation : '", b"} -> SUCCESS", b"} -> FAILURE"
_OTHER_TEXTS = {
    "this is LLVM IR, not MLIR": _LLVM_IR,
    "this is HLO, not MLIR": (b"HloModule ",),
    "this is assembly of a GPU, not MLIR": (b"// -----// NVPTX", b"// -----// AMDGCN", b".version "),
    "this is a log of docker in JSON lines, not MLIR; its text: jq -rj .log": (b'{"log":"',),
    f"this is a debug log of the greedy rewriter, not MLIR: {_NAMES_PATTERNS}": _GREEDY,
    f"this is a debug log of the dialect conversion, not MLIR: {_NAMES_PATTERNS}": _CONVERSION,
}
"""What is said of a text that is not MLIR, and what a line begins with from which on it is none."""
_STARTS = {start: what for what, starts in _OTHER_TEXTS.items() for start in starts}
_OTHER_START = b"\n(%b)" % b"|".join(map(re.escape, _STARTS))  # finds all of them in the time of one
_IR = re.compile(rb"[%^}#!{()]|\"[\w$.-]++\"\(|(?:[A-Za-z_]\w*+\.[\w$.]++|module|return) ")
"""The start of a line of IR. Few dumps have other lines, so the patterns above are compiled on first use."""


class Marker(NamedTuple):
    """The line that a compiler prints above a dump (``-mlir-print-ir-before/after``)."""

    # The pass's argument (`ttir-erase-inverse-ops`), else its class name. The name of a stage.
    pass_name: str
    class_name: str  # the name at the start of the marker (`TTIREraseInverseOps`)
    when: str | None  # "before" or "after" the pass; None for a stage
    failed: bool = False  # whether the pass failed
    symbol: str | None = None  # the symbol of the op that the pass ran on (`@main`), if the marker has it
    op_name: str | None = None  # that op's name (`func.func`), if the marker has it


def find_markers(data: Text, start: int = 0) -> Iterator[tuple[Span, Marker | None]]:
    """Yield the markers of a log in order, each with its span. A line that ends a dump yields None.

    Only the text from ``start``, the start of a line, is looked at.

    A marker inside a string, or cut off by another marker, does not count. Complexity: linear, as fast as
    ``bytes.find``.
    """
    end_of_text = Span(len(data), len(data)), None
    for (place, marker), (following, _) in pairwise(chain(_begun_markers(data, start), [end_of_text])):
        if place.end <= following.start:
            yield place, marker


def holds_ir(path: str) -> bool:
    """Whether a file has a marker or a line of IR. Compressed files are unpacked.

    An unreadable file counts as IR, so that reading it reports the error. The file is read up to the first
    such line, whatever a logger printed above it.
    """
    sign = re.compile(_SIGN)
    try:
        for lines in whole_lines(read_blocks(path, lambda _: None)):
            is_marked = next(find_markers(lines), None) is not None
            if is_marked or lines.startswith(_BYTECODE) or sign.search(lines):
                return True
    except UnreadableFileError:
        return True
    return False


def _begun_markers(data: Text, start: int) -> Iterator[tuple[Span, Marker | None]]:
    """Yield the markers outside strings. A marker may begin inside the previous one."""
    for offset in _starts(data, start):
        if match := _pass_line(data, offset):
            yield Span(offset, match.end()), _pass_marker(match)
        elif match := _STAGE.match(data, offset):
            stage = match["stage"].decode("utf-8", "replace")
            yield Span(offset, match.end()), Marker(stage, stage, None)
        elif match := _END.match(data, offset):
            yield Span(offset, match.end()), None


def _pass_line(data: Text, offset: int) -> re.Match[bytes] | None:
    return _PASS.match(data, offset) or _JIT.match(data, offset) or _OLD_PASS.match(data, offset)


def _starts(data: Text, start: int) -> Iterator[int]:
    counted, quotes = start, 0  # the offset up to which quotes are counted, and their number in this line
    for common in find_all(data, _COMMON, Span(start, len(data))):
        lead = next((lead for lead in _LEADS if data[max(common - len(lead), 0) : common] == lead), None)
        if lead is None:
            continue
        offset = common - len(lead)
        line_start = data.rfind(b"\n", counted, offset) + 1
        if line_start:
            counted, quotes = line_start, 0
        before = data[counted:offset]
        quotes += before.count(b'"') - before.count(b'\\"')
        counted = offset
        if quotes % 2 == 0:
            yield offset


def _pass_marker(match: re.Match[bytes]) -> Marker:
    groups = match.groupdict()
    text = match["pass"].decode("utf-8", "replace")
    parts = re.compile(_ARGUMENT).match(text)
    class_name = parts["name"] if parts else text
    argument = (parts["old"] or parts["new"] or class_name) if parts else text
    symbol, op_name = groups.get("symbol"), groups.get("op")
    return Marker(
        pass_name=class_name if match.re is _JIT else argument.partition("{")[0],
        class_name=class_name,
        when=match["when"].decode().lower(),
        failed=groups.get("failed") is not None or " Failed" in text,
        symbol=symbol_of(symbol) if symbol else None,
        op_name=op_name.decode("utf-8", "replace") if op_name else None,
    )


def noise_end(data: Text, offset: int, end: int) -> int | None:
    """Return where the noise that begins at ``offset`` ends, before its line end. None if there is IR.

    ``offset`` is the first character of a line that is not blank. The dump ends at ``end``.
    """
    if offset >= end or _IR.match(data, offset, end):
        return None
    if re.compile(_DIAGNOSTIC).match(data, offset, end):
        if excerpt := re.compile(_MESSAGE_AND_EXCERPT).match(data, offset, end):
            return excerpt.end()
        return shown_op_end(data, offset, end) or line_end(data, offset, end)
    return line_end(data, offset, end) if re.compile(_NOISE).match(data, offset, end) else None


def other_text(data: Text, offset: int, end: int) -> tuple[int, str] | None:
    """Return where the first text of another language or log begins between two offsets, and what it is."""
    for start, what in _STARTS.items():
        if data[offset : offset + len(start)] == start:
            return offset, what
    found = re.compile(_OTHER_START).search(data, offset, end)
    return None if found is None else (found.start(1), _STARTS[found[1]])


def without_noise(text: bytes) -> bytes:
    """Return a text without the noise that begins at the starts of its lines."""
    parts, start = [], 0
    for match in _FLUSH_LINE.finditer(text):
        end = noise_end(text, match.end(), len(text)) if match.end() > start else None
        if end is not None:
            parts.append(text[start : match.end() - 1])
            start = end
    return b"".join([*parts, text[start:]])


def is_crash(data: Text, offset: int, end: int) -> bool:
    """Whether the line at ``offset`` is the first of what is printed when a compiler crashes."""
    return re.compile(_NO_IR).match(data, offset, end) is not None


def shown_op_end(data: Text, offset: int, end: int) -> int | None:
    """Return the end of the op that a diagnostic at ``offset`` shows on the next lines. None without one.

    The op ends with its first line end outside brackets.
    """
    message = _SHOWN_OP.match(data, offset, end)
    if message is None or not re.compile(_DIAGNOSTIC).match(data, offset, end):
        return None
    position, depth = message.end(), 0
    for token, depth_after in nesting(data, position, min(end, position + _LONGEST_SHOWN_OP)):
        if depth <= 0 and b"\n" in data[position : token.start()]:
            break
        position, depth = token.end(), depth_after
    has_lines = depth <= 0 and (message["known"] is not None or b"\n" in data[message.end() : position])
    return line_end(data, position, end) if has_lines else None


HOW_TO_NAME_STATES = (
    "name pairs PROGRAM-before-PASS.mlir and PROGRAM-after-PASS.mlir, and their source PROGRAM.mlir"
)
"""How to name files so that pairs are found."""

_STATE = re.compile(
    r"(?:(?P<program>.*?)[-_. ]+)?(?P<moment>before|after)(?:[-_. ]+(?P<pass>.+))?", re.IGNORECASE
)
_SOURCE = re.compile(r"(?:(?P<program>.+)[-_. ]+)?(?:source|input|original|initial)", re.IGNORECASE)


class Moment(IntEnum):
    """When a program was in a state, in order of time."""

    SOURCE = 0
    BEFORE = 1
    AFTER = 2


@dataclass(frozen=True, slots=True, order=True)
class State:
    """The state that a file name implies. Program and pass may be empty."""

    program: str
    pass_name: str
    moment: Moment

    @property
    def marker(self) -> Marker | None:
        """The marker that a compiler would print above the dump. None for a source or without a pass."""
        if not self.pass_name or self.moment is Moment.SOURCE:
            return None
        when = "after" if self.moment is Moment.AFTER else "before"
        return Marker(self.pass_name, self.pass_name, when)


@dataclass(frozen=True, slots=True)
class States:
    """The states that the file names of one folder imply.

    ``by_file`` has the files whose state is unique. ``alike`` groups files of one state.
    """

    by_file: dict[str, State]
    alike: tuple[tuple[str, ...], ...]


def parse_state(name: str) -> State | None:
    """Return the state that a name without its ending implies, or None.

    >>> parse_state("ttir-before-erase-inverse-ops")
    State(program='ttir', pass_name='erase-inverse-ops', moment=<Moment.BEFORE: 1>)
    """
    match = _STATE.fullmatch(name)
    return match and State(match["program"] or "", match["pass"] or "", Moment[match["moment"].upper()])


def find_states(names: Mapping[str, str]) -> States:
    """Return the states of the files of one folder. ``names`` has, by file, its name without ending.

    Without a pair there are no states. A source belongs to a program if exactly one pass of the program has a
    pair. With several passes, the names do not tell which came first.

    >>> states = find_states({"a.mlir": "a", "a-before-cse.mlir": "a-before-cse", "b.mlir": "a-after-cse"})
    >>> [state.moment.name for state in states.by_file.values()]
    ['BEFORE', 'AFTER', 'SOURCE']
    """
    said = {file: state for file, name in names.items() if (state := parse_state(name)) is not None}
    others = {file: name for file, name in names.items() if file not in said}
    before, after = (
        {(state.program, state.pass_name) for state in said.values() if state.moment is moment}
        for moment in (Moment.BEFORE, Moment.AFTER)
    )
    paired = before & after
    passes: dict[str, list[str]] = {}
    for program, pass_name in sorted(paired):
        passes.setdefault(program, []).append(pass_name)
    found = {file: state for file, state in said.items() if (state.program, state.pass_name) in paired}
    for file, name in others.items():
        source_of = _source_of(name, passes)
        if source_of is not None and len(passes[source_of]) == 1:
            found[file] = State(source_of, passes[source_of][0], Moment.SOURCE)
    by_state: dict[State, list[str]] = {}
    for file, state in found.items():
        by_state.setdefault(state, []).append(file)
    return States(
        by_file={file: state for file, state in found.items() if len(by_state[state]) == 1},
        alike=tuple(tuple(sorted(same)) for _, same in sorted(by_state.items()) if len(same) > 1),
    )


def _source_of(name: str, programs: Collection[str]) -> str | None:
    """Return the program whose source has this name. A name without program means the only program."""
    if name in programs:
        return name
    match = _SOURCE.fullmatch(name)
    if match is None:
        return None
    program = match["program"] or ""
    if program in programs:
        return program
    return next(iter(programs)) if not program and len(programs) == 1 else None


_TITLE = b"... Execution time report ..."
_HEAD = re.compile(
    re.escape(_TITLE) + rb"[ \t]*\r?\n===-+===[ \t]*\r?\n[^\n]*\n[ \t]*\r?\n(?P<columns>[^\n]{0,200})\n"
)
_COLUMN = re.compile(rb"--+ ?([A-Z][A-Za-z ]*?) ?--+")
_ROW = re.compile(
    rb"(?P<times>(?: *-?\d{1,9}\.\d{1,9} \([^()\n]{0,20}\))+)"
    rb"  (?P<indent>(?:  )*)(?P<name>\S[^\r\n]*)\r?(?:\n|\Z)"
)
_TIME = re.compile(rb"(-?\d+\.\d+) \(")
_PIPELINE = re.compile(r"'(?P<op>[^']+)' Pipeline")


class TimedEntry(NamedTuple):
    """An entry of a report."""

    name: str  # the class name of a pass, as in markers; otherwise a text such as `'func.func' Pipeline`
    # Its wall time. If it ran on several threads, that of the slowest.
    seconds: float
    # 0-based number of the outermost entry that it is in. In a tree, stages run one after another.
    stage: int
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
    """Return the entries of rows."""
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
