"""A pass pipeline as ``--dump-pass-pipeline`` prints it, and the pipeline of one of its passes alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_PRINTED = re.compile(rb"(?m)^Pass Manager with \d+ pass(?:es)?:\r?\n(?P<text>(?:.*\S.*\n?)+)")
_NAME = re.compile(r"\s*(?P<name>[\w.$<>:-]+)\s*")
_SPACE = re.compile(r"\s*")


class PipelinePass(NamedTuple):
    """One pass of a pipeline.

    Attributes:
        name: its argument: ``canonicalize``.
        text: the argument with its options: ``canonicalize{top-down=true}``.
        anchors: the ops that it is nested in, the outermost first: ``("builtin.module", "func.func")``.
    """

    name: str
    text: str
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
    """Yield the passes of ``anchor(pass,anchor(pass{options}))``.

    Raises:
        ValueError: the text has another form.
    """
    anchors: list[str] = []
    position = 0
    while position < len(text):
        match = _NAME.match(text, position)
        if match is None:
            raise ValueError(f"expected a pass at {position}")
        name, position = match["name"], match.end()
        if text.startswith("(", position):
            anchors.append(name)
            position = _skip_space(text, position + 1)
            if not text.startswith(")", position):
                continue
        else:
            end = _options_end(text, position)
            yield PipelinePass(name, name + text[position:end].strip(), tuple(anchors))
            position = _skip_space(text, end)
        while text.startswith(")", position):
            if not anchors:
                raise ValueError(f"expected no ')' at {position}")
            anchors.pop()
            position = _skip_space(text, position + 1)
        if position < len(text):
            if not text.startswith(",", position):
                raise ValueError(f"expected ',' at {position}")
            position += 1
    if anchors:
        raise ValueError("expected ')'")


def _skip_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    assert match
    return match.end()


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
