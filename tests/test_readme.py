"""The README shows what the commands print."""

import re
import shlex
from pathlib import Path

import pytest

import eio_audit
from tests.cli.running import run
from tests.golden import update_block

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
        update_block(ROOT / "README.md", output, "\n".join(printed))
        assert [line for line in output.split("\n") if line.strip() != "..." and line not in printed] == []


def test_the_modules_are_whole_again() -> None:
    [before], [after] = (
        eio_audit.read(str(ROOT / "sample_irs" / "resnet" / f"{when}_alias.mlir"))
        for when in ("before", "after")
    )
    [whole] = eio_audit.read_text(eio_audit.fix([after], relabel="nested").text)
    runs = [eio_audit.diff(before, dump).fragmentation.modules for dump in (after, whole)]
    assert [sum(run.after for run in modules) for modules in runs] == [304, 97]
    assert [sum(run.before for run in modules) for modules in runs] == [97, 97]
    assert "The 97 model modules, which the pass split into 304 pieces, are 97 pieces again." in README


def test_the_example_in_python_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample_irs").symlink_to(ROOT / "sample_irs")
    [code] = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    exec(code, {})
    assert capsys.readouterr().out == "22\n"
    assert eio_audit.check(eio_audit.read("whole.mlir")).summary.inversions == 0
