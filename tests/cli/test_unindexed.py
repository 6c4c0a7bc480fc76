"""Inputs whose order cannot be judged: they are named in every format, and fail unless that is allowed."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

import pytest

from eio_audit import Gate, InputError, check_many
from eio_audit.testing import assert_in_original_order
from tests.cli.running import run
from tests.rules import AVOIDABLE, UNINDEXED

INDEXED = '"t.a"() : () -> () loc("0|a")\n"t.b"() : () -> () loc("1|b")\n'
UNLOCATED = '"t.a"() : () -> ()\n"t.b"() : () -> ()\n'
SHUFFLED = """func.func @f(%x: i32) {
  %0 = arith.addi %x, %x : i32 loc("1|a")
  "t.b"() : () -> () loc("0|b")
  return
}
"""
COMMENTS = "// nothing here\n\n#loc = loc(unknown)\n{-#\n  dialect_resources: {}\n#-}\n"
LINE = "1 of 3 dumps checked; 2 carry no op index: mix/b.mlir, mix/c.mlir"


def marked(*texts: str) -> str:
    return "".join(f"// -----// IR Dump After P{k} (p{k}) //----- //\n{text}" for k, text in enumerate(texts))


@pytest.fixture
def mix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a folder of one dump with indices and two without."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mix").mkdir()
    for name, text in (("a", INDEXED), ("b", UNLOCATED), ("c", UNLOCATED)):
        (tmp_path / "mix" / f"{name}.mlir").write_text(text)
    return tmp_path


def test_an_input_without_an_index_fails_and_is_named(mix: Path) -> None:
    done = run("check", "mix/")
    verdict = f"failed: {LINE} (--allow-unindexed lets them pass); 1 dump, 1 block, 2 ops: all in order\n"
    assert (done.returncode, done.stdout.decode()) == (1, verdict)


@pytest.mark.parametrize("option", ["--allow-unindexed", "--ignore=EIO108"])
def test_it_passes_where_that_is_allowed_and_is_still_named(mix: Path, option: str) -> None:
    done = run("check", "mix/", option)
    assert (done.returncode, done.stdout.decode()) == (
        0,
        f"passed: {LINE}; 1 dump, 1 block, 2 ops: all in order\n",
    )


def test_a_configuration_allows_it(mix: Path) -> None:
    (mix / "eio-audit.toml").write_text("allow-unindexed = true\n")
    assert run("check", "mix/").returncode == 0
    assert run("check", "mix/", "--config", "none").returncode == 1


def test_a_gate_that_never_fails_does_not_fail_by_it(mix: Path) -> None:
    assert run("check", "mix/", "--fail-on", "never").returncode == 0


@pytest.mark.parametrize("options", [("--fail-on", "any"), ("--max-inversions", "9"), ("--select", "EIO1")])
def test_every_other_gate_fails_by_it(mix: Path, options: tuple[str, ...]) -> None:
    (mix / "mix" / "a.mlir").write_text(INDEXED)
    assert run("check", "mix/", *options, "-q").returncode == 1


@pytest.mark.parametrize("format_", ["text", "concise", "markdown", "github", "html"])
def test_the_verdict_names_them_in_formats_for_people(mix: Path, format_: str) -> None:
    assert LINE in run("check", "mix/", "--format", format_).stdout.decode()


def test_json_lists_and_counts_them(mix: Path) -> None:
    report = json.loads(run("check", "mix/", "--format", "json").stdout)
    assert report["unjudged"] == [
        {"source": "mix/b.mlir", "dumps": 1},
        {"source": "mix/c.mlir", "dumps": 1},
    ]
    summary = report["summary"]
    assert [summary[key] for key in ("inputs", "unjudged", "unindexed_dumps", "dumps")] == [3, 2, 2, 3]
    assert [dump["unindexed"] for dump in report["dumps"]] == [False, True, True]
    assert {one["model"]: one["unjudged"] for one in report["models"]} == {
        "a.mlir": 0,
        "b.mlir": 1,
        "c.mlir": 1,
    }
    assert report["failed"] == ["EIO108"]


@pytest.mark.parametrize(("options", "level"), [((), "error"), (("--allow-unindexed",), "warning")])
def test_annotations_of_both_are_errors_unless_allowed(
    mix: Path, options: tuple[str, ...], level: str
) -> None:
    lines = run("check", "mix/", "--format", "github", *options).stdout.decode().splitlines()
    starts = [f"::{level} file=mix/{name}.mlir,line=1,title=EIO108 unindexed-input::no op" for name in "bc"]
    assert [line.startswith(start) for line, start in zip(lines, starts, strict=False)] == [True, True]
    [sarif] = json.loads(run("check", "mix/", "--format", "sarif", *options).stdout)["runs"]
    places = [
        (one["ruleId"], one["level"], one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
        for one in sarif["results"]
    ]
    assert places == [("EIO108", level, "mix/b.mlir"), ("EIO108", level, "mix/c.mlir")]
    assert [rule["id"] for rule in sarif["tool"]["driver"]["rules"]] == [
        "EIO001",
        "EIO003",
        "EIO006",
        "EIO108",
    ]
    issues = json.loads(run("check", "mix/", "--format", "gitlab", *options).stdout)
    severity = {"error": "major", "warning": "minor"}[level]
    assert [(one["location"]["path"], one["severity"]) for one in issues] == [
        ("mix/b.mlir", severity),
        ("mix/c.mlir", severity),
    ]


def test_junit_skips_them(mix: Path) -> None:
    root = ElementTree.fromstring(run("check", "mix/", "--format", "junit").stdout)
    assert (root.get("tests"), root.get("skipped"), root.get("failures")) == ("3", "2", "0")
    skipped = [case.get("classname") for case in root.iter("testcase") if case.find("skipped") is not None]
    assert skipped == ["mix/b.mlir", "mix/c.mlir"]


def test_a_log_with_indices_in_some_dumps_is_judged_by_them(mix: Path) -> None:
    (mix / "passes.log").write_text(marked(UNLOCATED, INDEXED, UNLOCATED))
    done = run("check", "passes.log")
    counted = "1 dump, 1 block, 2 ops: all in order; 1 of 3 dumps checked; 2 carry no op index"
    assert (done.returncode, done.stdout.decode()) == (0, f"passed: {counted}\n")
    both = run("check", "passes.log", "mix/a.mlir")
    assert both.stdout.decode().endswith("2 of 4 dumps checked; 2 carry no op index: 2 in passes.log\n")
    assert both.returncode == 0


def test_a_log_without_any_index_is_one_input(mix: Path) -> None:
    (mix / "passes.log").write_text(marked(UNLOCATED, UNLOCATED))
    done = run("check", "passes.log", "mix/a.mlir")
    named = "1 of 3 dumps checked; 2 carry no op index: passes.log (2 dumps) (--allow-unindexed lets it pass)"
    assert (done.returncode, named in done.stdout.decode()) == (1, True)


def test_many_names_are_shortened_unless_verbose(mix: Path) -> None:
    for number in range(12):
        (mix / "mix" / f"d{number:02}.mlir").write_text(UNLOCATED)
    assert "mix/d07.mlir and 4 more (--allow" in run("check", "mix/").stdout.decode()
    assert "mix/d10.mlir, mix/d11.mlir (--allow" in run("check", "mix/", "-v").stdout.decode()
    assert "<li>mix/d11.mlir</li>" in run("check", "mix/", "--format", "html").stdout.decode()


ONLY_RETURNS = "func.func @f(%a: i32) -> i32 {\n  return %a : i32\n}\n"


@pytest.mark.parametrize("text", [COMMENTS, "\n", "module {\n}\n", "func.func private @f()\n", ONLY_RETURNS])
def test_a_file_without_ops_has_nothing_to_judge(mix: Path, text: str) -> None:
    (mix / "mix" / "b.mlir").write_text(text)
    (mix / "mix" / "c.mlir").unlink()
    assert run("check", "mix/a.mlir", "mix/b.mlir").returncode == 0


def test_a_file_of_comments_is_an_empty_module(mix: Path) -> None:
    (mix / "comments.mlir").write_text(COMMENTS)
    done = run("check", "comments.mlir")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"passed: no op to check\n", b"")
    fixed = run("fix", "comments.mlir")
    assert (fixed.returncode, fixed.stdout.decode()) == (0, COMMENTS)


def test_a_text_that_is_not_mlir_is_an_error_beside_others(mix: Path) -> None:
    (mix / "notes.mlir").write_text("error: the compiler crashed\n")
    done = run("check", "notes.mlir", "mix/a.mlir")
    message = b"error: this is not MLIR: no line begins an operation"
    assert done.stderr == b"notes.mlir:1:1: " + message + b"\nerror: the compiler crashed\n^\n"
    verdict = "incomplete: 1 of 2 inputs unreadable; 1 dump, 1 block, 2 ops: all in order\n"
    assert (done.returncode, done.stdout.decode()) == (2, verdict)


def test_one_damaged_dump_of_a_log_is_counted_among_its_dumps(mix: Path) -> None:
    (mix / "passes.log").write_text(marked(INDEXED, '"t.a"( loc\n', INDEXED))
    assert run("check", "passes.log").stdout.startswith(b"incomplete: 1 of 3 dumps unreadable; ")


def test_nothing_indexed_anywhere_could_not_run_unless_allowed(mix: Path) -> None:
    refused, allowed = run("check", "mix/b.mlir"), run("check", "mix/b.mlir", "--allow-unindexed")
    assert (refused.returncode, refused.stdout) == (2, b"could not run: no op carries an op index\n")
    assert b"print with --mlir-print-debuginfo" in refused.stderr
    passed = "passed: 0 of 1 dumps checked; 1 carries no op index: mix/b.mlir\n"
    assert (allowed.returncode, allowed.stdout.decode()) == (0, passed)


def test_a_baseline_keeps_what_an_input_without_an_index_had(mix: Path) -> None:
    (mix / "mix" / "b.mlir").write_text(SHUFFLED)
    options = ("--baseline", "base.json", "--update-baseline", "--allow-unindexed")
    assert run("check", "mix/", *options).returncode == 0
    known = (mix / "base.json").read_text()
    assert known.count('"EIO001"') == 1
    (mix / "mix" / "b.mlir").write_text(UNLOCATED)
    done = run("check", "mix/", *options)
    assert (done.returncode, (mix / "base.json").read_text()) == (0, known)
    assert run("check", "mix/", *options[:2]).returncode == 1


def test_processes_agree(mix: Path) -> None:
    alone = run("check", "mix/", "--format", "json")
    other = run("check", "mix/", "--format", "json", "-j", "2")
    assert (other.returncode, other.stdout) == (1, alone.stdout)


def threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(2)


@pytest.mark.parametrize("executor", [lambda: None, threads])
def test_the_api_agrees(mix: Path, executor: Callable[[], ThreadPoolExecutor | None]) -> None:
    verdict = check_many(["mix"], executor=executor())
    assert verdict.failed == (UNINDEXED,)
    assert [(one.source, one.dumps) for one in verdict.check.unjudged] == [
        ("mix/b.mlir", 1),
        ("mix/c.mlir", 1),
    ]
    assert check_many(["mix"], gate=Gate((AVOIDABLE,), allows_unindexed=True)).failed == ()
    assert check_many(["mix/b.mlir"]).failed == (UNINDEXED,)


def test_the_assertion_agrees(mix: Path) -> None:
    with pytest.raises(InputError, match="no op carries an op index"):
        assert_in_original_order(Path("mix/b.mlir"))
    with pytest.raises(InputError, match="no op carries an op index"):  # it asserts nothing
        assert_in_original_order(COMMENTS)
    assert_in_original_order(marked(UNLOCATED, INDEXED))
