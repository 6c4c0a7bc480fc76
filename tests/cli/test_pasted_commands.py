"""Every command that a report suggests is a line of its own, and runs as pasted into a shell."""

from __future__ import annotations

import html
import re
import shlex
import sys
from pathlib import Path

import pytest

from tests.cli.running import SAMPLES, run, run_on_terminal
from tests.logs import dump, function
from tests.shell import install_tools, run_script

ERASE = "--pass ttir-erase-inverse-ops"
RESNET, SMALL = "sample_irs/resnet", "sample_irs/small"
SHUFFLED, QUOTED = function("f", 2, 1), shlex.quote("it's $HOME; `two` words.log")
LOG = "".join(
    dump(when, "my pass", text)
    for when, text in [("Before", function("f", 1, 2)), ("After", SHUFFLED), ("After", SHUFFLED)]
)
REPORTS = [
    *(
        (f"{command} --format {format_}", format_)
        for format_ in ("text", "concise", "github", "markdown", "html")
        for command in (
            f"check {RESNET}/after_alias.mlir",
            f"check {RESNET}/all_passes_alias.log {ERASE} --dump last",
            f"check {SMALL}/all_passes_inline.log",
            f"check {QUOTED}",
            f"check {QUOTED} --pass 'my pass' --dump 2 --follow constants --assume-pure 'my.*'",
            "check 'my after.mlir' --order-from 'my before.mlir'",
        )
    ),
    *(
        (f"{command} --format {format_}", format_)
        for format_ in ("text", "markdown", "html")
        for command in (
            f"diff {RESNET}/before_alias.mlir {RESNET}/after_alias.mlir",
            f"diff {QUOTED} --pass 'my pass' --dump 1",
        )
    ),
    *(
        (f"{command} --format {format_}", format_)
        for format_ in ("text", "html")
        for command in (
            f"trace {RESNET}/all_passes_alias.log",
            f"trace {QUOTED}",
        )
    ),
    *(
        (command, "text")
        for command in (
            f"trace {SMALL}/tree",
            f"trace {SMALL}/before_alias.mlir {SMALL}/after_alias.mlir",
            f"explain {RESNET}/after_alias.mlir '#69'",
            f"explain {QUOTED} '#2' --pass 'my pass' --dump 1",
        )
    ),
]
IN_LONGER_RUNS = {"concise", "github", "markdown"}
"""Formats whose lines are mostly those of text."""
SAMPLE_REPORTS = [
    f"{command} {path}"
    for name in ("sample_irs/*/*.mlir", "sample_irs/*/*.log", "sample_irs/*/tree")
    for path in sorted(str(one.relative_to(SAMPLES.parent)) for one in SAMPLES.parent.glob(name))
    for command in ("check", "trace", *(["check --dump last"] if path.endswith(".log") else []))
]
LISTS = [
    f"diff {RESNET}/all_passes_alias.log",
    f"explain {QUOTED} '#2' --pass 'my pass'",
]
BISECT = (
    f"bisect -- {shlex.quote(sys.executable)} sample_irs/recorded/erase_inverse_ops.py"
    f" --ttir-erase-inverse-ops {SMALL}/before_alias.mlir"
)
BISECTIONS = [
    BISECT.replace("bisect", f"bisect {options}".rstrip(), 1)
    for options in (
        "",
        "--keep kept --show 22",
        "--op %12",
        "--test order",
        "--stop-after-pass --test changed",
    )
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: it has the samples, and files whose names a shell has to get in quotes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample_irs").symlink_to(SAMPLES)
    Path(*shlex.split(QUOTED)).write_text(LOG)
    Path("my before.mlir").write_text(function("f", 1, 2))
    Path("my after.mlir").write_text(SHUFFLED)
    return tmp_path


def suggested(report: str, format_: str) -> list[str]:
    """The lines with commands, as a reader selects them."""
    if format_ == "html":
        found = re.findall(r'class="command"><code>(.+?)</code>', report)
        return [html.unescape(line) for line in found if "COMPILER" not in line]
    if format_ == "markdown":
        blocks = re.findall(r"^```sh\n(.*?)^```", report, re.MULTILINE | re.DOTALL)
        return [line for block in blocks for line in block.splitlines()]
    lines = report.partition("next:\n")[2].splitlines()
    assert all(line.startswith("  eio-audit ") for line in lines)
    return [line.strip() for line in lines if "COMPILER" not in line]


def as_a_shell_reads(lines: list[str], folder: Path) -> list[list[str]]:
    """The words that each pasted line gives to eio-audit, which a function of the shell stands for."""
    note = """eio-audit() { printf '%s\\0' "$@" "" >&3; }"""
    words = folder / "words"
    done = run_script("\n".join([note, f"exec 3> {words}", *lines]), folder, folder, options="-e")
    assert (done.returncode, done.stdout) == (0, "")
    commands = words.read_text().split("\0\0")[:-1]
    assert len(commands) == len(lines)
    return [command.split("\0") for command in commands]


def require_runs(lines: list[str], folder: Path) -> None:
    """Paste the lines into a shell. Run each, but only one of those that differ in numbers alone."""
    assert [line for line in lines if re.search(r"\b(FILE|BEFORE|AFTER|LOG|IN)\b", line)] == []
    chosen = list({re.sub(r"[0-9]+", "N", line): line for line in reversed(lines)}.values())
    for line, words in zip(chosen, as_a_shell_reads(chosen, folder), strict=True):
        done = run(*words)
        assert done.returncode in (0, 1), f"{line}\n{done.stderr.decode()}"


@pytest.mark.parametrize(
    ("command", "format_"),
    [
        pytest.param(command, format_, marks=pytest.mark.slow if format_ in IN_LONGER_RUNS else [])
        for command, format_ in REPORTS
    ],
)
def test_the_commands_of_a_report_run(command: str, format_: str, folder: Path) -> None:
    lines = suggested(run(*shlex.split(command)).stdout.decode(), format_)
    assert lines
    require_runs(lines, folder)


@pytest.mark.parametrize("command", LISTS)
def test_the_commands_of_a_list_of_dumps_run(command: str, folder: Path) -> None:
    said = run(*shlex.split(command)).stderr.decode()
    lines = [line.strip() for line in said.splitlines() if line.strip().startswith("eio-audit ")]
    assert lines
    require_runs(lines, folder)


@pytest.mark.slow
@pytest.mark.parametrize("command", SAMPLE_REPORTS)
def test_the_commands_of_the_report_on_a_sample_run(command: str, folder: Path) -> None:
    require_runs(suggested(run(*shlex.split(command)).stdout.decode(), "text"), folder)


@pytest.mark.slow
@pytest.mark.parametrize("command", BISECTIONS)
def test_the_commands_of_a_bisection_run(command: str, folder: Path) -> None:
    commands = run(*shlex.split(command)).stdout.decode().partition("next:\n")[2].splitlines()
    assert commands
    tools = folder / "bin"
    install_tools(tools)
    for line in commands:
        done = run_script(line, folder, tools, options="-o pipefail")
        assert done.returncode in (0, 1), f"{line}\n{done.stdout}"


@pytest.mark.parametrize(
    "command",
    [
        f"check {RESNET}/after_alias.mlir",
        f"check {QUOTED} --pass 'my pass' --dump 2 --follow constants --assume-pure 'my.*'",
        f"diff {QUOTED} --pass 'my pass' --dump 1",
        f"trace {RESNET}/all_passes_alias.log",
        f"explain {RESNET}/after_alias.mlir '#69'",
    ],
)
def test_a_terminal_of_80_columns_breaks_no_command(command: str, folder: Path) -> None:
    piped = suggested(run(*shlex.split(command)).stdout.decode(), "text")
    _, shown = run_on_terminal(*shlex.split(command), columns=80, cwd=folder)
    report, explained, _ = shown.partition("\x1b[2m'eio-audit help WORD' explains a word of this report")
    assert explained
    on_terminal = suggested(report, "text")
    assert [line.partition("  # ")[0] for line in piped] == [
        line.partition("  # ")[0] for line in on_terminal
    ]
    assert all(len(line) <= 78 or "#" not in line for line in on_terminal)


@pytest.mark.parametrize("command", ["check -", "trace -", "explain - #69"])
@pytest.mark.parametrize("format_", ["text", "html"])
def test_no_command_reads_standard_input_again(command: str, format_: str) -> None:
    text = (SAMPLES / "resnet" / "after_alias.mlir").read_bytes()
    options = [] if format_ == "text" else ["--format", format_]
    printed = run(*command.split(), *options, stdin=text).stdout.decode()
    assert suggested(printed, format_) == []
    assert 'data-command="eio-audit' not in printed
