"""Write results to standard output or the user's pager, or atomically to a file."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import IO

from eio_audit.mlir.source import InputError, Source, file_state

TEMPORARY = ".eio-audit.tmp"  # how the names of files end that are being written


@contextlib.contextmanager
def reader_may_stop() -> Iterator[None]:
    """Discard output whose reader stopped, as with ``| head``. The exit code is still the result."""
    try:
        yield
    except BrokenPipeError:
        discard_output()


def discard_output() -> None:
    """Discard what has been written to standard output, and what will be."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write_bytes(path: str | None, pieces: Iterable[bytes | memoryview], source: Source | None = None) -> None:
    """Write the pieces of a text, as they arrive, to standard output or as ``write_atomically`` does."""
    if path is None or path == "-":
        sys.stdout.buffer.writelines(pieces)
        sys.stdout.buffer.flush()
    else:
        write_atomically(path, pieces, source=source)


def encoded(report: str) -> bytes:
    """Return a report in UTF-8. Undecodable bytes of file names are escaped."""
    return report.encode("utf-8", "backslashreplace")


def write_text(print_to: Callable[[IO[str]], None], path: str | None) -> None:
    """Print a report to a file, atomically, or to standard output, which may be a terminal."""
    if path is None or path == "-":
        print_to(sys.stdout)
        sys.stdout.flush()
        return
    text = io.StringIO()
    print_to(text)
    write_atomically(path, [encoded(text.getvalue())])


def is_folder(path: str) -> bool:
    """Whether a path names a folder: it ends in a slash, or there is a folder of that name."""
    return path.endswith(("/", os.sep)) or Path(path).is_dir()


def write_folder(folder: str, files: Iterable[tuple[str, bytes]], doing: str) -> int:
    """Write files of a folder one by one, each atomically. Other files of the folder stay.

    A bar shows what is being done, and the size of what has been written. Return the number of the files.

    Raises:
        InputError: the folder cannot be made, or a file cannot be written.
    """
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(folder, None, f"cannot make this folder: {error.strerror or error}") from error
    from eio_audit.report.text.progress import progress

    number = 0
    with progress(None, doing) as advance:
        for name, text in files:
            write_atomically(str(Path(folder, name)), [text])
            advance(len(text))
            number += 1
    return number


def write_atomically(
    path: str,
    pieces: Iterable[bytes | memoryview],
    *,
    replaces_link: bool = False,
    source: Source | None = None,
) -> None:
    """Replace the file at ``path`` in one step: a reader sees the old content or the new, never a part.

    An existing file keeps its permissions and, if the system allows it, its owner and group. Other hard links
    to the file keep the old content. What a run that was killed has left beside the file is removed.

    Args:
        path: the file.
        pieces: its new content.
        replaces_link: a symbolic link at ``path`` is replaced. Otherwise it stays, and its target is.
        source: the file that the content was made of. If this is the same file, it must not have changed.

    Raises:
        InputError: the file cannot be written. The old content is unchanged.
        VerificationError: it changed since it was read. It stays as it is.
    """
    import fcntl
    import secrets

    named = Path(path)
    replaces_link = replaces_link and named.is_symlink()
    target = named if replaces_link else Path(os.path.realpath(path))
    is_source = (
        source is not None and source.path is not None and target == Path(os.path.realpath(source.path))
    )
    temporary = None
    try:
        if not replaces_link and named.exists() and not is_regular_file(named):  # a device or a pipe
            with named.open("wb") as file:  # if /dev/stdout is a pipe, it has no other name
                file.writelines(pieces)
            return
        _remove_leftovers(target.parent)
        temporary = target.parent / f".{secrets.token_urlsafe(6)}{TEMPORARY}"  # known before it exists
        with open(temporary, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            with contextlib.suppress(OSError):  # a file system without locks
                fcntl.flock(file, fcntl.LOCK_EX)
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
            has_old = target.exists() and not replaces_link
            _give_owner_and_mode(temporary, target.stat() if has_old else None)
            if source is not None and is_source and file_state(target) != source.state:
                from eio_audit.audit.fix.verification import VerificationError

                raise VerificationError("the file changed since it was read")
            temporary.replace(target)
            temporary = None
    except OSError as error:
        raise InputError(path, None, f"cannot write: {error.strerror or error}") from error
    finally:
        if temporary is not None:  # also after Ctrl-C
            with contextlib.suppress(OSError):
                temporary.unlink()


@cache
def _remove_leftovers(folder: Path) -> None:
    """Remove the temporary files of runs that were killed. Those of others are locked."""
    import fcntl

    for file in folder.glob(f".????????{TEMPORARY}"):
        with contextlib.suppress(OSError), file.open("rb") as opened:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            file.unlink()


def is_regular_file(path: Path) -> bool:
    """Return whether a path, or what its links lead to, is a regular file. ``/dev/fd/3`` never is."""
    while path.is_symlink():
        if path.parent.resolve().is_relative_to("/proc"):
            return False
        path = path.parent / path.readlink()
    return path.is_file()


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
        except OSError:  # this needs a privilege; set-user-ID is not for another owner
            mode &= 0o777
    file.chmod(mode)


LESS = "FRXPs?e(END) .q quits$"
"""The options of less where LESS has none: quit if it fits, show colours, keep the screen; its prompt."""


class _Screen(io.StringIO):
    """What standard output, a terminal, would get."""

    def isatty(self) -> bool:
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]  # the base class has None
        return sys.stdout.encoding


def print_paged(print_to: Callable[[IO[str]], None]) -> None:
    """Print a report to standard output, a terminal, or to the pager if it has more lines than the terminal.

    PAGER names the pager; an empty one or ``cat`` is none. Without PAGER it is ``less``, if it is installed.
    """
    import shutil
    import signal
    import subprocess

    screen = _Screen()
    print_to(screen)
    text = screen.getvalue()
    pager = os.environ.get("PAGER", "less").strip()
    words = pager.split()
    is_long = text.count("\n") >= shutil.get_terminal_size().lines
    if not is_long or words in ([], ["cat"]) or shutil.which(words[0]) is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    environment = {"LESS": LESS, **os.environ}
    with subprocess.Popen(pager, shell=True, stdin=subprocess.PIPE, env=environment) as process:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the pager
        try:
            assert process.stdin is not None
            with contextlib.suppress(BrokenPipeError):  # its user has seen enough
                process.stdin.write(text.encode(sys.stdout.encoding, "backslashreplace"))
                process.stdin.close()
            process.wait()
        finally:
            signal.signal(signal.SIGINT, before)
