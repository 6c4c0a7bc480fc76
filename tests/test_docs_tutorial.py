"""docs/tutorial.md shows what its commands print, in the order in which a reader types them."""

import re
from pathlib import Path

import pytest

from tests.shell import ROOT, install_tools, run_script

PAGE = (ROOT / "docs" / "tutorial.md").read_text()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def commands(block: str) -> list[tuple[str, str]]:
    """Each command of a block and the output shown below it."""
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)


def pattern(shown: str) -> str:
    """What the output shown stands for: ``...`` alone on a line for any lines."""
    lines = shown.splitlines(keepends=True)
    return "".join("(?:.*\n)*?" if line.strip() == "..." else re.escape(line) for line in lines)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the samples and all files that the page shows, named in their first lines."""
    (tmp_path / "sample_irs").symlink_to(ROOT / "sample_irs")
    for language, text in BLOCKS:
        if language in {"mlir", "toml"}:
            (tmp_path / text.split()[1]).write_text(text)
    return tmp_path


def test_the_outputs_shown_are_real(folder: Path) -> None:
    install_tools(folder / "bin")
    shown = [pair for language, block in BLOCKS if not language for pair in commands(block)]
    assert len(shown) == PAGE.count("\n$ ")
    for command, output in shown:
        printed = run_script(command, folder, folder / "bin", options="-o pipefail").stdout
        assert re.fullmatch(pattern(output), printed), f"{command}\n{printed}"


@pytest.mark.parametrize("script", [block for language, block in BLOCKS if language == "sh"])
def test_the_other_commands_run(script: str, folder: Path) -> None:
    install_tools(folder / "bin")
    result = run_script(script, folder, folder / "bin", options="-o pipefail")
    assert result.stdout == ""
    assert (folder / script.rsplit(maxsplit=1)[-1]).stat().st_size
