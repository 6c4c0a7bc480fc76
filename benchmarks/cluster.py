"""Measures what it costs to check the files of a folder on a Dask cluster: two workers on this machine.

    python benchmarks/corpus.py FOLDER
    python benchmarks/cluster.py FOLDER

Prints the seconds and files per second of one process, two processes, and the cluster, and the CPU time
per file of the command, of the scheduler, and of the workers. Two commands at the same time, each with half
of the models, show what this machine can gain at most. One small file shows what a run costs at least.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from distributed import Client, LocalCluster

from eio_audit.mlir.input.folders import find_files

WORKERS = 2


class Cost(NamedTuple):
    """Seconds: wall time, and CPU time of the command, the scheduler and the workers."""

    wall: float
    command: float
    scheduler: float
    workers: float


def workers_seconds(client: Client | None) -> float:
    """The CPU time that all workers have used."""
    return 0.0 if client is None else sum(client.run(time.process_time).values())


def cost(commands: list[list[str]], client: Client | None) -> Cost:
    """What commands cost that run at the same time."""
    workers, scheduler, begin = workers_seconds(client), time.process_time(), time.perf_counter()
    check = [sys.executable, "-m", "eio_audit", "check", "--fail-on", "never"]
    cpu = 0.0
    for process in [subprocess.Popen([*check, *command], stdout=subprocess.DEVNULL) for command in commands]:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{commands}: exit code {process.returncode}")
        cpu += used.ru_utime + used.ru_stime
    wall = time.perf_counter() - begin
    scheduler = time.process_time() - scheduler
    return Cost(wall, cpu, scheduler, workers_seconds(client) - workers)


def measure(ways: dict[str, list[list[str]]], files: int, runs: int, client: Client | None = None) -> None:
    """Prints the median costs of each way to check a folder, one run of each after the other."""
    costs: dict[str, list[Cost]] = {name: [] for name in ways}
    for _ in range(runs):
        for name, commands in ways.items():
            costs[name].append(cost(commands, client))
    for name, several in costs.items():
        wall, *cpu = (statistics.median(column) for column in zip(*several, strict=True))
        own, scheduler, workers = (f"{1_000 * seconds / files:.2f}" for seconds in cpu)
        print(f"{name:18} {wall:9.2f} {files / wall:8.1f} {own:>28} {scheduler:>10} {workers:>8}")


def measure_all(folder: Path, files: int, runs: int) -> None:
    """Prints what each way costs. The cluster is started after the other ways were measured."""
    print(f"{'files: ' + str(files):18}   seconds  files/s   ms of CPU per file: command  scheduler  workers")
    path, models = str(folder), [str(model) for model in sorted(folder.iterdir())]
    ways = {"1 process": [[path, "-j", "1"]], f"{WORKERS} processes": [[path, "-j", str(WORKERS)]]}
    if len(models) > 1:
        ways[f"{WORKERS} commands"] = [[*models[part::WORKERS], "-j", "1"] for part in range(WORKERS)]
    measure(ways, files, runs)
    with (
        LocalCluster(
            n_workers=WORKERS, threads_per_worker=1, protocol="tcp://", silence_logs="CRITICAL"
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        address = cluster.scheduler_address
        measure({"cluster": [[path, "--jobs", address]]}, files, runs, client)


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    files = find_files(str(options.folder))
    measure_all(options.folder, len(files), options.runs)
    with TemporaryDirectory() as folder:
        smallest = min(map(Path, files), key=lambda file: file.stat().st_size)
        (Path(folder) / "f.mlir").write_bytes(smallest.read_bytes())
        measure_all(Path(folder), 1, options.runs)


if __name__ == "__main__":
    main()
