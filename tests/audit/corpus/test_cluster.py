"""The workers of a Dask cluster: a scheduler and two processes that talk by TCP."""

from __future__ import annotations

import gzip
import os
import shutil
import signal
import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import dask
import pytest
from distributed import Client, LocalCluster

from eio_audit import InputError, check_many, read, read_text
from eio_audit.audit.corpus.workers import cluster_workers, program_digest, require_versions
from tests.audit.corpus.test_check_dumps import Deadly
from tests.cli.running import run
from tests.internals import BatchSize, DumpCheck, Workers, check_dumps
from tests.logs import function
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


def in_small_batches(workers: Workers) -> Workers:
    return replace(workers, batch_size=BatchSize(work_bytes=1))


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
@pytest.mark.parametrize("options", [[], ["--timeout", "60"]])
def test_a_cluster_reports_what_one_process_does(
    cluster: LocalCluster, folder: Path, options: list[str]
) -> None:
    command = "check", ".", "-", "--format", "json", "--select", "EIO", "-v"
    text = function("stdin", 2, 1).encode()
    here = run(*command, stdin=text)
    there = run(*command, "--jobs", cluster.scheduler_address, *options, stdin=text)
    assert (there.returncode, there.stdout, there.stderr) == (here.returncode, here.stdout, here.stderr)
    assert b"2.mlir:2:3: error" in here.stderr


@pytest.mark.slow
def test_a_worker_that_is_killed_changes_nothing(cluster: LocalCluster) -> None:
    with Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2)
        left = [*client.run(os.getpid).values()][:1]

    def kill(*_: object) -> None:
        while left:
            os.kill(left.pop(), signal.SIGKILL)

    with cluster_workers(cluster.scheduler_address) as workers:
        there = check_dumps(read(LOG), DumpCheck(), kill, in_small_batches(workers))
    assert left == []
    assert there == check_dumps(read(LOG), DumpCheck())


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
def test_workers_with_another_version_are_an_error(cluster: LocalCluster) -> None:
    with (
        Client(cluster, set_as_default=False) as client,
        pytest.raises(
            InputError, match=r"^there: error: its worker tcp://.* has eio-audit .*; here is this$"
        ),
    ):
        require_versions("this", "there", client)


@pytest.mark.slow
def test_a_cluster_that_ends_is_an_error() -> None:
    with local_cluster(1) as cluster:
        address = cluster.scheduler_address
        with (
            pytest.raises(InputError, match=f"{address}: error: the scheduler ended, or all its workers"),
            cluster_workers(address) as workers,
        ):
            check_dumps(read(LOG), DumpCheck(), lambda _, __: cluster.close(), in_small_batches(workers))


def test_an_edit_of_the_program_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "program" / "room" / "module.py"
    file.parent.mkdir(parents=True)
    file.write_text("a = 1\n")
    digest = program_digest(tmp_path / "program")
    (file.parent / "__pycache__").mkdir()
    (file.parent / "__pycache__" / "module.cpython.pyc").write_bytes(b"compiled")
    os.utime(file, ns=(0, 0))
    copy = shutil.copytree(tmp_path / "program", tmp_path / "elsewhere")
    assert program_digest(tmp_path / "program") == program_digest(copy) == digest
    file.write_text("a = 2\n")
    assert program_digest(tmp_path / "program") != digest


def failure_of(address: str, answer_seconds: float) -> str:
    with pytest.raises(InputError) as raised, cluster_workers(address, answer_seconds=answer_seconds):
        pass
    return str(raised.value)


@pytest.mark.slow
def test_a_scheduler_without_workers_is_an_error() -> None:
    with local_cluster(0) as cluster:
        address = cluster.scheduler_address
        message = f"{address}: error: the scheduler has no workers: 'dask worker {address}' starts one"
        assert failure_of(address, 1) == message


def test_an_address_where_nothing_answers_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # accepts, and says nothing
        address = "tcp://127.0.0.1:{1}".format(*silent.getsockname())
        message = f"{address}: error: no Dask scheduler answers within 0.5 seconds"
        assert failure_of(address, 0.5) == message


def test_an_address_without_a_port_is_an_error() -> None:
    result = run("check", str(LOG), "--jobs", "tcp://host")
    message = "tcp://host: error: cannot reach a Dask scheduler: missing port number in address 'host'\n"
    assert (result.returncode, result.stdout, result.stderr.decode()) == (2, b"", message)


def test_without_dask_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed.scheduler", None)
    result = run("check", str(LOG), "--jobs", "tcp://host:8786")
    message = "tcp://host:8786: error: Dask is not installed: pip install 'eio-audit[cluster]'\n"
    assert (result.returncode, result.stdout, result.stderr.decode()) == (2, b"", message)


def test_only_check_uses_a_cluster() -> None:
    result = run("trace", str(LOG), "--jobs", "tcp://host:8786")
    assert (result.returncode, result.stdout) == (2, b"")
    assert "'tcp://host:8786' is neither 'auto' nor a number from 1 to 1,000" in result.stderr.decode()
