"""The options that change figures, in every command that has them."""

import json
from pathlib import Path

import pytest

from tests.cli.running import SAMPLES, run

RESNET = SAMPLES / "resnet" / "after_alias.mlir"
UNKNOWN = """func.func @f(%a: i32) {
  %1 = "my.b"(%a) : (i32) -> i32 loc("DEBUG|1|b")
  %0 = "my.a"(%a) : (i32) -> i32 loc("DEBUG|0|a")
  return
}
"""
COMMANDS = [("check", RESNET), ("diff", RESNET, RESNET), ("fix", RESNET), ("explain", RESNET, "%106")]


@pytest.mark.parametrize(
    ("follow", "figures"),
    [
        (("--follow", "derived"), (193, 40, 3, 3)),
        (("--follow", "constants"), (233, 0, 789, 767)),
        (("--follow", "derived", "--follow", "constants"), (193, 40, 3, 3)),
    ],
)
def test_the_figures_of_the_page_on_options(follow: tuple[str, ...], figures: tuple[int, ...]) -> None:
    summary = json.loads(run("check", RESNET, *follow, "--format", "json").stdout)["summary"]
    assert (summary["indexed"], summary["followed"], summary["inversions"], summary["minimum"]) == figures


@pytest.mark.parametrize(
    ("follow", "figures"),
    [
        ((), (16, 21, 24, 24, 0)),
        (("--follow", "frees"), (16, 21, 24, 24, 0)),
        (("--follow", "none"), (37, 0, 120, 60, 60)),
        (("--follow", "derived"), (10, 27, 0, 0, 0)),
        (("--follow", "none", "--follow", "derived"), (25, 12, 0, 0, 0)),
    ],
)
def test_the_figures_of_the_page_on_frees(follow: tuple[str, ...], figures: tuple[int, ...]) -> None:
    small = SAMPLES / "ttnn" / "small.mlir"
    summary = json.loads(run("check", small, *follow, "--format", "json").stdout)["summary"]
    keys = ("indexed", "followed", "inversions", "forced", "avoidable")
    assert tuple(summary[key] for key in keys) == figures


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_every_command_warns_of_a_glob_that_matches_nothing(command: tuple[str | Path, ...]) -> None:
    result = run(*command, "--config", 'assume-pure=["ttir.*", "mine.*"]')
    assert result.returncode < 2
    assert result.stderr.count(b"warning:") == 1
    assert b"warning: --assume-pure 'mine.*' matches no op of the input" in result.stderr


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_every_command_takes_all_of_them(command: tuple[str | Path, ...]) -> None:
    options = (
        "--follow",
        "derived",
        "--follow",
        "constants",
        "--follow",
        "splits",
        "--follow",
        "frees",
        "--config",
        "assume-pure=ttir.*",
    )
    result = run(*command, *options, "--index-pattern", r"(?P<index>\d+)")
    assert result.returncode < 2


def test_ops_assumed_pure_are_counted() -> None:
    result = run("check", "-", "--assume-pure", "my.*", stdin=UNKNOWN.encode())
    assert b"1 inversion: " in result.stdout
    assert b"\n2 ops assumed pure (my.*)\n" in result.stdout
    assert b"failed: 1 wrong index in 1 of 1 dumps" in run("check", "-", stdin=UNKNOWN.encode()).stdout


def test_fix_says_what_it_assumed() -> None:
    result = run("fix", "-", "--assume-pure", "my.*", stdin=UNKNOWN.encode())
    assert (
        result.stderr
        == b"<stdin>: 2 ops assumed pure (my.*)\n<stdin>: 1 op moved, 1 inversion removed; none remains\n"
    )


def test_all_indexed_ops_may_follow() -> None:
    text = b'func.func @f() {\n%0 = "ttir.constant"() : () -> i32 loc("3|a")\nreturn\n}\n'
    result = run("check", "-", "--follow", "constants", stdin=text)
    assert (result.returncode, result.stdout) == (
        0,
        b"passed: 1 dump, 1 block, 2 ops (1 follows its consumer): all in order\n",
    )


def test_a_sort_of_ops_that_cannot_follow_is_a_usage_error() -> None:
    result = run("check", RESNET, "--follow", "views")
    assert result.returncode == 2
    assert b"'derived', 'constants'" in result.stderr
