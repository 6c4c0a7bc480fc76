"""Standard streams that are closed, full, or pipes that nobody reads any more."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from eio_audit.cli.output import write_atomically
from tests.cli.running import SAMPLES

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


@pytest.mark.parametrize("command", [["fix", "-q"], ["check"], ["graph"], ["explain", "%106"], ["--help"]])
def test_a_pipe_that_nobody_reads_is_no_error(command: list[str]) -> None:
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
    assert (done.returncode, done.stderr) == (0, b"")


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
