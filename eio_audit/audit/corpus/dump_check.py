"""The check of one dump as a piece of work: what it needs, and what it gives."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from eio_audit.audit.check.check import audit_dump
from eio_audit.audit.check.keyed_dump import DESCRIBED_OPS, AuditedDump, SharedWork
from eio_audit.audit.gate.checked_dump import CheckedDump, checked
from eio_audit.audit.gate.rules import AVOIDABLE, WRONG_INDEX, Rule
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.markers import Marker
from eio_audit.mlir.source import InputError, Position, Source, Span

_OWN_FOLDERS = ("/dev", "/proc")
"""Their files are other files in each process: ``/dev/stdin``."""


@dataclass(frozen=True)
class DumpCheck:
    """What to find out about each dump.

    Attributes:
        options: what counts.
        rules: what to look for.
        describes_all: describe all ops out of place, not only the worst.
        visit: called with each audited dump while its IR is in memory, if this process audits it.
    """

    options: AuditOptions = DEFAULT_OPTIONS
    rules: tuple[Rule, ...] = (AVOIDABLE, WRONG_INDEX)
    describes_all: bool = False
    visit: Callable[[AuditedDump], None] | None = None

    def __call__(self, place: Dump | DumpInFile) -> CheckedDump | InputError:
        """The result for a dump, without the options, which need not be sent back; or its error."""
        try:
            dump = place if isinstance(place, Dump) else place.read()
            audited = audit_dump(dump, self.options, self._work)
            result = checked(audited, self.rules).without_options()
            if self.visit is not None:
                self.visit(audited)
            return result
        except InputError as error:
            return error

    @cached_property
    def _work(self) -> SharedWork:
        return SharedWork(sys.maxsize if self.describes_all else DESCRIBED_OPS)


def digest_of(dump: Dump) -> bytes:
    """A digest that is equal for dumps with the same text, apart from their places."""
    from hashlib import sha256  # loads a library that the check of a single dump does without

    column, text = dump.content
    digest = sha256(b"%d " % column)
    digest.update(text)
    return digest.digest()


def program_digest(package: Path = Path(__file__).parents[2]) -> bytes:
    """A digest of this program's files and those of ``regex``, the library that results depend on.

    It changes with their versions and with each edit. It is the same on every machine: compiled files are
    left out.

    Raises:
        OSError: a file cannot be read.
    """
    from hashlib import sha256
    from importlib.util import find_spec

    regex = find_spec("regex")  # found, not imported: that takes longer than all the rest
    assert regex is not None and regex.origin is not None
    digest = sha256(repr(sys.version_info[:2]).encode())
    for folder, pattern in ((package, "**/*.*"), (Path(regex.origin).parent, "*.py")):
        for file in sorted(folder.glob(pattern)):
            if "__pycache__" not in file.parts:
                data = file.read_bytes()
                digest.update(f"{file.relative_to(folder).as_posix()} {len(data)}\n".encode())
                digest.update(data)
    return digest.digest()


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
        digest: of the dump, see ``digest_of``.
    """

    path: str
    name: str
    lines: Span
    start_line: int
    span: Span
    marker: Marker | None
    line: int
    first_line: int
    digest: bytes

    def read(self) -> Dump:
        """The dump, without its program.

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
        if digest_of(dump) != self.digest:
            reason = f"a worker reads other text in {self.path}: has the file changed?"
            raise InputError(self.name, Position(self.line, 1), reason)
        return dump


def dump_in_file(dump: Dump, digest: bytes) -> Dump | DumpInFile:
    """The place of a dump with a digest; the dump itself if no other process can read it from a file."""
    source = dump.source
    if source.path is None or source.is_compressed:
        return dump
    path = Path(source.path).absolute()
    if any(map(path.is_relative_to, _OWN_FOLDERS)) or not path.is_file():
        return dump
    lines, start_line, span = dump.lines, dump.start_line, dump.span_in_lines
    return DumpInFile(
        str(path), source.name, lines, start_line, span, dump.marker, dump.line, dump.first_line, digest
    )
