"""Read what FileCheck prints when a test fails: the text that it looked at, and the lines that it looked for.

Below ``Input was:`` FileCheck numbers the lines of its input, writes its findings between them, puts blanks
together, and may leave lines out. lit puts a prefix before all of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.source import Source, Span, Text, UnreadableFileError, decoded, read_blocks

_LOOKED_AT = 1 << 22  # how much of a file is looked at for such an output
_HEAD = b"Input was:"
_BLANKS = b" \t\r"
_BEGIN = pattern(rb"(?m)^(?P<lead>[^\n]{0,80}?)Input was:[ \t\r]*\n(?P=lead)<<<<<<[ \t\r]*\n")
_END = pattern(rb"(?m)^(?P<lead>[^\n]{0,80}?)>>>>>>[ \t\r]*$")
_NUMBERED = pattern(rb" *+(?P<number>\d++): ?(?P<text>[^\n]*+)")
_SKIPPED = pattern(rb" *+\.[ \t\r]*+")
_CHECK_FILE = pattern(rb"(?m)^[^\n]{0,80}?Check file: ([^\n]++)$")
_FAILED = pattern(rb"(?m): error: ([\w-]+?)(?:-(?:NEXT|SAME|NOT|DAG|LABEL|EMPTY|COUNT-?\d*))?: ")
_GIVEN = pattern(rb"-check-prefix(?:es)?[= ]([\w,-]+)")
_CHECK = (
    r"(?m)(?<![\w-])(?:{names})(?:-(?P<kind>NEXT|SAME|NOT|DAG|LABEL|EMPTY|COUNT-(?P<times>\d{{1,9}})))?"
    r"(?P<literal>\{{LITERAL\}})?:[ \t]*+(?P<pattern>[^\n]*+)$"
)
LEFT_OUT = "FileCheck left out lines here: run the test again with FILECHECK_OPTS=-dump-input-filter=all"
"""The error for an input that is not shown whole."""


class FailedCheck(NamedTuple):
    """An input in which FileCheck did not find what it looked for."""

    source: Source  # the input, without numbers and findings; its lines have their places in the output
    check_file: str  # the file whose lines it looked for, as FileCheck names it; empty if it does not
    prefixes: tuple[str, ...]  # what these lines begin with


def is_of_filecheck(path: str) -> bool:
    """Whether a file has the output of FileCheck. A pipe can be read only once, and counts as none."""
    try:
        return Path(path).is_file() and _HEAD in next(read_blocks(path, lambda _: None), b"")
    except UnreadableFileError:
        return False


def failed_checks(source: Source) -> list[FailedCheck]:
    """Return the inputs that FileCheck has printed in a text, in order; none of any other text.

    Raises:
        InputError: it left out lines of an input.
    """
    data: Text = source.data
    if data.find(_HEAD, 0, _LOOKED_AT) < 0:
        return []
    ends = defaultdict[bytes, list[int]](list)  # by what is before it on its line
    for match in _END.finditer(data):
        ends[match["lead"]].append(match.start())
    found, end = [], 0
    for match in _BEGIN.finditer(data):
        own = ends[match["lead"]]
        after = bisect_left(own, match.end())
        if match.start() < end or after == len(own):
            continue
        above = bytes(data[end : match.start()])
        files, failed = _CHECK_FILE.findall(above), _FAILED.findall(above)
        given = [name for names in _GIVEN.findall(above) for name in names.split(b",")]
        prefixes = dict.fromkeys(name.decode() for name in [*failed, *given])
        file = files[-1].rstrip(_BLANKS).decode("utf-8", "surrogateescape") if files else ""
        end = own[after]
        shown = _input(source, Span(match.end(), end), match["lead"].rstrip(b" "))
        found.append(FailedCheck(shown, file, (*prefixes,) or ("CHECK",)))
    return found


def _input(source: Source, body: Span, lead: bytes) -> Source:
    lines, places = list[bytes](), list[tuple[int, int]]()
    offset, place = body.start, source.line_at(body.start)
    for line in bytes(source.data[body.start : body.end]).split(b"\n"):
        is_own = line.startswith(lead)
        if is_own and (shown := _NUMBERED.fullmatch(line, len(lead))):
            if shown["number"] != str(len(lines) + 1).encode():
                raise source.error(offset, LEFT_OUT)
            lines.append(shown["text"].rstrip(_BLANKS))
            places.append((place, len(decoded(line[: shown.start("text")]))))
        elif is_own and _SKIPPED.fullmatch(line, len(lead)):
            raise source.error(offset, LEFT_OUT)
        offset, place = offset + len(line) + 1, place + 1
    return Source(source.name, b"\n".join(lines), places=[*places, (place, 0)])


class Part(NamedTuple):
    """A piece of a pattern."""

    kind: str  # "text", "regex", "set" for a variable and what it may be, or "use" of one
    text: str  # the text, the regular expression, or the name of the variable used
    name: str = ""  # of "set", the name of the variable


class CheckLine(NamedTuple):
    """A line that FileCheck looks for."""

    line: int  # 1-based, in the file of the checks
    kind: str  # such as "NEXT"; empty for a plain one
    text: str  # as written, without what is before the prefix
    parts: tuple[Part, ...]
    times: int = 1  # how often it is to be found: N of COUNT-N


def check_lines(source: Source, prefixes: tuple[str, ...]) -> list[CheckLine]:
    """Return the lines that FileCheck looks for, in order.

    Raises:
        InputError: a pattern has no end, or a regular expression in it cannot be read.
    """
    names = "|".join(map(re.escape, sorted(prefixes, key=len, reverse=True)))
    check = _CHECK.format(names=names).encode()
    found = []
    for match in re.finditer(check, source.data):
        text = match["pattern"].rstrip(_BLANKS).decode("utf-8", "surrogateescape")
        try:
            parts = [Part("text", text)] if match["literal"] else [*_parts(text)]
            for part in parts:
                expression = part.text if part.kind in {"regex", "set"} else ""
                re.compile(expression)
        except (re.error, ValueError) as error:
            raise source.error(match.start("pattern"), f"this pattern cannot be read: {error}") from error
        line, kind = source.line_at(match.start("pattern")), (match["kind"] or b"").decode().split("-")[0]
        shown = decoded(match[0]).rstrip()
        found.append(CheckLine(line, kind, shown, tuple(parts), int(match["times"] or 1)))
    return found


def _parts(pattern: str) -> Iterator[Part]:
    offset = 0
    for start in _starts(pattern):
        if start < offset:
            continue
        yield from _text(pattern[offset:start])
        is_regex = pattern.startswith("{{", start)
        end = pattern.find("}}", start) if is_regex else _variable_end(pattern, start + 2)
        if end < 0:
            raise ValueError("it has no end")
        inside, offset = pattern[start + 2 : end], end + 2
        name, colon, regex = inside.partition(":")
        if is_regex:
            yield Part("regex", inside)
        elif inside.startswith(("#", "@LINE")):
            yield Part("regex", r"-?(?:0x)?[0-9A-Fa-f]+")
        elif colon:
            yield Part("set", regex, name)
        else:
            yield Part("use", name)
    yield from _text(pattern[offset:])


def _starts(pattern: str) -> list[int]:
    return [place for place, both in enumerate(map("".join, pairwise(pattern))) if both in {"{{", "[["}]


def _text(text: str) -> list[Part]:
    return [Part("text", text)] if text else []


def _variable_end(pattern: str, start: int) -> int:
    """Return where the ``]]`` of a variable is, behind the brackets of its regular expression; -1 without."""
    depth, place = 0, start
    while place < len(pattern):
        if not depth and pattern.startswith("]]", place):
            return place
        depth += {"[": 1, "]": -1}.get(pattern[place], 0)
        place += 2 if pattern[place] == "\\" else 1
    return -1
