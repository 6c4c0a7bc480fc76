"""The workers of a Dask cluster, on any number of machines; they read dumps by their places in files."""

from __future__ import annotations

import asyncio
import logging
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar

from eio_audit.audit.corpus.check_dumps import program_digest
from eio_audit.audit.corpus.workers import TimeLimit, Workers
from eio_audit.mlir.source import InputError

if TYPE_CHECKING:
    from distributed import Client

Result = TypeVar("Result")


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

        def finish(task: Any) -> None:
            try:
                future.set_result(task.result())
            except BaseException as error:
                future.set_exception(error)

        self._client.submit(fn, *args, **kwargs, pure=False).add_done_callback(finish)
        return future


@contextmanager
def _client(address: str, answer_seconds: float) -> Iterator[Client]:
    """A client that has at least one worker."""
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


def _versions() -> str:
    """What has to be the same everywhere."""
    python = ".".join(map(str, sys.version_info[:2]))
    return f"eio-audit {program_digest().hex()[:8]}, Python {python} and Dask {version('distributed')}"


def require_versions(here: str, address: str, client: Client) -> None:
    """Checks that the workers have the versions of this process, so that they give its results.

    Raises:
        InputError: one of them has other versions.
    """
    for worker, there in client.run(_versions, on_error="return").items():
        if there != here:
            raise InputError(address, None, f"its worker {worker} has {there}; here is {here}")
