"""The workers of a Dask cluster: a scheduler and two processes that talk by TCP."""

from __future__ import annotations

import gzip
import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import pytest
from distributed import Client, LocalCluster

from eio_audit import InputError, check_many, read, read_text
from tests.audit.corpus.test_check_dumps import Deadly
from tests.audit.test_trace import function
from tests.cli.running import run
from tests.internals import DumpCheck, check_dumps, cluster_workers
from tests.internals import check_dumps_module as corpus
from tests.internals import cluster_module as dask_cluster
from tests.test_samples import SAMPLES

LOG = SAMPLES / "resnet" / "all_passes_alias.log"


def local_cluster(workers: int) -> LocalCluster:
    """A cluster on this machine; a task may lose one worker."""
    with dask.config.set({"distributed.scheduler.allowed-failures": 1}):
        return LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            protocol="tcp://",
            dashboard_address=":0",
            silence_logs="CRITICAL",
        )


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    with local_cluster(2) as started:
        yield started


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "BATCH_BYTES", 1)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A log, files in order and out of order, a packed one, and one that cannot be read."""
    monkeypatch.chdir(tmp_path)
    Path("log.log").write_bytes(LOG.read_bytes())
    for number, text in enumerate(
        [function("f", 2, 1), function("g", 1, 2), "func.func @f() {\n  %0 = \n}\n"]
    ):
        Path(f"{number}.mlir").write_text(text)
    Path("packed.mlir.gz").write_bytes(gzip.compress(function("h", 3, 1, 2).encode()))
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--send"], ["--timeout", "60"]])
def test_a_cluster_reports_what_one_process_does(
    cluster: LocalCluster, folder: Path, small_batches: None, options: list[str]
) -> None:
    command = "check", ".", "-", "--format", "json", "--select", "EIO", "-v"
    text = function("stdin", 2, 1).encode()
    here = run(*command, stdin=text)
    there = run(*command, "--cluster", cluster.scheduler_address, *options, stdin=text)
    assert (there.returncode, there.stdout, there.stderr) == (here.returncode, here.stdout, here.stderr)
    assert b"2.mlir:2:3: error" in here.stderr


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--send"]])
def test_a_worker_that_is_killed_changes_nothing(
    cluster: LocalCluster, small_batches: None, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    with Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2)
        left = [*client.run(os.getpid).values()][:1]
    learn = corpus._Run._learn

    def kill_and_learn(*args: Any) -> None:
        while left:
            os.kill(left.pop(), signal.SIGKILL)
        learn(*args)

    here = run("check", str(LOG), "--format", "json")
    monkeypatch.setattr(corpus._Run, "_learn", kill_and_learn)
    there = run("check", str(LOG), "--format", "json", "--cluster", cluster.scheduler_address, *options)
    assert left == []
    assert (there.returncode, there.stdout, there.stderr) == (here.returncode, here.stdout, here.stderr)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "timeout", "reason"),
    [
        ("dies", None, "the process that read it died, perhaps for lack of memory"),
        ("hangs", 2, "it took longer than 2 seconds"),
    ],
)
def test_a_dump_that_is_too_much_for_a_worker_is_an_error_of_its_file(
    cluster: LocalCluster, name: str, timeout: float | None, reason: str
) -> None:
    texts = [function(name if n == 3 else f"f{n}", 2, 1) for n in range(8)]
    dumps = [dump for n, text in enumerate(texts) for dump in read_text(text, f"{n}.mlir")]
    with cluster_workers(cluster.scheduler_address, timeout) as workers:
        result = check_dumps(dumps, Deadly(), workers=workers)
    assert [audit.source for audit in result.dumps] == [f"{n}.mlir" for n in range(8) if n != 3]
    assert [str(error) for error in result.errors] == [f"3.mlir:1:1: error: {reason}"]


@pytest.mark.slow
def test_check_many_by_the_executor_of_dask(cluster: LocalCluster) -> None:
    with Client(cluster, set_as_default=False) as client:
        there = check_many([LOG], executor=client.get_executor(pure=False), jobs=2)
    assert there == check_many([LOG])


@pytest.mark.slow
def test_workers_with_another_version_are_an_error(
    cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_cluster, "contents", lambda: b"otherwise")
    result = run("check", str(LOG), "--cluster", cluster.scheduler_address)
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr.startswith(f"{cluster.scheduler_address}: error: its worker tcp://".encode())
    assert b"; here is eio-audit 6f746865, Python 3." in result.stderr


@pytest.mark.slow
def test_a_cluster_that_ends_is_an_error(small_batches: None) -> None:
    with local_cluster(1) as cluster:
        address = cluster.scheduler_address
        with (
            pytest.raises(InputError, match=f"{address}: error: the scheduler ended, or all its workers"),
            cluster_workers(address) as workers,
        ):
            check_dumps(read(LOG), DumpCheck(), lambda _, __: cluster.close(), workers)


@pytest.mark.slow
def test_a_scheduler_without_workers_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "ANSWER_SECONDS", 1)
    with local_cluster(0) as cluster:
        address = cluster.scheduler_address
        result = run("check", str(LOG), "--cluster", address)
    message = f"{address}: error: the scheduler has no workers: 'dask worker {address}' starts one\n"
    assert (result.returncode, result.stdout, result.stderr.decode()) == (2, b"", message)


def test_an_address_where_nothing_answers_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "ANSWER_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # accepts, and says nothing
        address = "tcp://127.0.0.1:{1}".format(*silent.getsockname())
        result = run("check", str(LOG), "--cluster", address)
    message = f"{address}: error: no Dask scheduler answers within 0.5 seconds\n"
    assert (result.returncode, result.stdout, result.stderr.decode()) == (2, b"", message)


def test_an_address_without_a_port_is_an_error() -> None:
    result = run("check", str(LOG), "--cluster", "host")
    message = "host: error: cannot reach a Dask scheduler: missing port number in address 'host'\n"
    assert (result.returncode, result.stdout, result.stderr.decode()) == (2, b"", message)


def test_without_dask_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed.scheduler", None)
    result = run("check", str(LOG), "--cluster", "tcp://host:8786")
    message = "tcp://host:8786: error: Dask is not installed: pip install 'eio-audit[cluster]'\n"
    assert (result.returncode, result.stdout, result.stderr.decode()) == (2, b"", message)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--send"], "Error: --send requires --cluster ADDRESS"),
        (["--cluster", "tcp://host:8786", "-j", "2"], "Error: --cluster cannot be used with --jobs"),
    ],
)
def test_options_that_do_not_fit_are_wrong_usage(options: list[str], message: str) -> None:
    result = run("check", str(LOG), *options)
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr.decode().rstrip().endswith(message)
