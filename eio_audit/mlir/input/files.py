"""Reads files, whole or by blocks; gzip, bzip2 and xz are recognized by their first bytes and unpacked.

All functions raise UnreadableFileError.
"""

from __future__ import annotations

import mmap
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from importlib import import_module
from io import BufferedReader, FileIO
from pathlib import Path
from types import ModuleType
from typing import IO, TypeAlias, cast

Text: TypeAlias = bytes | mmap.mmap
"""The content of a file; of ``bytes`` it has slices, ``find`` and ``rfind``."""

_MODULES = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\x00": "lzma"}
"""By what a compressed file begins with."""

_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""The byte order marks of UTF-16, in which some shells redirect output."""

MAX_UNPACKED_BYTES = 4_000_000_000
"""The most bytes that a file may unpack to by default."""

BLOCK_BYTES = 1 << 20
"""Bytes that are read or unpacked at a time."""

LARGE_FILE = 1 << 24
"""The size from which on a file is read into large pages of memory, which is several times faster."""


class UnreadableFileError(Exception):
    """A file cannot be opened, or is compressed and damaged or too large; the message says which."""


class TooLargeError(UnreadableFileError):
    """A file unpacks to more than it may."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__(f"it unpacks to more than {_size(max_bytes)}; --max-size allows more")


def read_file(path: str, max_unpacked_bytes: int) -> tuple[Text, bool]:
    """A whole file, or standard input for ``-``, and whether it was compressed."""
    with _opened(path) as (file, unpacker):
        if unpacker is None:
            return file.read() if path == "-" else _content(file), False
        return b"".join(_unpacked(file, unpacker, max_unpacked_bytes)), True


def read_blocks(
    path: str, advance: Callable[[int], None], max_unpacked_bytes: int = MAX_UNPACKED_BYTES
) -> Iterator[bytes]:
    """The bytes of a file, or of standard input for ``-``, by blocks; ``advance`` is told their sizes."""
    with _opened(path) as (file, unpacker):
        blocks = iter(partial(file.read, BLOCK_BYTES), b"")
        done = 0
        for block in blocks if unpacker is None else _unpacked(file, unpacker, max_unpacked_bytes):
            read = file.tell() if file.seekable() else done + len(block)
            advance(read - done)
            done = read
            yield block


def whole_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in blocks that end where a line does, so that no marker is cut."""
    parts: list[bytes] = []
    for block in blocks:
        end = block.rfind(b"\n") + 1
        if not end:
            parts.append(block)
            continue
        yield b"".join([*parts, block[:end]])
        parts = [block[end:]]
    yield b"".join(parts)


@contextmanager
def _opened(path: str) -> Iterator[tuple[BufferedReader, ModuleType | None]]:
    """The file and the module that unpacks it, None if it is not compressed."""
    unpacker = None
    try:
        with nullcontext(sys.stdin.buffer) if path == "-" else Path(path).open("rb") as opened:
            file = cast(BufferedReader, opened)
            head = file.peek(max(map(len, _MODULES)))
            module = next((module for magic, module in _MODULES.items() if head.startswith(magic)), None)
            unpacker = None if module is None else import_module(module)
            if head.startswith(_UTF_16):
                cure = "convert it first (iconv -f UTF-16 -t UTF-8 FILE)"
                raise UnreadableFileError(f"this is UTF-16 text: {cure}")
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


def _content(file: BufferedReader) -> Text:
    """A file's content as it is now; of a large one in large pages of memory, where the system has them."""
    size = os.fstat(file.fileno()).st_size
    if not size:  # a pipe, or nothing
        return file.read()
    if size < LARGE_FILE:
        raw = cast(FileIO, file.raw)  # what is in the buffer would be copied
        raw.seek(0)
        return raw.readall()
    content = mmap.mmap(-1, size, access=mmap.ACCESS_COPY)
    with suppress(AttributeError, OSError):
        content.madvise(mmap.MADV_HUGEPAGE)
    if file.readinto(content) == size:
        return content
    file.seek(0)  # it has been cut meanwhile
    return file.read()


def _unpacked(file: BufferedReader, unpacker: ModuleType, max_bytes: int) -> Iterator[bytes]:
    """The content of a compressed file; if it can be read twice, its size is measured first."""
    if file.seekable():
        start = file.tell()
        for _ in unpacked_blocks(unpacker.open(file), max_bytes):
            pass
        file.seek(start)
    yield from unpacked_blocks(unpacker.open(file), max_bytes)


def unpacked_blocks(file: IO[bytes], max_bytes: int) -> Iterator[bytes]:
    """What a file that unpacks as it is read holds, a block at a time.

    Raises:
        TooLargeError: that is more than ``max_bytes``.
    """
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
