"""Every command that a report suggests has the selection and the options of the run, and runs in a shell."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import AuditOptions
from eio_audit.report.wording.conclusion import bisection_command
from tests.cli.running import run
from tests.logs import dump, function

CLEAN, SHUFFLED = function("f", 1, 2), function("f", 2, 1)
NAME = "two words.log"
CONTRADICTING = """func.func @f(%a: i32) -> i32 {
  %0 = "ttir.abs"(%a) : (i32) -> i32 loc("2|a")
  %1 = "ttir.abs"(%0) : (i32) -> i32 loc("1|b")
  %2 = "ttir.abs"(%a) : (i32) -> i32 loc("0|c")
  return %1 : i32
}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    log = [("Before", CLEAN), ("After", SHUFFLED), ("Before", SHUFFLED), ("After", CONTRADICTING)]
    Path(NAME).write_text("".join(dump(when, "my-pass", text) for when, text in log))
    return tmp_path


def suggested(text: str) -> list[list[str]]:
    """The words of the commands in a text."""
    found = re.findall(r"eio-audit (?:fix|explain|diff|trace) (?:[\w./=:@-]+ )*'two words.log'", text)
    return [shlex.split(one) for one in found]


@pytest.mark.parametrize(
    "selection",
    [
        ["--pass", "my-pass", "--dump", "1"],
        ["--dump", "4"],
        ["--dump", ":18"],
        ["--pass", "my-pass", "--dump", "last"],
    ],
)
@pytest.mark.parametrize("format_", ["text", "concise", "github", "markdown", "html"])
def test_a_check_of_some_dumps_suggests_commands_for_these_dumps(selection: list[str], format_: str) -> None:
    text = run("check", NAME, *selection, "--format", format_).stdout.decode()
    commands = suggested(text.replace("&#39;", "'").replace("&#x27;", "'"))
    assert any("fix" in words for words in commands)
    for words in commands:
        place = words.index(selection[0])
        assert (words[place : place + len(selection)], NAME in words) == (selection, True)
    assert not any("trace" in words for words in commands)


def test_a_command_that_is_suggested_runs_on_the_selected_dump() -> None:
    text = run("check", NAME, "--pass", "my-pass", "--dump", "1", "--follow", "constants").stdout.decode()
    [command] = suggested(text)
    assert command[1:] == ["fix", "--diff", "--follow", "constants", "--pass", "my-pass", "--dump", "1", NAME]
    done = run(*command[1:])
    assert (done.returncode, done.stdout.count(b"@@ -")) == (0, 1)


@pytest.mark.parametrize(
    ("options", "printed"),
    [
        (["--follow", "constants"], ["--follow", "constants"]),
        (["--config", "follow=constants"], ["--follow", "constants"]),
        (["--config", "assume-pure=my.*"], ["--config", "assume-pure=my.*"]),
        (
            ["--config", 'assume-pure=["my.*", "a"]', "--index-pattern", "(?P<index>[0-9])"],
            ["--config", 'assume-pure=["my.*", "a"]', "--index-pattern", "(?P<index>[0-9])"],
        ),
    ],
)
def test_what_is_only_a_key_of_the_next_command_is_set_as_a_key(
    options: list[str], printed: list[str]
) -> None:
    lines = run("trace", NAME, *options).stdout.decode().splitlines()
    [words] = [shlex.split(line, comments=True) for line in lines if line.startswith("  eio-audit diff ")]
    assert words[2 : 2 + len(printed)] == printed
    assert run(*words[1:]).returncode == 1


@given(
    st.lists(
        st.sampled_from(["true", "1", "my.*", "[a]", "'a'", "=", "inf"]) | st.text("ab.*?[é\U0001f600\"'\\"),
        max_size=3,
    )
)
def test_the_values_of_a_key_are_read_as_they_were_given(globs: list[str]) -> None:
    words = shlex.split(bisection_command(AuditOptions(assume_pure=globs), ["opt"]))
    shown = run("help", "config", "--config", "none", *words[2:-2]).stdout.decode()
    assert tomllib.loads(shown)["assume-pure"] == globs


def test_a_diff_around_a_pass_suggests_to_fix_the_same_dump() -> None:
    text = run("diff", NAME, "--pass", "my-pass", "--dump", "1").stdout.decode()
    [command] = suggested(text)
    assert command[1:] == ["fix", "--diff", "--pass", "my-pass", "--dump", "1", NAME]


def test_several_selected_dumps_of_a_log_are_not_traced() -> None:
    text = run("check", NAME, "--pass", "my-pass").stdout.decode()
    assert "fix --diff --pass my-pass 'two words.log'" in text
    assert "eio-audit trace" not in text
    assert "\n  eio-audit trace 'two words.log'  # shows" in run("check", NAME).stdout.decode()


def test_the_original_order_is_that_of_the_run() -> None:
    Path("after.mlir").write_text(SHUFFLED)
    Path("before.mlir").write_text(CLEAN)
    given = run("check", "after.mlir", "--order-from", "before.mlir").stdout.decode()
    assert "eio-audit fix --diff --order-from before.mlir after.mlir" in given
    first = run("check", "before.mlir", "after.mlir", "--order-from", "first").stdout.decode()
    assert "eio-audit fix --diff --order-from before.mlir:1 after.mlir" in first
    assert "--relabel" not in first


def test_processes_suggest_the_same() -> None:
    alone, two = (run("check", NAME, "--dump", "2", "-j", jobs) for jobs in "12")
    assert alone.stdout == two.stdout
    assert b"--dump 2 'two words.log'" in two.stdout


def test_a_file_whose_name_begins_with_a_dash() -> None:
    Path("-x.mlir").write_text(SHUFFLED)
    assert b"eio-audit fix --diff ./-x.mlir  # shows" in run("check", "--", "-x.mlir").stdout


def test_of_several_files_the_one_with_most_wrong_indices_is_corrected_first() -> None:
    worse = CONTRADICTING.replace("return", '%3 = "ttir.abs"(%1) : (i32) -> i32 loc("0|d")\n  return')
    Path("a.mlir").write_text(CONTRADICTING)
    Path("b.mlir").write_text(worse)
    steps = run("check", "a.mlir", "b.mlir").stdout.decode().partition("\nnext:\n")[2]
    assert "  eio-audit fix --relabel --diff b.mlir  # corrects 2 wrong indices" in steps
