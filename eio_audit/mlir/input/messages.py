"""What a compiler prints besides its dumps: errors, crashes, its pipeline, and what else one should know.

The pipeline is in its messages, in a reproducer, or in the arguments of a crash.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.markers import CRASH, PLACE, begins_ir, mlir_in
from eio_audit.mlir.input.media import other_text
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.source import Source, Span, Text, decoded, find_all
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
_PRINTED = pattern(rb"(?m)^Pass Manager with \d+ pass(?:es)?:\r?\n(?P<text>(?:.*\S.*\n?)+)")
_ARGUMENTS = pattern(rb"(?m)^(?:\d+\.\s+)?Program arguments: (?P<words>\S[^\r\n]*+)")
_KEPT = pattern(rb'pipeline: "(?P<words>(?:[^"\\]|\\.)*)"')
_PIPELINE_FLAG = "pass-pipeline"
_OTHER_FLAGS = (
    *("mlir-", "allow-unregistered-dialect", "dump-", "load-", "irdl-file", "o", "split-input-file"),
    "verify-",
)
"""What flags begin with that name no pass."""
_PIECE = pattern(r"\s*(?:(?P<name>[\w.$<>:-]+)|(?P<sign>[(),]))\s*")
_MAY_FOLLOW = {"": "a", "a": "(", "(": "a)", ")": ",)", ",": "a"}
"""What may follow a sign of a pipeline, or a name (``a``) before a parenthesis. A pass ends as ``)`` does."""


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
        pass_name = decoded(found["name"])
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
            decoded(error["message"]).strip(),
            decoded(error["place"]),
            decoded(shown["op"]) if shown else "",
            pass_name=pass_name,
        )
    if crash := _CRASHED.search(data, *span):
        is_telling = _TELLING.search(crash[0])
        text = decoded(crash[0]).strip() if is_telling else "the compiler crashed"
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


class PipelinePass(NamedTuple):
    """One pass of a pipeline."""

    name: str  # its argument: `canonicalize`
    text: str  # the argument with its options: `canonicalize{top-down=true}`
    # The ops that it is nested in, the outermost first: `("builtin.module", "func.func")`.
    anchors: tuple[str, ...]

    @property
    def alone(self) -> str:
        """The pipeline that runs only this pass: ``builtin.module(func.func(canonicalize))``."""
        return "".join(f"{anchor}(" for anchor in self.anchors) + self.text + ")" * len(self.anchors)


def printed_pipeline(messages: bytes) -> Sequence[PipelinePass]:
    """Return the passes of the pipeline in a compiler's messages, in order.

    There are none if it prints none or several, or one that is not understood.
    """
    found = list(_PRINTED.finditer(messages))
    return _understood(decoded(found[0]["text"])) if len(found) == 1 else ()


def _passes(text: str) -> Iterator[PipelinePass]:
    """Yield the passes of ``anchor(pass,anchor(pass{options}))``; a ValueError for a text of another form."""
    anchors, last, position = list[str](), "", 0
    while match := _PIECE.match(text, position):
        name, sign = match["name"], match["sign"]
        if (sign or "a") not in _MAY_FOLLOW[last] or (sign == ")" and not anchors):
            break
        last, position = sign or "a", match.end()
        if sign == ")":
            anchors.pop()
        elif name is not None and text.startswith("(", position):
            anchors.append(name)
        elif name is not None:
            end = _options_end(text, position)
            yield PipelinePass(name, name + text[position:end].strip(), tuple(anchors))
            position, last = end, ")"
    if anchors or last != ")" or text[position:].strip():
        raise ValueError(f"expected another text than {text!r}")


def _options_end(text: str, start: int) -> int:
    """Return where the options that begin at ``start`` end, or ``start`` if there are none."""
    if not text.startswith("{", start):
        return start
    depth, quote = 0, ""
    for position in range(start, len(text)):
        char = text[position]
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "{}":
            depth += 1 if char == "{" else -1
            if not depth:
                return position + 1
    raise ValueError("expected '}'")


def program_arguments(text: bytes) -> list[str]:
    """Return the command that a compiler prints when it crashes, as words; nothing without one."""
    found = _ARGUMENTS.search(text)
    if found is None:
        return []
    try:
        return shlex.split(decoded(found["words"]))
    except ValueError:
        return decoded(found["words"]).split()


def pipeline_in(text: bytes) -> Sequence[PipelinePass]:
    """Return the passes of the pipeline that a compiler printed; none if it printed none that is known."""
    if printed := printed_pipeline(text):
        return printed
    if found := _KEPT.search(text):
        return _understood(_kept_text(found))
    flags = [word.lstrip("-") for word in program_arguments(text)[1:] if word.startswith("-")]
    for flag in flags:
        name, sign, value = flag.partition("=")
        if name == _PIPELINE_FLAG and sign:
            return _understood(value)
    names = [flag.partition("=")[0] for flag in flags if not flag.startswith(_OTHER_FLAGS)]
    return [PipelinePass(name, name, ()) for name in names]


def _understood(text: str) -> Sequence[PipelinePass]:
    try:
        return tuple(_passes(" ".join(text.split())))
    except ValueError:
        return ()


def _kept_text(found: re.Match[bytes]) -> str:
    """Return the pipeline of a reproducer, which is in quotes there."""
    return decoded(found["words"]).replace('\\"', '"')


def next_pass(
    pipeline: Sequence[PipelinePass],
    ended: Iterable[tuple[str, str | None]],
    functions: Collection[str] = (),
) -> PipelinePass | None:
    """Return the pass that follows the last one that ended; None if the pipeline does not tell.

    The k-th run of a pass on a function is its k-th place in the pipeline. Passes that run inside another one
    are not in the pipeline.

    Args:
        pipeline: the passes.
        ended: those that ended, in order, each with the symbol of its function, None for a program.
        functions: the functions of the program. A nested pipeline runs on one after another.
    """
    places = defaultdict[tuple[str, bool | None], list[int]](list)  # by name, and whether on a function
    for place, one in enumerate(pipeline):
        for is_nested in [len(one.anchors) > 1] if one.anchors else [False, True]:
            places[one.name, is_nested].append(place)
    times, last = Counter[tuple[str, str | None]](), -1
    for name, function in ended:
        own = places[name, function is not None]
        if times[name, function] < len(own):
            last = own[times[name, function]]
        times[name, function] += 1
    if last < 0:
        return None
    anchors, start = pipeline[last].anchors, last
    following = pipeline[last + 1] if last + 1 < len(pipeline) else None
    if len(anchors) > 1 and (following is None or following.anchors != anchors):
        while start and pipeline[start - 1].anchors == anchors:
            start -= 1
        first = pipeline[start]
        number = places[first.name, True].index(start)
        if any(times[first.name, symbol] <= number for symbol in functions):
            return first
    return following


def compiler_in(data: Text, span: Span) -> str:
    """Return the compiler with its arguments as far as a text tells: all, or its pipeline; else empty."""
    if data.find(b"Program arguments: ", *span) >= 0 and (found := _ARGUMENTS.search(data, *span)):
        return decoded(found["words"]).rstrip()
    if data.find(b"Pass Manager with ", *span) >= 0 and (found := _PRINTED.search(data, *span)):
        text = decoded(found["text"])
        for pipeline in (text, text.partition("\n")[0]):  # other messages may follow its line
            if _understood(pipeline):
                return _with_pipeline(pipeline)
    start = data.find(REPRODUCER, *span)
    found = _KEPT.search(data, start, span.end) if start >= 0 else None
    return _with_pipeline(_kept_text(found)) if found else ""


def _with_pipeline(pipeline: str) -> str:
    words = " ".join(pipeline.split())
    return f"COMPILER {shlex.quote(f'--pass-pipeline={words}')} INPUT"
