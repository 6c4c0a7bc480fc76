"""Dumps named by their place in a file, for workers that see the same file system."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.markers import Marker
from eio_audit.mlir.source import InputError, Position, Source, Span

_OWN_FOLDERS = ("/dev", "/proc")
"""Their files are other files in each process: ``/dev/stdin``."""


@dataclass(frozen=True, slots=True)
class DumpInFile:
    """Where a dump is, and what tells that it is this dump.

    Attributes:
        path: the file, absolute.
        name: the name of the file in messages.
        lines: the bytes of the lines that the dump is on.
        start_line: the 1-based line that they begin on.
        span: the dump's bytes, counted from the start of these lines.
        marker: its marker.
        line: its line, as ``Dump.line``.
        first_line: the 1-based line of its first text.
        key: what a check knows it by.
    """

    path: str
    name: str
    lines: Span
    start_line: int
    span: Span
    marker: Marker | None
    line: int
    first_line: int
    key: bytes

    def read(self, key_of: Callable[[Dump], bytes]) -> Dump:
        """The dump, without its program. ``key_of`` gives the key of a dump.

        Raises:
            InputError: the file cannot be read here, or has other text.
        """
        try:
            with Path(self.path).open("rb") as file:
                file.seek(self.lines.start)
                data = file.read(self.lines.end - self.lines.start)
        except OSError as error:
            reason = f"a worker cannot read {self.path}: {error.strerror}"
            raise InputError(self.name, None, reason) from error
        source = Source(self.name, data, first_line=self.start_line)
        dump = Dump(source, self.span, self.marker, self.line, first_line=self.first_line)
        if key_of(dump) != self.key:
            reason = f"a worker reads other text in {self.path}: has the file changed?"
            raise InputError(self.name, Position(self.line, 1), reason)
        return dump


def dump_in_file(dump: Dump, key: bytes) -> Dump | DumpInFile:
    """The place of a dump with a key; the dump itself if no other process can read it from a file."""
    source = dump.source
    if source.path is None or source.is_compressed:
        return dump
    path = Path(source.path).absolute()
    if any(map(path.is_relative_to, _OWN_FOLDERS)) or not path.is_file():
        return dump
    lines, start_line, span = dump.lines, dump.start_line, dump.span_in_lines
    return DumpInFile(
        str(path), source.name, lines, start_line, span, dump.marker, dump.line, dump.first_line, key
    )
