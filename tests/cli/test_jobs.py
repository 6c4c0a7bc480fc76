"""``--jobs`` and ``--timeout``: the work of several processes has the output of one."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

import pebble
import pytest

from eio_audit.audit.corpus import workers
from eio_audit.cli import jobs
from tests.audit.test_trace import function
from tests.cli.running import run
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


@pytest.fixture
def no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(pebble, "ProcessPool", refuse)


@pytest.mark.parametrize("format_", ["text", "concise", "json", "jsonl", "github", "html", "junit"])
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
    monkeypatch.setattr(jobs, "ENOUGH_BYTES", 1)
    monkeypatch.setattr(workers.os, "sched_getaffinity", lambda _: {0, 1})
    assert run("check", str(corpus / "0.mlir")).returncode == 1


@pytest.mark.parametrize("option", [("-j", "2"), ("--timeout", "5")])
def test_processes_that_were_asked_for_and_cannot_be_are_an_error(
    corpus: Path, no_processes: None, option: tuple[str, str]
) -> None:
    result = run("check", str(corpus / "0.mlir"), *option)
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
    monkeypatch.setattr(workers, "_CPU_QUOTA", quota)
    monkeypatch.setattr(workers.os, "sched_getaffinity", lambda _: set(range(64)))
    counts = []
    for text in ("250000 100000\n", "50000 100000\n", "max 100000\n"):
        quota.write_text(text)
        counts.append(workers.usable_cores())
    assert counts == [2, 1, 8]
