"""Checks the dumps of any number of files: each text once, in several processes, with results kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Protocol

from eio_audit.audit.check.check import Check
from eio_audit.audit.check.figures import DumpAudit
from eio_audit.audit.corpus.dump_check import DumpCheck
from eio_audit.audit.gate.checked_dump import CheckedDump
from eio_audit.mlir.input.dumps import Dump, each_dump
from eio_audit.mlir.source import InputError

if TYPE_CHECKING:  # many checks need no other processes
    from eio_audit.audit.corpus.workers import Workers

BATCH_BYTES = 1 << 18
BATCH_DUMPS = 1 << 9
"""How much is sent to a process at a time, at the most, so that sending costs little."""

HELD_BYTES = 1 << 22
"""How much is held at a time, at the most, where most of it has been checked before."""


class Results(Protocol):
    """Where results are kept from one run to the next, by key."""

    def get(self, key: bytes) -> CheckedDump | None:
        """The result with a key; None if there is none."""

    def put(self, key: bytes, result: CheckedDump) -> None:
        """Keeps a result."""


def check_dumps(
    dumps: Iterable[Dump],
    dump_check: DumpCheck,
    visit: Callable[[Dump, CheckedDump], None] = lambda _, __: None,
    workers: Workers | Callable[[], Workers | None] | None = None,
    kept: Results | None = None,
    waits_for: Callable[[str], None] = lambda _: None,
) -> Check:
    """Checks dumps, in order; one that cannot be read is skipped with an error.

    The result does not depend on ``workers`` and ``kept``.

    Args:
        dumps: what to check. They are taken one by one, as they are needed.
        dump_check: what to find out.
        visit: called with each dump and its result, in order.
        workers: processes that do it, or what starts them for the first dump that ``kept`` lacks; without
            them this process does it.
        kept: the results of earlier runs; it gets those of this run.
        waits_for: called with the name of a file when the next result to come is of that file.
    """
    audits: list[DumpAudit] = []
    errors: list[InputError] = []
    run = _Run(dump_check, kept, waits_for)
    for dump, result in run.each(each_dump(dumps), workers):
        if isinstance(result, InputError):
            errors.append(result)
            continue
        audits.append(result.audit)
        visit(dump, result)
    return Check(tuple(audits), tuple(errors))


@dataclass(slots=True, eq=False)
class _Text:
    """A text that dumps have.

    Attributes:
        key: what it is known by.
        source: the file of the first dump with it.
        first_line: where it begins there, 1-based.
        result: the result for that dump; None until it is known.
    """

    key: bytes
    source: str
    first_line: int
    result: CheckedDump | InputError | None

    def result_for(self, dump: Dump, dump_check: DumpCheck) -> CheckedDump | InputError:
        """The result for a dump that has it."""
        if isinstance(self.result, CheckedDump):
            return self.result.of(dump, dump_check.options)
        assert self.result is not None
        return self.result.shifted(self.source, dump.source.name, dump.first_line - self.first_line)


@dataclass(slots=True, eq=False)
class _Batch:
    """Some dumps with their texts, and those of them for which there is no result yet."""

    dumps: list[tuple[Dump, _Text]] = field(default_factory=list)
    new: list[tuple[Dump, _Text]] = field(default_factory=list)
    all_bytes: int = 0
    new_bytes: int = 0

    @property
    def is_full(self) -> bool:
        is_enough = self.new_bytes >= BATCH_BYTES or self.all_bytes >= HELD_BYTES
        return is_enough or len(self.dumps) >= BATCH_DUMPS


class _Run:
    """One run. It remembers what it found of each text, not the text."""

    def __init__(self, dump_check: DumpCheck, kept: Results | None, waits_for: Callable[[str], None]) -> None:
        self._check = dump_check
        self._waits_for = waits_for
        self._kept = kept
        self._texts: dict[bytes, _Text] = {}

    def each(
        self, dumps: Iterator[Dump], workers: Workers | Callable[[], Workers | None] | None
    ) -> Iterator[tuple[Dump, CheckedDump | InputError]]:
        """Every dump with its result."""
        for dump in dumps:
            text = self._text(dump)
            if text.result is None:
                del self._texts[text.key]
                break
            yield dump, text.result_for(dump, self._check)
        else:
            return
        dumps = chain([dump], dumps)
        started = workers() if callable(workers) else workers
        yield from self.here(dumps) if started is None else self.by(started, dumps)

    def here(self, dumps: Iterable[Dump]) -> Iterator[tuple[Dump, CheckedDump | InputError]]:
        """Every dump with its result, found out by this process."""
        work = self._check.shared_work()
        for dump in dumps:
            text = self._text(dump)
            if text.result is None:
                self._waits_for(dump.source.name)
                self._learn(text, self._check.of(dump, work))
            yield dump, text.result_for(dump, self._check)

    def by(self, workers: Workers, dumps: Iterable[Dump]) -> Iterator[tuple[Dump, CheckedDump | InputError]]:
        """Every dump with its result, found out by other processes."""
        from eio_audit.audit.corpus.shared_files import DumpInFile, dump_in_file
        from eio_audit.audit.corpus.workers import LostWork, results_in_order

        def sent(dump: Dump, text: _Text) -> Dump | DumpInFile:
            return dump_in_file(dump, text.key) if workers.shares_files else dump

        batches = (([sent(*one) for one in batch.new], batch) for batch in self._batches(dumps))
        for batch, results in results_in_order(self._check, batches, workers, self._wait):
            for (dump, text), result in zip(batch.new, results, strict=True):
                self._learn(text, result.error(dump) if isinstance(result, LostWork) else result)
            for dump, text in batch.dumps:
                yield dump, text.result_for(dump, self._check)

    def _wait(self, batch: _Batch) -> None:
        self._waits_for(batch.dumps[0][0].source.name)

    def _batches(self, dumps: Iterable[Dump]) -> Iterator[_Batch]:
        batch = _Batch()
        for dump in dumps:
            is_new = len(self._texts)
            text = self._text(dump)
            length = dump.span.end - dump.span.start
            batch.dumps.append((dump, text))
            batch.all_bytes += length
            if len(self._texts) > is_new and text.result is None:
                batch.new.append((dump, text))
                batch.new_bytes += length
            if batch.is_full:
                yield batch
                batch = _Batch()
        if batch.dumps:
            yield batch

    def _text(self, dump: Dump) -> _Text:
        key = self._check.key(dump)
        if key not in self._texts:
            result = self._kept.get(key) if self._kept is not None else None
            self._texts[key] = _Text(key, dump.source.name, dump.first_line, result)
        return self._texts[key]

    def _learn(self, text: _Text, result: CheckedDump | InputError) -> None:
        text.result = result
        if self._kept is not None and isinstance(result, CheckedDump):
            self._kept.put(text.key, result)
