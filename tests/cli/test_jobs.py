"""``--jobs`` and ``--timeout``: the work of several processes has the output of one."""

from __future__ import annotations

import gzip
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, NoReturn

import pebble
import pytest

from eio_audit.audit.corpus.workers import usable_cores
from tests.audit.test_fix import fixed
from tests.cli.running import FORMATS, run
from tests.logs import dump, function
from tests.test_samples import SAMPLES

LOG = str(SAMPLES / "resnet" / "all_passes_alias.log")


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files in order and out of order, two alike, and two that cannot be read."""
    monkeypatch.chdir(tmp_path)
    texts = [
        function("f", 2, 1),
        function("g", 1, 2),
        function("f", 2, 1),
        "func.func @f() {\n  %0 = \n}\n",
        "",
    ]
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.mlir").write_text(text)
    (tmp_path / "bytecode.mlir").write_bytes(b"ML\xefR")
    return tmp_path


def make_large(corpus: Path) -> None:
    """Let the first two files be as large as those for which several processes start."""
    for name in ("0.mlir", "1.mlir"):
        with (corpus / name).open("a") as file:
            file.write(f"// {'x' * 2000}\n" * 2100)


@pytest.fixture
def no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(pebble, "ProcessPool", refuse)


@pytest.mark.parametrize("format_", FORMATS)
def test_two_processes_report_what_one_does(corpus: Path, format_: str) -> None:
    command = "check", str(corpus), LOG, "--format", format_, "--select", "EIO", "--fail-on", "any"
    one, two = (run(*command, "-j", count) for count in "12")
    assert (one.returncode, one.stdout, one.stderr) == (two.returncode, two.stdout, two.stderr)
    assert one.returncode == 2
    assert "3.mlir:2:3: error" in one.stderr.decode()


def test_verbose_and_the_memory_of_blocks_are_the_same(corpus: Path) -> None:
    one, two = (run("check", str(corpus), LOG, "-v", "-j", count) for count in "12")
    assert (one.stdout, one.stderr) == (two.stdout, two.stderr)


def test_small_inputs_start_no_process(corpus: Path, no_processes: None) -> None:
    assert run("check", str(corpus / "0.mlir")).returncode == 1


def test_auto_does_without_processes_where_there_can_be_none(
    corpus: Path, no_processes: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_large(corpus)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    assert run("check", str(corpus / "0.mlir"), str(corpus / "1.mlir")).returncode == 1


@pytest.mark.parametrize("count", ["auto", "2"])
def test_one_dump_in_one_file_is_checked_by_this_process(
    corpus: Path, no_processes: None, monkeypatch: pytest.MonkeyPatch, count: str
) -> None:
    make_large(corpus)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    assert run("check", str(corpus / "0.mlir"), "-j", count).returncode == 1
    assert run("check", LOG, "--dump", "last", "-j", count).returncode == 1


class NoFork:
    """A pool on a system that starts no process."""

    def __init__(self, **_: Any) -> None:
        self.stop = self.join = lambda: None

    @property
    def active(self) -> NoReturn:
        raise BrokenProcessPool from BlockingIOError(11, "Resource temporarily unavailable")


def test_a_system_that_starts_no_process_is_an_error_only_if_some_were_asked_for(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pebble, "ProcessPool", NoFork)
    make_large(corpus)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    files = str(corpus / "0.mlir"), str(corpus / "1.mlir")
    auto, two = (run("check", *files, "-j", count) for count in ("auto", "2"))
    assert (auto.returncode, two.returncode) == (1, 2)
    assert "Error: cannot start processes: Resource temporarily unavailable" in two.stderr.decode()


@pytest.mark.parametrize("option", [("-j", "2"), ("--timeout", "5")])
def test_processes_that_were_asked_for_and_cannot_be_are_an_error(
    corpus: Path, no_processes: None, option: tuple[str, str]
) -> None:
    result = run("check", str(corpus / "0.mlir"), str(corpus / "1.mlir"), *option)
    assert result.returncode == 2
    assert "Error: cannot start processes: Read-only file system" in result.stderr.decode()


@pytest.mark.parametrize("count", ["0", "-1", "two", "1001", "1.5", ""])
def test_a_wrong_number_of_processes_is_an_error(count: str) -> None:
    result = run("check", LOG, "-j", count)
    assert result.returncode == 2
    assert f"{count!r} is neither 'auto' nor a number from 1 to 1,000" in result.stderr.decode()


def test_a_log_from_standard_input_is_checked_by_several_processes() -> None:
    text = Path(LOG).read_bytes()
    one, two = (run("check", "-", "-j", count, stdin=text) for count in "12")
    assert (one.returncode, one.stdout, one.stderr) == (two.returncode, two.stdout, two.stderr)


def test_a_file_that_takes_too_long_is_an_error_of_that_file(corpus: Path) -> None:
    (corpus / "0.mlir").write_text(function("f", *range(20_000, 0, -1)))
    result = run("check", str(corpus / "0.mlir"), str(corpus / "2.mlir"), "--timeout", "0.05")
    assert result.returncode == 2
    assert f"{corpus / '0.mlir'}:1:1: error: it took longer than 0.05 seconds" in result.stderr.decode()


def test_usable_cores_are_those_of_the_container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    quota = tmp_path / "cpu.max"
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)))
    counts = []
    for text in ("250000 100000\n", "50000 100000\n", "max 100000\n"):
        quota.write_text(text)
        counts.append(usable_cores(quota))
    assert counts == [2, 1, 8]


FIXED = fixed(function("f", 2, 1))


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "options",
    [
        ("--check",),
        pytest.param(("--check", "--config", "verbose=true"), marks=pytest.mark.slow),
        ("--diff",),
        ("--in-place",),
        pytest.param(("--in-place", "--quiet"), marks=pytest.mark.slow),
        ("--in-place", "--relabel", "--config", "verbose=true", "--follow", "derived"),
        ("--in-place", "--pass", "ttir-erase-inverse-ops"),
        ("--output", "fixed"),
        ("--output", "fixed", "--dump", "last"),
    ],
    ids=" ".join,
)
def test_two_processes_fix_as_one_does(corpus: Path, options: Sequence[str]) -> None:
    shutil.copy(LOG, corpus)
    (corpus / "unindexed.mlir").write_text('module {\n  "t.a"() : () -> ()\n}\n')
    (corpus / "packed.mlir.gz").write_bytes(gzip.compress(function("f", 2, 1).encode()))
    before, results = contents(corpus), []
    for count in "12":
        result = run("fix", ".", *options, "--config", f"jobs={count}")
        results.append((result.returncode, result.stdout, result.stderr, contents(corpus)))
        for path in contents(corpus).keys() - before.keys():
            (corpus / path).unlink()
        for path, data in before.items():
            (corpus / path).write_bytes(data)
    assert results[0] == results[1]
    assert results[0][0] == 2
    assert b"error: " in results[0][2]
    assert (results[0][3] != before) == ("--check" not in options and "--diff" not in options)


def test_one_log_is_fixed_by_several_processes() -> None:
    text = Path(LOG).read_bytes()
    one, two = (run("fix", "-", "--config", f"jobs={count}", stdin=text) for count in "12")
    assert (one.returncode, one.stdout, one.stderr) == (two.returncode, two.stdout, two.stderr)
    assert one.stdout != text


def test_files_without_indices_are_an_error_only_if_no_file_has_some(corpus: Path) -> None:
    (corpus / "unindexed.mlir").write_text('module {\n  "t.a"() : () -> ()\n}\n')
    for count in "12":
        alone = run("fix", "--check", "unindexed.mlir", "3.mlir", "--config", f"jobs={count}")
        both = run("fix", "--check", "unindexed.mlir", "1.mlir", "--config", f"jobs={count}")
        assert alone.returncode == 2
        assert alone.stderr.endswith(b"2 files: 2 failed\n")
        assert both.returncode == 0
        assert both.stderr.splitlines()[-1] == b"2 files: 2 unchanged"


def test_a_log_with_a_dump_that_takes_too_long_is_not_written(corpus: Path) -> None:
    large = function("f", *range(20_000, 0, -1))
    (corpus / "0.mlir").write_text(dump("After", "a", function("f", 2, 1)) + dump("After", "b", large))
    before = contents(corpus)
    result = run("fix", "-i", "0.mlir", "2.mlir", "--config", "timeout=0.2")
    assert result.returncode == 2
    assert result.stderr.decode() == (
        "0.mlir:9:1: error: it took longer than 0.2 seconds\n"
        "2.mlir: 1 op moved, 1 inversion removed; none remains\n"
        "2 files: 1 changed, 1 failed\n"
    )
    assert contents(corpus) == before | {"2.mlir": FIXED.encode()}


def test_a_file_with_two_names_is_rewritten_once(corpus: Path) -> None:
    (corpus / "link.mlir").symlink_to("0.mlir")
    for count in "12":
        (corpus / "0.mlir").write_text(function("f", 2, 1))
        result = run("fix", "-i", "0.mlir", "link.mlir", "./2.mlir", "--config", f"jobs={count}")
        assert result.stderr.decode().splitlines()[-1].startswith("2 files: ")
        assert (corpus / "0.mlir").read_text() == FIXED


def test_a_reader_that_stops_ends_all(corpus: Path) -> None:
    for number in range(200):
        (corpus / f"more_{number}.mlir").write_text(function(f"f{number}", 2, 1))
    command = f"{sys.executable} -m eio_audit fix --diff -q --config jobs=2 more_*.mlir | head -n 1"
    environment = os.environ | {"PYTHONPATH": str(SAMPLES.parent)}
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        capture_output=True,
        check=False,
        timeout=60,
        env=environment,
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, b"--- more_0.mlir\n", b"")


@pytest.mark.parametrize("format_", ["text", "json"])
def test_two_processes_compare_two_runs_as_one_does(corpus: Path, format_: str) -> None:
    texts = [function("f", 1, 2), function("g", 1, 2), function("h", 1, 2)]
    others = [
        texts[0].replace("%0", "%zero"),
        texts[1].replace("2|op", "3|op"),
        texts[2].replace("add", "neg"),
    ]
    for name, dumps in {"a.log": texts, "b.log": others}.items():
        (corpus / name).write_text("".join(dump("After", "cse", text) for text in dumps))
    command = "diff", "a.log", "b.log", "--format", format_
    one, two = (run(*command, "--config", f"jobs={count}") for count in "12")
    assert (one.returncode, one.stdout, one.stderr) == (two.returncode, two.stdout, two.stderr)
    assert one.returncode == 1
    if format_ == "text":
        assert one.stdout.decode().splitlines()[:3] == [
            "3 of 3 dumps in both runs differ",
            "first difference: a.log:1 after cse: same text up to names and locations",
            "not the same: a.log:17 after cse: different: a.log:19: %0 has no counterpart",
        ]


def test_a_timeout_of_the_configuration_is_not_for_two_dumps(corpus: Path) -> None:
    assert run("diff", "0.mlir", "0.mlir", "--config", "timeout=0.001").returncode == 0


def processes_of_group(group: int) -> list[str]:
    """The commands of its processes; a zombie, which nobody has waited for, is none."""
    listed = subprocess.run(["ps", "-eo", "pgid=,stat=,args="], capture_output=True, text=True, check=True)
    lines = (line.split(maxsplit=2) for line in listed.stdout.splitlines())
    return [args for number, state, args in lines if int(number) == group and not state.startswith("Z")]


WITH_CTRL_C = """
import signal

signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it from the start
from eio_audit.cli.main import main

main()
"""


def test_ctrl_c_ends_all_processes_and_leaves_whole_files(corpus: Path) -> None:
    texts = {f"{n}.mlir": function(f"f{n}", *range(150, 0, -1)).encode() for n in range(100, 400)}
    for name, text in texts.items():
        (corpus / name).write_bytes(text)
    command = [
        sys.executable,
        "-c",
        WITH_CTRL_C,
        "fix",
        "-i",
        "--config",
        "jobs=2",
        "--config",
        "verbose=true",
        *texts,
    ]
    environment = os.environ | {"PYTHONPATH": str(SAMPLES.parent)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True, env=environment) as begun:
        assert begun.stderr is not None
        begun.stderr.readline()  # some are written, others are being fixed
        os.killpg(begun.pid, signal.SIGINT)
        begun.stderr.read()
    assert begun.returncode == 130
    deadline = time.monotonic() + 10
    while (left := processes_of_group(begun.pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert left == []
    done = {name: (corpus / name).read_bytes() for name in texts}
    written = {name for name in texts if done[name] != texts[name]}
    assert 0 < len(written) < len(texts)
    assert all(done[name] == fixed(texts[name].decode()).encode() for name in written)
    assert [path.name for path in corpus.iterdir() if path.name.startswith(".")] == []
