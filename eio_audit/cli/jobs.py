"""The options of who does the work. None changes a report."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from eio_audit.cli.options import Command, together

if TYPE_CHECKING:
    from eio_audit.audit.corpus.workers import Workers

ENOUGH_BYTES = 4_000_000  # the size of the input from which on several processes are faster than one


class Jobs(NamedTuple):
    """Who does the work."""

    processes: int | str | None = None  # how many; None for `auto`; or the address of a Dask scheduler
    timeout: float | None = None  # the seconds that a file may take

    @contextmanager
    def workers(self, total_bytes: int | None, pieces: int | None = None) -> Iterator[Workers | None]:
        """The processes for so many bytes, None for a pipe; no ``Workers`` if this process does all.

        ``pieces`` is how many pieces of work there are, if that is known.

        Raises:
            InputError: the cluster cannot do it.
        """
        if isinstance(self.processes, str):
            from eio_audit.audit.corpus.workers import cluster_workers

            with cluster_workers(self.processes, self.timeout) as cluster:
                yield cluster
            return
        count = 1 if pieces == 1 else self._count(total_bytes)
        count = count if pieces is None else max(min(count, pieces), 1)
        if count == 1 and self.timeout is None:
            yield None
            return
        from eio_audit.audit.corpus.workers import local_workers

        with ExitStack() as started:
            workers = None
            try:
                workers = started.enter_context(local_workers(count, self.timeout))
            except ChildProcessError as error:
                raise click.UsageError("cannot start processes: they ended at once") from error
            except OSError as error:  # a container may allow no other processes, or no locks between them
                if self.processes is not None or self.timeout is not None:
                    raise click.UsageError(f"cannot start processes: {error.strerror or error}") from error
            yield workers

    def _count(self, total_bytes: int | None) -> int:
        if isinstance(self.processes, int):
            return self.processes
        if total_bytes is None or total_bytes < ENOUGH_BYTES:
            return 1
        from eio_audit.audit.corpus.workers import usable_cores

        return usable_cores()


def job_count(text: str, *, or_address: bool = False) -> int | str | None:
    """Return how many processes a text names, None for ``auto``, or the address of a scheduler."""
    if text == "auto":
        return None
    if or_address and "://" in text:
        return text
    if text.isascii() and text.isdigit() and 0 < int(text[:6]) <= 1_000:
        return int(text)
    raise click.BadParameter(f"{text!r} is neither 'auto' nor a number from 1 to 1,000")


MOST_SECONDS = 1e9  # more than thirty years; what waits takes no much larger number


def _seconds(text: Any) -> float:
    seconds: float = click.FloatRange(min=0, min_open=True, max=MOST_SECONDS).convert(text, None, None)
    if math.isnan(seconds):
        raise click.BadParameter(f"{text!r} is not a number of seconds")
    return seconds


PROCESSES = "Number of processes. auto is the number of usable cores, at most 8, and 1 for small inputs."


def timeout_option(text: str) -> Callable[[Any], Any]:
    """Return ``--timeout``, with its help."""
    return click.option("--timeout", type=_seconds, metavar="SECONDS", help=text)


def jobs_options(
    jobs: str = PROCESSES, timeout: str = "", *, or_address: bool = False
) -> Callable[[Command], Command]:
    """Return ``--jobs``, of processes ``or_address`` of a scheduler, and ``--timeout``, with their help."""
    return together(
        "parallel",
        Jobs,
        click.option(
            *("-j", "--jobs", "processes"),
            type=lambda text: job_count(text, or_address=or_address),
            metavar="N|auto" + "|tcp://HOST:PORT" * or_address,
            default="auto",
            show_default=True,
            help=jobs,
        ),
        timeout_option(timeout),
    )
