"""The page about pass logs: its commands run as written, and print what it shows."""

import re
import sys
from pathlib import Path

import pytest

import eio_audit
from tests.golden import update_block
from tests.shell import ROOT, run_script
from tests.test_docs_pages import blocks, commands, folder_for, pattern
from tests.tools import needs_mlir_opt

PAGE = "pass_logs.md"
TOOLS = Path(sys.executable).parent
SCRIPTS = {script.split()[0]: script for language, script in reversed(blocks(PAGE)) if language == "sh"}
"""The first script of the page for each tool that it begins with."""


def log_of(tool: str, name: str, folder: Path) -> Path:
    """Run the script of a tool in a folder with the page's files. Return the log that it writes."""
    tools = folder_for(PAGE, folder) / "bin"
    result = run_script(f'PATH="$PATH:{TOOLS}"\n{SCRIPTS[tool]}', folder, tools, options="-e")
    assert result.returncode == 0, result.stdout
    return folder / name


@needs_mlir_opt
def test_the_outputs_shown_are_real(tmp_path: Path) -> None:
    log_of("mlir-opt-22", "passes.log", tmp_path)
    shown = [pair for language, block in blocks(PAGE) if not language for pair in commands(block)]
    assert len(shown) == 2
    for command, output in shown:
        printed = run_script(command, tmp_path, tmp_path / "bin", options="-o pipefail").stdout
        update_block(ROOT / "docs" / "pass_logs.md", output, printed)
        assert re.fullmatch(pattern(output), printed), f"{command}\n{printed}"


@pytest.mark.parametrize(
    ("tool", "name", "dumps"),
    [
        pytest.param("mlir-opt-22", "passes.log", 10, marks=needs_mlir_opt),
        pytest.param("iree-compile", "iree.log", 100, marks=pytest.mark.slow),
    ],
)
def test_the_logs_are_read(tool: str, name: str, dumps: int, tmp_path: Path) -> None:
    """The number of IREE's passes differs from version to version."""
    read = eio_audit.read(str(log_of(tool, name, tmp_path)))
    assert len(read) >= dumps
    assert not eio_audit.check(read).errors
