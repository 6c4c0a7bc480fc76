"""The hooks of the repository, run by pre-commit itself, as docs/ci.md shows them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.audit.test_fix import SHUFFLED
from tests.test_docs_ci import ROOT, snippet
from tests.tools import find_tool

PACKAGE = ("eio_audit", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")
FILES = 9
"""Enough files that pre-commit would start several processes."""


def git(folder: Path, *args: str) -> str:
    identity = ["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "init.defaultBranch=main"]
    command = ["git", *identity, *args]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of dumps with the hooks of the page. The program is where the page has it."""
    folder = tmp_path_factory.mktemp("repository")
    program = folder / "third_party" / "eio-audit"
    program.mkdir(parents=True)
    for name in PACKAGE:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, program / name)
    config: Any = snippet("pre-commit", 1)
    git(program, "init", "--quiet")
    git(program, "add", ".")
    git(program, "commit", "--quiet", "--message", "all")
    config["repos"][0]["rev"] = git(program, "rev-parse", "HEAD")
    for hook in config["repos"][0]["hooks"]:
        hook.pop("args", None)
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    (folder / ".gitignore").write_text("third_party\n")
    (folder / "dumps").mkdir()
    for number in range(FILES):
        (folder / "dumps" / f"{number}.mlir").write_text(SHUFFLED)
    git(folder, "init", "--quiet")
    return folder


def run_hook(hook: str, repository: Path) -> subprocess.CompletedProcess[str]:
    git(repository, "add", ".")
    pre_commit = find_tool("pre-commit")
    assert pre_commit, "the extra 'test' installs pre-commit"
    command = [pre_commit, "run", "--all-files", "--verbose", "--color=never", hook]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    environment["PRE_COMMIT_HOME"] = str(repository.parent / "environments")
    return subprocess.run(
        command, cwd=repository, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_the_check_fails_the_fix_repairs_and_the_check_passes(repository: Path) -> None:
    failed = run_hook("eio-audit", repository)
    assert (failed.returncode, failed.stdout.count(f" in {FILES} of {FILES} dumps")) == (1, 1)
    fixed = run_hook("eio-audit-fix", repository)
    assert (fixed.returncode, "files were modified by this hook" in fixed.stdout) == (1, True)
    assert [run_hook(hook, repository).returncode for hook in ("eio-audit-fix", "eio-audit")] == [0, 0]
