"""A path that is empty, and a file that is empty: both are mistakes, and the command names them."""

import gzip
import shutil
from pathlib import Path

import pytest

from tests.cli.running import SAMPLES, run

IN_ORDER = '"t.a"() : () -> () loc("1|a")\n"t.b"() : () -> () loc("2|b")\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.mlir"
    path.write_text(IN_ORDER)
    return path


@pytest.mark.parametrize(
    ("args", "name"),
    [
        (["check", ""], "'PATH...'"),
        (["check", "FILE", ""], "'PATH...'"),
        (["fix", "--in-place", ""], "'PATH...'"),
        (["trace", ""], "'PATH...'"),
        (["diff", "FILE", ""], "'[AFTER]'"),
        (["history", "", "%0"], "'LOG'"),
        (["explain", "", "%0"], "'PATH'"),
        (["graph", ""], "'PATH'"),
        (["normalize", ""], "'PATH'"),
        (["stamp", ""], "'PATH'"),
        (["stamp", "FILE", "-o", ""], "'-o' / '--output'"),
        (["check", "FILE", "--output", ""], "--output"),
        (["check", "FILE", "--config", ""], "'--config'"),
        (["check", "FILE", "--baseline", ""], "'--baseline'"),
        (["check", "FILE", "--order-from", ""], "'--order-from'"),
        (["repeat", "--keep", "", "--", "true"], "'--keep'"),
        (["bisect", "--keep", "", "--", "true"], "'--keep'"),
    ],
)
def test_an_empty_path_is_named(args: list[str], name: str, file: Path) -> None:
    done = run(*(str(file) if arg == "FILE" else arg for arg in args))
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == f"Error: {name} is empty: expected a path\n"


def test_an_empty_path_is_not_the_current_folder(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    shutil.copy(SAMPLES / "resnet" / "after_alias.mlir", file)
    before = file.read_bytes()
    assert run("fix", "--in-place", "").returncode == 2
    assert file.read_bytes() == before


def test_an_empty_path_in_a_configuration(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    (file.parent / "eio-audit.toml").write_text('baseline = ""\n')
    done = run("check", file)
    assert done.returncode == 2
    assert b"eio-audit.toml:1:1: error: baseline: '--baseline' is empty: expected a path\n" in done.stderr


@pytest.mark.parametrize("command", ["check", "fix", "trace", "normalize", "stamp", "graph"])
@pytest.mark.parametrize("content", [b"", gzip.compress(b"")], ids=["plain", "gzip"])
def test_an_empty_file_is_unreadable(command: str, content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "empty.mlir"
    file.write_bytes(content)
    done = run(command, file)
    assert done.returncode == 2
    assert done.stderr == f"{file}:1:1: error: the file is empty\n".encode()


@pytest.mark.parametrize("command", ["check", "fix", "trace", "normalize", "stamp"])
def test_empty_standard_input_is_unreadable(command: str) -> None:
    done = run(command, "-", stdin=b"")
    assert (done.returncode, done.stderr) == (2, b"<stdin>:1:1: error: the input is empty\n")


@pytest.mark.parametrize("command", ["check", "trace"])
def test_an_empty_file_hides_no_other(command: str, file: Path) -> None:
    (file.parent / "b.mlir").touch()
    done = run(command, file.parent)
    assert done.returncode == 2
    assert b"b.mlir:1:1: error: the file is empty\n" in done.stderr
    assert b"1 of 2 inputs unreadable" in done.stdout


def test_the_other_files_are_fixed(tmp_path: Path) -> None:
    shutil.copy(SAMPLES / "resnet" / "after_alias.mlir", tmp_path / "a.mlir")
    (tmp_path / "b.mlir").touch()
    done = run("fix", "--check", tmp_path)
    assert done.returncode == 2
    assert b"b.mlir:1:1: error: the file is empty\n" in done.stderr
    assert b"2 files: 1 would be changed, 1 failed\n" in done.stderr


@pytest.mark.parametrize("text", ["\n", "// nothing\n", "module {\n}\n"])
def test_a_file_without_ops_is_read(text: str, file: Path) -> None:
    (file.parent / "b.mlir").write_text(text)
    assert run("check", file.parent).returncode == 0


def test_a_run_that_prints_nothing_differs(tmp_path: Path) -> None:
    once = f"test -e {tmp_path}/ran || cat {SAMPLES}/small/eio_only_alias.log; touch {tmp_path}/ran"
    done = run("repeat", "--runs", "2", "--", "sh", "-c", once)
    assert done.returncode == 1
    done = run("repeat", "--runs", "2", "--", "true")
    assert (done.returncode, done.stderr) == (2, b"true: error: the command printed no dump\n")
