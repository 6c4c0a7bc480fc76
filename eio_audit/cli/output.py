"""Writes results to standard output, or atomically to a file."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO

from eio_audit import InputError


def write_bytes(path: str | None, *pieces: bytes | memoryview) -> None:
    """Writes the pieces of a text to a file, atomically, or to standard output."""
    write_pieces(path, pieces)


def write_pieces(path: str | None, pieces: Iterable[bytes | memoryview]) -> None:
    """Writes the pieces of a text as they come, as ``write_bytes`` does."""
    if path is None or path == "-":
        sys.stdout.buffer.writelines(pieces)
        sys.stdout.buffer.flush()
    else:
        write_atomically(path, pieces)


def encoded(report: str) -> bytes:
    """A report in UTF-8; undecodable bytes of file names are escaped."""
    return report.encode("utf-8", "backslashreplace")


def write_text(print_to: Callable[[IO[str]], None], path: str | None) -> None:
    """Prints a report to a file, atomically, or to standard output, which may be a terminal."""
    if path is None or path == "-":
        print_to(sys.stdout)
        sys.stdout.flush()
        return
    text = io.StringIO()
    print_to(text)
    write_atomically(path, [encoded(text.getvalue())])


def write_atomically(path: str, pieces: Iterable[bytes | memoryview]) -> None:
    """Replaces the file at ``path`` in one step; a reader sees the old content or the new, never a part.

    A symbolic link keeps pointing where it does. An existing file keeps its permissions and, where the system
    allows that, its owner and group; other hard links to it keep the old content.

    Raises:
        InputError: the file cannot be written; what was there is untouched.
    """
    import tempfile

    named, target = Path(path), Path(os.path.realpath(path))
    temporary = None
    try:
        if named.exists() and not named.is_file():  # a device or a pipe has no content to protect
            with named.open("wb") as file:  # where /dev/stdout is a pipe, that has no other name
                file.writelines(pieces)
            return
        descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        _give_owner_and_mode(Path(temporary), target.stat() if target.exists() else None)
        Path(temporary).replace(target)
    except OSError as error:
        if temporary is not None:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
        raise InputError(path, None, f"cannot write: {error.strerror or error}") from error


def _give_owner_and_mode(file: Path, old: os.stat_result | None) -> None:
    if old is None:
        umask = os.umask(0)
        os.umask(umask)
        file.chmod(0o666 & ~umask)
        return
    new, mode = file.stat(), old.st_mode & 0o7777
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.chown(file, old.st_uid, old.st_gid)
        except OSError:  # that is a privilege; the set-user-ID bit is not for another owner
            mode &= 0o777
    file.chmod(mode)
