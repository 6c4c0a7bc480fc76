"""Where the dumps are: in a file, in the log of a compiler's passes, in a folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from eio_audit.mlir.source import InputError, Source, Span

DUMP_SUFFIXES = (".mlir", ".log", ".txt")
"""Files of a folder that are read, also with .gz, .bz2 or .xz behind."""

_MARKER_START = b"// -----// IR Dump "
_MARKER = re.compile(
    rb"// -----// IR Dump (?P<when>Before|After) (?P<pass>.+?)(?P<failed> Failed)?"
    rb"(?: \('(?P<op>[^'\n]*)' operation(?:: (?P<symbol>@[^\n]*?))?\))? //----- //"
)
_ARGUMENT = re.compile(r"(?P<name>[^:(]+?)(?: Failed)?(?: \((?P<old>.*)\)|: (?P<new>.*))?\Z", re.DOTALL)
_SEPARATOR_START = b"// -----"
_SEPARATOR = re.compile(rb"// -----[ \t]*\r?(?=\n|\Z)")
_BLANK = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*+")


@dataclass(frozen=True, slots=True)
class Marker:
    """The line that a compiler prints above a dump (``-mlir-print-ir-before/after``).

    Attributes:
        pass_name: the pass's argument (``ttir-erase-inverse-ops``), else its class name.
        class_name: the name the marker begins with (``TTIREraseInverseOps``).
        when: ``"before"`` or ``"after"``.
        failed: whether the pass failed.
        symbol: the symbol of the op the pass ran on (``@main``), where the marker names it.
    """

    pass_name: str
    class_name: str
    when: str
    failed: bool
    symbol: str | None


@dataclass(frozen=True, slots=True)
class Dump:
    """One printed IR in a source.

    Attributes:
        source: the file.
        span: where the IR lies, behind its marker.
        marker: the line above it in a log, or None.
        line: the 1-based line of the marker; without one, of the dump's first text.
    """

    source: Source
    span: Span
    marker: Marker | None
    line: int


def find_dumps(source: Source) -> list[Dump]:
    """The dumps of one source, in order of appearance.

    A source without markers is one dump, or several where ``// -----`` lines split it. Text before the
    first marker is a dump of its own when it holds IR, as is what follows a ``// -----`` line.
    """
    if source.data.startswith(b"ML\xefR"):
        raise source.error(0, "this is MLIR bytecode: print it as text first (mlir-opt FILE -o FILE.mlir)")
    dumps: list[Dump] = []
    start, marker, marker_at = 0, None, 0
    for match, parsed in _markers(source.data):
        dumps += _pieces(source, Span(start, match.start()), marker, marker_at)
        start, marker, marker_at = match.end(), parsed, match.start()
    return dumps + _pieces(source, Span(start, len(source.data)), marker, marker_at)


def _markers(data: bytes) -> Iterator[tuple[re.Match[bytes], Marker]]:
    offset = data.find(_MARKER_START)
    while offset >= 0:
        match = _MARKER.match(data, offset)
        if match:
            yield match, _parse_marker(match)
        offset = data.find(_MARKER_START, offset + 1)


def _parse_marker(match: re.Match[bytes]) -> Marker:
    text = match["pass"].decode("utf-8", "replace")
    parts = _ARGUMENT.match(text)
    class_name = parts["name"] if parts else text
    argument = (parts["old"] or parts["new"] or class_name) if parts else text
    symbol = match["symbol"].decode("utf-8", "replace") if match["symbol"] else None
    return Marker(
        pass_name=argument.partition("{")[0],
        class_name=class_name,
        when=match["when"].decode().lower(),
        failed=match["failed"] is not None or " Failed" in text,
        symbol=symbol,
    )


def _pieces(source: Source, span: Span, marker: Marker | None, marker_at: int) -> list[Dump]:
    """Splits at ``// -----`` lines; pieces without text are no dumps."""
    separators = list(_separators(source.data, span))
    starts = [span.start, *(s.end for s in separators)]
    ends = [*(s.start for s in separators), span.end]
    dumps = []
    for start, end in zip(starts, ends, strict=True):
        text = _BLANK.match(source.data, start, end)
        assert text
        if text.end() < end:
            at = marker_at if marker and start == span.start else text.end()
            dumps.append(Dump(source, Span(start, end), marker, source.line_at(at)))
    return dumps


def _separators(data: bytes, span: Span) -> Iterator[Span]:
    """The lines that read ``// -----``."""
    offset = data.find(_SEPARATOR_START, span.start, span.end)
    while offset >= 0:
        match = _SEPARATOR.match(data, offset, span.end)
        if match and (offset == span.start or data[offset - 1 : offset] == b"\n"):
            yield Span(offset, match.end())
        offset = data.find(_SEPARATOR_START, offset + 1, span.end)


def find_files(path: str) -> list[str]:
    """The files to read for a path: itself, or in a folder the dumps at any depth, in natural order.

    Raises:
        InputError: nothing is there, or a folder holds no file with a known ending.
    """
    place = Path(path)
    if path == "-" or not place.is_dir():
        return [path]
    found = [p for p in place.rglob("*") if p.is_file() and _is_dump_name(p.name)]
    if not found:
        raise InputError(path, None, f"no {', '.join(DUMP_SUFFIXES)} file in this folder")
    return [
        str(p) for p in sorted(found, key=lambda p: [_natural(part) for part in p.relative_to(place).parts])
    ]


def _is_dump_name(name: str) -> bool:
    for packed in (".gz", ".bz2", ".xz"):
        name = name.removesuffix(packed)
    return name.endswith(DUMP_SUFFIXES)


def _natural(name: str) -> list[tuple[int, str]]:
    """A sort key by which ``9_cse`` comes before ``10_cse``."""
    return [(int(part[:9]), "") if part.isdigit() else (0, part) for part in re.split(r"([0-9]+)", name)]
