"""The help pages, and docs/cli.md, which is made from them."""

import re
import shlex

import click
import pytest

from tests.cli.reference import MADE_BY, pages
from tests.cli.running import run
from tests.internals import COMMANDS, cli


def help_of(*command: str) -> str:
    return run(*command, "--help", COLUMNS="80").stdout.decode()


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
def test_a_help_page_is_complete_and_fits_a_terminal(command: tuple[str, ...]) -> None:
    text = help_of(*command)
    assert "\n  Examples:\n    " in text
    assert "\n  Exit codes:\n    0  " in text
    assert [line for line in text.split("\n") if len(line) > 80] == []


@pytest.mark.parametrize("words", [(), ("-h",)])
def test_the_short_help_of_the_program_is_one_screen_that_begins_with_what_people_come_for(
    words: tuple[str, ...],
) -> None:
    done = run(*words, COLUMNS="80")
    lines = (done.stdout + done.stderr).decode().splitlines()
    assert lines[:7] == [
        "Usage: eio-audit [OPTIONS] COMMAND [ARGS]...",
        "",
        "  Examples:",
        "    eio-audit trace passes.log                  # what did each pass do?",
        "    eio-audit diff before.mlir after.mlir       # what did this pass do?",
        "    eio-audit check after.mlir                  # which ops are out of order?",
        "    eio-audit bisect -- mlir-opt --cse in.mlir  # who put them out of order?",
    ]
    assert len(lines) < 25
    assert [line for line in lines if len(line) > 80] == []


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "help"])
def test_the_short_help_fits_one_screen_with_examples_and_names_the_whole(command: str) -> None:
    lines = run(command, "-h", COLUMNS="80").stdout.decode().splitlines()
    assert len(lines) < 25
    assert [line for line in lines if len(line) > 80] == []
    assert lines[lines.index("Examples:") + 1].startswith("  ")
    assert lines[-1] == f"All options: eio-audit {command} --help"


def examples() -> list[list[str]]:
    """The command lines of all examples, without what they are piped from and to."""
    texts = [cli.get_command(click.Context(cli), name).help.partition("Examples:")[2] for name in COMMANDS]
    lines = re.findall(r"^ *(?:.*\| )?eio-audit ([a-z][^|>\n]*)", "\n".join(texts), re.MULTILINE)
    return [shlex.split(line, comments=True) for line in lines]


@pytest.mark.parametrize("example", examples(), ids=" ".join)
def test_an_example_is_a_valid_command_line(example: list[str]) -> None:
    program = click.Context(cli, **cli.context_settings)
    name, command, args = cli.resolve_command(program, example)
    assert command is not None
    command.make_context(name, args, parent=program)


def test_every_command_is_listed() -> None:
    commands = help_of().partition("\nCommands:\n")[2].partition("\n\n")[0]
    listed = re.findall(r"^  (\w+) ", commands, re.MULTILINE)
    assert listed == list(COMMANDS)


def test_the_pages_that_the_program_holds_are_current() -> None:
    old = [path.name for path, text in pages().items() if path.read_text() != text]
    assert old == [], f"run {MADE_BY}"


@pytest.mark.parametrize(
    ("words", "same_as"),
    [
        (["help"], ["--help"]),
        (["help", "fix"], ["fix", "--help"]),
        (["help", "help"], ["help", "--help"]),
    ],
)
def test_help_is_a_command_too(words: list[str], same_as: list[str]) -> None:
    assert run(*words).stdout == run(*same_as).stdout


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("check a.mlir --max-size 4GB", "--max-size is a key of the configuration: --config max-size=SIZE"),
        (
            "trace a.log --allow-unindexed",
            "--allow-unindexed is a key of the configuration: --config allow-unindexed=true",
        ),
        ("diff a.log b.log -j 2", "-j is a key of the configuration: --config jobs=N|auto"),
        ("history a.log %0 --follow none", "--follow is a key of the configuration: --config follow=KIND"),
        (
            "bisect --max-runs 9 -- mlir-opt a.mlir",
            "--max-runs is a key of the configuration: --config max-runs=N",
        ),
    ],
)
def test_a_key_that_is_given_as_an_option_is_answered_with_its_use(line: str, message: str) -> None:
    done = run(*line.split())
    assert (done.returncode, done.stdout, done.stderr.decode()) == (2, b"", f"Error: {message}\n")


def test_version_is_a_command_too() -> None:
    assert run("version").stdout == run("--version").stdout


def test_the_options_of_check_are_in_groups() -> None:
    titles = re.findall(r"^(\w[\w ]*):$", help_of("check"), re.MULTILINE)
    assert titles == [
        "Input",
        "What counts as out of order",
        "Gate",
        "Output",
        "Many files or runs",
        "General",
    ]
