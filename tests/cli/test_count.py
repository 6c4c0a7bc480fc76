"""``trace --count`` and ``diff --count``: how many ops of each name there are."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import SAMPLES, run
from tests.cli.test_show import compile_with
from tests.logs import dump, function, module
from tests.tools import iree_opt, mlir_tool, needs_mlir_opt

LOG = SAMPLES / "mlir_opt" / "passes.log"
F, G = function("f", 1, 2), function("g", 1, 2)


def totals(*args: str | Path) -> Any:
    return json.loads(run(*args, "--count", "--format", "json").stdout)["op_totals"]


def test_the_ops_at_first_and_at_the_end_those_that_changed_most_first() -> None:
    assert run("trace", LOG, "--count").stdout.decode() == (
        f"{LOG}\n"
        "  op              first  last  +/-\n"
        "  scf.for             0     7   +7\n"
        "  arith.constant      1     6   +5\n"
        "  memref.load         0     5   +5\n"
        "  memref.store        0     3   +3\n"
        "  memref.alloc        0     2   +2\n"
        "  arith.addf          1     2   +1\n"
        "  arith.mulf          0     1   +1\n"
        "  linalg.fill         1     0   -1\n"
        "  linalg.matmul       1     0   -1\n"
        "  tensor.empty        1     0   -1\n"
        "  builtin.module      1     1\n"
        "  func.func           1     1\n"
        "  func.return         1     1\n"
        "  all ops             8    29  +21\n"
        "  not counted: the ops that custom assembly leaves out, in linalg.fill, linalg.matmul, scf.for; "
        "--mlir-print-op-generic prints them\n"
        "\n"
        "order not judged: no op carries an op index; 4 of 5 passes changed ops\n"
    )


def test_the_ops_of_two_dumps() -> None:
    rows = run("diff", f"{LOG}:3", f"{LOG}:4", "--count").stdout.decode().splitlines()
    assert rows[3:6] == [
        "  op              before  after  +/-",
        "  tensor.empty         1      2   +1",
        "  arith.addf           1      1",
    ]


def test_markdown_has_the_same_table() -> None:
    lines = run("trace", LOG, "--count", "--format", "markdown").stdout.decode().splitlines()
    table = lines.index("| op | first | last | +/- |")
    assert lines[table : table + 3] == [
        "| op | first | last | +/- |",
        "| --- | ---: | ---: | ---: |",
        "| `scf.for` | 0 | 7 | +7 |",
    ]
    lines = (
        run("diff", f"{LOG}:3", f"{LOG}:4", "--count", "--format", "markdown").stdout.decode().splitlines()
    )
    assert "| `tensor.empty` | 1 | 2 | +1 |" in lines


def test_the_page_of_a_log_has_the_table() -> None:
    page = run("trace", LOG, "--format", "html").stdout.decode()
    assert "The ops of the log by name" in page


@needs_mlir_opt
@pytest.mark.parametrize("is_iree", [False, True])
def test_each_dump_has_the_ops_that_mlir_counts(tmp_path: Path, *, is_iree: bool) -> None:
    tool = iree_opt() if is_iree else str(mlir_tool("mlir-opt"))
    log = tmp_path / "passes.log"
    log.write_bytes(compile_with(tool, tmp_path, "--mlir-print-ir-after-all", "--mlir-print-op-generic"))
    dumps = totals("trace", log)["dumps"]
    assert [one["pass"] for one in dumps] == ["cse", "canonicalize"] * 2 + ["symbol-dce"]
    for number, one in enumerate(dumps, 1):
        text = run("show", f"{log}:{number}").stdout
        unverified = "--mlir-very-unsafe-disable-verifier-on-parsing", "--verify-each=false"
        counting = [str(mlir_tool("mlir-opt")), "-", "--print-op-stats=json=true", *unverified]
        counted = json.loads(subprocess.run(counting, input=text, capture_output=True, check=True).stderr)
        if one["function"] is not None:  # mlir-opt puts a module around a function
            del counted["builtin.module"]
        assert one["ops"] == counted


def test_a_function_that_the_log_shows_later_counts_at_first(tmp_path: Path) -> None:
    log = tmp_path / "passes.log"
    log.write_text(dump("After", "a", F) + dump("After", "a", G) + dump("After", "b", F))
    counted = totals("trace", log)
    assert counted["first"]["func.func"] == counted["last"]["func.func"] == 2


def test_a_function_that_a_pass_made_does_not_count_at_first(tmp_path: Path) -> None:
    log = tmp_path / "passes.log"
    log.write_text(dump("Before", "a", module(F)) + dump("After", "a", module(F, G)))
    counted = totals("trace", log)
    assert (counted["first"]["func.func"], counted["last"]["func.func"]) == (1, 2)


def test_a_function_that_a_pass_removed_does_not_count_at_the_end(tmp_path: Path) -> None:
    log = tmp_path / "passes.log"
    log.write_text(dump("Before", "a", module(F, G)) + dump("After", "a", module(F)))
    counted = totals("trace", log)
    assert (counted["first"]["func.func"], counted["last"]["func.func"]) == (2, 1)


def test_json_has_the_ops_of_both_dumps() -> None:
    counted = totals("diff", f"{LOG}:3", f"{LOG}:4")
    assert (counted["before"]["tensor.empty"], counted["after"]["tensor.empty"]) == (1, 2)


def test_json_has_no_totals_unless_asked() -> None:
    assert "op_totals" not in json.loads(run("trace", LOG, "--format", "json").stdout)


def test_the_models_of_a_folder_are_added_up(tmp_path: Path) -> None:
    for name in ("a.log", "b.log"):
        (tmp_path / name).write_text(dump("Before", "a", F) + dump("After", "a", F))
    assert totals("trace", tmp_path)["last"]["func.func"] == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["trace", LOG, "--pass", "cse"], f"for one pass: eio-audit diff {LOG} --pass cse --count"),
        (["diff", LOG, LOG], f"eio-audit diff {LOG}:last {LOG}:last --count"),
    ],
)
def test_what_cannot_be_counted_names_the_command_that_counts(words: list[str], message: str) -> None:
    done = run(*words, "--count")
    assert (done.returncode, message in done.stderr.decode()) == (2, True)


def test_a_body_that_is_printed_is_no_reason_for_the_note(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    body = "^bb0(%x: f32, %y: f32):\n    linalg.yield %x : f32\n  "
    generic = f"linalg.generic {{a}} ins(%a : f32) outs(%b : memref<f32>) {{\n  {body}}}\n"
    fill = "linalg.fill ins(%a : f32) outs(%b : memref<f32>)\n"
    notes = []
    for ops in (generic, generic + fill):
        log.write_text(dump("After", "a", f"func.func @f(%a: f32, %b: memref<f32>) {{\n  {ops}  return\n}}"))
        lines = run("trace", "--count", log).stdout.decode().splitlines()
        notes += [line.strip() for line in lines if "not counted" in line] or [""]
    assert notes[0] == ""
    assert "leaves out, in linalg.fill; " in notes[1]
