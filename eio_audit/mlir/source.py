"""The bytes of a dump, and the only place where byte offsets become lines and columns.

Files are read whole or in blocks. gzip, bzip2 and xz are recognized by their first bytes and unpacked. What
reads a file raises UnreadableFileError, and ``Source`` an InputError.
"""

from __future__ import annotations

import mmap
import os
import re
import shlex
import sys
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import cached_property, partial
from importlib import import_module
from io import BufferedReader, FileIO
from itertools import accumulate
from types import ModuleType
from typing import IO, NamedTuple, TypeAlias, TypeVar, cast

Text: TypeAlias = bytes | mmap.mmap
"""The content of a file. Both types have slices, ``find`` and ``rfind``."""
_MODULES = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\x00": "lzma"}
"""By the first bytes of a compressed file, the module that unpacks it."""
_CONVERTED_BY = {
    b"\xff\xfe": ("UTF-16 text; convert it", "iconv -f UTF-16 -t UTF-8"),  # some shells redirect output so
    b"\xfe\xff": ("UTF-16 text; convert it", "iconv -f UTF-16 -t UTF-8"),
    b"\x28\xb5\x2f\xfd": ("compressed with zstd; unpack it", "zstd -d"),
    b"\x04\x22\x4d\x18": ("compressed with lz4; unpack it", "lz4 -d"),
    b"\x1f\x9d": ("compressed with compress; unpack it", "uncompress"),
    b"PK\x03\x04": ("a zip archive; unpack it", "unzip"),
    b"7z\xbc\xaf\x27\x1c": ("a 7z archive; unpack it", "7z x"),
    b"Rar!\x1a\x07": ("a rar archive; unpack it", "unrar x"),
}
"""By the first bytes of what is not unpacked here, what it is, and the command that does it."""
_TAR = slice(257, 262), b"ustar"  # where a tar archive says that it is one, and how
MAX_UNPACKED_BYTES = 1_000_000_000  # by default, the most bytes that a file may unpack to
BLOCK_BYTES = 1 << 20  # the number of bytes to read or unpack at a time
LONGEST_BUG = 200  # the most characters of an exception that only a bug can raise
LARGE_FILE = 1 << 24
"""The size from which a file is read into large memory pages. This is several times faster."""
FileState: TypeAlias = tuple[int, int, int, int, int]
"""Device, inode, size and times of a file. It changes if the file is written or replaced.

The second time, ``ctime``, cannot be set: a program that restores the first one changes it.
"""


class UnreadableFileError(Exception):
    """A file cannot be opened, is damaged, or unpacks to too much. The message says which."""


def file_state(path: str | os.PathLike[str]) -> FileState | None:
    """Return the state of the file at a path, or None without one, as for standard input."""
    with suppress(OSError, ValueError):
        found = os.stat(path)  # noqa: PTH116 - a string is as good
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
    return None


def read_file(path: str, max_unpacked_bytes: int, large_bytes: int = LARGE_FILE) -> tuple[Text, bool]:
    """Return the whole content of a file, or of standard input for ``-``, and whether it was compressed."""
    with _opened(path) as (file, unpacker):
        if unpacker is None:
            return file.read() if path == "-" else _content(file, large_bytes), False
        return b"".join(_unpacked(file, path, unpacker, max_unpacked_bytes)), True


def read_blocks(
    path: str, advance: Callable[[int], None], max_unpacked_bytes: int = MAX_UNPACKED_BYTES
) -> Iterator[bytes]:
    """Yield a file, or standard input for ``-``, in blocks. ``advance`` gets the size of each.

    What a running program writes to standard input is yielded as soon as it is there.
    """
    with _opened(path) as (file, unpacker):
        blocks = iter(partial(file.read1 if path == "-" else file.read, BLOCK_BYTES), b"")
        done = 0
        for block in blocks if unpacker is None else _unpacked(file, path, unpacker, max_unpacked_bytes):
            read = file.tell() if file.seekable() else done + len(block)
            advance(read - done)
            done = read
            yield block


def numbered_lines(
    path: str, numbers: Collection[int], max_unpacked_bytes: int = MAX_UNPACKED_BYTES
) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file with the given 1-based numbers, each without its line end."""
    number, last = 0, max(numbers, default=0)
    for block in whole_lines(read_blocks(path, lambda _: None, max_unpacked_bytes)):
        for line in block.split(b"\n")[: -1 if block.endswith(b"\n") else None]:
            number += 1
            if number in numbers:
                yield number, line.rstrip(b"\r")
        if number >= last:
            return


def whole_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the same bytes in blocks that end at line ends, so that no marker is cut."""
    parts: list[bytes | memoryview] = []
    for block in blocks:
        end = block.rfind(b"\n") + 1
        if not end:
            parts.append(block)
            continue
        yield b"".join([*parts, memoryview(block)[:end]])
        parts = [block[end:]]
    yield b"".join(parts)


@contextmanager
def _opened(path: str) -> Iterator[tuple[BufferedReader, ModuleType | None]]:
    """Open a file. Return it and the module that unpacks it, or None if it is not compressed."""
    unpacker = None
    try:
        with nullcontext(sys.stdin.buffer) if path == "-" else BufferedReader(FileIO(path)) as opened:
            file = cast(BufferedReader, opened)
            head = file.peek(_TAR[0].stop)
            module = next((module for magic, module in _MODULES.items() if head.startswith(magic)), None)
            unpacker = None if module is None else import_module(module)
            _refuse_packed(head, path)
            yield file, unpacker
    except _damage_errors() as error:
        if unpacker is not None:
            raise UnreadableFileError(f"damaged compressed file: {error}") from error
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise UnreadableFileError(f"cannot read: {reason}") from error


def _refuse_packed(head: bytes, path: str) -> None:
    """Raise an error for the start of a file that another program has to unpack or convert."""
    known = next((known for magic, known in _CONVERTED_BY.items() if head.startswith(magic)), None)
    if head[_TAR[0]] == _TAR[1]:
        known = "a tar archive; unpack it", "tar xf"
    if known is not None:
        name = "" if path == "-" else f" {shlex.quote(path)}"
        raise UnreadableFileError(f"this is {known[0]} first: {known[1]}{name}")


def _damage_errors() -> tuple[type[Exception], ...]:
    """Return the errors of reading; those of ``lzma`` and ``zlib`` only if they were imported to unpack."""
    own = (("lzma", "LZMAError"), ("zlib", "error"))
    raised = [getattr(sys.modules[module], name) for module, name in own if module in sys.modules]
    return OSError, EOFError, ValueError, *raised


def _content(file: BufferedReader, large_bytes: int) -> Text:
    """Return the current content of a file. A large one goes into large memory pages where possible."""
    size = os.fstat(file.fileno()).st_size
    if not size:  # a pipe, or an empty file
        return file.read()
    if size < large_bytes:
        raw = cast(FileIO, file.raw)  # reading from the buffer would copy
        raw.seek(0)
        return raw.readall()
    content = mmap.mmap(-1, size, access=mmap.ACCESS_COPY)
    with suppress(AttributeError, OSError):
        content.madvise(mmap.MADV_HUGEPAGE)
    if file.readinto(content) == size:
        return content
    file.seek(0)  # the file was truncated meanwhile
    return file.read()


def _unpacked(file: BufferedReader, path: str, unpacker: ModuleType, max_bytes: int) -> Iterator[bytes]:
    """Yield the content of a compressed file. If the file can be read twice, measure its size first."""
    if file.seekable():
        start = file.tell()
        for _ in unpacked_blocks(unpacker.open(file), max_bytes):
            pass
        file.seek(start)
    blocks = unpacked_blocks(unpacker.open(file), max_bytes)
    for block in blocks:
        _refuse_packed(block, path)
        yield block
        break
    yield from blocks


def unpacked_blocks(file: IO[bytes], max_bytes: int) -> Iterator[bytes]:
    """Yield the unpacked content in blocks; an error if it is more than ``max_bytes``."""
    size = 0
    while size <= max_bytes:
        block = file.read(min(BLOCK_BYTES, max_bytes - size + 1))
        if not block:
            return
        size += len(block)
        if size <= max_bytes:
            yield block
    limit = _size(max_bytes)
    raise UnreadableFileError(f"it unpacks to more than {limit}; --config max-size=SIZE allows more")


def _size(size_bytes: int) -> str:
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size_bytes >= unit:
            return f"{size_bytes / unit:g} {name}"
    return f"{size_bytes:g} bytes"


STEERING = (
    "[\x00-\x1f\x7f-\x9f"  # control characters, including those of 8 bits
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"  # Unicode line ends and changes of direction
    "\ufffe\uffff\ud800-\udfff]"  # noncharacters and broken encoding
)
"""A character that controls terminals, reverses text, or is invalid in XML. No line of IR needs one."""
_STEERING_IN_JSON = rf"(?![\x00-\x1f]){STEERING}"
EXCERPT_WIDTH = 100  # the most characters of a line that an error message shows
AT_ONCE = 1 << 16  # how many bytes are looked at in one step
_CUT = "..."
COUNTED_AT_ONCE = 1 << 12
"""The bytes whose line ends are counted at one time. They are counted again for each line in them."""
Item = TypeVar("Item")
Part = TypeVar("Part")


def decoded(data: bytes) -> str:
    """Return bytes as text. What is not UTF-8 becomes a replacement character."""
    return data.decode("utf-8", "replace")


def printable(text: str) -> str:
    r"""Return the text on one line, with control characters and broken encoding escaped.

    >>> print(printable("a\x1b[1m\u202e"))
    a\x1b[1m\u202e
    """
    return text if text.isprintable() else re.sub(STEERING, _written_out, text)


def printable_lines(text: str) -> str:
    """Return a text of several lines with the same characters escaped."""
    return "\n".join(map(printable, text.split("\n")))


def printable_in_json(text: str) -> str:
    r"""Return the JSON with the same characters as JSON escapes, so that its meaning stays.

    >>> print(printable_in_json('"\u202e"'))
    "\u202e"
    """
    return re.sub(_STEERING_IN_JSON, lambda match: f"\\u{ord(match[0]):04x}", text)


def _written_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


class Span(NamedTuple):
    """A byte range of a dump: 0-based offsets, half-open."""

    start: int
    end: int


class Position(NamedTuple):
    """A place in a dump: 1-based line, 1-based column in characters."""

    line: int
    column: int


class Affix(NamedTuple):
    """What a line of a file has and a text that was made of the file lacks: at its start and at its end."""

    before: bytes = b""
    after: bytes = b""


class InputError(Exception):
    """Input that cannot be read, with the place and the line where reading stopped.

    Attributes:
        source: the name of the file in messages.
        position: the place, or None for the file as a whole.
        message: what was expected, one line, no trailing period.
        excerpt: the line and a caret below it. Empty without a position.
    """

    def __init__(self, source: str, position: Position | None, message: str, excerpt: str = "") -> None:
        super().__init__(message)
        self.source = source
        self.position = position
        self.message = message
        self.excerpt = excerpt

    def __reduce__(self) -> tuple[object, ...]:
        """All that it was made of, for another process."""
        return InputError, (self.source, self.position, self.message, self.excerpt)

    def shifted(self, source: str, to: str, lines: int) -> InputError:
        """The same error of the same text in another file, so many lines further down."""
        where = self.position and self.position._replace(line=self.position.line + lines)
        return InputError(to if self.source == source else self.source, where, self.message, self.excerpt)

    def __str__(self) -> str:
        return self.fitted(sys.maxsize)

    def fitted(self, width: int) -> str:
        """Return the message with the excerpt cut around the caret to ``width`` terminal columns."""
        where = f":{self.position.line}:{self.position.column}" if self.position else ""
        head = printable(f"{self.source}{where}: error: {self.message}")
        excerpt = cut_excerpt(self.excerpt, width) if self.position else self.excerpt
        return f"{head}\n{excerpt}" if excerpt else head


@contextmanager
def bugs_are_errors(source: str, line: int, expected: type[Exception] | tuple[()] = ()) -> Iterator[None]:
    """Turn an exception that only a bug can raise into an error of the dump at a line: the others go on.

    What is ``expected`` stays as it is, as do an InputError and what the system reports.
    """
    try:
        yield
    except (InputError, MemoryError, OSError):
        raise
    except expected:
        raise
    except Exception as error:
        raise InputError(source, Position(line, 1), bug_message(error)) from error


def bug_message(error: Exception) -> str:
    """Return one line that says what happened, where in the program, and how to report it."""
    from traceback import extract_tb

    place = extract_tb(error.__traceback__)[-1]
    where = f"{os.path.basename(place.filename)}:{place.lineno}"  # noqa: PTH119
    what = printable(f"{type(error).__name__}: {error}"[:LONGEST_BUG])
    attached = "the input and what 'eio-audit --version' prints"
    return f"this is a bug of eio-audit: {what} ({where}); please report it with {attached}"


def read_all(
    items: Iterable[Item],
    read: Callable[[Item], Iterable[Part]],
    errors: list[InputError],
    done: Callable[[], None] = lambda: None,
) -> Iterator[Part]:
    """Yield what ``read`` gives for each item. One that cannot be read adds an error, and the next follows.

    ``done`` is called after each item.
    """
    for item in items:
        try:
            yield from read(item)
        except InputError as error:
            errors.append(error)
        done()


class Source:
    r"""The bytes of one file, or of a part of it, and their line numbers.

    Only ``\n`` ends a line. The bytes are never decoded as a whole. So any file can be read, and unchanged
    text stays the same to the byte. A part begins on line ``first_line`` of the file and lacks ``indent``
    columns at the start of each line. A text put together from several parts has ``places`` instead: per
    line, its 1-based line in the file, and the columns that it lacks at its start. ``path`` is the file whose
    content it is, None for other text. ``file`` is the text of the file if ``without`` took some of it away.

    A reader calls ``reached`` with the offset up to which it has read.
    """

    def __init__(
        self,
        name: str,
        data: Text,
        *,
        is_compressed: bool = False,
        first_line: int = 1,
        indent: int = 0,
        places: Sequence[tuple[int, int]] = (),
        path: str | None = None,
    ) -> None:
        self.name = name
        self.data = data
        self.path = path
        self.is_compressed = is_compressed
        self.state: FileState | None = None  # of the file at `path`, before it was read
        self.reached: Callable[[int], None] = lambda _: None
        self._first_line = first_line
        self._indent = indent
        self._places = places
        self._whole: Source | None = None
        self._affixes: Sequence[Affix] = ()
        self._lines_before = array("q", [0])  # by COUNTED_AT_ONCE bytes, as far as asked for

    @classmethod
    def read(cls, path: str, max_unpacked_bytes: int = MAX_UNPACKED_BYTES) -> Source:
        """Read a file, or standard input for ``-``. Unpack gzip, bzip2 and xz, by their first bytes.

        Raises:
            InputError: the file cannot be opened, or is compressed and damaged or too large.
        """
        read_from, state = (None, None) if path == "-" else (path, file_state(path))
        try:
            data, is_compressed = read_file(path, max_unpacked_bytes)
        except UnreadableFileError as error:
            raise InputError(source_name(path), None, str(error)) from error
        source = cls(source_name(path), data, is_compressed=is_compressed, path=read_from)
        source.state = state
        return source

    def __reduce__(self) -> tuple[object, ...]:
        """The bytes and what tells their place, for another process."""
        compressed, line, indent = self.is_compressed, self._first_line, self._indent
        make = partial(Source, is_compressed=compressed, first_line=line, indent=indent, places=self._places)
        return make, (self.name, bytes(self.data))

    def part(self, lines: Span, first_line: int) -> Source:
        """Return some whole lines as a source of their own. They begin on line ``first_line``."""
        data = bytes(self.data[lines.start : lines.end])
        first = self._line_at(lines.start) - self._first_line if self._places else 0
        places = self._places[first : first + _lines_in(data) + 1]
        return Source(self.name, data, first_line=first_line, indent=self._indent, places=places)

    @property
    def file(self) -> Source:
        """The text of the file, of which this is all, or all but some affixes of lines."""
        return self._whole or self

    def without(self, affixes: Sequence[Affix], lines: Sequence[bytes]) -> Source:
        """Return this text without what each of its lines is to lose. ``lines`` are its lines."""
        bare = [
            line[len(affix.before) : len(line) - len(affix.after)]
            for line, affix in zip(lines, affixes, strict=True)
        ]
        columns = [len(decoded(affix.before)) for affix in affixes]
        places = [(line, self._indent + column) for line, column in enumerate(columns, self._first_line)]
        source = Source(
            self.name,
            b"\n".join(bare),
            is_compressed=self.is_compressed,
            first_line=self._first_line,
            places=places,
        )
        source._whole, source._affixes = self, affixes
        return source

    def in_file(self, span: Span, text: bytes) -> tuple[Span, bytes]:
        """Return where in the file a span of this text is, and what to write there instead of it.

        Each line of ``text`` gets what the line of its number in the span lacks.
        """
        if self._whole is None:
            return span, text
        first, last = (self._line_at(offset) - self._first_line for offset in span)
        place = Span(span.start + self._lost_before[first], span.end + self._lost_before[last])
        new, parts = text.split(b"\n"), list[bytes]()
        of_text = [k for k in range(first, last + 1) if self._bare[k].strip()]
        for number, line in enumerate(new):
            like = last if number == len(new) - 1 else min(first + number, last)
            if line.strip() and not self._bare[like].strip():  # its affix may lack blanks
                like = min(((abs(k - like), k) for k in of_text), default=(0, like))[1]
            before, after = self._affixes[like]
            parts += [before if number else b"", line, after + b"\n" if number < len(new) - 1 else b""]
        return place, b"".join(parts)

    @cached_property
    def _bare(self) -> list[bytes]:
        return self.data[:].split(b"\n")

    @cached_property
    def _lost_before(self) -> list[int]:
        """By line, how many bytes the text lacks before the first byte that it has of that line."""
        after = accumulate((len(affix.before) + len(affix.after) for affix in self._affixes), initial=0)
        return [lost + len(affix.before) for lost, affix in zip(after, self._affixes, strict=False)]

    def line_at(self, offset: int) -> int:
        """Return the 1-based line of the byte at ``offset``."""
        line = self._line_at(offset)
        return self._places[line - self._first_line][0] if self._places else line

    def _line_at(self, offset: int) -> int:
        """Return the line of an offset as if the whole text were one part. Each byte is counted once."""
        lines, data = self._lines_before, self.data
        begin = offset - offset % COUNTED_AT_ONCE
        for start in range((len(lines) - 1) * COUNTED_AT_ONCE, begin, COUNTED_AT_ONCE):
            lines.append(lines[-1] + _lines_in(data[start : start + COUNTED_AT_ONCE]))
        return self._first_line + lines[begin // COUNTED_AT_ONCE] + _lines_in(data[begin:offset])

    def position_at(self, offset: int) -> Position:
        """Return the line and column of the byte at ``offset``. Columns count characters, not bytes."""
        line_start = self.data.rfind(b"\n", 0, offset) + 1
        before = self.data[line_start:offset]
        line = self._line_at(offset)
        line, indent = self._places[line - self._first_line] if self._places else (line, self._indent)
        return Position(line, indent + len(decoded(before)) + 1)

    def error(self, offset: int, message: str) -> InputError:
        """Return an InputError at ``offset`` with its line and a caret. Long lines are cut around it."""
        offset = min(offset, len(self.data))
        line_start = self.data.rfind(b"\n", 0, offset) + 1
        end_of_line = line_end(self.data, offset, len(self.data))
        cut_start = max(line_start, offset - EXCERPT_WIDTH // 2)
        cut_end = min(end_of_line, cut_start + EXCERPT_WIDTH)
        before, after = (_printable(self.data[a:b]) for a, b in ((cut_start, offset), (offset, cut_end)))
        lead = _CUT if cut_start > line_start else ""
        tail = _CUT if cut_end < end_of_line else ""
        indent = "".join("\t" if c == "\t" else " " for c in lead + before)
        excerpt = f"{lead}{before}{after}{tail}\n{indent}^"
        return InputError(self.name, self.position_at(offset), message, excerpt)


def source_name(path: str) -> str:
    """Return the name of a path in messages: ``<stdin>`` for ``-``."""
    return "<stdin>" if path == "-" else path


def splice(data: Text, span: Span, edits: Iterable[tuple[Span, bytes]]) -> bytes:
    """Return the text of a span with the edits applied. Edits are in any order and do not overlap."""
    view = memoryview(data)
    parts: list[bytes | memoryview] = []
    offset = span.start
    for replaced, new in sorted(edits, key=lambda edit: edit[0].start):
        parts += [view[offset : replaced.start], new]
        offset = replaced.end
    return b"".join([*parts, view[offset : span.end]])


def line_end(data: Text, offset: int, end: int) -> int:
    """Return where the line that holds ``offset`` ends, at most ``end``."""
    found = data.find(b"\n", offset, end)
    return end if found < 0 else found


def line_ends(data: Text) -> list[int]:
    """Return the offset after each line of a text, as if a line end followed the last one."""
    return [*accumulate(len(line) + 1 for line in data[:].split(b"\n"))]


def find_all(data: Text, text: bytes, span: Span) -> Iterator[int]:
    """Yield where ``text`` occurs, but not in long strings in hexadecimal. No two of these overlap."""
    first = data.find(text[:1], *span)  # a byte is found ten times as fast as a text
    if first < 0:
        return
    escaped = re.escape(text)
    pattern = re.compile(escaped)  # finds a short text in half the time of ``bytes.find``
    for part in without_constants(data, Span(first, span.end)):
        for match in pattern.finditer(data, *part):
            yield match.start()


def without_constants(data: Text, span: Span) -> Iterator[Span]:
    """Yield the text of a span without what is in its long strings in hexadecimal.

    A stretch of AT_ONCE bytes whose last quote begins such a string shows that it is long.
    """
    start = position = span.start
    while position < span.end:
        limit = min(position + AT_ONCE, span.end)
        quote = data.rfind(b'"', position, limit)
        position = limit
        if quote >= 0 and data[quote + 1 : quote + 3] == b"0x":
            end = data.find(b'"', limit, span.end)
            if end >= 0 and data.find(b"\n", quote, end) < 0:
                yield Span(start, quote + 1)
                start = position = end
    yield Span(start, span.end)


def count_lines(data: Text, start: int, end: int) -> int:
    """Return how many lines end in a byte range. Counts in parts, since a slice is a copy."""
    lines = 0
    for offset in range(start, end, AT_ONCE):
        lines += _lines_in(data[offset : min(offset + AT_ONCE, end)])
    return lines


def _lines_in(part: bytes) -> int:
    # ``count`` looks at each byte. This jumps from line end to line end: three times as fast in IR.
    return len(part) - len(part.replace(b"\n", b""))


def cut_excerpt(excerpt: str, width: int) -> str:
    """Return a line and the caret below it, cut around the caret to ``width`` columns."""
    line, _, caret = excerpt.expandtabs().partition("\n")
    length = max(len(line), len(caret))
    if length <= width or width <= 2 * len(_CUT):
        return excerpt
    start = max(0, min(len(caret) - width // 2, length - width))
    shown = line[start : start + width]
    if start:
        shown = _CUT + shown[len(_CUT) :]
    if start + width < length:
        shown = shown[: -len(_CUT)] + _CUT
    return f"{shown}\n{caret[start:]}"


def _printable(raw: bytes) -> str:
    text = "\t".join(map(printable, decoded(raw).rstrip("\r").split("\t")))
    return "".join(c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in text)
