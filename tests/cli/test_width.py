"""No line of a report is wider than the terminal, except commands to paste and notes."""

import re

import pytest

from tests.cli.running import SAMPLES, run_on_terminal

RESNET = "sample_irs/resnet"


@pytest.mark.parametrize(
    "command",
    [
        f"check {RESNET}/after_alias.mlir --verbose",
        f"check {RESNET} --statistics",
        f"diff {RESNET}/before_alias.mlir {RESNET}/after_alias.mlir",
        f"trace {RESNET}/all_passes_alias.log",
        "trace sample_irs",
        f"history {RESNET}/all_passes_alias.log #69",
        f"explain {RESNET}/after_alias.mlir #69",
    ],
)
@pytest.mark.parametrize(
    "columns", [60, *(pytest.param(columns, marks=pytest.mark.slow) for columns in (80, 120))]
)
def test_no_line_is_wider_than_the_terminal(command: str, columns: int) -> None:
    _, shown = run_on_terminal(*command.split(), columns=columns, cwd=SAMPLES.parent, NO_COLOR="1")
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\]8;.*?\x1b\\", "", shown).splitlines()
    wide = [line for line in lines if len(line) > columns and not line.startswith(("  eio-audit ", "note: "))]
    assert wide == []
