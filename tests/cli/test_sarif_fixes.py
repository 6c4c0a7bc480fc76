"""SARIF has the fix of each file with an avoidable finding: what ``fix`` writes."""

import gzip
import json
from pathlib import Path

import jsonschema
import pytest

from tests.cli.running import SAMPLES, run

SCHEMA = json.loads(
    gzip.decompress((Path(__file__).parent.parent / "data" / "sarif-2.1.0.schema.json.gz").read_bytes())
)


def sarif(*args: str | Path) -> list[dict[str, object]]:
    document = json.loads(run("check", *args, "--format", "sarif").stdout)
    jsonschema.validate(document, SCHEMA)
    return [result for result in document["runs"][0]["results"] if "fixes" in result]


@pytest.mark.parametrize("options", [[], ["--follow", "none"]])
def test_the_fix_applied_to_the_file_is_what_fix_writes(options: list[str], tmp_path: Path) -> None:
    path = tmp_path / "a.mlir"
    path.write_bytes((SAMPLES / "resnet" / "after_alias.mlir").read_bytes())
    [result] = sarif(path, *options)
    [fix] = result["fixes"]  # type: ignore[attr-defined]
    [change] = fix["artifactChanges"]
    [replacement] = change["replacements"]
    region = replacement["deletedRegion"]
    assert (region["startColumn"], region["endColumn"], result["ruleId"]) == (1, 1, "EIO001")
    lines = path.read_text().splitlines(keepends=True)
    new = [*lines[: region["startLine"] - 1], replacement["insertedContent"]["text"]]
    applied = "".join([*new, *lines[region["endLine"] - 1 :]])
    assert applied.encode() == run("fix", path, *options).stdout
    assert len(lines) > 2 * (region["endLine"] - region["startLine"])


def test_a_log_has_no_fix() -> None:
    assert sarif(SAMPLES / "resnet" / "all_passes_alias.log") == []


def test_a_file_in_order_has_no_fix() -> None:
    assert sarif(SAMPLES / "small" / "after_alias.mlir") == []
