"""Find the states of a program in a text without markers, where the line above each module names it.

So print tools that are not MLIR's own, and scripts: ``IR after cse:``, ``=== lowered``, or a line with a rule
below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from eio_audit.mlir.input.markers import PRINTED, Marker, module_start, noise_end
from eio_audit.mlir.source import Source, Span, Text, line_end

_HEAD = rb"(?m)^(?=(?:builtin\.)?module\b|\"builtin\.module\"\(|[a-z_]\w*\.|\"func\.func\")"
"""The start of an op that is not indented."""
_MOMENT = r"(?i)(?:.*\b)?(?P<when>before|after)\b[\s:=\"'`-]*+(?P<pass>[^\s\"'`].*)"
_BEGINS_OP = r"\s*(?:[}#!%\"]|[A-Za-z_][\w$]*\.[\w$])"
"""The beginning of a line of IR: an op in custom assembly has its dialect before a dot."""
_RULE = " \t\r=-#*:~_.+<>[]|\"'`"  # what stands around a title, or below it
_LONGEST = 200
_FIRST_WITHIN = 1 << 20  # how far the first module is looked for


def find_titles(source: Source) -> list[tuple[Span, Marker]]:
    """Return the lines that name modules, as the markers of these; none if they do not name all of them.

    A last module without a line may follow those that are named after a pass.
    """
    data, titles, floor = source.data, list[tuple[Span, Marker] | None](), 0
    end = min(len(data), _FIRST_WITHIN)
    while (start := module_start(data, Span(floor, end))) is not None:
        titles.append(_title(data, floor, start))
        if titles[0] is None:  # as in most files
            return []
        floor, end = _end_of_op(data, start), len(data)
    named = [title for title in titles if title is not None]
    has_passes = all(marker.when is not None for _, marker in named)
    return named if len(named) > 1 and (has_passes or None not in titles) else []


def _end_of_op(data: Text, start: int) -> int:
    """Return where the op below aliases ends, at the first closing brace that is not indented."""
    head = re.compile(_HEAD).search(data, start)
    closing = data.find(b"\n}", head.end() if head else start)
    return len(data) if closing < 0 else line_end(data, closing + 1, len(data))


def _title(data: Text, floor: int, start: int) -> tuple[Span, Marker] | None:
    """Return the line above ``start`` that names what begins there, as a marker."""
    for place in _lines_above(data, floor, start):
        line = data[place.start : place.end].decode("utf-8", "replace")
        text = line.strip(_RULE + "/")
        if not text:
            continue
        moment = re.fullmatch(_MOMENT, text)
        is_comment = line.lstrip().startswith("//") and not (moment and text.startswith("IR "))
        is_ir = re.match(_BEGINS_OP, line) is not None and not line.rstrip().endswith(":")
        is_other = is_comment or is_ir or len(text) > _LONGEST
        if is_other or (moment is None and noise_end(data, place.start, place.end) is not None):
            return None
        if moment is None:
            return place, Marker(text, PRINTED, None)
        name = moment["pass"].rstrip(_RULE)
        return place, Marker(name, name, moment["when"].lower())
    return None


def _lines_above(data: Text, floor: int, start: int) -> Iterator[Span]:
    """Yield the three lines above an offset that are not blank, the last first."""
    end, found = start, 0
    while end > floor and found < 3:
        begin = max(data.rfind(b"\n", floor, end - 1) + 1, floor)
        if data[begin:end].strip():
            found += 1
            yield Span(begin, end - 1 if data[end - 1 : end] == b"\n" else end)
        end = begin
