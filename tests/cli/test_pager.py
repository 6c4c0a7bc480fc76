"""A report that is longer than the terminal goes through the pager."""

from pathlib import Path

import pytest

from tests.cli.running import SAMPLES, run, run_on_terminal

LONG = SAMPLES / "resnet" / "after_alias.mlir"
SHORT = SAMPLES / "small" / "after_alias.mlir"


@pytest.fixture
def pager(tmp_path: Path) -> str:
    """A pager that keeps what it gets, and the value of LESS."""
    script = tmp_path / "pager"
    script.write_text(f'#!/bin/sh\ncat > {tmp_path}/paged\nprintf %s "$LESS" > {tmp_path}/less\necho shown\n')
    script.chmod(0o755)
    return str(script)


def test_a_long_report_goes_through_the_pager_in_colour(pager: str, tmp_path: Path) -> None:
    code, shown = run_on_terminal("check", "-v", LONG, PAGER=pager)
    paged = (tmp_path / "paged").read_text()
    assert (code, shown) == (1, "shown\n")
    assert paged.count("\n") > 24
    assert "\x1b[31mEIO003" in paged
    assert (tmp_path / "less").read_text() == "FRXPs?e(END) .q quits$"


@pytest.mark.parametrize(
    ("options", "environment"),
    [
        (["check", "-v", LONG, "--config", "pager=false"], {}),
        (["check", SHORT], {}),
        (["check", "-v", LONG], {"PAGER": ""}),
        (["check", "-v", LONG], {"PAGER": "no-such-pager-anywhere"}),
        (["check", "-v", LONG], {"PAGER": "'less"}),
    ],
    ids=["configured", "short", "empty", "missing", "malformed"],
)
def test_the_terminal_gets_it(
    options: list[str | Path], environment: dict[str, str], pager: str, tmp_path: Path
) -> None:
    code, shown = run_on_terminal(*options, **({"PAGER": pager} | environment))
    assert not (tmp_path / "paged").exists()
    assert code == 1
    assert "next:\n" in shown


def test_a_pager_that_ends_early_changes_no_exit_code() -> None:
    assert run_on_terminal("check", "-v", LONG, PAGER="true") == (1, "")


def test_a_pipe_and_a_file_are_not_paged(pager: str, tmp_path: Path) -> None:
    assert b"EIO003" in run("check", LONG, PAGER=pager).stdout
    code, _ = run_on_terminal("check", LONG, "-o", tmp_path / "report.txt", PAGER=pager)
    assert code == 1
    assert not (tmp_path / "paged").exists()


def test_a_report_in_a_file_is_named_with_its_verdict(tmp_path: Path) -> None:
    code, shown = run_on_terminal("check", SHORT, "-o", tmp_path / "report.md", columns=200)
    assert code == 1
    assert shown == f"{tmp_path}/report.md is written: failed: 6 wrong indices in 1 of 1 dumps\n"
