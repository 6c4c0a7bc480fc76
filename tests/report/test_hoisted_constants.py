"""What every report says of hoisted constants."""

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from eio_audit import Gate, diff, read, read_text
from eio_audit.testing import assert_in_original_order
from tests.audit.test_hoisted_constants import BOTH, DATA, HOISTED_ALONE, SHUFFLED_ALONE, function
from tests.cli.running import run
from tests.internals import Console, WorstBlocks, rendered
from tests.report.judged import judged
from tests.report.pages import Page
from tests.rules import AVOIDABLE, HOISTED

LINE = "1 constant is hoisted (2 inversions); fix puts it back"
SELECTED = Gate((AVOIDABLE, HOISTED))


def report(text: str, gate: Gate, *, verbose: bool = False) -> list[str]:
    file = io.StringIO()
    verdict = judged(read_text(text, "a.mlir"), gate=gate, verbose=verbose)
    rendered(verdict, "text", Console(file, color=False, verbose=verbose))
    return file.getvalue().splitlines()


def test_a_line_and_the_command_that_puts_them_back() -> None:
    assert report(function(*HOISTED_ALONE), Gate()) == [
        f"a.mlir:2:1: @f ^bb0: {LINE}",
        "passed: 2 inversions: all can be moved back (all of hoisted constants)",
        "next:",
        "  eio-audit fix --diff a.mlir  # shows the fix; --in-place applies it",
    ]


def test_as_findings() -> None:
    assert report(function(*HOISTED_ALONE), SELECTED) == [
        "a.mlir",
        f"  2:3 EIO004 {LINE}",
        "",
        "  2:3 @f ^bb0: 2 inversions: all can be moved back (all of hoisted constants)",
        "failed: 2 inversions of hoisted constants in 1 of 1 dumps",
        "next:",
        "  eio-audit fix --diff a.mlir  # shows the fix; --in-place applies it",
    ]


def test_a_failure_has_both_figures() -> None:
    _, first, _, block, line, verdict, *_ = report(function(*BOTH), Gate())
    assert first.startswith("  3:3 EIO001 #2 ttir.abs %0 belongs after #1 ttir.abs %1 (line 4)")
    assert block == "  2:3 @f ^bb0: 3 inversions: all can be moved back (2 of hoisted constants)"
    assert line == f"a.mlir:2:1: @f ^bb0: {LINE}"
    assert verdict == "failed: 1 inversion out of place in 1 of 1 dumps"


def test_a_verbose_report_says_it_below_the_block() -> None:
    assert f"    {LINE}" in report(function(*HOISTED_ALONE), Gate(), verbose=True)


def test_a_line_where_a_baseline_is_in_force() -> None:
    verdict = judged(read_text(function(*HOISTED_ALONE), "a.mlir"))
    file = io.StringIO()
    rendered(replace(verdict, known=0), "text", Console(file, color=False))
    assert file.getvalue().splitlines() == [
        f"a.mlir:2:1: @f ^bb0: {LINE}",
        "passed: no new finding, 0 known",
    ]


def test_no_word_where_no_constant_is_hoisted() -> None:
    assert "hoisted" not in "\n".join(report(function(*SHUFFLED_ALONE), Gate(), verbose=True))


@pytest.mark.parametrize(
    ("format_", "expected"),
    [
        ("concise", " (all of hoisted constants)"),
        ("github", " (all of hoisted constants)"),
        ("markdown", " (all of hoisted constants)"),
        ("junit", f"<system-out>{LINE}</system-out>"),
    ],
)
def test_every_format_with_figures_says_it(format_: str, expected: str) -> None:
    text = function(*HOISTED_ALONE)
    assert expected in rendered(judged(read_text(text, "a.mlir")), format_, verbose=False)


def test_a_page() -> None:
    worst_blocks = WorstBlocks()
    verdict = judged(read_text(function(*HOISTED_ALONE), "a.mlir"), visit=worst_blocks.visit)
    page = Page(rendered(verdict, "html", pictures=worst_blocks.pictures()))
    assert LINE in page.words
    assert "(all of hoisted constants)" in page.words


@pytest.mark.parametrize("format_", ["concise", "github", "gitlab", "sarif", "junit", "markdown"])
def test_every_format_with_findings_has_it_as_one(format_: str) -> None:
    text = rendered(judged(read_text(function(*BOTH), "a.mlir"), gate=SELECTED), format_, verbose=False)
    assert ("EIO001" in text, "EIO004" in text, LINE in text) == (True, True, True)


def test_json() -> None:
    document = json.loads(rendered(judged(read_text(function(*BOTH))), "json", verbose=False))
    [block] = document["dumps"][0]["blocks"]
    assert (block["avoidable"], block["avoidable_constants"], block["hoisted_constants"]) == (3, 2, 1)
    summary, [model], [figures] = document["summary"], document["models"], document["passes"]
    assert (summary["avoidable"], summary["avoidable_constants"], summary["avoidable_others"]) == (3, 2, 1)
    assert (model["avoidable_constants"], figures["avoidable_constants"]) == (2, 2)


def test_a_diff() -> None:
    [before], [after] = read_text(function(*SHUFFLED_ALONE)), read_text(function(*BOTH))
    file = io.StringIO()
    rendered(diff(before, after), "text", Console(file, color=False))
    assert "1 -> 3 inversions, 1 -> 3 avoidable (0 -> 2 of hoisted constants)\n" in file.getvalue()


def test_a_trace() -> None:
    marker = "// -----// IR Dump After P //----- //\n"
    log = (marker + function(*HOISTED_ALONE)).encode()
    said = "passed: 2 avoidable inversions (all of hoisted constants) "
    shown = run("trace", "-", "--fail-on", "shuffled", stdin=log)
    assert (shown.returncode, said in shown.stdout.decode()) == (0, True)
    assert run("trace", "-", "--fail-on", "any", stdin=log).returncode == 1


def test_the_assertion_of_tests() -> None:
    canonicalized = Path(DATA / "canonicalized.mlir")
    assert read(canonicalized)
    assert_in_original_order(canonicalized)
    with pytest.raises(AssertionError, match="24 constants are hoisted"):
        assert_in_original_order(canonicalized, fail_on="any")
