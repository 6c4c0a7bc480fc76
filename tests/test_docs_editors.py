"""The pattern for VS Code in docs/editors.md reads what ``check --format concise`` prints."""

import json
import re

from tests.cli.running import run
from tests.shell import ROOT

SAMPLE = str(ROOT / "sample_irs" / "resnet" / "after_alias.mlir")


def test_the_problem_matcher_reads_every_finding() -> None:
    [text] = re.findall(r"^```json\n(.*?)^```", (ROOT / "docs" / "editors.md").read_text(), re.M | re.S)
    [task] = json.loads(text)["tasks"]
    command, *options, file = task["args"]
    assert (command, file) == ("check", "${file}")
    printed = run(command, *options, SAMPLE).stdout.decode().splitlines()
    pattern = task["problemMatcher"]["pattern"]
    matches = [match for line in printed if (match := re.search(pattern["regexp"], line))]
    assert len(matches) == sum(" EIO" in line for line in printed) > 0
    first = matches[0]
    found = [first[pattern[name]] for name in ("file", "line", "column", "code")]
    assert found == [SAMPLE, "178", "5", "EIO003"]
    assert first[pattern["message"]].startswith("#56 ttir.permute %106 ")
