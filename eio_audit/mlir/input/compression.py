"""Files packed by gzip, bzip2 or xz: told by their first bytes, and only then are their modules imported."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from io import BytesIO
from mmap import mmap
from types import ModuleType
from typing import IO

_MODULES = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\x00": "lzma"}
"""By what a file begins with."""

MAGIC_BYTES = max(map(len, _MODULES))
"""How much of a file tells whether it is packed."""

MAX_UNPACKED_BYTES = 4_000_000_000
"""What a file may unpack to, unless more is allowed."""

BLOCK_BYTES = 1 << 20
"""How much is unpacked at a time."""

HELD_BYTES = 1 << 26
"""How much of a file is unpacked before its size is known."""


class TooLargeError(Exception):
    """A file unpacks to more than it may."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__(f"it unpacks to more than {_size(max_bytes)}; --max-size allows more")


def unpacker_for(head: bytes) -> ModuleType | None:
    """The module that can ``open`` and ``decompress`` a file which begins so; None for any other file."""
    name = next((name for magic, name in _MODULES.items() if head.startswith(magic)), None)
    return None if name is None else import_module(name)


def damage_errors() -> tuple[type[Exception], ...]:
    """What these modules raise for a damaged file."""
    import lzma
    import zlib

    return OSError, EOFError, ValueError, zlib.error, lzma.LZMAError


def unpack(module: ModuleType, data: bytes | mmap, max_bytes: int) -> bytes:
    """What a packed file holds. Of a large one the size is found out first, without holding it.

    Raises:
        TooLargeError: it holds more than ``max_bytes``.
    """
    held: list[bytes] = []
    size = 0
    with module.open(BytesIO(data)) as file:
        for block in unpacked_blocks(file, max_bytes):
            size += len(block)
            if size <= HELD_BYTES:
                held.append(block)
            else:
                held.clear()
    if size <= HELD_BYTES:
        return b"".join(held)
    with module.open(BytesIO(data)) as file:
        unpacked: bytes = file.read(size)
        return unpacked


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
