"""``trace`` of the folders that tt-mlir's own instrumentation writes, and of files of different models."""

import json
from pathlib import Path

import pytest

from eio_audit import read
from tests.cli.running import SAMPLES, run
from tests.internals import find_dump_files

LOG = SAMPLES / "small" / "all_passes_alias.log"
SINGLE = '%0 = "ttir.add"(<<UNKNOWN SSA VALUE>>, <<UNKNOWN SSA VALUE>>) : (i32, i32) -> i32\n'


def write_folder(folder: Path, *, finest: bool = False) -> list[str]:
    """Write a log as the instrumentation does: a file for each pass that changed something."""
    names: list[str] = []
    last = b""

    def write(name: str, text: bytes) -> None:
        nonlocal last
        if text != last:
            names.append(f"{len(names)}_{name}.mlir")
            (folder / names[-1]).write_bytes(text)
            last = text

    folder.mkdir(parents=True)
    dumps = [dump for dump in read(LOG) if dump.place.when == "after"]
    write("initial", read(LOG)[0].text)
    for dump in dumps:
        assert dump.marker
        if finest:
            write("apply-pattern_ttir_add", SINGLE.encode())
            write("GreedyPatternRewriteIteration_iter1_ttir_add", SINGLE.replace("%0", "%1").encode())
        write(dump.marker.class_name, dump.text)
    return names


def rows(stdout: bytes) -> list[str]:
    return [line.split()[0] for line in stdout.decode().splitlines() if "_" not in line and "/" in line]


def test_the_dumps_of_passes_are_in_order(tmp_path: Path) -> None:
    names = write_folder(tmp_path / "out" / "small" / "ttir")
    assert [Path(file.path).name for file in find_dump_files(str(tmp_path))] == names
    done = run("trace", tmp_path / "out", "--format", "json")
    assert (done.returncode, done.stderr) == (1, b"")
    passes = [one["pass"] for one in json.loads(done.stdout)["passes"]]
    assert passes == [name.removesuffix(".mlir").partition("_")[2] for name in names]
    assert "TTIREraseInverseOps" in passes


def test_single_rewrites_are_left_out(tmp_path: Path) -> None:
    plain, finest = tmp_path / "plain", tmp_path / "finest"
    write_folder(plain / "small" / "ttir")
    names = write_folder(finest / "small" / "ttir", finest=True)
    number = sum("apply-pattern" in name or "GreedyPatternRewriteIteration" in name for name in names)
    assert number > 2
    done = run("trace", finest)
    assert done.returncode == 1
    note = (
        f"note: left out: {number} dumps of single rewrites (apply-pattern, GreedyPatternRewriteIteration)\n"
    )
    assert done.stderr.decode() == note
    assert done.stdout.splitlines()[0] == run("trace", plain).stdout.splitlines()[0]
    assert run("check", finest, "--quiet").returncode == run("check", plain, "--quiet").returncode


@pytest.mark.parametrize(
    ("names", "kept"),
    [
        (["1_A", "2_apply-pattern_t_a", "3_B"], ["1_A", "3_B"]),
        (["1_GreedyPatternRewriteIteration_iter1_t_a", "2_B"], ["2_B"]),
        (
            [
                "1_apply-pattern_t_a",
                "2_GreedyPatternRewriteIteration_iter1_builtin_module",
                "3_apply-pattern_t_a",
                "4_GreedyPatternRewriteIteration_iter2_builtin_module",
                "5_B",
            ],
            ["4_GreedyPatternRewriteIteration_iter2_builtin_module", "5_B"],
        ),
    ],
)
def test_the_last_iteration_over_a_program_stands_for_its_pass(
    names: list[str], kept: list[str], tmp_path: Path
) -> None:
    for name in names:
        (tmp_path / f"{name}.mlir").write_text("module {\n}\n")
    assert [Path(file.path).stem for file in find_dump_files(str(tmp_path))] == kept


def test_a_folder_of_single_rewrites_alone(tmp_path: Path) -> None:
    (tmp_path / "1_apply-pattern_ttir_add.mlir").write_text(SINGLE)
    done = run("trace", tmp_path)
    assert done.returncode == 2
    assert b"error: no dump in this folder but those of single rewrites\n" in done.stderr


def model(op: str, location: str) -> str:
    loc = f" loc({location})" if location else ""
    return f'func.func @main() {{\n  "{op}"() : () -> (){loc}\n  return\n}}\n'


@pytest.mark.parametrize(
    ("first", "second", "is_noted"),
    [
        (model("t.a", '"1|a"'), model("t.b", '"1|b"'), True),
        (model("t.a", '"1|a"("a.py":1:2)'), model("t.b", '"1|b"("a.py":1:2)'), False),
        (model("t.a", '"1|a"'), model("t.a", '"1|b"'), False),
        (model("t.a", ""), model("t.b", '"1|b"'), False),
        (model("t.a", '"a.py":1:2'), model("t.b", '"a.py":1:3'), True),
    ],
)
def test_files_with_nothing_in_common(first: str, second: str, is_noted: bool, tmp_path: Path) -> None:
    a, b = tmp_path / "a.mlir", tmp_path / "b.mlir"
    a.write_text(first)
    b.write_text(second)
    note = f"note: {a} and {b} have no location and no function in common, and are followed as stages of one program"
    assert (note in run("trace", a, b).stderr.decode()) == is_noted
    assert b"in common" not in run("trace", a, b, "--quiet").stderr
    assert b"in common" not in run("trace", tmp_path).stderr
