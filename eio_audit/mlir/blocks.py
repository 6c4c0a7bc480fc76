"""Files a block at a time, for those that memory is not to hold as a whole."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from io import BufferedIOBase, BufferedReader
from pathlib import Path
from typing import cast

from eio_audit.mlir.packed import damage_errors, unpacker_for
from eio_audit.mlir.source import InputError, source_name

BLOCK_BYTES = 1 << 20
"""How much is read at a time."""


def read_blocks(path: str, advance: Callable[[int], None]) -> Iterator[bytes]:
    """The bytes of a file, ``-`` for standard input, unpacked by the first of them (gzip, bzip2, xz).

    Args:
        path: of the file.
        advance: is told how many bytes more have been read, of the file as it is.

    Raises:
        InputError: the file cannot be opened, or is compressed and damaged.
    """
    name = source_name(path)
    unpacker = None
    try:
        with nullcontext(sys.stdin.buffer) if path == "-" else Path(path).open("rb") as opened:
            file = cast(BufferedReader, opened)
            unpacker = unpacker_for(file.peek(BLOCK_BYTES))
            unpacked: BufferedIOBase = unpacker.open(file) if unpacker else file
            done = 0
            while block := unpacked.read(BLOCK_BYTES):
                read = file.tell() if file.seekable() else done + len(block)
                advance(read - done)
                done = read
                yield block
    except damage_errors() as error:
        if unpacker is not None:
            raise InputError(name, None, f"damaged compressed file: {error}") from error
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise InputError(name, None, f"cannot read: {reason}") from error


def whole_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in stretches that end where a line does, so that no marker is cut."""
    parts: list[bytes] = []
    for block in blocks:
        end = block.rfind(b"\n") + 1
        if not end:
            parts.append(block)
            continue
        yield b"".join([*parts, block[:end]])
        parts = [block[end:]]
    yield b"".join(parts)
