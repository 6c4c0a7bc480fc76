"""The time of each pass in a trace; the logs and reports have the form in which mlir-opt 22 prints them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import read_text, stream, trace
from tests.cli.running import run
from tests.mlir.test_timing_report import TITLE
from tests.tools import mlir_tool, needs_mlir_opt

HEAD = f"""{TITLE}\
  Total Execution Time: 0.0318 seconds

  ----Wall Time----  ----Name----
"""
TREE = f"""{HEAD}\
    0.0085 ( 26.7%)  Parser
    0.0211 ( 66.4%)  'func.func' Pipeline
    0.0015 (  4.8%)    Canonicalizer
    0.0030 (  9.6%)    CSE
    0.0000 (  0.0%)      (A) DominanceInfo
    0.0001 (  0.2%)  SymbolDCE
    0.0002 (  0.7%)  'func.func' Pipeline
    0.0001 (  0.2%)    Canonicalizer
    0.0318 (100.0%)  Total
"""
INLINER = f"""{HEAD}\
    0.0006 ( 24.9%)  'func.func' Pipeline
    0.0001 (  5.0%)    Canonicalizer
    0.0005 ( 19.9%)  Inliner
    0.0003 ( 12.8%)  'func.func' Pipeline
    0.0002 (  2.4%)    Canonicalizer
    0.0024 (100.0%)  Total
"""
LIST = f"""{HEAD}\
    0.0020 (100.0%)  root
    0.0008 ( 40.6%)  'func.func' Pipeline
    0.0002 (  7.6%)  Canonicalizer
    0.0001 (  1.8%)  CSE
    0.0001 (  1.6%)  SymbolDCE
    0.0020 (100.0%)  Total
"""
ARGUMENTS = {"Canonicalizer": "canonicalize", "CSE": "cse", "SymbolDCE": "symbol-dce", "Inliner": "inline"}


def dump(class_name: str, *functions: str) -> str:
    """Print functions as after a pass; a pass on no function prints a module without any."""
    ir = "".join(f"func.func @{name}() {{\n  return\n}}\n" for name in functions) or "module {\n}\n"
    return f"// -----// IR Dump After {class_name} ({ARGUMENTS[class_name]}) //----- //\n{ir}\n"


def times(*parts: str) -> list[tuple[float | None, int]]:
    return [(one.seconds, one.timed_runs) for one in trace(read_text("".join(parts))).passes]


RUNS = [
    dump("Canonicalizer", "a"),
    dump("CSE", "a"),
    dump("Canonicalizer", "b"),
    dump("CSE", "b"),
    dump("SymbolDCE"),
    dump("Canonicalizer", "a"),
    dump("Canonicalizer", "b"),
]
"""func.func(canonicalize, cse), symbol-dce, func.func(canonicalize) on two functions."""


def test_in_a_tree_each_place_of_a_pass_has_its_time() -> None:
    assert times(*RUNS, TREE) == [
        (0.0015, 2),
        (0.003, 2),
        (None, 0),
        (None, 0),
        (0.0001, 1),
        (0.0001, 2),
        (None, 0),
    ]


def test_in_a_list_the_places_of_a_pass_have_a_time_together() -> None:
    assert times(*RUNS, LIST) == [
        (0.0002, 4),
        (0.0001, 2),
        (None, 0),
        (None, 0),
        (0.0001, 1),
        (None, 0),
        (None, 0),
    ]


def test_a_run_that_the_log_lacks_makes_one_time_of_all_places() -> None:
    assert times(*RUNS[:-1], TREE)[0] == (0.0016, 3)


def test_a_pass_inside_another_one_makes_one_time_of_all_places() -> None:
    runs = [dump("Canonicalizer", "a"), dump("Canonicalizer", "a"), dump("Inliner")]
    assert times(*runs, INLINER) == [(0.0003, 2), (None, 0), (0.0005, 1)]


def test_the_first_run_that_changed_something_has_the_time() -> None:
    same = dump("CSE", "a")
    changed = same.replace("  return", '  "t.a"() : () -> ()\n  return')
    assert times(same, same, changed, LIST) == [(None, 0), (None, 0), (0.0001, 3)]


def test_a_report_is_about_the_dumps_since_the_report_before() -> None:
    assert times(dump("CSE", "a"), LIST, dump("CSE", "a"), TREE) == [(0.0001, 1), (0.003, 1)]


def test_dumps_below_the_report_have_no_time() -> None:
    assert times(LIST, dump("CSE", "a")) == [(None, 0)]


def test_a_pass_that_the_report_lacks_has_no_time() -> None:
    assert times(dump("Inliner"), LIST) == [(None, 0)]


def test_a_report_of_any_runs() -> None:
    assert times(TREE) == []


@given(st.lists(st.sampled_from(RUNS)), st.sampled_from([TREE, LIST, INLINER]))
def test_each_run_of_a_timed_pass_is_covered_once(runs: list[str], report: str) -> None:
    timed = sum(any(f"After {name} " in one and f" {name}\n" in report for name in ARGUMENTS) for one in runs)
    assert sum(number for _, number in times(*runs, report)) == timed


def test_the_column() -> None:
    log = "".join([*RUNS, TREE]).encode()
    table = run("trace", "-", "--verbose", stdin=log).stdout.decode().split("\n\n")[0]
    assert [line.rstrip() for line in table.splitlines()] == [
        "<stdin>",
        "  line  pass                       ops  time               function",
        "     1  canonicalize (first dump)    2  0.0015 s (2 runs)  @a",
        "     6  cse (no change)              2  0.0030 s (2 runs)  @a",
        "    11  canonicalize (first dump)    2                     @b",
        "    16  cse (no change)              2                     @b",
        "    21  symbol-dce (first dump)      1  0.0001 s",
        "    25  canonicalize (no change)     2  0.0001 s (2 runs)  @a",
        "    30  canonicalize (no change)     2                     @b",
    ]


def test_folded_passes_have_the_sum_of_their_times() -> None:
    log = "".join([*RUNS[:2], RUNS[1], LIST]).encode()
    table = run("trace", "-", stdin=log).stdout.decode().splitlines()
    assert table[3].split() == ["...", "2", "changed", "nothing", "0.0001", "s"]


@needs_mlir_opt
@pytest.mark.parametrize("threads", [[], ["--mlir-disable-threading"]], ids=["threads", "one thread"])
@pytest.mark.parametrize(
    ("display", "expected"),
    [
        ("tree", [("canonicalize", 2), ("cse", 2), ("symbol-dce", 1), ("canonicalize", 2)]),
        ("list", [("canonicalize", 4), ("cse", 2), ("symbol-dce", 1)]),
    ],
)
def test_what_mlir_opt_prints(display: str, expected: list[tuple[str, int]], threads: list[str]) -> None:
    pipeline = "builtin.module(func.func(canonicalize,cse),symbol-dce,func.func(canonicalize))"
    options = [f"--pass-pipeline={pipeline}", f"--mlir-timing-display={display}", *threads]
    done = subprocess.run(
        [mlir_tool("mlir-opt") or "", "--mlir-print-ir-after-all", "--mlir-timing", *options],
        input=b"func.func @a() {\n  return\n}\nfunc.func @b() {\n  return\n}\n",
        capture_output=True,
        check=True,
        timeout=60,
    )
    passes = trace(read_text(done.stderr)).passes
    assert [(one.pass_name, one.timed_runs) for one in passes if one.timed_runs] == expected


def test_a_report_below_a_dump_without_a_change_is_found(tmp_path: Path) -> None:
    path = tmp_path / "passes.log"
    path.write_text(dump("Canonicalizer", "f") + dump("CSE", "f") + LIST)
    assert [one.seconds for one in trace(stream(str(path))).passes] == [0.0002, 0.0001]
