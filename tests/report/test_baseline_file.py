"""The file of a baseline, as the gate writes and reads it."""

from pathlib import Path

import pytest

from tests.audit.test_baseline import SHUFFLED, TWICE
from tests.cli.running import run

TEXT = """{"schema": "eio-audit-baseline/1", "findings": [
  {"source": "a.mlir", "code": "EIO001", "function": "@f", "op": "ttir.abs", "origin": "Net[é]|net.py|forward|abs"},
  {"source": "b.mlir", "code": "EIO001", "function": "@f", "op": "ttir.abs", "origin": "Net[net]|net.py|forward|abs", "count": 2}
]}
"""
EMPTY = '{"schema": "eio-audit-baseline/1", "findings": []}\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with one finding in a file and two in another."""
    monkeypatch.chdir(tmp_path)
    Path("a.mlir").write_text(SHUFFLED.replace("[net]", "[é]"))
    Path("b.mlir").write_text(TWICE)
    return tmp_path


def failed(text: str) -> tuple[int, str]:
    """The exit code and the errors of a check against a baseline with this text."""
    Path("b.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    done = run("check", "b.mlir", "a.mlir", "--baseline", "b.json")
    return done.returncode, done.stderr.decode()


def test_one_finding_per_line() -> None:
    run("check", "b.mlir", "a.mlir", "--baseline", "b.json", "--update-baseline")
    assert Path("b.json").read_text() == TEXT


def test_it_is_read_back() -> None:
    assert failed(TEXT) == (0, "")


def test_an_empty_one() -> None:
    assert failed(EMPTY) == (1, "")
    Path("in_order.mlir").write_text(SHUFFLED.replace("DEBUG|0|", "DEBUG|9|"))
    run("check", "in_order.mlir", "--baseline", "new.json", "--update-baseline")
    assert Path("new.json").read_text() == EMPTY


def test_entries_alike_add_up() -> None:
    one = TEXT.replace(', "count": 2', "")
    line = one.split("\n")[2]
    assert failed(one)[0] == 1
    assert failed(one.replace(line, f"{line},\n{line}"))[0] == 0


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"schema":\n x}', "b.json:2:2: error: expecting value\n x}\n ^"),
        ("", "b.json:1:1: error: expecting value\n\n^"),
        ("[" * 100_000, "b.json: error: this is nested too deeply to be a baseline"),
        ("[]", 'b.json: error: expected a baseline: {"schema": "eio-audit-baseline/1", ...}'),
        (
            TEXT.replace("/1", "/2"),
            'b.json: error: expected a baseline: {"schema": "eio-audit-baseline/1", ...}',
        ),
        ('{"schema": "eio-audit-baseline/1"}', 'b.json: error: expected a list of "findings"'),
        (
            '{"schema": "eio-audit-baseline/1", "findings": [1]}',
            "b.json: error: finding 1: expected an object",
        ),
        (
            TEXT.replace('"op": "ttir.abs", ', ""),
            "b.json: error: finding 1: expected texts for source, code, function, op, origin",
        ),
        (TEXT.replace('"count": 2', '"count": 0'), "b.json: error: finding 2: expected a count from 1"),
        (TEXT.replace('"count": 2', '"count": true'), "b.json: error: finding 2: expected a count from 1"),
    ],
)
def test_what_is_no_baseline(text: str, error: str) -> None:
    code, errors = failed(text)
    assert (code, errors.strip("\n")) == (2, error)


def test_a_baseline_that_is_not_utf8() -> None:
    code, errors = failed('{"\udcff')
    assert (code, "not UTF-8" in errors) == (2, True)
