"""Files a block at a time, for those that memory is not to hold as a whole."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import cast

from eio_audit.mlir.input.compression import (
    BLOCK_BYTES,
    MAX_UNPACKED_BYTES,
    TooLargeError,
    damage_errors,
    unpacked_blocks,
    unpacker_for,
)
from eio_audit.mlir.source import InputError, source_name


def read_blocks(
    path: str, advance: Callable[[int], None], max_unpacked_bytes: int = MAX_UNPACKED_BYTES
) -> Iterator[bytes]:
    """The bytes of a file, ``-`` for standard input, unpacked by the first of them (gzip, bzip2, xz).

    ``advance`` is told how many bytes more of the file have been read.

    Raises:
        InputError: the file cannot be opened, or is compressed and damaged or too large. Of a file that
            can be read twice its size is known before the first block.
    """
    name = source_name(path)
    unpacker = None
    try:
        with nullcontext(sys.stdin.buffer) if path == "-" else Path(path).open("rb") as opened:
            file = cast(BufferedReader, opened)
            unpacker = unpacker_for(file.peek(BLOCK_BYTES))
            blocks = iter(partial(file.read, BLOCK_BYTES), b"")
            if unpacker is not None:
                if file.seekable():
                    start = file.tell()
                    with unpacker.open(file) as unpacked:
                        for _ in unpacked_blocks(unpacked, max_unpacked_bytes):
                            pass
                    file.seek(start)
                blocks = unpacked_blocks(unpacker.open(file), max_unpacked_bytes)
            done = 0
            for block in blocks:
                read = file.tell() if file.seekable() else done + len(block)
                advance(read - done)
                done = read
                yield block
    except TooLargeError as error:
        raise InputError(name, None, str(error)) from None
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
