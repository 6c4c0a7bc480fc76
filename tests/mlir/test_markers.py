import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from eio_audit.mlir.input.markers import holds_ir
from tests.cli.running import SAMPLES


def told(tmp_path: Path, text: str | bytes) -> bool:
    path = tmp_path / "file.txt"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return holds_ir(str(path))


@pytest.mark.parametrize(
    "text",
    [
        "module {",
        "module @m attributes {a.b = 1 : i32} {\r\n",
        "  func.func @f(%a: i32) {\n",
        "my.region {\n",
        '"builtin.module"() ({\n',
        '%0 = "t.a"() : () -> ()',
        "  %a, %b:2 = scf.for %i",
        "  scf.yield %0 : i32",
        "#loc = loc(unknown)",
        '#loc1 = loc("x',
        "#map = affine_map<(d0) -> (d0)>",
        "#k = #t.k<1>",
        "!t = !u<i32>",
        "} loc(#loc)",
        "loading\n// -----// IR Dump After A (a) //----- //\n",
        "[INFO] MLIR Module ttir:\n",
        "---- IR Dump after A ----",
        b"ML\xefR\x00",
        "[2026-01-01 12:00:00] [INFO] loading\n" * 100_000 + '"t.a"() : () -> ()\n',
    ],
    ids=lambda text: repr(text[-40:]),
)
def test_ir(tmp_path: Path, text: str | bytes) -> None:
    assert told(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "cmake_minimum_required(VERSION 3.20)\nproject(my.project LANGUAGES CXX)\nif(x)\n  foo()\nendif()\n",
        'set(FILES "a.cpp" "b.cpp")\nadd_test(NAME "a.b" COMMAND ${X})\n',
        "numpy==2.0\n#scipy = 1\n# torch = 2.1\n",
        "The module is read. See tensor.md for more.\n",
        "module load gcc/12\n",
        "[2026-01-01 12:00:00] [INFO] 45% done, (a.b)\nerror: failed to lower\n",
        'Traceback (most recent call last):\n  File "a.py", line 3, in f\n',
        '{"a.b": [1, 2]}\n',
        b"\x00\x01\xff" * 50,
    ],
    ids=lambda text: repr(text[:40]),
)
def test_no_ir(tmp_path: Path, text: str | bytes) -> None:
    assert not told(tmp_path, text)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_packed_files(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    assert told(tmp_path, pack(b"module {\n}\n"))
    assert not told(tmp_path, pack(b"project(x)\n"))


def test_a_file_that_cannot_be_read_is_not_passed_over(tmp_path: Path) -> None:
    assert told(tmp_path, gzip.compress(b"project(x)\n" * 99)[:-9])
    assert holds_ir(str(tmp_path / "missing.txt"))


@pytest.mark.parametrize("name", ["after_alias.mlir", "after_inline.mlir", "eio_inline_generic.log"])
def test_a_dump_that_is_cut_off_is_not_passed_over(tmp_path: Path, name: str) -> None:
    text = (SAMPLES / "small" / name).read_bytes()
    assert [cut for cut in range(400, len(text), 997) if not told(tmp_path, text[:cut])] == []
    assert [cut for cut in range(0, len(text) - 400, 997) if not told(tmp_path, text[cut:])] == []
