"""Work in order: results come out in the order in which the work went in, whoever does it.

A worker that dies, or needs longer than it may, fails at what it was doing; all other work goes on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from functools import lru_cache
from threading import local
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.source import InputError, Position

if TYPE_CHECKING:  # much work needs no other processes
    from concurrent.futures import Future

    from eio_audit.audit.corpus.workers import BatchSize, Workers

AHEAD = 2  # how many batches wait for each worker, so that none waits for work
_of_thread = local()
Work = TypeVar("Work")
Result = TypeVar("Result")
Tag = TypeVar("Tag")


class Piece(NamedTuple, Generic[Tag, Work]):
    """A piece of work."""

    tag: Tag  # what it is here; no worker gets it
    work: Work | None  # what a worker gets; None if nothing is to be done, but others come before and after
    size_bytes: int  # about how large it is


class LostWork(NamedTuple):
    """A piece of work without a result; ``reason`` is why: its worker died, or it took too long."""

    reason: str

    def error(self, dump: Dump) -> InputError:
        """The error of a dump that was the work."""
        return InputError(dump.source.name, Position(dump.line, 1), self.reason)


def in_order(
    function: Callable[[Work], Result],
    pieces: Iterable[Piece[Tag, Work]],
    workers: Workers | None,
    waits_for: Callable[[Tag], None] = lambda _: None,
) -> Iterator[tuple[Tag, Result | LostWork | None]]:
    """Yield the tag of each piece with its result, None for a piece without work, in the order of the pieces.

    Without workers, this process does each piece before it takes the next one. Of several workers, each gets
    a batch of pieces, and only so many are taken at a time that all have work. Where a batch is lost, each
    piece of it is tried once more, and nothing else runs at that time: a worker that dies takes other work
    with it.

    Args:
        function: gives the result of some work; ``pickle`` must be able to send it, the work and the
            result. Each worker keeps a copy from one batch to the next, and what the copy remembers.
        pieces: what to do.
        workers: who does it.
        waits_for: called with the tag of the piece, the first of its batch, whose result comes next.
    """
    if workers is not None:
        yield from _by_workers(function, pieces, workers, waits_for)
        return
    function = copy(function)
    for tag, work, _ in pieces:
        if work is None:
            yield tag, None
            continue
        waits_for(tag)
        yield tag, function(work)


def _by_workers(
    function: Callable[[Work], Result],
    pieces: Iterable[Piece[Tag, Work]],
    workers: Workers,
    waits_for: Callable[[Tag], None],
) -> Iterator[tuple[Tag, Result | LostWork | None]]:
    from concurrent.futures import Future, wait
    from pickle import dumps

    lost: tuple[type[BaseException], ...] = (TimeoutError, *workers.deaths)
    sent = _Sent(function, dumps(function))
    running: deque[tuple[Sequence[Piece[Tag, Work]], Sequence[Work], Future[list[Result]]]] = deque()

    def begin(work: Sequence[Work]) -> Future[list[Result]]:
        future: Future[list[Result]] = Future()
        if not work:
            future.set_result([])
            return future
        try:
            return workers.executor.submit(_results, sent, work)
        except lost as error:  # an executor that has ended with its worker
            future.set_exception(error)
            return future

    def alone(item: Work) -> Result | LostWork:
        wait(future for _, _, future in running)
        try:
            [result] = begin([item]).result()
            return result
        except lost as error:
            return _lost(error, workers.timeout)

    def results(work: Sequence[Work], future: Future[list[Result]]) -> Sequence[Result | LostWork]:
        try:
            return future.result()
        except TimeoutError as error:
            return [_lost(error, workers.timeout)] if len(work) == 1 else [alone(item) for item in work]
        except workers.deaths:
            return [alone(item) for item in work]

    def finish() -> Iterator[tuple[Tag, Result | LostWork | None]]:
        batch, work, future = running.popleft()
        waits_for(batch[0].tag)
        found = iter(results(work, future))
        for tag, item, _ in batch:
            yield tag, None if item is None else next(found)

    for batch in _batches(pieces, workers.batch_size):
        work = [item for _, item, _ in batch if item is not None]
        running.append((batch, work, begin(work)))
        if len(running) > AHEAD * workers.count:
            yield from finish()
    while running:
        yield from finish()


def _batches(pieces: Iterable[Piece[Tag, Work]], size: BatchSize) -> Iterator[list[Piece[Tag, Work]]]:
    batch: list[Piece[Tag, Work]] = []
    work_bytes = held_bytes = 0
    for piece in pieces:
        batch.append(piece)
        held_bytes += piece.size_bytes
        work_bytes += 0 if piece.work is None else piece.size_bytes
        if work_bytes >= size.work_bytes or held_bytes >= size.held_bytes or len(batch) >= size.pieces:
            yield batch
            batch, work_bytes, held_bytes = [], 0, 0
    if batch:
        yield batch


class _Sent(NamedTuple):
    """A function that is pickled once, and unpickled once by each process, however often it is sent."""

    function: Callable[[Any], Any]
    pickled: bytes

    def __reduce__(self) -> tuple[object, ...]:
        return _received, (self.pickled,)


@lru_cache(maxsize=1)
def _received(pickled: bytes) -> _Sent:
    from pickle import loads

    return _Sent(loads(pickled), pickled)


def _results(sent: _Sent, work: Sequence[Work]) -> list[Any]:
    """The results of a batch, by this thread's own copy of the function."""
    if getattr(_of_thread, "sent", None) is not sent:
        _of_thread.sent, _of_thread.function = sent, copy(sent.function)
    return [_of_thread.function(item) for item in work]


def _lost(error: BaseException, timeout: float | None) -> LostWork:
    from concurrent.futures import BrokenExecutor

    if isinstance(error, TimeoutError):
        seconds = "" if timeout is None else f" {timeout:g} seconds"
        return LostWork(f"it took longer than{seconds or ' it may'}")
    if isinstance(error, BrokenExecutor):
        return LostWork("a process died, and no other took over its work")
    return LostWork("the process that read it died, perhaps for lack of memory")
