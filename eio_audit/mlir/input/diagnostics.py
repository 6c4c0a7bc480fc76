"""What a compiler prints between its dumps: errors, crashes, and what else a reader should know."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.markers import CRASH, PLACE, begins_ir, mlir_in
from eio_audit.mlir.input.media import other_text
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.source import Source, Span, find_all
from eio_audit.mlir.tokens import REPRODUCER

_ERROR_MARK = b": error: "
_ERROR = pattern(
    rb"(?:[^\n]{0,200}[\s\]])??(?P<place>" + PLACE + rb"): (?:error|note): (?P<message>"
    rb"see current operation(?=:)|[^\r\n]*+)"
)
_FIRST_MESSAGE = pattern(rb": (?:error|warning|remark|note): (?P<shown>see current operation:)?")
_OP = rb"[ \t]*\n?(?:%[^=\n]*+= )?\"?(?P<op>[A-Za-z_][\w$]*+\.[\w$.-]++)"
_SHOWN = pattern(rb"see current operation:" + _OP)
_NAMED = pattern(rb"'(?P<op>[A-Za-z_][\w$]*+\.[\w$.-]++)'")
_EXECUTING = pattern(rb"Pipeline failed while executing \[[`'](?P<name>[\w:]+)")
_CRASHED = pattern(rb"(?m)^(?:" + CRASH + rb")[^\n]*+")
_CRASHED_IN_LINE = pattern(rb"PLEASE (?:submit|ATTACH)|Stack dump:")
_TELLING = pattern(rb"LLVM ERROR|Assertion|UNREACHABLE|terminate|Fatal|Segmentation|Out of memory")
_CUT_MARKER = b"\n// -----// IR Dump "  # a whole one ends the dump
_HEAD_LOST = pattern(rb"(?m)^[ \t]*+(?:%[\w$.-]++ = |\}[ \t\r]*$|return\b)")
"""A line of IR above the first marker."""


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


def crash_while_printed(dump: Dump) -> Diagnostic | None:
    """Return the crash of a compiler that printed a dump, which it tore off; ``dump`` cannot be read."""
    found = _CRASHED_IN_LINE.search(dump.source.data, *dump.span)
    if found is None:
        return None
    line = dump.source.line_at(found.start())
    return Diagnostic(line, f"the compiler crashed while it printed the dump on line {dump.line}")


def notes_on(dump: Dump, below: Span, *, is_ir_known: bool = False) -> Iterator[tuple[int, str]]:
    """Yield what else is in or above a dump, or in its ``text_below``, with its 1-based line.

    It is what a compiler that failed printed to make it fail again, or the debug log of a pattern driver. If
    ``is_ir_known``, there is none above that text.
    """
    source, start = dump.source, below.start if is_ir_known else dump.span.start
    if (offset := source.data.find(REPRODUCER, start, below.end)) >= 0:
        yield source.line_at(offset), "reproducer of a compiler that failed"
    if (offset := source.data.find(_CUT_MARKER, max(start - 1, 0), below.end)) >= 0:
        yield source.line_at(offset + 1), "a marker that its line end cuts off: is this log wrapped?"
    yield from notes_above(dump)
    if (other := other_text(source.data, *below)) is not None and "debug log" in other[1]:
        yield source.line_at(other[0]), other[1]


def notes_above(dump: Dump) -> Iterator[tuple[int, str]]:
    """Yield what is above the first marker of a log: IR without its beginning, or a debug log."""
    if dump.above is None:
        return
    text, part = dump.above
    if not begins_ir(text.data, part) and (
        head := _HEAD_LOST.search(text.data, *mlir_in(text, part, part.start))
    ):
        yield text.line_at(head.start()), "the IR above the first marker is cut off: it was skipped"
    if (other := other_text(text.data, *part)) is not None and "debug log" in other[1]:
        yield text.line_at(other[0]), other[1]
