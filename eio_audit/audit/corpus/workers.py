"""Workers: processes of this machine, the workers of a Dask cluster, or any executor.

They have a time limit if the executor has none of its own. Those of a cluster are on any number of machines,
and read dumps by their places in files.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from eio_audit.mlir.source import InputError

if TYPE_CHECKING:
    from distributed import Client

MOST_JOBS = 8  # the most processes that are started if nobody says how many
PRELOADED = (
    "pebble.pool.process",
    "eio_audit.audit.corpus.check_dumps",
    "eio_audit.audit.check.disorder",
    "eio_audit.audit.gate.findings",
    "eio_audit.mlir.semantics.effects",
)
"""What a process needs to check a dump out of order. It is imported once, before processes are forked."""
ENDED_AT_ONCE = "the processes ended at once; a script must start them below: if __name__ == '__main__':"
BETWEEN_LOOKS = 0.1  # the seconds between two looks at whether processes still work
CPU_QUOTA = Path("/sys/fs/cgroup/cpu.max")
"""Of a container (cgroup v2): the microseconds that it may use of each period, or ``max``, and the period."""
_THREADS = Path("/proc/self/task")  # has a folder for each thread of this process, on Linux
Result = TypeVar("Result")


class BatchSize(NamedTuple):
    """How much a worker gets at a time, so that sending costs little: a batch with one of these is full."""

    work_bytes: int = 1 << 18  # the size of its work
    # The size of all its pieces. Those without work are held until their turn comes.
    held_bytes: int = 1 << 22
    pieces: int = 1 << 9  # how many it has


BATCH_SIZE = BatchSize()


@dataclass(frozen=True, slots=True)
class Workers:
    """Who does the work."""

    executor: Executor  # what runs it
    count: int  # how many batches of work it runs at a time
    # The seconds that a piece of work may take, if the executor ends one that takes longer.
    timeout: float | None = None
    # The exceptions by which the executor tells that a worker died.
    deaths: tuple[type[BaseException], ...] = (BrokenExecutor,)
    shares_files: bool = False  # they read files themselves, by their paths, instead of getting their bytes
    batch_size: BatchSize = BATCH_SIZE  # how much they get at a time


def usable_cores(cpu_quota: Path = CPU_QUOTA) -> int:
    """How many cores this process may use, by its affinity and its container's quota; at most MOST_JOBS."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = cpu_quota.read_text().split()
        cores = min(cores, max(int(quota) // int(period), 1))
    except (OSError, ValueError):  # no container, or one without a quota
        pass
    return max(min(cores, MOST_JOBS), 1)


@contextmanager
def local_workers(jobs: int, timeout: float | None = None) -> Iterator[Workers]:
    """So many processes on this machine; they end at once when the work ends early, as by Ctrl-C.

    One that has not finished a piece of work after ``timeout`` seconds is ended, too.

    Raises:
        ChildProcessError: they ended at once.
        OSError: this machine allows no processes.
    """
    from pebble import ProcessExpired, ProcessPool

    for name in PRELOADED:
        import_module(name)
    _ignore_the_current_folder()
    pool: Any = ProcessPool(
        max_workers=jobs, context=_process_context(), initializer=_begin, initargs=gc.get_threshold()
    )
    try:
        try:
            executor = _PoolExecutor(pool)
            executor.submit(os.getpid).result()
            executor.timeout = timeout
        except (ProcessExpired, RuntimeError, ConnectionError) as error:
            cause = error.__cause__
            if isinstance(cause, OSError) and not isinstance(cause, ConnectionError):
                raise cause from None  # the system starts none
            raise ChildProcessError(ENDED_AT_ONCE) from error
        yield Workers(executor, jobs, timeout, (ProcessExpired, BrokenExecutor))
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
    """Prepare a new process: what it prints goes to standard error, since standard output is for reports."""
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
        threads = list(_THREADS.iterdir()) if _THREADS.is_dir() else []  # of Python or not
        kind = context.ForkProcess if len(threads) == 1 else context.ForkServerProcess
        return kind(*args, **kwargs)

    forks.Process = process
    return forks


class _PoolExecutor(Executor):
    """A pool of processes as an executor.

    If no process can be started in place of one that died, all work fails. The pool itself fails only what
    it had handed on by then, and the rest would wait for ever.
    """

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self.timeout: float | None = None  # the seconds that a piece of work may take
        self._lock = threading.Lock()
        self._waiting: set[Future[Any]] = set()
        if pool.active:  # starts the processes, before a thread forbids to fork this one
            threading.Thread(target=self._watch, daemon=True).start()

    def submit(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any) -> Future[Result]:
        future: Future[Result] = Future()
        with self._lock:
            self._waiting.add(future)
        try:
            task = self._pool.schedule(fn, args=args, kwargs=kwargs, timeout=self.timeout)
        except RuntimeError as error:
            raise BrokenExecutor from error
        task.add_done_callback(lambda task: self._settle([future], task.result))
        return future

    def _watch(self) -> None:
        while self._pool.active:
            sleep(BETWEEN_LOOKS)
        with self._lock:
            waiting = list(self._waiting)
        self._settle(waiting, _fail)

    def _settle(self, futures: Iterable[Future[Any]], work: Callable[[], Any]) -> None:
        """Give those that still wait the result of a function, or the exception that it raises."""
        with self._lock:
            ended = self._waiting.intersection(futures)
            self._waiting -= ended
        for future in ended:
            _settle(future, work)


def _fail() -> None:
    raise BrokenExecutor


class TimeLimit(Executor):
    """Another executor, which gives up work that takes longer than so many seconds.

    Python cannot end a thread: work that was given up goes on beside other work until it is done, or until
    its process ends.
    """

    def __init__(self, executor: Executor, seconds: float) -> None:
        self._executor = executor
        self._seconds = seconds

    def submit(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any) -> Future[Result]:
        """Begins work; its future gets a ``TimeoutError`` if the work is given up."""
        return self._executor.submit(_in_time, self._seconds, fn, *args, **kwargs)


def _in_time(seconds: float, function: Callable[..., Result], *args: Any, **kwargs: Any) -> Result:
    """The result of a function; a TimeoutError if it takes longer than so many seconds."""
    from pebble import concurrent

    future: Future[Result] = concurrent.thread(daemon=True)(function)(*args, **kwargs)
    return future.result(seconds)


def _settle(future: Future[Result], work: Callable[[], Result]) -> None:
    """Give a future the result of a function, or the exception that it raises."""
    try:
        future.set_result(work())
    except BaseException as error:
        future.set_exception(error)


@contextmanager
def cluster_workers(
    address: str, timeout: float | None = None, *, answer_seconds: float = 5
) -> Iterator[Workers]:
    """The workers of the Dask scheduler at an address. What still runs when the work ends early is given up.

    Args:
        address: as ``tcp://host:8786``.
        timeout: the seconds after which a piece of work is given up (see ``TimeLimit``).
        answer_seconds: how long to wait for an answer of the scheduler.

    Raises:
        InputError: Dask is not installed, the scheduler does not answer, it has no workers, they have other
            versions, or all of them or the scheduler ended during the work.
    """
    try:
        from distributed.scheduler import KilledWorker, NoWorkerError
        from distributed.utils import silence_logging_cmgr
    except ImportError as error:
        message = "Dask is not installed: pip install 'eio-audit[cluster]'"
        raise InputError(address, None, message) from error
    with silence_logging_cmgr(logging.CRITICAL), _client(address, answer_seconds) as client:
        require_versions(_versions(), address, client)
        executor = _ClientExecutor(client)
        try:
            yield Workers(
                executor if timeout is None else TimeLimit(executor, timeout),
                sum(client.nthreads().values()),
                timeout,
                (KilledWorker, BrokenExecutor),
                shares_files=True,
            )
        except (CancelledError, NoWorkerError) as error:
            raise InputError(address, None, "the scheduler ended, or all its workers") from error


class _ClientExecutor(Executor):
    """A client as an executor.

    The future of ``Client.get_executor`` never ends if the scheduler or the last worker ends while Dask
    fetches the result.
    """

    def __init__(self, client: Client) -> None:
        self._client = client

    def submit(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any) -> Future[Result]:
        future: Future[Result] = Future()
        task = self._client.submit(fn, *args, **kwargs, pure=False)
        task.add_done_callback(lambda task: _settle(future, task.result))
        return future


@contextmanager
def _client(address: str, answer_seconds: float) -> Iterator[Client]:
    from distributed import Client

    try:
        asyncio.run(asyncio.wait_for(_greet(address, answer_seconds), answer_seconds))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of other versions, which are an error
            client = Client(address, timeout=answer_seconds, set_as_default=False)
    except OSError as error:
        message = f"no Dask scheduler answers within {answer_seconds:g} seconds"
        raise InputError(address, None, message) from error
    except Exception as error:  # whatever else may listen there
        raise InputError(address, None, f"cannot reach a Dask scheduler: {error}") from error
    with client:
        try:
            client.wait_for_workers(1, answer_seconds)
        except TimeoutError as error:
            message = f"the scheduler has no workers: 'dask worker {address}' starts one"
            raise InputError(address, None, message) from error
        yield client


async def _greet(address: str, answer_seconds: float) -> None:
    """Connects once: a client waits for ever if something else than Dask listens."""
    from distributed.comm.core import connect
    from distributed.security import Security

    comm = await connect(address, answer_seconds, **Security().get_connection_args("client"))
    await comm.close()


def program_digest(package: Path = Path(__file__).parents[2]) -> str:
    """A digest of this program's files, another one after each edit.

    It is the same on every machine: compiled files are left out.

    Raises:
        OSError: a file cannot be read.
    """
    from hashlib import sha256

    digest = sha256()
    for file in sorted(package.glob("**/*.*")):
        if "__pycache__" not in file.parts:
            data = file.read_bytes()
            digest.update(f"{file.relative_to(package).as_posix()} {len(data)}\n".encode())
            digest.update(data)
    return digest.hexdigest()[:8]


def _versions() -> str:
    """What results depend on."""
    from importlib.metadata import version

    python = ".".join(map(str, sys.version_info[:2]))
    regex, dask = version("regex"), version("distributed")
    return f"eio-audit {program_digest()}, regex {regex}, Python {python} and Dask {dask}"


def require_versions(here: str, address: str, client: Client) -> None:
    """Raises an InputError if a worker has other versions than this process, so perhaps other results."""
    for worker, there in client.run(_versions, on_error="return").items():
        if there != here:
            raise InputError(address, None, f"its worker {worker} has {there}; here is {here}")
