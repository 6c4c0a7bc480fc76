"""What the commands say of indices that contradict dataflow."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.audit.test_check import ISSUE
from tests.cli.running import SAMPLES, run
from tests.report.pages import Page

AFTER = SAMPLES / "small" / "after_inline.mlir"
LOG = SAMPLES / "small" / "all_passes_inline.log"
PERMUTE = {"op": "ttir.permute", "result": "%56", "index": 23, "line": 4, "module": "ResNet[resnet]"}
RESHAPE = {"op": "ttir.reshape", "result": "%57", "index": 18, "line": 5, "module": "ResNet[resnet]"}


@pytest.fixture
def issue(tmp_path: Path) -> Path:
    path = tmp_path / "issue.mlir"
    path.write_text(ISSUE)
    return path


def in_json(*args: str | Path) -> Any:
    return json.loads(run(*args, "--format", "json").stdout)


def test_check_in_json(issue: Path) -> None:
    document = in_json("check", issue)
    [block] = document["dumps"][0]["blocks"]
    names = ("wrong_indices", "wrong_by_passes", "wrong_certified")
    assert [block[name] for name in names] == [1, 0, True]
    assert block["mislabelled"] == [{**PERMUTE, "inversions": 1, "right": RESHAPE}]
    assert [document["summary"][name] for name in names] == [1, 0, True]


def test_nothing_is_wrong_in_a_clean_dump() -> None:
    document = in_json("check", SAMPLES / "small" / "before_inline.mlir")
    [block] = document["dumps"][0]["blocks"]
    assert [block[n] for n in ("wrong_indices", "wrong_by_passes", "wrong_certified", "mislabelled")] == [
        0, 0, True, [],
    ]  # fmt: skip
    assert b"index that" not in run("check", SAMPLES / "small" / "before_inline.mlir").stdout


def test_only_the_worst_are_described() -> None:
    document = in_json("check", SAMPLES / "resnet" / "after_inline.mlir")
    [block] = document["dumps"][0]["blocks"]
    assert (block["wrong_indices"], len(block["mislabelled"])) == (42, 10)
    carried = [op["inversions"] for op in block["mislabelled"]]
    assert carried == sorted(carried, reverse=True)


def test_verbose_describes_all() -> None:
    resnet = SAMPLES / "resnet" / "after_inline.mlir"
    lines = run("check", resnet, "-v").stdout.decode().splitlines()
    assert sum(" should carry " in line for line in lines) == 42
    assert sum(" is early at " in line or " is late at " in line for line in lines) == 42
    assert sum(" EIO001 " in line for line in lines) == 21
    [block] = in_json("check", "-v", resnet)["dumps"][0]["blocks"]
    assert (len(block["worst"]), len(block["mislabelled"])) == (42, 42)


def test_explain_in_json(issue: Path) -> None:
    rights = [in_json("explain", issue, op)["ops"][0]["right"] for op in ("%55", "%56", "%57")]
    assert rights == [None, RESHAPE, None]


def test_explain_as_text_of_several_ops_of_one_index() -> None:
    lines = run("explain", AFTER, "#23").stdout.decode().splitlines()
    assert sum(line.startswith("    its index is wrong: it should carry ") for line in lines) == 6


def test_it_fails_unless_only_moved_ops_do(issue: Path) -> None:
    assert run("check", issue, "--fail-on", "out-of-place").returncode == 0
    done = run("check", issue, "--format", "concise")
    assert done.returncode == 1
    assert done.stdout.decode().splitlines()[0] == (
        f"{issue}:4:3: EIO003 #23 ttir.permute %56 should carry #18 (of ttir.reshape %57, line 5): "
        "in 1 inversion, fix --relabel corrects it (ResNet[resnet], m.py:2)"
    )


def test_a_baseline_knows_such_findings(issue: Path, tmp_path: Path) -> None:
    options = ("--baseline", tmp_path / "known.json")
    assert run("check", issue, *options, "--update-baseline").returncode == 0
    assert run("check", issue, *options).returncode == 0


@pytest.mark.parametrize("format_", ["sarif", "junit", "gitlab", "github", "markdown"])
def test_every_format_has_the_finding(format_: str, issue: Path) -> None:
    done = run("check", issue, "--format", format_)
    assert done.returncode == 1
    assert b"should carry #18 (of ttir.reshape " in done.stdout


def test_the_page_of_a_check(issue: Path) -> None:
    page = Page(run("check", issue, "--format", "html").stdout.decode()).words
    assert f"eio-audit fix --relabel --diff {issue}" in page
    assert "corrects 1 wrong index and removes all inversions" in page
    assert "#23 ttir.permute %56 (line 4) should carry #18 (of ttir.reshape %57, line 5)" in page


def test_trace_names_the_pass_that_made_most_indices_wrong() -> None:
    lines = run("trace", LOG).stdout.decode().splitlines()
    assert lines[0] == "left at the end: 18 inversions: all of wrong indices"
    assert lines[1].startswith(f"ttir-erase-inverse-ops ({LOG}:211) left 18: ")
    assert lines[-1] == f"  eio-audit fix --relabel --diff --dump last {LOG}  # corrects wrong indices"


def test_trace_in_json() -> None:
    document = in_json("trace", LOG)
    passes = {p["pass"]: p["mislabelled"] for p in document["passes"]}
    assert passes == {
        "canonicalize": 0,
        "inline": 0,
        "ttir-flatten-sliding-window": 0,
        "ttir-explicate-tms": 0,
        "ttir-erase-inverse-ops": 6,
        "ttir-implicit-broadcast-fold": 0,
        "cse": 0,
    }
    assert document["culprit"] == "ttir-erase-inverse-ops"


def test_trace_without_wrong_indices() -> None:
    before, after = SAMPLES / "small" / "source.mlir", SAMPLES / "small" / "before_inline.mlir"
    assert in_json("trace", before, after)["culprit"] is None
    assert b"wrong" not in run("trace", before, after).stdout


def test_the_page_of_a_trace() -> None:
    page = Page(run("trace", LOG, "--format", "html").stdout.decode()).words
    assert "ttir-erase-inverse-ops left 18: " in page


def test_diff_says_it_of_the_dump_after() -> None:
    done = run("diff", SAMPLES / "small" / "before_inline.mlir", AFTER)
    assert b"6 ops carry another op's index (the fewest possible)" in done.stdout
    step = f"eio-audit fix --relabel --diff {AFTER}  # corrects 6 wrong indices and removes all inversions\n"
    assert step.encode() in done.stdout


def test_inversions_in_graph_regions_are_left(tmp_path: Path) -> None:
    graph = 'module {\nfunc.func private @b() loc("2|b")\nfunc.func private @a() loc("1|a")\n'
    file = tmp_path / "graph.mlir"
    file.write_text(graph + ISSUE + "}\n")
    assert run("check", file).stdout.decode().splitlines()[-1] == (
        f"  eio-audit fix --relabel --diff {file}"
        "  # corrects 1 wrong index and removes all inversions except those in graph regions"
    )
    done = run("fix", "-", stdin=(graph + ISSUE + "}\n").encode())
    assert done.stderr.decode().endswith(
        "--relabel corrects 1 wrong index and removes all inversions except those in graph regions\n"
    )
