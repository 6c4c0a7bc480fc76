"""Fixes any number of files, dump by dump, in this process or in several others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeAlias

from eio_audit.audit.corpus.in_order import LostWork, Piece, in_order
from eio_audit.audit.fix.fix import DumpFix, Fix, FixedDump, joined
from eio_audit.audit.fix.verification import VerificationError
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.source import InputError

if TYPE_CHECKING:  # a single file needs no other processes
    from eio_audit.audit.corpus.workers import Workers

Failure: TypeAlias = InputError | VerificationError


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
    if workers is not None and dump_fix.verify_with is not None:
        # a compiler takes longer than sending
        from eio_audit.audit.corpus.workers import BatchSize

        workers = replace(workers, batch_size=BatchSize(work_bytes=1))
    pieces = _pieces(paths, read_file)
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


@dataclass(slots=True, eq=False)
class _File:
    """A file, with those of its dumps that have been read, and fixed, or its first failure."""

    path: str
    dumps: list[Dump] = field(default_factory=list)
    fixed: list[FixedDump] = field(default_factory=list)
    failure: Failure | None = None

    def add(self, result: FixedDump | Failure | LostWork) -> None:
        """Take the result for the next dump."""
        if self.failure is not None:
            return
        if isinstance(result, FixedDump):
            self.fixed.append(result)
        elif isinstance(result, LostWork):
            self.failure = result.error(self.dumps[len(self.fixed)])
        else:
            self.failure = result


def _pieces(paths: Iterable[str], read_file: Callable[[str], Iterable[Dump]]) -> Iterator[Piece[_File, Dump]]:
    """The dumps of each file, none after a failure that is known by then, and its end, without work."""
    for path in paths:
        file = _File(path)
        try:
            for dump in read_file(path):
                if file.failure is not None:
                    break
                file.dumps.append(dump)
                yield Piece(file, dump, dump.span.end - dump.span.start)
        except InputError as error:
            file.failure = error
        yield Piece(file, None, 0)
