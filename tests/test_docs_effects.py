"""The numbers of programs and rules that docs/internals/effects.md states."""

import re
from collections import Counter
from pathlib import Path

from tests.running.mutations import MUTATIONS

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "internals" / "effects.md").read_text()


def test_the_page_counts_the_programs() -> None:
    for folder in ("legal", "swaps"):
        [stated] = re.findall(rf"`tests/data/{folder}` has (\d+) programs", PAGE)
        assert int(stated) == len(list((ROOT / "tests" / "data" / folder).glob("*.mlir")))


def test_the_page_counts_the_rules_of_each_judge() -> None:
    _, section = PAGE.split("## How missing rules are noticed")
    rows = dict(re.findall(r"^- (?:`|.*`tests/data/)(\w+).*: (\d+)$", section, re.MULTILINE))
    assert {judge: int(number) for judge, number in rows.items()} == Counter(
        mutation.judge for mutation in MUTATIONS.values()
    )
    assert re.findall(r"the (\d+) rules|All (\d+) are", section) == [
        (str(len(MUTATIONS)), ""),
        ("", str(len(MUTATIONS))),
    ]
