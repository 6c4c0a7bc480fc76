"""Where the dumps are: in a file, in the log of a compiler's passes, in a folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path

from eio_audit.mlir.markers import Marker, find_markers
from eio_audit.mlir.source import InputError, Source, Span, find_all

DUMP_SUFFIXES = (".mlir", ".log", ".txt")
"""Files of a folder that are read, also with .gz, .bz2 or .xz behind."""

_SEPARATOR_START = b"// -----"
_SEPARATOR = re.compile(rb"// -----[ \t]*\r?(?=\n|\Z)")
_HOLDS_IR = re.compile(
    rb'^(?:module\b|func\.func\b|"builtin\.module"|"func\.func"|[#!][\w$.-]+ = '
    rb"|[a-z_]\w*\.[\w.]+ [^\n]*\{[ \t\r]*$)",
    re.MULTILINE,
)
_ALIASES = re.compile(rb"(?:[#!][^\n]*+(?:\n|\Z)|[ \t]++[^\s][^\n]*+(?:\n|\Z))*+")
_BLANK = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*+")


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


def read(path: str | PathLike[str]) -> list[Dump]:
    """The dumps of a file, ``-`` for standard input, in order of appearance.

    Raises:
        InputError: the file cannot be read, or is MLIR bytecode.
    """
    return find_dumps(Source.read(fspath(path)))


def read_text(text: str | bytes, name: str = "<text>") -> list[Dump]:
    """The dumps of a text; ``name`` stands for the file in messages."""
    return find_dumps(Source(name, text.encode() if isinstance(text, str) else text))


def find_dumps(source: Source) -> list[Dump]:
    """The dumps of one source, in order of appearance.

    A source without markers is one dump, or several where ``// -----`` lines split it. A compiler prints one
    op behind a marker; IR behind that is a dump of its own, as is IR before the first marker: the module
    that the compiler wrote to the same stream.

    Raises:
        InputError: the source is MLIR bytecode.
    """
    if source.data.startswith(b"ML\xefR"):
        raise source.error(0, "this is MLIR bytecode: print it as text first (mlir-opt FILE -o FILE.mlir)")
    markers = list(find_markers(source.data))
    if not markers:
        return [
            dump for piece in _pieces(source, Span(0, len(source.data))) if (dump := _unmarked(source, piece))
        ]
    dumps: list[Dump] = []
    current: tuple[Span, Marker | None] = (Span(0, 0), None)
    for place, marker in [*markers, (Span(len(source.data), len(source.data)), None)]:
        dumps += _section(source, Span(current[0].end, place.start), current)
        current = (place, marker)
    return dumps


def _section(source: Source, span: Span, marked: tuple[Span, Marker | None]) -> list[Dump]:
    """What stands between two markers: the marked dump, and IR without marker behind it."""
    place, marker = marked
    dumps = []
    rest = span
    if marker is not None:
        end = _end_of_first_op(source.data, span)
        if source.data[span.start : end].strip():
            dumps.append(Dump(source, Span(span.start, end), marker, source.line_at(place.start)))
        rest = Span(end, span.end)
    for piece in _pieces(source, rest):
        dump = _unmarked(source, piece)
        if dump is not None and _HOLDS_IR.search(source.data, piece.start, piece.end):
            dumps.append(dump)
    return dumps


def _end_of_first_op(data: bytes, span: Span) -> int:
    """Where a marked dump ends: behind the line with the op's last brace and the aliases right below it."""
    brace = data.find(b"\n}", span.start, span.end)
    if brace < 0 or not _HOLDS_IR.search(data, brace + 2, span.end):
        return span.end
    line_end = data.find(b"\n", brace + 1, span.end)
    aliases = _ALIASES.match(data, line_end + 1, span.end) if line_end >= 0 else None
    return aliases.end() if aliases else span.end


def _unmarked(source: Source, span: Span) -> Dump | None:
    text = _BLANK.match(source.data, span.start, span.end)
    assert text
    return Dump(source, span, None, source.line_at(text.end())) if text.end() < span.end else None


def _pieces(source: Source, span: Span) -> list[Span]:
    """Splits at ``// -----`` lines."""
    separators = list(_separators(source.data, span))
    starts = [span.start, *(s.end for s in separators)]
    ends = [*(s.start for s in separators), span.end]
    return list(map(Span, starts, ends))


def _separators(data: bytes, span: Span) -> Iterator[Span]:
    """The lines that read ``// -----``."""
    for offset in find_all(data, _SEPARATOR_START, span):
        match = _SEPARATOR.match(data, offset, span.end)
        if match and (offset == span.start or data[offset - 1 : offset] == b"\n"):
            yield Span(offset, match.end())


def find_files(path: str | PathLike[str]) -> list[str]:
    """The files to read for a path: itself, or in a folder the dumps at any depth, in natural order.

    Raises:
        InputError: nothing is there, or a folder holds no file with a known ending.
    """
    place = Path(path)
    if fspath(path) == "-" or not place.is_dir():
        return [fspath(path)]
    found = [p for p in place.rglob("*") if p.is_file() and _is_dump_name(p.name)]
    if not found:
        raise InputError(fspath(path), None, f"no {', '.join(DUMP_SUFFIXES)} file in this folder")
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
