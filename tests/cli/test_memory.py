"""What blocks hold in memory, in every report that says it."""

import json
from pathlib import Path

import pytest

from tests.cli.running import SAMPLES, run
from tests.report.pages import Page

SMALL = SAMPLES / "ttnn" / "small.mlir"
NOTE = b"peak live bytes: 173,056, after a fix 299,520"


@pytest.mark.parametrize(
    "command",
    [("check", SMALL, "--follow", "none"), ("diff", SMALL, SMALL, "--follow", "none")],
    ids=["check", "diff"],
)
def test_verbose_reports_and_pages_say_it_and_others_do_not(command: tuple[str, ...]) -> None:
    assert NOTE in run(*command, "--verbose").stdout
    assert NOTE.decode() in Page(run(*command, "--format", "html").stdout.decode()).words
    assert b"live bytes" not in run(*command).stdout


def test_a_verbose_check_as_json() -> None:
    document = json.loads(run("check", SMALL, "--follow", "none", "--verbose", "--format", "json").stdout)
    [block] = document["dumps"][0]["blocks"]
    keys = ("peak_bytes", "peak_bytes_fixed", "unsized_values", "frees_away", "frees_away_fixed")
    assert [block[key] for key in keys] == [173_056, 299_520, 0, 0, 6]
    assert [document["summary"][key] for key in ("frees", "at_frees")] == [21, 96]


def test_a_plain_check_as_json_measures_nothing() -> None:
    document = json.loads(run("check", SMALL, "--follow", "none", "--format", "json").stdout)
    [block] = document["dumps"][0]["blocks"]
    assert {"peak_bytes", "unsized_values", "frees_away"} & block.keys() == set()
    assert "peak_bytes" not in document["summary"]


def test_a_diff_as_json_measures_where_frees_moved(tmp_path: Path) -> None:
    after = tmp_path / "after.mlir"
    run("fix", SMALL, "--follow", "none", "-o", after)
    document = json.loads(run("diff", SMALL, after, "--follow", "none", "--format", "json").stdout)
    assert (document["before"]["peak_bytes"], document["after"]["peak_bytes"]) == (173_056, 299_520)
    assert document["dumps"][0]["blocks"][0]["peak_bytes_fixed"] == 299_520


@pytest.mark.parametrize("change", [b"", b'"ttnn.deallocate"'], ids=["nothing", "frees removed"])
def test_a_diff_as_json_measures_where_frees_were_removed(change: bytes, tmp_path: Path) -> None:
    after = tmp_path / "after.mlir"
    lines = SMALL.read_bytes().splitlines(keepends=True)
    after.write_bytes(b"".join(line for line in lines if not change or not line.lstrip().startswith(change)))
    document = json.loads(run("diff", SMALL, after, "--format", "json").stdout)
    assert ("peak_bytes" in document["before"]) == bool(change)


def test_a_fix_by_the_indices_of_frees_says_what_it_costs_and_a_plain_one_costs_nothing() -> None:
    counted = run("fix", SMALL, "--follow", "none")
    assert b"peak live bytes 173,056 -> 299,520, frees away from their last use 0 -> 6" in counted.stderr
    assert run("fix", SMALL, "--follow", "none", "--quiet").stderr == b""
    plain = run("fix", SMALL)
    assert plain.stdout == SMALL.read_bytes()
    assert b": nothing avoidable: unchanged; 24 inversions (" in plain.stderr


def test_a_plain_fix_leaves_frees_where_they_are_if_nothing_is_avoidable() -> None:
    away = run("fix", SMALL, "--follow", "none").stdout
    for options in ((), ("--follow", "frees")):
        assert run("fix", "-", *options, stdin=away).stdout == away


def test_an_explanation_as_json_names_the_last_use() -> None:
    [op] = json.loads(run("explain", SMALL, "35", "--format", "json").stdout)["ops"]
    assert (op["follows"], op["last_use"]["op"], op["last_use"]["line"]) == ("frees", "ttnn.permute", 34)
