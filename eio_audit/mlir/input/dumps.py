"""Find the dumps in a file or in a log of compiler passes."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from os import PathLike, fspath
from pathlib import Path
from typing import NamedTuple

from eio_audit.mlir.input.filecheck import failed_checks, is_of_filecheck
from eio_audit.mlir.input.folders import DumpFile, file_marker
from eio_audit.mlir.input.markers import (
    PRINTED,
    Marker,
    begins_ir,
    closing_line,
    find_markers,
    find_titles,
    is_left_by_crash,
    mlir_in,
    module_start,
    noise_end,
    opened_braces,
    prefix_of,
    separated,
    text_start,
    without_noise,
    without_prefix,
    without_prefixes,
)
from eio_audit.mlir.input.media import disguise, foreign_marker, other_text
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.source import (
    MAX_UNPACKED_BYTES,
    InputError,
    Position,
    Source,
    Span,
    Text,
    UnreadableFileError,
    bugs_are_errors,
    line_end,
    read_blocks,
    source_name,
    splice,
    whole_lines,
)
from eio_audit.mlir.tokens import COMMENT, FILE_METADATA, end_of_definitions, match_end

LONGEST_PATH = 4096  # the most bytes that a text may have to be taken for a path
NOT_MLIR = "this is not MLIR: no line begins an operation"  # the error for such a text
NO_OP_BELOW = "expected the IR of the marker above: no line begins an operation"
"""The error for the text below a marker if it is no IR."""
_MODULE = pattern(rb"(?:builtin\.)?module\b(?: (?P<name>@[\w$.-]+))?|\"builtin\.module\"\(")
_MODULE_LINE = pattern(rb"(?m)^(?:" + _MODULE.pattern + rb")")
_SYMBOLS = pattern(
    rb"(?m)^[ \t]++[A-Za-z_][\w.$]*+ [^\n@%=\"]*+@([\w$.-]++|\"[^\"\n]*+\")[^\n]*\{[ \t\r]*$"
    rb"|\bsym_name = \"[^\"\n]*+\""
)
"""The symbol of an op with a region, in a module."""
_PRIVATE = b" private ", b'sym_visibility = "private"'
_OTHER_LINE = pattern(rb"\n[^#!\n]")
"""The line end above a line that cannot begin an alias definition."""
_COMMENT_OR_RESOURCES = pattern(COMMENT + rb"|" + FILE_METADATA.pattern)
_COMMENTS = pattern(rb"(?:[ \t\r\n]|" + COMMENT + rb")*+")
_GOES_ON = pattern(rb"(?:[ \t\r]*\n)*[ \t]+[%^}]")
"""A line of a body, indented."""
_BLANK_LINES = pattern(rb"\n[ \t\r\n]*\n")


@dataclass(frozen=True, slots=True)
class DumpPlace:
    """Where a dump is: plain data about it without its text."""

    source: str  # name of its file, `<stdin>` for standard input
    line: int  # 1-based line of its marker, or of its first text if there is no marker
    marker: Marker | None = None  # the marker above it
    program: str = ""  # the program that it shows; equal for all dumps of its source that show one program
    first_line: int = 1  # 1-based line of the first text of its IR

    @property
    def pass_name(self) -> str | None:
        """The pass of its marker."""
        return self.marker.pass_name if self.marker else None

    @property
    def when(self) -> str | None:
        """``"before"`` or ``"after"`` that pass; None for a stage, or without a marker."""
        return self.marker.when if self.marker else None

    @property
    def moment(self) -> str:
        """Which dump of its file it is, such as ``after canonicalize``; empty without a marker."""
        return " ".join(filter(None, (self.when, self.pass_name)))


@dataclass(frozen=True, slots=True)
class Dump:
    """One printed IR in a source."""

    source: Source  # the file
    span: Span  # the bytes of the IR, after its marker
    marker: Marker | None  # the marker above it in a log, or the one that its file name implies, or None
    line: int  # the 1-based line of the marker, or of the first text if there is no marker
    program: str = ""  # the program it is a state of; equal for dumps that show one program at several times
    first_line: int = 1  # the 1-based line of the first text of the IR
    # How it was chosen among the dumps of its file: the pass, or None, and which of its dumps, as in
    # `--dump`: a number from "1", "last", "@main" or ":37"; empty for all.
    selected: tuple[str | None, str] = field(default=(None, ""), compare=False)
    # The text above its marker if that has none, such as what a compiler says before its first dump.
    above: tuple[Source, Span] | None = field(default=None, compare=False, repr=False)

    @property
    def place(self) -> DumpPlace:
        """Where it is, without its text."""
        return DumpPlace(self.source.name, self.line, self.marker, self.program, self.first_line)

    @property
    def has_failed(self) -> bool:
        """Whether it is the dump of a pass that failed, so that its IR may be invalid."""
        return self.marker is not None and self.marker.failed

    @property
    def text(self) -> bytes:
        """The IR."""
        return self.source.data[self.span.start : self.span.end]

    @property
    def printed(self) -> bytes:
        """The IR to the byte, without blank lines around it and without what loggers printed."""
        if not self.span.start:
            return self.text
        data, start = self.source.data, text_start(self.source, self.span)
        line = max(data.rfind(b"\n", self.span.start, start) + 1, self.span.start)
        text = without_noise(b"\n" + data[line : self.op_end])
        return text.rstrip().lstrip(b"\r\n") + b"\n"

    @property
    def op_end(self) -> int:
        """Where its IR ends; below it, loggers and diagnostics may have printed."""
        is_marked = self.marker is not None and self.span.start > 0
        end = closed_end(self) if is_marked else None
        may_end_in_resources = end is not None and self.source.data.find(b"{-#", end, self.span.end) >= 0
        return self.span.end if end is None or may_end_in_resources else end

    @property
    def ir(self) -> bytes:
        """The IR without what loggers printed in it and below it, and without blank lines."""
        text = without_noise(b"\n" + self.source.data[self.span.start : self.op_end]).replace(b"\r\n", b"\n")
        return _BLANK_LINES.sub(b"\n", text).strip()

    @property
    def content(self) -> tuple[int, bytes]:
        """What the result of an audit depends on: the text without blank lines above it, and its column."""
        start = text_start(self.source, self.span)
        column = start - (self.source.data.rfind(b"\n", 0, start) + 1)
        return column, self.source.data[start : self.span.end]

    @property
    def lines(self) -> Span:
        """The bytes of the whole lines that it is on."""
        data = self.source.data
        return Span(data.rfind(b"\n", 0, self.span.start) + 1, line_end(data, self.span.end, len(data)))

    @property
    def start_line(self) -> int:
        """The 1-based line that these lines begin on."""
        data, start = self.source.data, self.lines.start
        return self.first_line - data[start : text_start(self.source, self.span)].count(b"\n")

    @property
    def span_in_lines(self) -> Span:
        """Where its text is in these lines."""
        start = self.lines.start
        return Span(self.span.start - start, self.span.end - start)

    def __reduce__(self) -> tuple[object, ...]:
        """Another process gets the lines of the dump, not the whole file."""
        part = self.source.part(self.lines, self.start_line)
        place = self.marker, self.line, self.program, self.first_line, self.selected
        return Dump, (part, self.span_in_lines, *place)

    def has_text_of(self, other: Dump) -> bool:
        """Whether both have the same IR, without a copy."""
        return _is_same_text(self.source, self.span, other.source, other.span)


def _is_same_text(source: Source, span: Span, other: Source, other_span: Span) -> bool:
    if span.end - span.start != other_span.end - other_span.start:
        return False
    data, text = source.data, memoryview(other.data)[other_span.start : other_span.end]
    if isinstance(data, bytes):
        return data.startswith(text, span.start)
    return data[span.start : span.end].startswith(text)


def read(path: str | PathLike[str], max_unpacked_bytes: int = MAX_UNPACKED_BYTES) -> list[Dump]:
    """Return the dumps of a file, or of standard input for ``-``, in order of appearance.

    Raises:
        InputError: the file cannot be read, has no byte, unpacks to too much, or is MLIR bytecode.
    """
    source = Source.read(fspath(path), max_unpacked_bytes)
    if not source.data:
        raise _no_byte(source.name)
    with bugs_are_errors(source.name, 1):
        return find_dumps(source)


def _no_byte(name: str) -> InputError:
    """Return the error for an input without a byte, as a compiler leaves it that ends too early."""
    what = "input" if name == source_name("-") else "file"
    return InputError(name, Position(1, 1), f"the {what} is empty")


def read_text(text: str | bytes, name: str = "<text>") -> list[Dump]:
    """Return the dumps of a text. Error messages call the text ``name``.

    Raises:
        InputError: the text is MLIR bytecode.
        TypeError: ``text`` is neither str nor bytes.
        ValueError: ``text`` is the path of a file.
    """
    if not isinstance(text, str | bytes):
        raise TypeError(f"expected IR as str or bytes, not {text!r:.80}: for a file call read(PATH)")
    if _is_file(text):
        raise ValueError(f"expected IR, not the path {text!r}: give a pathlib.Path, or call read(PATH)")
    return find_dumps(Source(name, text.encode() if isinstance(text, str) else text))


def each_dump(dumps: Iterable[Dump]) -> Iterator[Dump]:
    """Yield the dumps; a TypeError for a path, a text, a single dump, or an item that is no dump."""
    if isinstance(dumps, str | bytes | PathLike | Dump):
        raise TypeError(f"expected a list of dumps, as read(PATH) returns, not {dumps!r:.80}")
    for dump in dumps:
        yield expect_dump(dump)


def expect_dump(given: Dump) -> Dump:
    """Return the dump; a TypeError if it is none, but for example a path, a text or a list of dumps."""
    if not isinstance(given, Dump):
        raise TypeError(f"expected a dump, one of those that read(PATH) returns, not {given!r:.80}")
    return given


def _is_file(text: str | bytes) -> bool:
    if len(text) > LONGEST_PATH:
        return False
    try:
        return Path(os.fsdecode(text)).is_file()
    except (OSError, ValueError):  # no file can have such a name
        return False


def stream(
    path: str,
    program: str = "",
    stage: str | Marker | None = None,
    advance: Callable[[int], None] = lambda _: None,
    max_unpacked_bytes: int = MAX_UNPACKED_BYTES,
    *,
    with_failed: bool = False,
) -> Iterator[Dump]:
    """Yield the dumps of a file one by one. Memory holds only one dump and the text around it.

    Each dump has its own source. Otherwise it is the same as from ``read``. ``program`` and ``stage`` are as
    in ``find_dumps``. ``advance`` gets the number of bytes read since its last call. ``with_failed`` adds a
    dump without text for each pass that failed and printed no IR.

    Raises:
        InputError: the file cannot be read, has no byte, unpacks to too much, or is MLIR bytecode.
    """
    name, first_line = source_name(path), 1
    if is_of_filecheck(path):
        yield from find_dumps(Source.read(path, max_unpacked_bytes), program, stage)
        return
    splitter = _Splitter(program, with_failed=with_failed)
    last, lines = (Source(name, b""), Span(0, 0)), 0  # the last text below a marker, and its line ends
    try:
        for part in _between_markers(read_blocks(path, advance, max_unpacked_bytes)):
            source = Source(name, part.data, first_line=first_line)
            if part.is_file and not part.data:
                raise _no_byte(name)
            with bugs_are_errors(name, first_line):
                if part.is_file:
                    dumps = find_dumps(source, program, stage)
                else:
                    bare = without_prefix(source, part.prefix, is_above=part.place.end == 0)
                    span = Span(part.place.end, len(bare.data))
                    dumps = splitter.split(bare, span, part.place, part.marker)
            yield from dumps
            text, line = Span(part.place.end, len(part.data)), source.line_at(part.place.end)
            if not _is_same_text(source, text, *last):
                last, lines = (source, text), source.line_at(text.end) - line
            first_line = line + lines
    except UnreadableFileError as error:
        raise InputError(name, None, str(error)) from error


def stream_file(
    file: DumpFile,
    advance: Callable[[int], None] = lambda _: None,
    max_unpacked_bytes: int = MAX_UNPACKED_BYTES,
    *,
    is_only: bool,
) -> Iterator[Dump]:
    """Yield the dumps of a log or a stage as ``stream``. One of several stages has the name of its file.

    Passes that failed and printed no IR have dumps without text.
    """
    named = file.marker or (file.state.marker if file.state is not None else None)
    stage = named or (None if is_only else Path(file.path).name)
    return stream(file.path, file.program, stage, advance, max_unpacked_bytes, with_failed=True)


def without_ops(dump: Dump) -> InputError | None:
    """Return the error of a dump in which no line begins an op; None if it is an empty module.

    That is made of comments, aliases and resources; below a marker, of log lines and diagnostics, too.
    """
    data, end = dump.source.data, dump.span.end
    is_marked = dump.marker is not None and dump.span.start > 0
    offset = text_start(dump.source, dump.span)
    while offset < end:
        known = end_of_definitions(dump.source, Span(offset, end))
        if known == offset:
            known = match_end(_COMMENT_OR_RESOURCES, data, offset, end)
        if known == offset and is_marked:
            known = noise_end(data, offset, end) or offset
        if known == offset:
            unnamed = dump.source.error(offset, NO_OP_BELOW if is_marked else NOT_MLIR)
            return disguise(dump.source, Span(dump.span.start, end), has_ops=False) or unnamed
        offset = text_start(dump.source, Span(known, end))
    return None


def rewritten(dumps: Sequence[Dump], rewrite: Callable[[Dump], bytes]) -> bytes:
    """Return the text of the dumps' source, with each dump replaced by its rewritten text.

    Raises:
        ValueError: there is no dump, or the dumps have several sources.
    """
    if len({id(dump.source) for dump in each_dump(dumps)}) != 1:
        raise ValueError("expected dumps of one source")
    source = dumps[0].source
    data = source.file.data
    return splice(data, Span(0, len(data)), [source.in_file(dump.span, rewrite(dump)) for dump in dumps])


def find_dumps(source: Source, program: str = "", stage: str | Marker | None = None) -> list[Dump]:
    """Return the dumps of one source, in order of appearance.

    ``// -----`` lines split a source without markers into several dumps. After a marker, a compiler prints
    one op. A module or function after that op is a dump of its own, and other text is none. IR before the
    first marker is a dump, too: the module that the compiler wrote to the same stream.

    Args:
        source: the text to split.
        program: the program that its dumps are states of. Another program begins after a ``// -----`` line,
            and where a stage of a compiler repeats.
        stage: the marker of a source without markers; or its name, unless its file name implies a pass.

    Raises:
        InputError: the source is MLIR bytecode, LLVM IR or HLO.
    """
    if source.data[:4] == b"ML\xefR":
        name = "" if source.name.startswith("<") else f" {shlex.quote(source.name)}"
        message = f"this is MLIR bytecode; print it as text first: mlir-opt{name}"
        raise InputError(source.name, Position(1, 1), message)
    if failed := [check.source for check in failed_checks(source)]:
        programs = [program, *(f"{program}#{number}" for number in range(1, len(failed)))]
        of_each = zip(failed, programs, strict=True)
        return [dump for one, name in of_each for dump in find_dumps(one, name, stage)]
    markers = list(find_markers(source.data))
    bare = without_prefixes(source, [place for place, _ in markers])
    if bare is not source:
        source, markers = bare, list(find_markers(bare.data))
    end = Span(len(source.data), len(source.data))
    splitter = _Splitter(program)
    markers = markers or _titles(source)
    if not markers:
        if foreign := foreign_marker(source):
            raise foreign
        start = match_end(_COMMENTS, source.data, 0, end.end)
        other = other_text(source.data, start, end.end)
        if other is not None and not begins_ir(source.data, Span(start, other[0])):
            raise source.error(*other)
        own = stage if isinstance(stage, Marker) else file_marker(source.name)
        named = Marker(stage, stage, None) if isinstance(stage, str) else None
        return splitter.pieces(source, Span(0, end.end), own or named, must_hold_ir=False)
    marked = pairwise([(Span(0, 0), None), *markers, (end, None)])
    return [
        dump
        for (place, marker), (following, _) in marked
        for dump in splitter.split(source, Span(place.end, following.start), place, marker)
    ]


def _titles(source: Source) -> list[tuple[Span, Marker | None]]:
    """Return the lines that name the modules of a text, unless these are of several programs."""
    titles = find_titles(source)
    ends = [*(place.start for place, _ in titles[1:]), len(source.data)]
    modules = [
        Dump(source, Span(place.end, end), marker, 0)
        for (place, marker), end in zip(titles, ends, strict=False)
    ]
    has_passes = all(marker.when is not None for _, marker in titles)
    if not has_passes and any(_are_apart(*both) for both in pairwise(modules)):
        return []
    return [*titles]


class _Between(NamedTuple):
    """The bytes from a marker to the next."""

    data: bytes  # the bytes; the whole file if it has no marker
    place: Span  # where the marker is in them
    marker: Marker | None  # the marker; None if it ends a dump, and above the first one
    prefix: bytes  # what stands before the marker on its line; above the first one, what stands before that
    is_file: bool = False  # whether the file has no marker


def _between_markers(blocks: Iterable[bytes]) -> Iterator[_Between]:
    """Yield what is above the first marker of a file, then what is from each marker to the next."""
    parts: list[memoryview] = []
    place, marker = Span(0, 0), None
    prefix: bytes | None = None
    for lines in whole_lines(blocks):
        start = end = 0
        for found, next_marker in find_markers(lines):
            parts.append(memoryview(lines)[start : found.start])
            own = prefix_of(lines, end, found.start)
            following = prefix or b"" if own is None else own
            yield _Between(b"".join(parts), place, marker, following if prefix is None else prefix)
            parts, (start, end), prefix = [], found, following
            place, marker = Span(0, found.end - found.start), next_marker
        parts.append(memoryview(lines)[start:])
    yield _Between(b"".join(parts), place, marker, prefix or b"", is_file=prefix is None)


class _Splitter:
    """Divides what is between markers into dumps.

    Most passes change nothing. So the last text below a marker is kept, with the length of its dump, if it
    has no other dump and begins no program: an equal text is divided without a look at it.
    """

    def __init__(self, program: str, *, with_failed: bool = False) -> None:
        self._program = program
        self._with_failed = with_failed
        self._number = 0
        self._stages: set[str] = set()
        self._last: tuple[Source, Span, int] | None = None
        self._above: tuple[Source, Span] | None = None  # the text without a marker above the next dump
        self._begin: Dump | None = None  # the last module of the pass that showed the first one
        self._module: Dump | None = None  # the last module of any pass

    def split(self, source: Source, span: Span, place: Span, marker: Marker | None) -> list[Dump]:
        """Return the dump of a marker, which is at ``place``, and the dumps without marker after it."""
        if marker is None:
            self._above = source, span
            return self.pieces(source, mlir_in(source, span, span.start), None, must_hold_ir=True)
        if marker.when is None and marker.class_name != PRINTED:
            self._enter(marker.pass_name)
        if self._last is not None and _is_same_text(source, span, *self._last[:2]):
            return self._marked(source, Span(span.start, span.start + self._last[2]), place, marker)
        number = self._number
        brace = max(source.data.find(b"\n}", span.start, span.end), span.start)
        mlir = mlir_in(source, span, brace)
        end = _end_of_first_op(source, separated(source, mlir)[0], brace)
        dumps = self._marked(source, Span(span.start, end), place, marker)
        others = self.pieces(source, Span(end, mlir.end), None, must_hold_ir=True, is_behind=True)
        is_alone = not others and self._number == number
        self._last = (source, span, end - span.start) if is_alone else None
        return dumps + others

    def _marked(self, source: Source, span: Span, place: Span, marker: Marker) -> list[Dump]:
        """Return the dump of a marker; none if there is no text, or only what a crash left."""
        start = text_start(source, span)
        if is_left_by_crash(source, span, is_failed=marker.failed):
            span, start = Span(span.start, span.start), span.start
            marker = marker._replace(failed=marker.failed or marker.when == "after")
        elif start < span.end and (marker.when is not None or marker.class_name == PRINTED):
            self._follow(Dump(source, span, marker, 0))
        if start == span.end and not (marker.failed and self._with_failed):
            return []
        line, first_line = source.line_at(place.start), source.line_at(start)
        above, self._above = self._above, None
        return [Dump(source, span, marker, line, self._name, first_line, above=above)]

    def _follow(self, dump: Dump) -> None:
        """Begin another program where the passes begin again, with a module of another name or content.

        A module inside another one is also apart from those around it, but its passes are others.
        """
        if _module_in(dump) is None:
            return
        begins = self._begin is None or self._begin.place.moment == dump.place.moment
        if (
            begins
            and self._begin
            and self._module
            and all(_are_apart(known, dump) for known in (self._module, self._begin))
        ):
            self._next_program()
        self._module = dump
        self._begin = dump if begins else self._begin

    def pieces(
        self,
        source: Source,
        span: Span,
        marker: Marker | None,
        *,
        must_hold_ir: bool,
        is_behind: bool = False,
    ) -> list[Dump]:
        """Return the dumps between ``// -----`` lines; behind a marked op, only modules and functions."""
        dumps = []
        for number, piece in enumerate(separated(source, span)):
            if number:
                self._next_program()
            for one in _behind(source, piece) if is_behind else (piece,):
                start = text_start(source, one)
                is_empty = start == one.end
                if not is_empty and (not must_hold_ir or begins_ir(source.data, one)):
                    line = source.line_at(start)
                    dumps.append(Dump(source, one, marker, line, self._name, line))
        return dumps

    @property
    def _name(self) -> str:
        return f"{self._program}#{self._number}" if self._number else self._program

    def _enter(self, stage: str) -> None:
        """Each program passes every stage once."""
        if stage in self._stages:
            self._next_program()
        self._stages.add(stage)

    def _next_program(self) -> None:
        self._number += 1
        self._stages.clear()
        self._begin = self._module = None


def first_symbol(dump: Dump) -> bytes | None:
    """Return the first symbol of an op with a region in the dump, as it is written; None without one."""
    match = _SYMBOLS.search(dump.source.data, *dump.span)
    return match and (match[1] or match[0])


def module_lines(dump: Dump) -> list[int]:
    """Return the 1-based lines on which the outermost modules of a dump begin, if they are not indented."""
    found = _MODULE_LINE.finditer(dump.source.data, *dump.span)
    return [dump.source.line_at(match.start()) for match in found]


def _module_in(dump: Dump) -> re.Match[bytes] | None:
    start = start_of_first_op(dump.source, dump.span)
    return _MODULE.match(dump.source.data, start, dump.span.end)


def _are_apart(module: Dump, other: Dump) -> bool:
    """Whether two modules have different names, or none and no symbol in common but private ones."""
    symbols = [_symbols(dump) for dump in (module, other)]
    first, second = (match and match["name"] for match in map(_module_in, (module, other)))
    if first and second:
        return bool(first != second)
    return all(symbols) and symbols[0].isdisjoint(symbols[1])


def _symbols(dump: Dump) -> set[bytes]:
    """Return the symbols of a module: of those ops that are not private, if there are any."""
    data, found, public = dump.source.data, set[bytes](), set[bytes]()
    for match in _SYMBOLS.finditer(data, *dump.span):
        text = data[match.start() : line_end(data, match.end(), dump.span.end)]
        found.add(match[1] or match[0])
        if not any(word in text for word in _PRIVATE):
            public.add(match[1] or match[0])
    return public or found


def _end_of_first_op(source: Source, span: Span, brace: int = 0) -> int:
    """Return the end of a marked dump: after the op and the aliases directly below it.

    No line before ``brace`` begins with a closing brace.

    What else a pass prints there, such as statistics or one op, is no IR of the dump. But if braces do not
    match, or the body of an op goes on, the text is damaged, and all of it is read.
    """
    data, start = source.data, start_of_first_op(source, span)
    brace = data.find(b"\n}", max(start, brace), span.end)
    line_end = data.find(b"\n", brace + 1, span.end)
    if brace < 0 or line_end < 0:
        return span.end
    holds_ir = begins_ir(data, Span(brace + 2, span.end))
    if holds_ir and not _OTHER_LINE.search(data, line_end, span.end):
        return _last_line_end(data, Span(line_end + 1, span.end))
    end = _end_of_aliases(source, Span(line_end + 1, span.end))
    closed = closing_line(data, Span(start, span.end)) if _holds_more(source, Span(end, span.end)) else None
    if closed is None or _is_damaged(data[closed : span.end]):
        return end if holds_ir else span.end
    end = _end_of_aliases(source, Span(closed, span.end))
    resources = FILE_METADATA.match(data, text_start(source, Span(end, span.end)), span.end)
    return resources.end() if resources else end


def _is_damaged(text: bytes) -> bool:
    """Whether the text behind an op is a part of IR: its braces do not match, or the body goes on."""
    rest = without_noise(b"\n" + text)
    return bool(opened_braces(rest, Span(0, len(rest))) or _GOES_ON.match(text))


def _holds_more(source: Source, span: Span) -> bool:
    """Whether there is a line that is neither blank nor of a logger."""
    offset = text_start(source, span)
    while offset < span.end:
        end = noise_end(source.data, offset, span.end)
        if end is None:
            return True
        offset = text_start(source, Span(end, span.end))
    return False


def _behind(source: Source, span: Span) -> list[Span]:
    """Return the modules and functions in the text behind the op of a marker, with the aliases above them.

    Those that follow one another directly are one dump.
    """
    found = list[Span]()
    while (start := module_start(source.data, span)) is not None:
        end = _end_of_first_op(source, Span(start, span.end))
        if found and text_start(source, Span(found[-1].end, start)) == start:
            found[-1] = Span(found[-1].start, end)
        else:
            found.append(Span(start, end))
        span = Span(end, span.end)
    return found


def closed_end(dump: Dump) -> int | None:
    """Return the end of the only op of a dump and its aliases; None if no line closes the op."""
    (data, span), offset = (dump.source.data, dump.span), start_of_first_op(dump.source, dump.span)
    while (brace := data.find(b"\n}", offset, span.end)) >= 0:
        offset = line_end(data, brace + 1, span.end)
        if not data[brace:offset].rstrip().endswith(b"{"):  # it opens no further region
            return _end_of_aliases(dump.source, Span(min(offset + 1, span.end), span.end))
    return None


def text_below(dump: Dump, end: int | None) -> Span:
    """Return the text from the ``closed_end`` of a dump's op to the next marker."""
    data, end = dump.source.data, dump.span.end if end is None else end
    line = max(data.rfind(b"\n", 0, end) + 1, dump.span.start)
    following, _ = next(find_markers(data, line), (Span(len(data), 0), None))
    return Span(end, max(following.start, end))


def _last_line_end(data: Text, span: Span) -> int:
    """Return the end of the last line that is not blank."""
    end = span.end
    while end > span.start and data[end - 1] in b" \t\r\n":
        end -= 1
    line_end = data.find(b"\n", end, span.end) if end > span.start else span.start - 1
    return line_end + 1 if line_end >= 0 else span.end


def start_of_first_op(source: Source, span: Span) -> int:
    """Return the start of the op below the aliases. Like an op, an alias may contain braces."""
    end = span.start
    while True:
        start = text_start(source, Span(end, span.end))
        end = _end_of_aliases(source, Span(start, span.end))
        if end == start:
            return start


def _end_of_aliases(source: Source, span: Span) -> int:
    """Return the end of the alias table that begins here. A logger may have printed in between."""
    end = offset = span.start
    while True:
        end_of_lines = end_of_definitions(source, Span(offset, span.end))
        if end_of_lines > offset:
            end = offset = end_of_lines
        noise = noise_end(source.data, offset, span.end)
        if noise is None:
            return end
        offset = min(noise + 1, span.end)
