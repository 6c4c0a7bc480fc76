"""``show``: a dump as it was printed, by number, pass, line or function."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.running import SAMPLES, run
from tests.logs import dump, function, module
from tests.tools import iree_opt, mlir_tool, needs_mlir_opt

LOG = SAMPLES / "mlir_opt" / "passes.log"
F, G = function("f", 1, 2), function("g", 1, 2)
PROGRAM = """\
func.func private @callee(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  return %0 : i32
}
func.func @main(%a: i32) -> i32 {
  %0 = call @callee(%a) : (i32) -> i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.addi %a, %a : i32
  %3 = arith.muli %1, %2 : i32
  return %3 : i32
}
"""
PIPELINE = "builtin.module(func.func(cse,canonicalize),symbol-dce)"


def shown(*args: str | Path, stdin: bytes = b"") -> bytes:
    done = run("show", *args, stdin=stdin)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def compile_with(tool: str, folder: Path, *options: str) -> bytes:
    """Compile the program, and return what the compiler prints on standard error."""
    source = folder / "in.mlir"
    source.write_text(PROGRAM)
    command = [tool, source, f"--pass-pipeline={PIPELINE}", "--mlir-disable-threading", *options]
    return subprocess.run(command, capture_output=True, check=True).stderr


def lines(first: int, last: int) -> bytes:
    return b"".join(LOG.read_bytes().splitlines(keepends=True)[first - 1 : last])


@pytest.mark.parametrize(
    ("choice", "first", "last"),
    [
        (f"{LOG}:1", 2, 11),
        (f"{LOG}:2", 15, 29),
        (f"{LOG}:first", 2, 11),
        (f"{LOG}::50", 51, 66),
        (f"{LOG}:last", 211, 250),
        (f"{LOG} --dump 2", 15, 29),
        (f"{LOG} --pass linalg-fuse-elementwise-ops", 51, 66),
        (f"{LOG} --pass linalg-fuse-elementwise-ops --before", 33, 47),
        (f"{LOG}:1 --pass linalg-fuse-elementwise-ops", 51, 66),
    ],
)
def test_the_bytes_are_those_of_the_log(choice: str, first: int, last: int) -> None:
    text = shown(*choice.split())
    assert text == lines(first, last).rstrip(b"\n") + b"\n"


@needs_mlir_opt
@pytest.mark.parametrize("is_iree", [False, True])
def test_each_dump_is_what_the_compiler_writes_to_a_file(tmp_path: Path, *, is_iree: bool) -> None:
    tool = iree_opt() if is_iree else str(mlir_tool("mlir-opt"))
    log, tree = tmp_path / "passes.log", tmp_path / "tree"
    log.write_bytes(compile_with(tool, tmp_path, "--mlir-print-ir-after-all"))
    compile_with(tool, tmp_path, "--mlir-print-ir-after-all", f"--mlir-print-ir-tree-dir={tree}")
    below = (file.read_bytes().split(b"\n", 1)[1] for file in tree.rglob("*.mlir"))  # the marker
    printed = sorted(text.strip() for text in below)
    run("show", log, "-o", f"{tmp_path}/out/")
    written = sorted(file.read_bytes().strip() for file in (tmp_path / "out").iterdir())
    assert len(written) == 5
    assert written == printed


def test_a_file_for_each_dump(tmp_path: Path) -> None:
    log = tmp_path / "passes.log"
    log.write_text(dump("Before", "a", F) + dump("After", "a", F) + dump("After", "b/c d", module(F)))
    done = run("show", log, "-o", f"{tmp_path}/out/")
    said = f"{tmp_path}/out/ is written: 3 files\n"
    assert (done.returncode, done.stdout, done.stderr.decode()) == (0, b"", said)
    names = ["001-a-before.mlir", "002-a.mlir", "003-b_c_d.mlir"]
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == names
    assert [(tmp_path / "out" / name).read_text() for name in names] == [F, F, module(F)]


def test_the_files_of_one_pass_keep_their_numbers(tmp_path: Path) -> None:
    run("show", LOG, "--pass", "cse", "-o", f"{tmp_path}/")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["009-cse-before.mlir", "010-cse.mlir"]


def test_trace_reads_the_files_as_passes(tmp_path: Path) -> None:
    run("show", LOG, "-o", f"{tmp_path}/out/")
    passes = json.loads(run("trace", tmp_path / "out", "--format", "json").stdout)["passes"]
    assert [one["pass"] for one in passes if one["changed"]] == [
        "convert-elementwise-to-linalg",
        "linalg-fuse-elementwise-ops",
        "one-shot-bufferize",
        "convert-linalg-to-loops",
    ]


def test_one_function_of_a_module(tmp_path: Path) -> None:
    log = tmp_path / "passes.log"
    log.write_text(dump("After", "a", module(F, G)))
    assert shown(log, "--function", "@g") == shown(log, "--function", "g")
    assert shown(log, "--function", "@g").decode() == "".join(f"  {line}\n" for line in G.splitlines())


def test_one_function_with_the_aliases_that_it_uses(tmp_path: Path) -> None:
    log = tmp_path / "passes.log"
    text = 'func.func @f() {\n  "t.a"() : () -> () loc(#loc1)\n  return\n}\n'
    other = 'func.func @g() {\n  "t.b"() : () -> () loc(#loc2)\n  return\n}\n'
    log.write_text(dump("After", "a", f'module {{\n{text}{other}}}\n#loc1 = loc("x")\n#loc2 = loc("y")\n'))
    assert shown(log, "--function", "@f").decode() == f'{text}#loc1 = loc("x")\n'


def test_the_only_dump_of_a_pass_with_the_function(tmp_path: Path) -> None:
    log = tmp_path / "passes.log"
    log.write_text(dump("After", "a", F) + dump("After", "a", G))
    assert shown(log, "--pass", "a", "--function", "@g").decode() == G


def test_no_such_function(tmp_path: Path) -> None:
    done = run("show", f"{LOG}:1", "--function", "@none")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == f"{LOG}: error: no function @none in the chosen dumps\n"


@needs_mlir_opt
def test_the_whole_program_is_put_together_of_its_parts(tmp_path: Path) -> None:
    tool = str(mlir_tool("mlir-opt"))
    log = tmp_path / "passes.log"
    log.write_bytes(compile_with(tool, tmp_path, "--mlir-print-ir-after-all"))
    whole = shown(f"{log}:4", "--whole")
    rest = [tool, "-", "--pass-pipeline=builtin.module(symbol-dce)"]
    printed = subprocess.run(rest, input=whole, capture_output=True, check=True).stdout
    assert printed.strip() == shown(f"{log}:last").strip()


def test_a_dump_that_shows_all_is_whole() -> None:
    assert shown(f"{LOG}:3", "--whole") == shown(f"{LOG}:3")


def test_what_loggers_printed_is_left_out(tmp_path: Path) -> None:
    log = tmp_path / "passes.log"
    head, *rest = F.splitlines(keepends=True)
    log.write_text(dump("After", "a", f"{head}2026-01-01 12:00:00.000 | INFO | noise\n{''.join(rest)}"))
    assert shown(log).decode() == F


def test_carriage_returns_stay(tmp_path: Path) -> None:
    log = tmp_path / "passes.log"
    log.write_bytes(dump("After", "a", F).replace("\n", "\r\n").encode())
    assert shown(log).rstrip() == F.replace("\n", "\r\n").rstrip().encode()


def test_a_file_without_a_marker_is_written_as_it_is() -> None:
    text = b"// a comment\n\n" + F.encode() + b"\n\n"
    assert shown("-", stdin=text) == text


def test_a_folder_of_dumps() -> None:
    tree = SAMPLES / "small" / "tree"
    [first, *_] = sorted(tree.rglob("*.mlir"))
    assert shown(f"{tree}::1" if first.parent == tree else f"{tree}:1")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--before", "--whole"], "--before cannot be used with --whole"),
        (["--before", "-o", "out/"], "--before writes one dump, not a folder of them"),
        (["--whole", "-o", "out/"], "--whole writes one dump, not a folder of them"),
    ],
)
def test_options_that_exclude_each_other(words: list[str], message: str) -> None:
    done = run("show", LOG, *words)
    assert (done.returncode, message in done.stderr.decode()) == (2, True)
