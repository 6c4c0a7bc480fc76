"""All JSON output is what the schema says that ``eio-audit help json`` prints."""

from __future__ import annotations

import json
import re
import shlex
import sys
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.cli.running import SAMPLES, run

ROOT = SAMPLES.parent
RECORDED = f"-- {shlex.quote(sys.executable)} sample_irs/recorded"
ERASE = f"{RECORDED}/erase_inverse_ops.py --ttir-erase-inverse-ops sample_irs/small/before_alias.mlir"
SMALL, LOG = "sample_irs/small", "sample_irs/mlir_opt/passes.log"
COMMANDS = {
    "check": [
        f"check {SMALL}/after_alias.mlir",
        f"check {SMALL}/all_passes_alias.log",
        "check sample_irs/ttnn --follow none --verbose",
        "check sample_irs/mlir_opt sample_irs/small/tree --allow-unindexed --select EIO1",
    ],
    "diff": [
        f"diff {SMALL}/before_alias.mlir {SMALL}/after_alias.mlir",
        f"diff {LOG}:first {LOG}:last --count",
    ],
    "diff of two logs": [
        f"diff {SMALL}/all_passes_alias.log {SMALL}/all_passes_inline.log",
        f"diff {LOG} {SMALL}/all_passes_inline.log",
        f"repeat --runs 2 -- cat {LOG}",
    ],
    "diff of a test of FileCheck": ["diff tests/data/check_order.txt"],
    "diff of two reports of times": ["diff timed.txt timed.txt"],
    "explain": [f"explain {SMALL}/after_alias.mlir %2", "explain sample_irs/ttnn/small.mlir 35"],
    "history": [f"history {SMALL}/all_passes_alias.log %8", f"history {LOG} linalg.matmul"],
    "trace": [
        f"trace {SMALL}/all_passes_alias.log",
        f"trace {SMALL}",
        f"trace {LOG} --pass cse",
        f"trace {LOG} --count",
    ],
    "trace --by-time": ["trace timed.txt --by-time"],
    "bisect": [f"bisect {ERASE}"],
    "bisect --show": [f"bisect --show 13 {ERASE}"],
    "bisect --op": [f"bisect --op %12 {ERASE}"],
    "bisect --test": [f"bisect --test order {ERASE}"],
    "bisect --test of a log": [f"bisect --test 'grep -q linalg.matmul' {LOG}"],
    "reduce": [
        "reduce --jobs 1 -o small.mlir --interesting 'grep -q sigmoid'"
        f" --printer '{sys.executable} sample_irs/recorded/commute_upwards.py' {SMALL}/before_alias.mlir"
    ],
    "graph": ["graph sample_irs/resnet/after_alias.mlir --around %106"],
}
"""By the title of a document, commands that write it."""
TIMES = """\
===-------------------------------------------------------------------------===
                         ... Execution time report ...
===-------------------------------------------------------------------------===
  Total Execution Time: 0.0021 seconds

  ----Wall Time----  ----Name----
    0.0009 ( 42.9%)  Canonicalizer
    0.0012 ( 57.1%)  CSE
    0.0021 (100.0%)  Total
"""


@cache
def schema() -> dict[str, Any]:
    return json.loads(run("help", "json").stdout)


def validator(title: str) -> jsonschema.Draft202012Validator:
    """What checks the document of a title."""
    [document] = [one for one in schema()["anyOf"] if one["title"] == title]
    return jsonschema.Draft202012Validator({**document, "$defs": schema()["$defs"]})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample_irs").symlink_to(SAMPLES)
    (tmp_path / "tests").symlink_to(SAMPLES.parent / "tests")
    (tmp_path / "timed.txt").write_text(TIMES)
    return tmp_path


@pytest.mark.parametrize(
    ("title", "command"),
    [
        pytest.param(
            title, command, marks=pytest.mark.slow if RECORDED in command or "reduce" in command else []
        )
        for title, commands in COMMANDS.items()
        for command in commands
    ],
)
def test_what_a_command_writes_is_in_the_schema(title: str, command: str, folder: Path) -> None:
    name, *words = shlex.split(command)
    done = run(name, "--format", "json", *words)
    assert done.returncode in (0, 1), done.stderr.decode()
    errors = [
        f"{list(one.absolute_path)}: {one.message}"
        for one in validator(title).iter_errors(json.loads(done.stdout))
    ]
    assert errors == []


def test_every_document_of_the_schema_is_tried() -> None:
    assert [document["title"] for document in schema()["anyOf"]] == [*COMMANDS]
    jsonschema.Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize(
    "change", [{"none_such": 1}, {"known": "two"}, {"command": "fix"}], ids=["member", "type", "command"]
)
def test_what_is_not_in_the_schema_is_refused(change: dict[str, object], folder: Path) -> None:
    document = json.loads(run("check", f"{SMALL}/after_alias.mlir", "--format", "json").stdout)
    assert not validator("check").is_valid(document | change)


def test_every_key_that_the_documentation_names_is_in_the_schema() -> None:
    text = (ROOT / "docs" / "json.md").read_text().partition("\n## ")[2]
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    named = {
        key for path in re.findall(r"`([a-z_.\[\]]+)`", prose) for key in re.split(r"[.\[\]]+", path) if key
    }
    known = {key for one in schema()["$defs"].values() for key in one["properties"]}
    assert named - known - {*COMMANDS} == set()
