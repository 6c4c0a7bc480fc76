"""Digests of this program's own files, which change with its version and with each edit."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

LIBRARIES = ("regex", "networkx")
"""The libraries that results depend on."""

_PACKAGE = Path(__file__).parents[2]


def files_seen() -> bytes:
    """Return a digest of the paths, sizes and times of the program's files. It takes two milliseconds.

    If it is the same as before, the contents are the same.

    Raises:
        OSError: a folder cannot be read.
    """
    from importlib.util import find_spec

    parts = [sys.version]
    for name in LIBRARIES:
        spec = find_spec(name)
        parts += [*spec.submodule_search_locations] if spec and spec.submodule_search_locations else []
    parts += [_state(Path(folder).stat()) for folder in parts[1:]]
    parts += sorted(f"{file.path} {_state(file.stat())}" for file in _files(str(_PACKAGE)))
    return sha256("\n".join(parts).encode(errors="surrogateescape")).digest()


def contents() -> bytes:
    """Return a digest of the program's files and the versions of its libraries: the same on every machine.

    Raises:
        OSError: a file cannot be read.
    """
    from importlib.metadata import version

    digest = sha256(repr([sys.version_info[:2], *map(version, LIBRARIES)]).encode())
    for file in sorted(Path(file.path) for file in _files(str(_PACKAGE))):
        data = file.read_bytes()
        digest.update(f"{file.relative_to(_PACKAGE).as_posix()} {len(data)}\n".encode())
        digest.update(data)
    return digest.digest()


def _state(of: os.stat_result) -> str:
    return f"{of.st_size} {of.st_mtime_ns}"


def _files(folder: str) -> Iterator[os.DirEntry[str]]:
    """Yield the files in a folder at any depth, without compiled ones."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_dir():
                yield entry
            elif entry.name != "__pycache__":
                yield from _files(entry.path)
