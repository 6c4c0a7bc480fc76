"""A small compressed file may unpack to more than there is memory for."""

import bz2
import gzip
import lzma
from pathlib import Path
from types import ModuleType

import pytest

from tests.cli.running import run

TEXT = b"module {\n}\n" * 100  # 1,100 bytes


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    path = tmp_path / "a.mlir.gz"
    path.write_bytes(gzip.compress(TEXT))
    return path


@pytest.mark.parametrize(
    "command",
    [
        ["check", "PATH"],
        ["fix", "PATH"],
        ["diff", "PATH", "PATH"],
        ["trace", "PATH"],
        ["explain", "PATH", "%0"],
        ["graph", "PATH"],
        ["stamp", "PATH"],
    ],
)
def test_more_than_it_may_is_an_error(packed: Path, command: list[str]) -> None:
    done = run(*(str(packed) if word == "PATH" else word for word in command), "--config", "max-size=1kB")
    message = f"{packed}: error: it unpacks to more than 1 kB; --config max-size=SIZE allows more\n"
    assert (done.returncode, done.stderr.decode()) == (2, message)


def test_standard_input_too(packed: Path) -> None:
    for command in ("check", "trace"):
        done = run(command, "-", "--config", "max-size=1kB", stdin=packed.read_bytes())
        assert (
            done.stderr
            == b"<stdin>: error: it unpacks to more than 1 kB; --config max-size=SIZE allows more\n"
        )


def test_nothing_is_written(packed: Path, tmp_path: Path) -> None:
    done = run("fix", packed, "-o", tmp_path / "out.mlir", "--config", "max-size=500")
    assert (done.returncode, (tmp_path / "out.mlir").exists()) == (2, False)


def test_the_dump_of_order_from_too(packed: Path) -> None:
    done = run("check", "-", "--order-from", packed, "--config", "max-size=1K", stdin=TEXT)
    assert b"a.mlir.gz: error: it unpacks to more than 1 kB" in done.stderr


@pytest.mark.parametrize("module", [gzip, bz2, lzma])
def test_a_file_as_large_as_it_may_be_is_read(module: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "packed.mlir"
    path.write_bytes(module.compress(TEXT))
    assert b"unpacks" not in run("check", path, "--config", "max-size=1100").stderr
    assert b"unpacks to more than 1.099 kB" in run("check", path, "--config", "max-size=1099").stderr


def test_a_file_that_is_not_compressed_may_be_larger(tmp_path: Path) -> None:
    path = tmp_path / "a.mlir"
    path.write_bytes(TEXT)
    assert b"unpacks" not in run("check", path, "--config", "max-size=1").stderr


@pytest.mark.parametrize("size", ["", "-1", "4XB", "1.5GB", "\N{ARABIC-INDIC DIGIT ONE}"])
def test_what_is_no_size(size: str) -> None:
    done = run("check", "-", "--config", f"max-size={size}")
    assert f"{size!r} is not a size such as 500MB or 4GB".encode() in done.stderr
    assert done.returncode == 2
