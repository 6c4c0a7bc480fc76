"""Checks or fixes the dumps of any number of files, by one process or several. Each text is checked once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from eio_audit.audit.check.check import Check, audit_dump
from eio_audit.audit.check.figures import DumpAudit
from eio_audit.audit.check.keyed_dump import DESCRIBED_OPS, AuditedDump, SharedWork
from eio_audit.audit.corpus.in_order import LostWork, Piece, in_order
from eio_audit.audit.gate.gate import CheckedDump, Gate, Verdict, checked, judge
from eio_audit.audit.gate.rules import AVOIDABLE, WRONG_INDEX, Rule
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import Dump, DumpPlace, each_dump, read
from eio_audit.mlir.source import InputError, Position, Source, Span, bugs_are_errors, read_all

if TYPE_CHECKING:  # many checks fix nothing and need no other processes
    from concurrent.futures import Executor

    from eio_audit.audit.corpus.workers import Workers
    from eio_audit.audit.fix.fix import DumpFix, Fix, FixedDump
    from eio_audit.audit.fix.verification import VerificationError

DEFAULT_GATE = Gate()
LARGEST_HASHED = 1 << 24
"""The most bytes of a text that is compared with those of other dumps. A larger one counts as another text.

It is mostly constants, which take as long to hash as to read.
"""
_OWN_FOLDERS = ("/dev", "/proc")  # their files are other files in each process: ``/dev/stdin``
_Piece: TypeAlias = "Piece[tuple[Dump, _Text], Dump | DumpInFile]"
Failure: TypeAlias = "InputError | VerificationError"


@dataclass(frozen=True)
class DumpCheck:
    """What to find out about each dump."""

    options: AuditOptions = DEFAULT_OPTIONS  # what counts
    rules: tuple[Rule, ...] = (AVOIDABLE, WRONG_INDEX)  # what to look for
    describes_all: bool = False  # describe all ops out of place, not only the worst
    described: int | None = None  # how many findings to describe, the worst; None for all
    # Called with each audited dump while its IR is in memory, if this process audits it.
    visit: Callable[[AuditedDump], None] | None = None

    def __call__(self, place: Dump | DumpInFile) -> CheckedDump | InputError:
        """The result for a dump, without the options, which need not be sent back; or its error."""
        try:
            dump = place if isinstance(place, Dump) else place.read()
            with bugs_are_errors(dump.source.name, dump.line):
                audited = audit_dump(dump, self.options, self._work)
                result = checked(audited, self.rules, self.described)
            if self.visit is not None:
                self.visit(audited)
            return result._replace(audit=replace(result.audit, options=DEFAULT_OPTIONS))
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


class DumpInFile(NamedTuple):
    """Where a dump is, and what tells that it is this dump."""

    path: str  # the file, absolute
    lines: Span  # the bytes of the lines that the dump is on
    start_line: int  # the 1-based line that they begin on
    span: Span  # the dump's bytes, counted from the start of these lines
    place: DumpPlace  # what messages say of it
    digest: bytes  # of the dump, see `digest_of`

    def read(self) -> Dump:
        """The dump, without its program; an InputError if the file cannot be read here, or has other text."""
        try:
            with Path(self.path).open("rb") as file:
                file.seek(self.lines.start)
                data = file.read(self.lines.end - self.lines.start)
        except OSError as error:
            reason = f"a worker cannot read {self.path}: {error.strerror}"
            raise InputError(self.place.source, None, reason) from error
        place = self.place
        source = Source(place.source, data, first_line=self.start_line)
        dump = Dump(source, self.span, place.marker, place.line, first_line=place.first_line)
        if digest_of(dump) != self.digest:
            reason = f"a worker reads other text in {self.path}: has the file changed?"
            raise InputError(place.source, Position(place.line, 1), reason)
        return dump


def dump_in_file(dump: Dump, digest: bytes) -> Dump | DumpInFile:
    """The place of a dump with a digest; the dump itself if no other process can read it from a file."""
    source = dump.source
    if source.path is None or source.is_compressed:
        return dump
    path = Path(source.path).absolute()
    if any(map(path.is_relative_to, _OWN_FOLDERS)) or not path.is_file():
        return dump
    return DumpInFile(str(path), dump.lines, dump.start_line, dump.span_in_lines, dump.place, digest)


def check_many(
    paths: Iterable[str | PathLike[str]],
    options: AuditOptions = DEFAULT_OPTIONS,
    gate: Gate = DEFAULT_GATE,
    *,
    executor: Executor | None = None,
    jobs: int | None = None,
    timeout: float | None = None,
) -> Verdict:
    """Checks the dumps of files and folders, as the command ``check`` does.

    The result does not depend on ``executor`` and ``jobs``. A file that cannot be read is an error in
    ``Verdict.check.errors``, as is one whose worker died or took too long.

    Args:
        paths: files, logs and folders.
        options: what counts.
        gate: what may pass.
        executor: what does the work: threads, processes, or those of a cluster, as Dask's
            ``Client.get_executor(pure=False)``.
        jobs: how many processes to start; with an executor, how many batches of dumps it runs at a time, by
            default ``usable_cores()``. Without both, this process does all.
        timeout: the seconds after which a piece of work is given up. An executor goes on with it
            until it is done, since Python cannot end a thread.

    Raises:
        TypeError: ``paths`` is a single path.
    """
    if isinstance(paths, str | PathLike):
        raise TypeError(f"expected a list of paths, not {paths!r:.80}")
    from eio_audit.audit.log.log_findings import LogFindings
    from eio_audit.mlir.input.folders import find_files

    findings = LogFindings(gate.rules)
    errors: list[InputError] = []
    with _workers(executor, jobs, timeout) as workers:
        check = check_dumps(
            read_all(read_all((fspath(path) for path in paths), find_files, errors), read, errors),
            DumpCheck(options, gate.rules),
            findings.take,
            workers,
        )
    return judge(replace(check, errors=(*errors, *check.errors)), findings.findings, gate)


def check_dumps(
    dumps: Iterable[Dump],
    dump_check: DumpCheck,
    visit: Callable[[Dump, CheckedDump], None] = lambda _, __: None,
    workers: Workers | None = None,
    waits_for: Callable[[str], None] = lambda _: None,
    visit_audited: Callable[[AuditedDump], None] | None = None,
) -> Check:
    """Checks dumps, in order, one by one, as they are needed; one that cannot be read is an error.

    The result does not depend on ``workers``.

    Args:
        dumps: what to check.
        dump_check: what to find out.
        visit: called with each dump and its result, in order.
        workers: processes that do it; without them this process does it.
        waits_for: called with the name of a file when the next result to come is of that file.
        visit_audited: called before ``visit`` if this process audits the dump, while its IR is in memory.
    """
    audits: list[DumpAudit] = []
    errors: list[InputError] = []
    pieces = _pieces(each_dump(dumps))
    if workers is None:
        dump_check = replace(dump_check, visit=visit_audited)
    elif workers.shares_files:
        pieces = map(_by_its_place, pieces)
    results = in_order(dump_check, pieces, workers, lambda tag: waits_for(tag[0].source.name))
    for (dump, text), found in results:
        if found is not None:
            text.result = found.error(dump) if isinstance(found, LostWork) else found
        result = text.result_for(dump, dump_check.options)
        if isinstance(result, InputError):
            errors.append(result)
            continue
        audits.append(result.audit)
        visit(dump, result)
    return Check(tuple(audits), tuple(errors))


def _workers(
    executor: Executor | None, jobs: int | None, timeout: float | None
) -> AbstractContextManager[Workers | None]:
    if executor is None and jobs in (None, 1) and timeout is None:
        return nullcontext()
    from eio_audit.audit.corpus.workers import TimeLimit, Workers, local_workers, usable_cores

    if executor is None:
        return local_workers(jobs or 1, timeout)
    limited = executor if timeout is None else TimeLimit(executor, timeout)
    workers = Workers(limited, jobs or usable_cores(), timeout)
    if type(executor).__module__.startswith("distributed."):
        from distributed.scheduler import KilledWorker

        workers = replace(workers, deaths=(*workers.deaths, KilledWorker))
    return nullcontext(workers)


def _pieces(dumps: Iterable[Dump]) -> Iterator[_Piece]:
    """Each dump with its text. The first dump of a text is work."""
    texts: dict[bytes, _Text] = {}
    unhashed: tuple[Dump, _Text] | None = None  # the first dump: often no other is compared with it
    for number, dump in enumerate(dumps):
        if not number:
            unhashed = dump, _Text(b"", dump.source.name, dump.first_line, None)
            yield Piece(unhashed, dump, _size(dump))
            continue
        if unhashed is not None:
            texts[_digest(unhashed[0]) or b"0"] = unhashed[1]
            unhashed = None
        digest = _digest(dump)
        key, work = digest or b"%d" % number, None
        if key not in texts:
            work = dump
            texts[key] = _Text(digest, dump.source.name, dump.first_line, None)
        yield Piece((dump, texts[key]), work, _size(dump))


@dataclass(slots=True, eq=False)
class _Text:
    """A text that dumps have: what is known of it, not the text itself."""

    digest: bytes  # of one of these dumps; empty where none was needed to tell it from others
    source: str  # the file of the first dump with it
    first_line: int  # where it begins there, 1-based
    result: CheckedDump | InputError | None  # the result for that dump; None until it is known

    def result_for(self, dump: Dump, options: AuditOptions) -> CheckedDump | InputError:
        if isinstance(self.result, CheckedDump):
            return self.result.of(dump, options)
        assert self.result is not None
        return self.result.shifted(self.source, dump.source.name, dump.first_line - self.first_line)


def _size(dump: Dump) -> int:
    return dump.span.end - dump.span.start


def _digest(dump: Dump) -> bytes:
    return digest_of(dump) if _size(dump) <= LARGEST_HASHED else b""


def _by_its_place(piece: _Piece) -> _Piece:
    if piece.work is None:
        return piece
    dump, text = piece.tag
    return piece._replace(work=dump_in_file(dump, text.digest or digest_of(dump)))


def fix_files(
    paths: Iterable[str],
    read_file: Callable[[str], Iterable[Dump]],
    dump_fix: DumpFix,
    workers: Workers | None = None,
    waits_for: Callable[[str], None] = lambda _: None,
    *,
    only_dumps: bool = False,
) -> Iterator[tuple[str, Fix | Failure]]:
    """Fix files and yield each with its fix, or with the first error in it, in order. Nothing is written.

    ``waits_for`` is called with the path of a file when the next result to come is of that file.
    """
    from eio_audit.audit.fix.fix import joined

    if workers is not None and dump_fix.verify_with is not None:
        # a compiler takes longer than sending
        from eio_audit.audit.corpus.workers import BatchSize

        workers = replace(workers, batch_size=BatchSize(work_bytes=1))
    pieces = _pieces_of_files(paths, read_file)
    if workers is not None and workers.timeout is None and not workers.shares_files:
        first = list(islice(pieces, 3))
        pieces = chain(first, pieces)
        if len(first) < 3:  # one dump, and the end of its file: another process would share nothing
            workers = None
    for file, result in in_order(dump_fix, pieces, workers, lambda file: waits_for(file.path)):
        if result is not None:
            file.add(result)
            continue
        if file.failure is not None:
            yield file.path, file.failure
            continue
        fixed = (each.with_options(dump_fix.options) for each in file.fixed)
        yield file.path, joined(zip(file.dumps, fixed, strict=True), only_dumps=only_dumps)


def _pieces_of_files(
    paths: Iterable[str], read_file: Callable[[str], Iterable[Dump]]
) -> Iterator[Piece[_File, Dump]]:
    """The dumps of each file, none after a failure that is known by then, and its end, without work."""
    for path in paths:
        file = _File(path)
        try:
            for dump in read_file(path):
                if file.failure is not None:
                    break
                file.dumps.append(dump)
                yield Piece(file, dump, _size(dump))
        except InputError as error:
            file.failure = error
        yield Piece(file, None, 0)


class _File:
    """A file, with those of its dumps that have been read, and fixed, or its first failure."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.dumps: list[Dump] = []
        self.fixed: list[FixedDump] = []
        self.failure: Failure | None = None

    def add(self, result: FixedDump | Failure | LostWork) -> None:
        if self.failure is not None:
            return
        if isinstance(result, LostWork):
            self.failure = result.error(self.dumps[len(self.fixed)])
        elif isinstance(result, Exception):
            self.failure = result
        else:
            self.fixed.append(result)
