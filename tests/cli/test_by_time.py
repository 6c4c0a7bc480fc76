"""``trace --by-time``, and the times of two logs in ``diff``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import run
from tests.cli.test_show import compile_with
from tests.logs import dump, function
from tests.tools import mlir_tool, needs_mlir_opt

F = function("f", 1)
REPORT = """\
===-------------------------------------------------------------------------===
                         ... Execution time report ...
===-------------------------------------------------------------------------===
  Total Execution Time: 2.0000 seconds

  ----Wall Time----  ----Name----
    0.4000 ( 20.0%)  Parser
    1.2000 ( 60.0%)  'func.func' Pipeline
    {first} ( 40.0%)    Canonicalizer
    0.4000 ( 20.0%)    CSE
    0.1000 (  5.0%)      (A) DominanceInfo
    0.3000 ( 15.0%)  Canonicalizer
    2.0000 (100.0%)  Total
"""
TIMES = REPORT.format(first="0.8000")
MARKED = dump("After", "canonicalize", F).replace("Canonicalize ", "Canonicalizer ")


def times(*args: str | Path) -> list[tuple[str, int, float]]:
    found: Any = json.loads(run("trace", *args, "--by-time", "--format", "json").stdout)
    return [(one["pass"], one["places"], one["seconds"]) for one in found["times"]]


def test_the_runs_of_a_pass_are_added_up_and_ranked(tmp_path: Path) -> None:
    report = tmp_path / "times.txt"
    report.write_text(TIMES)
    assert run("trace", report, "--by-time").stdout.decode() == (
        f"{report}\n"
        "  pass           places in the pipeline  seconds  share\n"
        "  Canonicalizer                       2   1.1000  55.0%\n"
        "  CSE                                 1   0.4000  20.0%\n"
        "  Parser                              1   0.4000  20.0%\n"
        "2.0000 s in all\n"
    )


def test_markdown(tmp_path: Path) -> None:
    report = tmp_path / "times.txt"
    report.write_text(TIMES)
    lines = run("trace", report, "--by-time", "--format", "markdown").stdout.decode().splitlines()
    assert lines[:3] == ["### eio-audit trace", "", f"**`{report}`**"]
    assert lines[6] == "| `Canonicalizer` | 2 | 1.1000 | 55.0% |"


def test_in_a_log_a_pass_has_the_name_of_its_dumps(tmp_path: Path) -> None:
    log = tmp_path / "passes.log"
    log.write_text(f"// -----// IR Dump After Canonicalizer (canonicalize) //----- //\n{F}\n{TIMES}")
    assert times(log)[0] == ("canonicalize", 2, 1.1)


@needs_mlir_opt
def test_mlir_writes_the_same_times_as_text_and_as_json(tmp_path: Path) -> None:
    tool = str(mlir_tool("mlir-opt"))
    for options in ((), ("--mlir-output-format=json",), ("--mlir-timing-display=list",)):
        log = tmp_path / "times.log"
        log.write_bytes(compile_with(tool, tmp_path, "--mlir-timing", *options))
        names = {name: places for name, places, _ in times(log)}
        assert names.keys() >= {"CSE", "Canonicalizer", "SymbolDCE", "Parser", "Output", "Rest"}
        assert names["CSE"] == 1


@needs_mlir_opt
def test_in_a_real_log(tmp_path: Path) -> None:
    log = tmp_path / "passes.log"
    options = "--mlir-timing", "--mlir-output-format=json", "--mlir-print-ir-after-all"
    log.write_bytes(compile_with(str(mlir_tool("mlir-opt")), tmp_path, *options))
    assert {"cse", "canonicalize", "symbol-dce"} <= {name for name, *_ in times(log)}


def test_a_log_without_times(tmp_path: Path) -> None:
    log = tmp_path / "passes.log"
    log.write_text(MARKED)
    done = run("trace", log, "--by-time")
    message = "no report of times: print it with -mlir-timing"
    assert (done.returncode, done.stderr.decode()) == (2, f"{log}: error: {message}\n")


@pytest.mark.parametrize(
    ("seconds", "said"), [("2.3000", "; Canonicalizer 1.1000 -> 2.6000 s"), ("0.8000", "")]
)
def test_diff_names_the_pass_whose_time_changed(tmp_path: Path, seconds: str, said: str) -> None:
    old, new = tmp_path / "old.log", tmp_path / "new.log"
    old.write_text(2 * MARKED + "\n" + TIMES)
    new.write_text(2 * MARKED + "\n" + REPORT.format(first=seconds))
    assert (
        run("diff", old, new).stdout.decode().splitlines()[0].lower() == f"identical: 2 dumps{said}".lower()
    )


def test_json_of_two_logs(tmp_path: Path) -> None:
    old, new = tmp_path / "old.log", tmp_path / "new.log"
    old.write_text(2 * MARKED + "\n" + TIMES)
    new.write_text(2 * MARKED + "\n" + REPORT.format(first="2.3000"))
    first = json.loads(run("diff", old, new, "--format", "json").stdout)["times"][0]
    assert (first["before"], first["after"]) == (1.1, pytest.approx(2.6))


def test_damaged_json_is_no_report(tmp_path: Path) -> None:
    report = tmp_path / "times.json"
    report.write_text('[\n{"wall": {"duration":   0.0005, "percentage":  52.9}, "name": "Pars')
    assert run("trace", report, "--by-time").returncode == 2


def test_one_log_at_a_time(tmp_path: Path) -> None:
    done = run("trace", "a.log", "b.log", "--by-time")
    assert (done.returncode, b"--by-time takes one log; diff LOG LOG compares" in done.stderr) == (2, True)


def test_two_reports_alone_are_compared(tmp_path: Path) -> None:
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    old.write_text(TIMES)
    new.write_text(REPORT.format(first="2.3000"))
    done = run("diff", old, new)
    assert (done.returncode, done.stdout.decode()) == (
        0,
        "Canonicalizer 1.1000 -> 2.6000 s\n"
        f"before  {old}\n"
        f"after   {new}\n"
        "\n"
        "  pass           before   after      +/-\n"
        "  Canonicalizer  1.1000  2.6000  +1.5000\n"
        "  CSE            0.4000  0.4000  +0.0000\n"
        "  Parser         0.4000  0.4000  +0.0000\n"
        "  in all         2.0000  2.0000  +0.0000\n",
    )
    markdown = run("diff", old, new, "--format", "markdown").stdout.decode().splitlines()
    assert "| `Canonicalizer` | 1.1000 | 2.6000 | +1.5000 |" in markdown


@needs_mlir_opt
def test_two_reports_of_mlir_as_text_and_as_json(tmp_path: Path) -> None:
    reports = []
    for number, options in enumerate(((), ("--mlir-output-format=json",))):
        reports.append(tmp_path / f"{number}.txt")
        reports[-1].write_bytes(compile_with(str(mlir_tool("mlir-opt")), tmp_path, "--mlir-timing", *options))
    names = {one["pass"] for one in json.loads(run("diff", *reports, "--format", "json").stdout)["times"]}
    assert names >= {"CSE", "Canonicalizer", "SymbolDCE"}
