"""Read files, whole or in blocks. Recognize gzip, bzip2 and xz by their first bytes and unpack them.

All functions raise UnreadableFileError.
"""

from __future__ import annotations

import mmap
import os
import shlex
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from importlib import import_module
from io import BufferedReader, FileIO
from types import ModuleType
from typing import IO, TypeAlias, cast

Text: TypeAlias = bytes | mmap.mmap
"""The content of a file. Both types have slices, ``find`` and ``rfind``."""
_MODULES = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\x00": "lzma"}
"""By the first bytes of a compressed file, the module that unpacks it."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""The byte order marks of UTF-16. Some shells redirect output in UTF-16."""
MAX_UNPACKED_BYTES = 1_000_000_000  # by default, the most bytes that a file may unpack to
BLOCK_BYTES = 1 << 20  # the number of bytes to read or unpack at a time
LARGE_FILE = 1 << 24
"""The size from which a file is read into large memory pages. This is several times faster."""
FileState: TypeAlias = tuple[int, int, int, int]
"""Device, inode, size and time of a file. It changes if the file is written or replaced."""


class UnreadableFileError(Exception):
    """A file cannot be opened, is damaged, or unpacks to too much. The message says which."""


class TooLargeError(UnreadableFileError):
    """A file unpacks to more than the limit."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__(f"it unpacks to more than {_size(max_bytes)}; --config max-size=SIZE allows more")


def file_state(path: str | os.PathLike[str]) -> FileState | None:
    """Return the state of the file at a path, or None without one, as for standard input."""
    with suppress(OSError, ValueError):
        found = os.stat(path)  # noqa: PTH116 - a string is as good
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
    return None


def read_file(path: str, max_unpacked_bytes: int, large_bytes: int = LARGE_FILE) -> tuple[Text, bool]:
    """Return the whole content of a file, or of standard input for ``-``, and whether it was compressed."""
    with _opened(path) as (file, unpacker):
        if unpacker is None:
            return file.read() if path == "-" else _content(file, large_bytes), False
        return b"".join(_unpacked(file, unpacker, max_unpacked_bytes)), True


def read_blocks(
    path: str, advance: Callable[[int], None], max_unpacked_bytes: int = MAX_UNPACKED_BYTES
) -> Iterator[bytes]:
    """Yield a file, or standard input for ``-``, in blocks. ``advance`` gets the size of each.

    What a running program writes to standard input is yielded as soon as it is there.
    """
    with _opened(path) as (file, unpacker):
        blocks = iter(partial(file.read1 if path == "-" else file.read, BLOCK_BYTES), b"")
        done = 0
        for block in blocks if unpacker is None else _unpacked(file, unpacker, max_unpacked_bytes):
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
            head = file.peek(max(map(len, _MODULES)))
            module = next((module for magic, module in _MODULES.items() if head.startswith(magic)), None)
            unpacker = None if module is None else import_module(module)
            if head.startswith(_UTF_16):
                name = "" if path == "-" else f" {shlex.quote(path)}"
                cure = f"convert it first: iconv -f UTF-16 -t UTF-8{name}"
                raise UnreadableFileError(f"this is UTF-16 text; {cure}")
            yield file, unpacker
    except _damage_errors() as error:
        if unpacker is not None:
            raise UnreadableFileError(f"damaged compressed file: {error}") from error
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise UnreadableFileError(f"cannot read: {reason}") from error


def _damage_errors() -> tuple[type[Exception], ...]:
    import lzma
    import zlib

    return OSError, EOFError, ValueError, zlib.error, lzma.LZMAError


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


def _unpacked(file: BufferedReader, unpacker: ModuleType, max_bytes: int) -> Iterator[bytes]:
    """Yield the content of a compressed file. If the file can be read twice, measure its size first."""
    if file.seekable():
        start = file.tell()
        for _ in unpacked_blocks(unpacker.open(file), max_bytes):
            pass
        file.seek(start)
    yield from unpacked_blocks(unpacker.open(file), max_bytes)


def unpacked_blocks(file: IO[bytes], max_bytes: int) -> Iterator[bytes]:
    """Yield the unpacked content in blocks; a TooLargeError if it is more than ``max_bytes``."""
    size = 0
    while size <= max_bytes:
        block = file.read(min(BLOCK_BYTES, max_bytes - size + 1))
        if not block:
            return
        size += len(block)
        if size <= max_bytes:
            yield block
    raise TooLargeError(max_bytes)


def _size(size_bytes: int) -> str:
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size_bytes >= unit:
            return f"{size_bytes / unit:g} {name}"
    return f"{size_bytes:g} bytes"
