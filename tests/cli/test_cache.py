"""``--cache``: a run with kept results has the output of one without."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

import pebble
import pytest

from tests.audit.test_trace import function
from tests.cli.running import FORMATS, SAMPLES, run
from tests.internals import FILE, DumpCheck

LOG = SAMPLES / "resnet" / "all_passes_alias.log"


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with files in order and out of order, two alike, and two that cannot be read."""
    monkeypatch.chdir(tmp_path)
    texts = [function("f", 2, 1), function("g", 1, 2), "\n" + function("f", 2, 1), "func.func @f() {\n", ""]
    (tmp_path / "dumps").mkdir()
    for number, text in enumerate(texts):
        (tmp_path / "dumps" / f"{number}.mlir").write_text(text)
    return tmp_path


@pytest.fixture
def no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """No dump can be checked, and no process started."""

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError

    monkeypatch.setattr(DumpCheck, "__call__", refuse)
    monkeypatch.setattr(pebble, "ProcessPool", refuse)


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize(
    "paths",
    [
        pytest.param(["dumps"], id="folder"),
        pytest.param([LOG], id="log", marks=pytest.mark.slow),
        pytest.param([LOG, "dumps", LOG], id="both"),
    ],
)
def test_each_run_reports_what_a_run_without_does(corpus: Path, format_: str, paths: list[str]) -> None:
    command = "check", *paths, "--format", format_, "--select", "EIO", "--fail-on", "any"
    without, first, second, third = (
        run(*command, *options)
        for options in ([], ["--cache", "kept"], ["--cache", "kept"], ["--cache", "kept", "-j", "2"])
    )
    for done in (first, second, third):
        assert (done.returncode, done.stdout, done.stderr) == (
            without.returncode,
            without.stdout,
            without.stderr,
        )


def test_what_is_kept_needs_no_work(corpus: Path, request: pytest.FixtureRequest) -> None:
    first = run("check", LOG, "--cache", "kept")
    request.getfixturevalue("no_work")
    second = run("check", LOG, "--cache", "kept", "-j", "2")
    assert (second.returncode, second.stdout, second.stderr) == (first.returncode, first.stdout, b"")


def test_standard_input_is_kept_too(corpus: Path, request: pytest.FixtureRequest) -> None:
    text = function("f", 2, 1).encode()
    first = run("check", "-", "--cache", "kept", stdin=text)
    request.getfixturevalue("no_work")
    assert run("check", "-", "--cache", "kept", stdin=text).stdout == first.stdout


def test_a_file_that_was_moved_has_its_new_name(corpus: Path) -> None:
    run("check", "dumps/0.mlir", "--cache", "kept")
    (corpus / "dumps" / "0.mlir").rename("moved.mlir")
    assert run("check", "moved.mlir", "--cache", "kept").stdout == run("check", "moved.mlir").stdout


def test_the_configuration_sets_a_folder_beside_it(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (corpus / "eio-audit.toml").write_text('cache = ".kept"\n')
    monkeypatch.chdir(corpus / "dumps")
    assert run("check", "0.mlir", "--no-cache").returncode == 1
    assert run("check", "0.mlir", "--isolated").returncode == 1
    assert not (corpus / ".kept").exists()
    assert run("check", "0.mlir").returncode == 1
    assert (corpus / ".kept" / FILE).exists()


@pytest.mark.parametrize(
    ("folder", "reason"),
    [("dumps/0.mlir", "File exists"), ("dumps/0.mlir/kept", "Not a directory")],
)
def test_a_run_goes_on_without_a_folder_that_cannot_be_used(corpus: Path, folder: str, reason: str) -> None:
    without = run("check", "dumps/0.mlir")
    done = run("check", "dumps/0.mlir", "--cache", folder)
    assert (done.returncode, done.stdout) == (without.returncode, without.stdout)
    assert done.stderr.decode() == f"warning: --cache {folder}: {reason}; the run goes on without it\n"
