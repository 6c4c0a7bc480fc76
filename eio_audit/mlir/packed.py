"""Files packed by gzip, bzip2 or xz: told by their first bytes, and only then are their modules imported."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

_MODULES = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\x00": "lzma"}
"""By what a file begins with."""

MAGIC_BYTES = max(map(len, _MODULES))
"""How much of a file tells whether it is packed."""


def unpacker_for(head: bytes) -> ModuleType | None:
    """The module that can ``open`` and ``decompress`` a file which begins so; None for any other file."""
    name = next((name for magic, name in _MODULES.items() if head.startswith(magic)), None)
    return None if name is None else import_module(name)


def damage_errors() -> tuple[type[Exception], ...]:
    """What these modules raise for a damaged file."""
    import lzma  # noqa: PLC0415
    import zlib  # noqa: PLC0415

    return OSError, EOFError, ValueError, zlib.error, lzma.LZMAError
