"""A unified diff of two texts, as ``patch`` reads it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from eio_audit.audit.diff.matching import gaps_between, matching_lines
from eio_audit.mlir.source import decoded

if TYPE_CHECKING:
    from eio_audit.report.text.console import Console

CONTEXT_LINES = 3  # the number of unchanged lines before and after a change

_LINE = re.compile(rb"[^\n]*+\n|[^\n]++")  # only a line feed ends it
_LINE_STYLES = {"-": "red", "+": "green", "@": "cyan"}

Change = tuple[range, range]  # lines of the old text, and the lines of the new text that replace them


def unified_diff(old: bytes, new: bytes, name: str) -> list[bytes]:
    """Return the lines of a unified diff, each with its line end. Empty if the texts are equal.

    ``name`` is the file in the header of the diff.
    """
    if old == new:
        return []
    old_lines, new_lines = _LINE.findall(old), _LINE.findall(new)
    changes = gaps_between(matching_lines(old_lines, new_lines), len(old_lines), len(new_lines))
    file = name.encode("utf-8", "surrogateescape") + (b"\t" if " " in name else b"")
    diff = [b"--- %s\n" % file, b"+++ %s\n" % file]
    for hunk in _hunks(changes):
        diff += _hunk(hunk, old_lines, new_lines)
    return [line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in diff]


def print_unified_diff(diff: Iterable[bytes], console: Console) -> None:
    """Print the lines of a diff with colours. Control characters are escaped.

    Lines are not wrapped and tabs not expanded, so that ``patch`` accepts a copy from a terminal.
    """
    for number, line in enumerate(diff):
        text = decoded(line).removesuffix("\n")
        style = "bold" if number < 2 else _LINE_STYLES.get(text[:1], "")
        for part in text.split("\n"):
            console.print_unwrapped(part, style)


def _hunks(changes: Iterable[Change]) -> Iterator[list[Change]]:
    """Yield groups of changes that are so close that all lines between them are shown."""
    hunk: list[Change] = []
    for change in changes:
        if hunk and change[0].start - hunk[-1][0].stop > 2 * CONTEXT_LINES:
            yield hunk
            hunk = []
        hunk.append(change)
    if hunk:
        yield hunk


def _hunk(hunk: Sequence[Change], old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[bytes]:
    first, last = hunk[0], hunk[-1]
    lead = min(CONTEXT_LINES, first[0].start)
    tail = min(CONTEXT_LINES, len(old) - last[0].stop)
    in_old = range(first[0].start - lead, last[0].stop + tail)
    in_new = range(first[1].start - lead, last[1].stop + tail)
    yield b"@@ -%s +%s @@\n" % (_place(in_old), _place(in_new))
    shown = in_old.start
    for gone, new_lines in hunk:
        yield from (b" " + old[k] for k in range(shown, gone.start))
        yield from (b"-" + old[k] for k in gone)
        yield from (b"+" + new[k] for k in new_lines)
        shown = gone.stop
    yield from (b" " + old[k] for k in range(shown, in_old.stop))


def _place(lines: range) -> bytes:
    """Return the first line, counted from 1, and the number of lines. For no lines, the line before them."""
    start = lines.start + 1 if lines else lines.start
    return b"%d" % start if len(lines) == 1 else b"%d,%d" % (start, len(lines))
