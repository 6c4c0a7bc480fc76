"""Pages show what the commands print, in the order in which a reader types them."""

import re
from pathlib import Path

import pytest

import eio_audit
from tests.golden import update_block
from tests.shell import ROOT, install_tools, run_script
from tests.tools import mlir_tool

PAGES = (
    "ci.md",
    "diff.md",
    "explain.md",
    "fix.md",
    "glossary.md",
    "json.md",
    "internals/effects.md",
    "internals/ordering.md",
    "internals/reading.md",
    "options.md",
    "reduce.md",
    "rules.md",
    "trace.md",
    "tt_mlir.md",
)


def blocks(page: str) -> list[tuple[str, str]]:
    """Return the language and the text of each code block."""
    text = (ROOT / "docs" / page).read_text()
    return re.findall(r"^```(\w*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def commands(block: str) -> list[tuple[str, str]]:
    """Return each command of a block and the output shown below it."""
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)


def pattern(shown: str) -> str:
    """Return a pattern for the output shown. ``...`` alone on a line matches any lines."""
    lines = shown.splitlines(keepends=True)
    return "".join("(?:.*\n)*?" if line.strip() == "..." else re.escape(line) for line in lines)


def folder_for(page: str, folder: Path) -> Path:
    """Return a folder with the samples and all files that the page shows, named in their first lines."""
    for name in ("sample_irs", "tests"):
        (folder / name).symlink_to(ROOT / name)
    for language, text in blocks(page):
        if language in {"mlir", "toml"} and text.startswith(("// ", "# ")):
            (folder / text.split()[1]).write_text(text)
    install_tools(folder / "bin")
    return folder


IN_LONGER_RUNS = {"explain.md", "reduce.md", "trace.md", "tt_mlir.md"}


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=pytest.mark.slow if page in IN_LONGER_RUNS else []) for page in PAGES]
)
def test_the_outputs_shown_are_real(page: str, tmp_path: Path) -> None:
    if "mlir-opt-22 " in (ROOT / "docs" / page).read_text() and mlir_tool("mlir-opt") is None:
        pytest.skip("there is no mlir-opt-22")
    folder = folder_for(page, tmp_path)
    shown = [pair for language, block in blocks(page) if not language for pair in commands(block)]
    assert len(shown) == (ROOT / "docs" / page).read_text().count("\n$ ")
    for command, output in shown:
        printed = run_script(command, folder, folder / "bin", options="-o pipefail").stdout
        update_block(ROOT / "docs" / page, output, printed)
        assert re.fullmatch(pattern(output), printed), f"{command}\n{printed}"


def test_the_page_on_python_names_what_is_public() -> None:
    named = set(re.findall(r"\w+", (ROOT / "docs" / "python.md").read_text()))
    assert [name for name in dir(eio_audit) if name not in named] == []
