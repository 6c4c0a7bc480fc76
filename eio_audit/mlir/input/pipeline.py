"""The pass pipeline that a compiler prints: in its messages, a reproducer, or the arguments of a crash."""

from __future__ import annotations

import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.source import Span, Text
from eio_audit.mlir.tokens import REPRODUCER

_PRINTED = pattern(rb"(?m)^Pass Manager with \d+ pass(?:es)?:\r?\n(?P<text>(?:.*\S.*\n?)+)")
_ARGUMENTS = pattern(rb"(?m)^(?:\d+\.\s+)?Program arguments: (?P<words>\S[^\r\n]*+)")
_LINE = pattern(rb"(?m)^Pass Manager with \d+ pass(?:es)?:\r?\n(?P<words>\S[^\r\n]*+)")
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


def printed_pipeline(messages: bytes) -> tuple[PipelinePass, ...] | None:
    """Return the passes of the pipeline in a compiler's messages, in order.

    None if it prints none or several, or one that is not understood.
    """
    found = list(_PRINTED.finditer(messages))
    if len(found) != 1:
        return None
    text = " ".join(found[0]["text"].decode("utf-8", "replace").split())
    try:
        return tuple(_passes(text))
    except ValueError:
        return None


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
        return shlex.split(found["words"].decode("utf-8", "replace"))
    except ValueError:
        return found["words"].decode("utf-8", "replace").split()


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
    return found["words"].decode("utf-8", "replace").replace('\\"', '"')


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
    for expression, lead in ((_ARGUMENTS, b"Program arguments: "), (_LINE, b"Pass Manager with ")):
        if data.find(lead, *span) >= 0 and (found := expression.search(data, *span)):
            words = found["words"].decode("utf-8", "replace").rstrip()
            return words if expression is _ARGUMENTS else _with_pipeline(words)
    start = data.find(REPRODUCER, *span)
    found = _KEPT.search(data, start, span.end) if start >= 0 else None
    return _with_pipeline(_kept_text(found)) if found else ""


def _with_pipeline(pipeline: str) -> str:
    return f"COMPILER {shlex.quote(f'--pass-pipeline={pipeline}')} INPUT"
