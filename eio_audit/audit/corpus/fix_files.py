"""Fixes any number of files, dump by dump, in this process or in several others."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from eio_audit.audit.corpus.workers import LostWork, Workers, results_in_order
from eio_audit.audit.fix.dump_fix import DumpFix, FixedDump
from eio_audit.audit.fix.fix import Fix, joined
from eio_audit.audit.fix.reading_again import VerificationError
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.source import InputError

BATCH_BYTES = 1 << 18
BATCH_DUMPS = 1 << 9
"""How much is sent to a process at a time, at the most, so that sending costs little."""

Failure: TypeAlias = InputError | VerificationError

ReadFile: TypeAlias = Callable[[str], Iterable[Dump]]
"""Returns the dumps of a file that are to be fixed, at least one.

Raises:
    InputError: the file cannot be read.
"""


def fix_files(
    paths: Iterable[str],
    read_file: ReadFile,
    dump_fix: DumpFix,
    workers: Workers | None = None,
    waits_for: Callable[[str], None] = lambda _: None,
    *,
    only_dumps: bool = False,
) -> Iterator[tuple[str, Fix | Failure]]:
    """Fix files and yield each with its fix, or with the first error in it, in order. Nothing is written.

    The results do not depend on ``workers``.

    Args:
        paths: the files. They are read one by one, as they are needed.
        read_file: returns the dumps of a file.
        dump_fix: how to fix each dump.
        workers: processes that do it. Without them this process does it.
        waits_for: called with the name of a file when the next result to come is of that file.
        only_dumps: as for ``fix``.
    """
    if workers is not None:
        yield from _fixed_by(workers, paths, read_file, dump_fix, waits_for, only_dumps=only_dumps)
        return
    work = dump_fix.shared_work()
    for path in paths:
        waits_for(path)
        try:
            dumps = read_file(path)
            fix: Fix | Failure = joined(
                ((dump, dump_fix.of(dump, work)) for dump in dumps), only_dumps=only_dumps
            )
        except (InputError, VerificationError) as error:
            fix = error
        yield path, fix


def _fixed_by(
    workers: Workers,
    paths: Iterable[str],
    read_file: ReadFile,
    dump_fix: DumpFix,
    waits_for: Callable[[str], None],
    *,
    only_dumps: bool,
) -> Iterator[tuple[str, Fix | Failure]]:
    def wait(batch: _Batch) -> None:
        if batch.dumps:
            waits_for(batch.dumps[0].source.name)

    most_dumps = BATCH_DUMPS if dump_fix.verify_with is None else 1  # a compiler takes longer than sending
    batches = ((batch.dumps, batch) for batch in _batches(paths, read_file, most_dumps))
    waiting: deque[FixedDump | Failure | LostWork] = deque()
    for batch, results in results_in_order(dump_fix, batches, workers, wait):
        waiting += results
        for file in batch.ends:
            fixed = [(dump, waiting.popleft()) for dump in file.dumps]
            yield file.path, file.error or _joined(fixed, dump_fix, only_dumps=only_dumps)


@dataclass(slots=True, eq=False)
class _File:
    """A file, with its dumps or the error that it cannot be read for."""

    path: str
    dumps: Sequence[Dump] = ()
    error: InputError | None = None


@dataclass(slots=True, eq=False)
class _Batch:
    """Some dumps, of one file or of several, and the files whose last dump is among them."""

    most_dumps: int
    dumps: list[Dump] = field(default_factory=list)
    ends: list[_File] = field(default_factory=list)
    bytes: int = 0

    @property
    def is_full(self) -> bool:
        return self.bytes >= BATCH_BYTES or len(self.dumps) + len(self.ends) >= self.most_dumps


def _batches(paths: Iterable[str], read_file: ReadFile, most_dumps: int) -> Iterator[_Batch]:
    batch = _Batch(most_dumps)
    for path in paths:
        file = _File(path)
        try:
            file.dumps = list(read_file(path))
        except InputError as error:
            file.error = error
        for dump in file.dumps:
            if batch.is_full:
                yield batch
                batch = _Batch(most_dumps)
            batch.dumps.append(dump)
            batch.bytes += dump.span.end - dump.span.start
        batch.ends.append(file)
        if batch.is_full:
            yield batch
            batch = _Batch(most_dumps)
    yield batch


def _joined(
    fixed: Iterable[tuple[Dump, FixedDump | Failure | LostWork]], dump_fix: DumpFix, *, only_dumps: bool
) -> Fix | Failure:
    """The fix of a file, or the first failure in it."""
    done: list[tuple[Dump, FixedDump]] = []
    for dump, result in fixed:
        if isinstance(result, LostWork):
            return result.error(dump)
        if isinstance(result, InputError | VerificationError):
            return result
        done.append((dump, result.with_options(dump_fix.options)))
    return joined(done, only_dumps=only_dumps)
