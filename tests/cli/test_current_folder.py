"""No process runs what lies in the current folder, which is also that of the inputs.

There lies a module for each name that a process might import. It leaves a mark, prints, and ends its process.
"""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from distributed import Client, LocalCluster

from tests.cli.running import SAMPLES, run
from tests.internals import COMMANDS

ROOT = Path(__file__).parent.parent.parent

TRAP = """
open(__file__ + ".ran", "w").close()
print("RAN", flush=True)
raise SystemExit(7)
"""
TRAPS = sys.stdlib_module_names | {"click", "distributed", "eio_audit", "pebble", "regex", "rich"}

NOTES_STARTS = """
import json, os, sys

with open(os.environ["STARTS"], "a") as starts:
    starts.write(json.dumps([sys.flags.safe_path, *sys.orig_argv[1:]]) + "\\n")
"""
"""A ``sitecustomize``: Python imports it in each process that is started, but not in one that is forked."""

CONSOLE_SCRIPT = """
from eio_audit.cli.main import main

if __name__ == "__main__":
    main()
"""

ALL_COMMANDS = """
import json
import sys

from eio_audit.cli.main import main

if __name__ == "__main__":
    for command in json.loads(sys.argv[1]):
        sys.argv = ["eio-audit", *command]
        try:
            main()
        except SystemExit as end:
            print(command[0], end.code or 0, file=sys.stderr)
"""

CHECK_MANY = """
from eio_audit import check_many

if __name__ == "__main__":
    print(len(check_many(["logs"], jobs=2).check.dumps))
"""

PRINTS = """
import os
import sys

from eio_audit.audit.corpus.workers import local_workers

if __name__ == "__main__":
    with local_workers(1) as workers:
        workers.executor.submit(print, "by print", flush=True).result()
        workers.executor.submit(os.write, 1, b"by write").result()
    print("report")
"""

THREAD = """
import threading

threading.Thread(target=threading.Event().wait, daemon=True).start()
"""
"""With this, a script's processes come from a server."""


class Folder:
    """Traps beside inputs, and elsewhere scripts that are run in the folder of the traps."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "checkout"
        self.scripts = folder / "bin"
        self.starts = folder / "starts"
        self.site = folder / "site"
        for path in (self.path, self.path / "logs", self.scripts, self.site):
            path.mkdir()
        (self.site / "sitecustomize.py").write_text(NOTES_STARTS)
        for name in TRAPS:
            (self.path / f"{name}.py").write_text(TRAP)
        text = (SAMPLES / "resnet" / "after_alias.mlir").read_text()
        (self.path / "after.mlir").write_text(text)
        header = "// -----// IR Dump After {0} ({0}) //----- //\n"
        (self.path / "big.log").write_text("".join(header.format(f"p{n}") + text for n in range(50)))
        log = (SAMPLES / "small" / "all_passes_alias.log").read_bytes()
        for name in ("a.log", "b.log"):
            (self.path / "logs" / name).write_bytes(log)

    @property
    def environment(self) -> dict[str, str]:
        tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        modules = f"{self.site}{os.pathsep}{ROOT}"
        return os.environ | {"PATH": tools, "PYTHONPATH": modules, "STARTS": str(self.starts)}

    def command(self, script: str, *arguments: str) -> list[str]:
        (self.scripts / "eio-audit").write_text(script)
        return [sys.executable, str(self.scripts / "eio-audit"), *arguments]

    def run(self, command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        options = {"env": self.environment, "capture_output": True, "text": True} | options
        return subprocess.run(command, cwd=self.path, timeout=60, check=False, **options)

    def require_untouched(self) -> None:
        assert [path.name for path in self.path.rglob("*.ran")] == []

    def started(self) -> set[str]:
        """Which modules of ``multiprocessing`` were started as processes, all of them safely."""
        children = [json.loads(line) for line in self.starts.read_text().splitlines()]
        ours = [(safe, line[line.index("-c") + 1]) for safe, *line in children if "-c" in line]
        assert all(safe for safe, _ in ours)
        return {re.findall(r"from multiprocessing\.(\w+)", program)[0] for _, program in ours}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


RECORDED = [sys.executable, str(SAMPLES / "recorded" / "erase_inverse_ops.py"), "--ttir-erase-inverse-ops"]

PRINTER = shlex.join([sys.executable, str(SAMPLES / "recorded" / "commute_upwards.py")])
INPUT = str(SAMPLES / "small" / "before_alias.mlir")
EACH_COMMAND = [
    ["bisect", "-j", "2", "--", *RECORDED, str(SAMPLES / "small" / "before_alias.mlir")],
    ["check", "big.log", "-j", "2"],
    ["check", "big.log"],
    ["check", "-", "-j", "2"],
    ["check", "logs", "--timeout", "60"],
    ["diff", "logs/a.log", "logs/b.log", "--config", "jobs=2"],
    ["explain", "logs/a.log", "%3", "--dump", "last"],
    ["fix", "logs", "--output", "fixed", "--config", "jobs=2"],
    ["graph", "logs/a.log", "--dump", "last", "--block", "@forward"],
    ["help", "EIO001"],
    ["history", "logs/a.log", "%3"],
    ["normalize", "logs/a.log", "--dump", "last"],
    ["reduce", "-q", "--interesting", "grep -q sigmoid", "--printer", PRINTER, INPUT],
    ["repeat", "--runs", "2", "--", "cat", "logs/a.log"],
    ["show", "logs/a.log:last"],
    ["stamp", "after.mlir"],
    ["trace", "logs", "-j", "2"],
]


@pytest.mark.parametrize(
    ("thread", "started"),
    [
        pytest.param("", {"resource_tracker"}, id="forked", marks=pytest.mark.slow),
        pytest.param(THREAD, {"resource_tracker", "forkserver"}, id="from a server", marks=pytest.mark.slow),
    ],
)
def test_no_command_runs_it(folder: Folder, thread: str, started: set[str]) -> None:
    with (folder.path / "logs" / "a.log").open() as log:
        done = folder.run(folder.command(thread + ALL_COMMANDS, json.dumps(EACH_COMMAND)), stdin=log)
    assert "RAN" not in done.stdout + done.stderr
    codes = re.findall(rf"^({'|'.join(COMMANDS)}) (\d)$", done.stderr, re.MULTILINE)
    assert [name for name, _ in codes] == [name for name, *_ in EACH_COMMAND]
    assert {name for name, _ in codes} == {*COMMANDS}
    assert {code for _, code in codes} == {"0", "1"}, done.stderr
    assert folder.started() >= started
    folder.require_untouched()


def test_the_report_is_json(folder: Folder) -> None:
    done = folder.run(folder.command(CONSOLE_SCRIPT, "check", "big.log", "--format", "json", "-j", "2"))
    assert len(json.loads(done.stdout)["dumps"]) == 50
    assert (done.returncode, done.stderr) == (1, "")
    assert "resource_tracker" in folder.started()
    folder.require_untouched()


def test_on_a_terminal(folder: Folder) -> None:
    """A thread waits there for the time to show a progress bar."""
    ours, theirs = pty.openpty()
    command = folder.command(CONSOLE_SCRIPT, "check", "big.log", "-j", "2")
    done = folder.run(
        command,
        stderr=theirs,
        stdout=subprocess.PIPE,
        capture_output=False,
        env=folder.environment | {"TERM": "dumb"},
    )
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 1
    assert folder.started() == {"resource_tracker", "forkserver"}
    folder.require_untouched()


@pytest.mark.parametrize("thread", ["", THREAD], ids=["forked", "from a server"])
def test_check_many_from_a_script_elsewhere(folder: Folder, thread: str) -> None:
    done = folder.run(folder.command(thread + CHECK_MANY))
    assert int(done.stdout) > 2
    assert done.stderr == ""
    assert "resource_tracker" in folder.started()
    folder.require_untouched()


def test_the_module_as_a_safe_command(folder: Folder) -> None:
    done = folder.run([sys.executable, "-P", "-m", "eio_audit", "check", "logs", "-j", "2"])
    assert (done.returncode, done.stderr) == (1, "")
    assert "resource_tracker" in folder.started()
    folder.require_untouched()


def test_the_module_imports_nothing_more_from_there(folder: Folder) -> None:
    """What Python imports before it comes to the module is not ours: here only the other traps are set."""
    for name in (
        "eio_audit",
        *sys.stdlib_module_names - {"struct", "pickle", "socket", "signal", "selectors"},
    ):
        (folder.path / f"{name}.py").unlink()
    done = folder.run([sys.executable, "-m", "eio_audit", "check", "logs", "-j", "2"])
    assert (done.returncode, done.stderr) == (1, "")
    folder.require_untouched()


def test_the_action_installs_without_it(folder: Folder) -> None:
    described = yaml.safe_load((ROOT / "action.yml").read_text())
    make_venv, _ = described["runs"]["steps"][0]["run"].splitlines()
    script = make_venv.replace("-m venv", "-m venv --without-pip")  # pip takes seconds
    environment = folder.environment | {"RUNNER_TEMP": str(folder.scripts)}
    done = folder.run(["bash", "-euc", script], env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (folder.scripts / "eio-audit" / "bin" / "python").exists()
    folder.require_untouched()


@pytest.mark.slow
def test_the_worker_of_a_cluster_as_the_page_starts_it(folder: Folder) -> None:
    [line] = re.findall("^.*dask worker .*$", (ROOT / "docs" / "ci.md").read_text(), re.MULTILINE)
    with LocalCluster(n_workers=0, processes=False, protocol="tcp://", dashboard_address=":0") as cluster:
        address = cluster.scheduler_address
        script = line.replace("tcp://HOST:8786", address).replace("auto", "1") + " --no-dashboard"
        with subprocess.Popen(
            ["bash", "-c", script.replace("dask", "exec dask")],
            cwd=folder.path,
            env=folder.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as worker:
            try:
                with Client(cluster, set_as_default=False) as client:
                    client.wait_for_workers(1, 30)
                done = run("check", folder.path / "big.log", "--jobs", address)
            finally:
                worker.terminate()
    assert (done.returncode, done.stderr) == (1, b"")
    assert "spawn" in folder.started()
    folder.require_untouched()


@pytest.mark.parametrize("thread", ["", THREAD], ids=["forked", "from a server"])
def test_a_worker_prints_nothing_on_standard_output(folder: Folder, thread: str) -> None:
    done = folder.run(folder.command(thread + PRINTS))
    assert (done.stdout, done.stderr) == ("report\n", "by print\nby write")
