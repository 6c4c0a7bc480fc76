"""The source distribution has all that the repository has."""

import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ALWAYS = {"pyproject.toml", ".gitignore"}
"""What hatchling puts into every source distribution."""


def test_it_has_every_file_and_folder_of_the_repository() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    included = project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert {name.partition("/")[0] for name in listed.split()} == {*included, *ALWAYS}
