"""Checks files with any executor and says whether a gate lets them pass."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import BrokenExecutor, Executor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from os import PathLike, fspath

from eio_audit.audit.corpus.check_dumps import check_dumps
from eio_audit.audit.corpus.dump_check import DumpCheck
from eio_audit.audit.corpus.time_limit import TimeLimit
from eio_audit.audit.corpus.workers import Workers, local_workers, usable_cores
from eio_audit.audit.gate.gate import Gate, Verdict, judge
from eio_audit.audit.log.log_findings import LogFindings
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import read
from eio_audit.mlir.input.folders import find_files
from eio_audit.mlir.source import InputError, read_all

DEFAULT_GATE = Gate()


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
        jobs: how many processes to start; with an executor, how many pieces of work it runs at a time, by
            default ``usable_cores()``. Without both, this process does all.
        timeout: the seconds after which a piece of work is given up. An executor goes on with it
            until it is done, since Python cannot end a thread.

    Raises:
        TypeError: ``paths`` is a single path.
    """
    if isinstance(paths, str | PathLike):
        raise TypeError(f"expected a list of paths, not {paths!r:.80}")
    findings = LogFindings(gate.rules)
    errors: list[InputError] = []
    with _workers(executor, jobs, timeout) as workers:
        check = check_dumps(
            read_all(read_all((fspath(path) for path in paths), find_files, errors), read, errors),
            DumpCheck(options, gate.rules),
            lambda _, found: findings.take(found),
            workers,
        )
    return judge(replace(check, errors=(*errors, *check.errors)), findings.findings, gate)


def _workers(
    executor: Executor | None, jobs: int | None, timeout: float | None
) -> AbstractContextManager[Workers | None]:
    if executor is not None:
        deaths: tuple[type[BaseException], ...] = (BrokenExecutor,)
        if type(executor).__module__.startswith("distributed."):
            from distributed.scheduler import KilledWorker

            deaths = (BrokenExecutor, KilledWorker)
        limited = executor if timeout is None else TimeLimit(executor, timeout)
        return nullcontext(Workers(limited, jobs or usable_cores(), timeout, deaths))
    if jobs in (None, 1) and timeout is None:
        return nullcontext()
    return local_workers(jobs or 1, timeout)
