"""Standard streams that are closed, full, or pipes that nobody reads any more."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from eio_audit.cli.output import write_atomically
from tests.cli.running import SAMPLES
from tests.logs import function

CHECK = [sys.executable, "-m", "eio_audit", "check", str(SAMPLES / "resnet" / "after_alias.mlir")]


def redirected(redirection: str, *args: str) -> subprocess.CompletedProcess[bytes]:
    command = ["sh", "-c", f'exec "$@" {redirection}', "sh", *CHECK, *args]
    return subprocess.run(command, capture_output=True, check=False, timeout=60)


@pytest.mark.parametrize("format_", ["text", "json"])
def test_a_report_that_cannot_be_written_is_an_error(format_: str) -> None:
    done = redirected(">&-", "--format", format_)
    assert done.returncode == 2
    assert done.stderr == b"<stdout>: error: cannot write: Bad file descriptor\n"


@pytest.mark.parametrize("redirection", ["<&-", "2>&-"])
def test_a_stream_that_is_not_needed_may_be_closed(redirection: str) -> None:
    done = redirected(redirection)
    assert (done.returncode, b"789 inversions" in done.stdout) == (1, True)


@pytest.mark.parametrize(
    ("command", "exit_code"),
    [
        (["fix", "-q"], 0),
        (["fix", "-q", "--check", "--diff"], 1),
        (["check"], 1),
        (["check", "--format", "json"], 1),
        (["check", "--fail-on", "never"], 0),
        (["trace"], 1),
        (["graph"], 0),
        (["explain", "%106"], 0),
        (["--help"], 0),
    ],
)
def test_where_nobody_reads_the_output_the_exit_code_is_the_result(
    command: list[str], exit_code: int
) -> None:
    path = [] if command == ["--help"] else [str(SAMPLES / "resnet" / "after_alias.mlir")]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "eio_audit", command[0], *path, *command[1:]],
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
        timeout=60,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (exit_code, b"")


def test_output_may_be_the_device_of_a_pipe() -> None:
    command = [sys.executable, "-m", "eio_audit", "fix", "-q", "-", "-o", "/dev/stdout"]
    text = b'"t.a"() : () -> () loc("DEBUG|0|x")\n'
    done = subprocess.run(command, input=text, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, text, b"")


def test_a_file_that_is_written_when_ctrl_c_comes_keeps_its_content(tmp_path: Path) -> None:
    file = tmp_path / "a.mlir"
    file.write_bytes(b"old")

    def pieces() -> Iterator[bytes]:
        yield b"new"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_atomically(str(file), pieces())
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a.mlir", b"old")]


def test_errors_that_nobody_reads_change_nothing(tmp_path: Path) -> None:
    for name in ("0.mlir", "1.mlir"):
        (tmp_path / name).write_text("func.func @f() {\n  %0 = \n}\n")
    shuffled = tmp_path / "2.mlir"
    shuffled.write_text(function("f", 2, 1))
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "eio_audit", "fix", "--in-place", str(tmp_path)]
    done = subprocess.run(command, stdout=writer, stderr=writer, check=False, timeout=60)
    os.close(writer)
    assert done.returncode == 2
    text = shuffled.read_text()
    assert text.index('loc("1|op")') < text.index('loc("2|op")')


def test_errors_that_cannot_be_written_change_nothing() -> None:
    assert redirected("2>/dev/full", "nowhere.mlir").returncode == 2
