"""Work for several processes: who does it, and its results in the order in which it was given.

A worker that dies, or needs longer than it may, fails at what it was doing; all other work goes on.
"""

from __future__ import annotations

import gc
import os
import pickle
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.source import InputError, Position

MOST_JOBS = 8
"""The most processes that are started if nobody says how many."""

AHEAD = 2
"""How many pieces of work wait for each worker, so that none waits for work."""

PRELOADED = (
    "pebble.pool.process",
    "eio_audit.audit.corpus.check_dumps",
    "eio_audit.audit.check.disorder",
    "eio_audit.audit.gate.findings",
    "eio_audit.mlir.semantics.conflicts",
)
"""What a process needs to check a dump out of order. It is imported once, before processes are forked."""

ENDED_AT_ONCE = "the processes ended at once; a script must start them below: if __name__ == '__main__':"

_CPU_QUOTA = Path("/sys/fs/cgroup/cpu.max")
"""Of a container (cgroup v2): the microseconds that it may use of each period, or ``max``, and the period."""

_THREADS = Path("/proc/self/task")
"""Has a folder for each thread of this process, on Linux."""

_of_thread = threading.local()

Work = TypeVar("Work")
Result = TypeVar("Result")
Tag = TypeVar("Tag")


@dataclass(frozen=True, slots=True)
class Workers:
    """Who does the work.

    Attributes:
        executor: what runs it.
        count: how many pieces of work it runs at a time.
        timeout: the seconds that a piece of work may take, if the executor ends one that takes longer.
        deaths: the exceptions by which the executor tells that a worker died.
        shares_files: they read files themselves, by their paths, instead of getting their bytes.
    """

    executor: Executor
    count: int
    timeout: float | None = None
    deaths: tuple[type[BaseException], ...] = (BrokenExecutor,)
    shares_files: bool = False


@dataclass(frozen=True, slots=True)
class LostWork:
    """A piece of work without a result; ``reason`` is why: its worker died, or it took too long."""

    reason: str

    def error(self, dump: Dump) -> InputError:
        """The error of a dump that was the work."""
        return InputError(dump.source.name, Position(dump.line, 1), self.reason)


def usable_cores() -> int:
    """How many cores this process may use, by its affinity and its container's quota; at most MOST_JOBS."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = _CPU_QUOTA.read_text().split()
        cores = min(cores, max(int(quota) // int(period), 1))
    except (OSError, ValueError):  # no container, or one without a quota
        pass
    return max(min(cores, MOST_JOBS), 1)


@contextmanager
def local_workers(jobs: int, timeout: float | None = None) -> Iterator[Workers]:
    """So many processes on this machine; they end at once when the work ends early, as by Ctrl-C.

    Args:
        jobs: how many.
        timeout: the seconds after which a process is ended that has not finished a piece of work.

    Raises:
        ChildProcessError: they ended at once.
        OSError: this machine allows no processes.
    """
    from pebble import ProcessExpired, ProcessPool

    for name in PRELOADED:
        import_module(name)
    _ignore_the_current_folder()
    pool: Any = ProcessPool(
        max_workers=jobs,
        context=_process_context(),
        initializer=_begin,
        initargs=gc.get_threshold(),
    )
    try:
        try:
            pool.schedule(os.getpid).result()
        except (ProcessExpired, RuntimeError, ConnectionError) as error:
            cause = error.__cause__
            if isinstance(cause, OSError) and not isinstance(cause, ConnectionError):
                raise cause from None  # the system starts none
            raise ChildProcessError(ENDED_AT_ONCE) from error
        yield Workers(_PoolExecutor(pool, timeout), jobs, timeout, (ProcessExpired, BrokenExecutor))
    except BaseException:
        pool.stop()
        pool.join()
        raise
    pool.close()
    threading.Thread(target=pool.join).start()  # it waits for a poll; this process need not


@cache
def _ignore_the_current_folder() -> None:
    """Let ``multiprocessing`` start each Python with ``-P``, from now on.

    ``python -c``, which becomes the server, the tracker of locks or a spawned process, would import what lies
    in the current folder. ``multiprocessing`` also starts them in place of one that died, at any time.
    """
    from multiprocessing import util

    starts: Any = util
    options = starts._args_from_interpreter_flags
    starts._args_from_interpreter_flags = lambda: ["-P", *options()]


def _begin(*thresholds: int) -> None:
    """Prepare a new process, which gets this one's thresholds of garbage collection.

    What it prints goes to standard error: standard output is for reports.
    """
    gc.set_threshold(*thresholds)
    try:
        os.dup2(2, 1)
    except OSError:  # standard error is closed
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _process_context() -> Any:
    """How processes are started, as ``multiprocessing`` calls it.

    A fork of this process can work at once. But it may hang if this process has other threads, as where a
    worker died and another one takes its place. Then a server without threads is forked.
    """
    from multiprocessing import context, get_all_start_methods, get_context

    if "forkserver" not in get_all_start_methods():
        return get_context("spawn")
    forks: Any = context.ForkServerContext()
    forks.set_forkserver_preload([*PRELOADED, "__main__"])

    def process(*args: Any, **kwargs: Any) -> context.ForkProcess | context.ForkServerProcess:
        kind = context.ForkProcess if _has_one_thread() else context.ForkServerProcess
        return kind(*args, **kwargs)

    forks.Process = process
    return forks


def _has_one_thread() -> bool:
    """Whether this process has one thread, of Python or not; False if the system does not say."""
    try:
        return len(list(_THREADS.iterdir())) == 1
    except OSError:
        return False


class _PoolExecutor(Executor):
    """A pool of processes as an executor.

    If no process can be started in place of one that died, all work fails. The pool itself fails only what a
    process could have begun, and the rest would wait for ever.
    """

    def __init__(self, pool: Any, timeout: float | None) -> None:
        self._pool = pool
        self._timeout = timeout
        self._lock = threading.Lock()
        self._waiting: set[Future[Any]] = set()
        self._broken = False

    def submit(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any) -> Future[Result]:
        future: Future[Result] = Future()
        with self._lock:
            self._waiting.add(future)
        try:
            task = self._pool.schedule(fn, args=args, kwargs=kwargs, timeout=self._timeout)
        except RuntimeError as error:
            raise BrokenExecutor from error
        task.add_done_callback(lambda task: self._finish(future, task))
        if self._broken:
            raise BrokenExecutor
        return future

    def _finish(self, future: Future[Any], task: Future[Any]) -> None:
        error = task.exception()
        breaks = isinstance(error, BrokenExecutor)
        with self._lock:
            self._broken |= breaks
            ended = self._waiting if breaks else self._waiting & {future}
            self._waiting = self._waiting - ended
        for each in ended:
            if error is None:
                each.set_result(task.result())
            else:
                each.set_exception(error)


def results_in_order(
    function: Callable[[Sequence[Work]], list[Result]],
    batches: Iterable[tuple[Sequence[Work], Tag]],
    workers: Workers,
    waits_for: Callable[[Tag], None] = lambda _: None,
) -> Iterator[tuple[Tag, list[Result | LostWork]]]:
    """The results of batches of work, in the order of the batches, each with the tag of its batch.

    Only so many batches are taken at a time that all workers have work. Where a batch is lost, each piece of
    it is tried once more, and nothing else runs at that time: a worker that dies takes other work with it.

    Args:
        function: gives the results of a batch; ``pickle`` must be able to send it, the work and the results.
            Each worker keeps a copy from one batch to the next, and what the copy remembers.
        batches: pieces of work, as many in each as are worth sending, and a tag, which is not sent.
        workers: who does it.
        waits_for: called with the tag of the batch whose results come next.
    """
    lost: tuple[type[BaseException], ...] = (TimeoutError, *workers.deaths)
    sent = _Sent(function, pickle.dumps(function))

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

    running: deque[tuple[Sequence[Work], Tag, Future[list[Result]]]] = deque()

    def alone(item: Work) -> Result | LostWork:
        wait(future for _, _, future in running)
        try:
            [result] = begin([item]).result()
            return result
        except lost as error:
            return _lost(error, workers.timeout)

    def finish() -> tuple[Tag, list[Result | LostWork]]:
        work, tag, future = running.popleft()
        waits_for(tag)
        try:
            return tag, [*future.result()]
        except TimeoutError as error:
            again = len(work) > 1
            return tag, [alone(item) if again else _lost(error, workers.timeout) for item in work]
        except workers.deaths:
            return tag, [alone(item) for item in work]

    for work, tag in batches:
        running.append((work, tag, begin(work)))
        if len(running) > AHEAD * workers.count:
            yield finish()
    while running:
        yield finish()


@dataclass(frozen=True, slots=True, eq=False)
class _Sent:
    """A function that is pickled once, and unpickled once by each process, however often it is sent."""

    function: Callable[[Any], list[Any]]
    pickled: bytes

    def __reduce__(self) -> tuple[object, ...]:
        return _received, (self.pickled,)


@lru_cache(maxsize=1)
def _received(pickled: bytes) -> _Sent:
    return _Sent(pickle.loads(pickled), pickled)


def _results(sent: _Sent, work: Sequence[Work]) -> list[Any]:
    """The results of a batch, by this thread's own copy of the function."""
    if getattr(_of_thread, "sent", None) is not sent:
        _of_thread.sent, _of_thread.function = sent, copy(sent.function)
    results: list[Any] = _of_thread.function(work)
    return results


def _lost(error: BaseException, timeout: float | None) -> LostWork:
    if isinstance(error, TimeoutError):
        seconds = "" if timeout is None else f" {timeout:g} seconds"
        return LostWork(f"it took longer than{seconds or ' it may'}")
    if isinstance(error, BrokenExecutor):
        return LostWork("a process died, and no other took over its work")
    return LostWork("the process that read it died, perhaps for lack of memory")
