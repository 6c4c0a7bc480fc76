"""Take away what a tool put before each line of a log: a time, the name of a container, a colour.

Continuous integration, containers, test runners and loggers do so. The marker of a dump shows the prefix: it
is what stands before the marker on its line. The lines below it have the same one, up to its numbers, such as
those of a time. If the first of them has not, only the marker is behind a prefix, and no line is changed.

A line that is blank but for its prefix may lack the blanks at the end of the prefix. Colours at the ends of
lines are taken away with those at their starts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from eio_audit.mlir.files import Text
from eio_audit.mlir.source import Affix, Source, Span

_LONGEST_PREFIX = 512
_IR = re.compile(rb"[ \t]*+(?:[}%^\"]|[#!][\w$.-]++ = )")
"""The start of a line of IR. A marker may follow IR on its line."""
_NUMBER = re.compile(rb" *[0-9]+")
_COLOUR = b"\x1b"
_COLOURS_AT_END = re.compile(rb"(?:\x1b\[[0-9;]*+[A-Za-z])+\r?\Z")


def prefix_of(data: Text, previous_end: int, start: int) -> bytes | None:
    """Return what stands before the marker at ``start`` on its line; None if the previous marker does.

    ``previous_end`` is the end of the previous marker, or 0. The result is empty if it is too long or IR.
    """
    line = data.rfind(b"\n", previous_end, start) + 1
    if not line and previous_end:
        return None
    if line == start or start - line > _LONGEST_PREFIX or _IR.match(data, line, start):
        return b""
    return data[line:start]


def without_prefixes(source: Source, markers: Sequence[Span]) -> Source:
    """Return a log without the prefixes that lines share with the markers at these places.

    The result is the same object if there is none.
    """
    data, prefixes = source.data, dict[int, bytes]()
    for previous, marker in pairwise([Span(0, 0), *markers]):
        if prefix := prefix_of(data, previous.end, marker.start):
            prefixes[marker.start - len(prefix)] = prefix
        elif prefix is not None:
            prefixes[data.rfind(b"\n", 0, marker.start) + 1] = prefix
    if not any(prefixes.values()):
        return source
    first = next(iter(prefixes))
    pieces = [(Span(0, first), prefixes[first], True)]
    spans = pairwise([*prefixes, len(data)])
    pieces += [(Span(*span), prefix, False) for span, prefix in zip(spans, prefixes.values(), strict=True)]
    lines, affixes, is_changed = list[bytes](), list[Affix](), False
    for span, prefix, is_above in pieces:
        own = data[span.start : span.end].split(b"\n")
        if span.end < len(data):
            own.pop()  # the next piece begins on a line of its own
        found = _affixes(own, prefix, is_above=is_above)
        is_changed |= found is not None
        lines += own
        affixes += found or [Affix()] * len(own)
    return source.without(affixes, lines) if is_changed else source


def without_prefix(source: Source, prefix: bytes | None, *, is_above: bool) -> Source:
    """Return the text from a marker to the next without the prefix of its lines but the first.

    The result is the same object if the lines do not have it. ``is_above``: it is the text above the first
    marker of a log, without a marker, and all lines must have the prefix.
    """
    if not prefix:
        return source
    lines = source.data[:].split(b"\n")
    found = _affixes(lines, prefix, is_above=is_above, is_cut=not is_above)
    return source if found is None else source.without(found, lines)


def _affixes(
    lines: list[bytes], prefix: bytes, *, is_above: bool, is_cut: bool = False
) -> list[Affix] | None:
    """Return what each line is to lose; None if they do not share the prefix.

    ``is_cut``: the first of them is that of a marker, and does not have it any more.
    """
    matches = list(map(_shape(prefix).match, lines))
    below = zip(lines, matches, strict=True) if is_above else zip(lines[1:], matches[1:], strict=True)
    shares = [match is not None for line, match in below if line.strip()]
    if not (all(shares) if is_above else any(shares[:1])):
        return None
    if is_cut:
        matches[0] = None
    has_colours = _COLOUR in prefix
    affixes = list[Affix]()
    for number, (line, match) in enumerate(zip(lines, matches, strict=True)):
        start = match.end() if match else 0
        colours = _COLOURS_AT_END.search(line, start) if has_colours and (match or not number) else None
        affixes.append(Affix(match[0] if match else b"", colours[0] if colours else b""))
    return affixes


@lru_cache
def _shape(prefix: bytes) -> re.Pattern[bytes]:
    """Return the pattern of the prefix with any numbers; of its start, where only blanks follow."""

    def pattern(text: bytes) -> bytes:
        return b" *[0-9]+".join(map(re.escape, _NUMBER.split(text)))

    either = pattern(prefix) + b"|" + pattern(prefix.rstrip(b" \t")) + rb"(?=[ \t\r]*\Z)"
    return re.compile(either)
