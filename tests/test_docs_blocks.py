"""Every command block of the documentation runs as pasted, page by page, in a fresh clone."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shell import ROOT, install_tools, run_script
from tests.test_docs_pages import PAGES, commands
from tests.tools import mlir_tool

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), ROOT / "sample_irs" / "README.md"]
FENCED = re.compile(r"^(?P<fence>```+)(?P<language>.*)\n(?P<text>(?:.*\n)*?)(?P=fence)$", re.MULTILINE)
NOT_PASTED = {"", "cmake", "json", "mlir", "python", "text", "toml", "vim", "yaml"}
"""Languages of blocks that are no commands. A block without a language is output, below its ``$ command``."""
OUTPUTS_HELD_BY = {*(Path(page).name for page in PAGES), "bisect.md", "pass_logs.md", "README.md"}
"""Pages whose blocks of ``$ command`` and output other tests run."""
NOT_RUN_HERE = {
    "pip install": "needs packages from the network; .ci/run does it",
    "_COMPLETE=": "sets up the user's shell; the text of the help",
    "JAX_PLATFORMS=": "needs JAX, which is no dependency of the tests",
    "python benchmarks/": "measures for minutes",
}
"""What a block contains that is not run here, and why."""
IN_LONGER_RUNS = {
    "bisect.md",
    "ci.md",
    "diff.md",
    "explain.md",
    "fix.md",
    "pass_logs.md",
    "reduce.md",
    "trace.md",
    "tt_mlir.md",
}
"""Pages whose blocks take seconds. Other tests run what most of these pages show."""
WRITES = re.compile(r" -o |>")
TRAP = r"""trap 'code=$?; [[ $code == 1 && $BASH_COMMAND == eio-audit* ]] || exit $code' ERR
"""
"""Only eio-audit may end with 1, for findings or differences."""


def blocks(page: Path) -> list[tuple[str, str]]:
    return [(match["language"], match["text"]) for match in FENCED.finditer(page.read_text())]


def reason_not_to_run(text: str) -> str | None:
    return next((reason for part, reason in NOT_RUN_HERE.items() if part in text), None)


def is_run(page: Path) -> bool:
    """Whether a page has something to run here.

    The commands of ``cli.md`` are those of the help, for the reader's own files.
    """
    return page.name != "cli.md" and any(
        (language == "sh" and not reason_not_to_run(text))
        or (not language and any(WRITES.search(command) for command, _ in commands(text)))
        for language, text in blocks(page)
    )


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What a user has after the installation that README shows: a clone with ``.venv``."""
    folder = tmp_path / "clone"
    for name in ("sample_irs", "tests/data"):
        shutil.copytree(ROOT / name, folder / name)
    (folder / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    (folder / ".venv").mkdir()
    install_tools(folder / ".venv" / "bin")
    (folder / ".venv" / "bin" / "activate").write_text('PATH="$PWD/.venv/bin:$PATH"\n')
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    author = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    for name in ("sample_irs", "pyproject.toml"):
        subprocess.run(["git", "add", name], cwd=folder, check=True)
        subprocess.run(["git", *author, "commit", "--quiet", "-m", name], cwd=folder, check=True)
    branch = subprocess.run(["git", "rev-parse", "HEAD"], cwd=folder, check=True, capture_output=True).stdout
    (folder / "eio-audit.toml").write_text("verbose = false\n")  # of the base branch, and not of this one
    for command in (
        ["add", "eio-audit.toml"],
        [*author, "commit", "--quiet", "-m", "base"],
        ["update-ref", "refs/remotes/origin/main", "HEAD"],
        ["reset", "--quiet", "--hard", branch.decode().strip()],
    ):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return folder


@pytest.mark.parametrize("page", DOCUMENTS[:-1], ids=lambda page: page.name)
def test_prose_has_lines_of_at_most_120_characters(page: Path) -> None:
    prose = FENCED.sub("", page.read_text()).splitlines()
    assert [line for line in prose if len(line) > 120 and not line.startswith(("|", "<img"))] == []


def test_the_languages_of_blocks_are_known() -> None:
    languages = {language for page in DOCUMENTS for language, _ in blocks(page)}
    assert languages - NOT_PASTED == {"sh"}


def test_the_outputs_of_every_page_are_held() -> None:
    shown = {page.name for page in DOCUMENTS for language, text in blocks(page) if commands(text)}
    assert shown <= OUTPUTS_HELD_BY


def test_what_is_not_run_is_on_the_pages() -> None:
    texts = [text for page in DOCUMENTS for language, text in blocks(page) if language == "sh"]
    assert [part for part in NOT_RUN_HERE if not any(part in text for text in texts)] == []


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(
            page,
            id=str(page.relative_to(ROOT)),
            marks=pytest.mark.slow if page.name in IN_LONGER_RUNS else [],
        )
        for page in DOCUMENTS
        if is_run(page)
    ],
)
def test_the_blocks_run_as_pasted(page: Path, clone: Path) -> None:
    tools = clone / ".venv" / "bin"
    for language, text in blocks(page):
        if language in {"mlir", "toml", "python"} and text.startswith(("// ", "# ")):
            (clone / text.split()[1]).write_text(text)
        elif language == "sh" and not reason_not_to_run(text):
            if "mlir-opt-22" in text and mlir_tool("mlir-opt") is None:
                pytest.skip("there is no mlir-opt-22")
            path = f'PATH="$PATH:{Path(sys.executable).parent}"\n'
            result = run_script(f"{path}{TRAP}{text}\n:", clone, tools, options="-o pipefail")
            assert result.returncode == 0, f"{text}\n{result.stdout[-2000:]}"
        for command, _ in commands(text) if not language else ():
            if WRITES.search(command):
                run_script(command, clone, tools, options="")
