"""Files a block at a time, for those that memory is not to hold as a whole."""

from __future__ import annotations

import bz2
import gzip
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from io import BufferedIOBase, BufferedReader
from pathlib import Path
from typing import BinaryIO, cast

from eio_audit.mlir.source import InputError, source_name

BLOCK_BYTES = 1 << 20
"""How much is read at a time."""

_UNPACKERS: tuple[tuple[bytes, Callable[[BinaryIO], BufferedIOBase]], ...] = (
    (b"\x1f\x8b", lambda file: gzip.GzipFile(fileobj=file)),
    (b"BZh", bz2.BZ2File),
    (b"\xfd7zXZ\x00", lzma.LZMAFile),
)


def read_blocks(path: str, advance: Callable[[int], None]) -> Iterator[bytes]:
    """The bytes of a file, ``-`` for standard input, unpacked by the first of them (gzip, bzip2, xz).

    Args:
        path: of the file.
        advance: is told how many bytes more have been read, of the file as it is.

    Raises:
        InputError: the file cannot be opened, or is compressed and damaged.
    """
    name = source_name(path)
    unpack = None
    try:
        with nullcontext(sys.stdin.buffer) if path == "-" else Path(path).open("rb") as opened:
            file = cast(BufferedReader, opened)
            head = file.peek(BLOCK_BYTES)
            unpack = next((unpack for magic, unpack in _UNPACKERS if head.startswith(magic)), None)
            unpacked: BufferedIOBase = unpack(file) if unpack else file
            done = 0
            while block := unpacked.read(BLOCK_BYTES):
                read = file.tell() if file.seekable() else done + len(block)
                advance(read - done)
                done = read
                yield block
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
        if unpack is not None:
            raise InputError(name, None, f"damaged compressed file: {error}") from error
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise InputError(name, None, f"cannot read: {reason}") from error
