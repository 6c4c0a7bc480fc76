"""What the README shows is what the commands print."""

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.running import run

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_the_outputs_shown_are_real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample_irs").symlink_to(ROOT / "sample_irs")
    shown = re.findall(r"^```\n\$ eio-audit ([^\n]*)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert len(shown) == 3
    for command, output in shown:
        result = run(*shlex.split(command))
        printed = (result.stdout + result.stderr).decode().split("\n")
        assert [line for line in output.split("\n") if line.strip() != "..." and line not in printed] == []


def test_the_example_in_python_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    [code] = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    exec(code, {})
    assert capsys.readouterr().out == "22\n"
