"""Programs in which op #1 may come before op #2, as the indices ask for: unknown is not a fence."""

from __future__ import annotations

from pathlib import Path

import pytest

from eio_audit import AuditOptions, fix, read
from tests.running.mutations import MUTATIONS

CASES = sorted((Path(__file__).parents[1] / "data" / "swaps").glob("*.mlir"))
RULES = [name for name, mutation in MUTATIONS.items() if mutation.judge == "swaps"]
QUICK = set(RULES[::5])
SWITCHED_OFF = [
    pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow, id=name) for name in RULES
]


def changes_places(case: Path) -> bool:
    text = fix(read(case), AuditOptions(follow="none")).text
    return text.index(b'"DEBUG|1|m"') < text.index(b'"DEBUG|2|m"')


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_what_may_change_places_does(case: Path) -> None:
    assert changes_places(case)


@pytest.mark.parametrize("name", SWITCHED_OFF)
def test_a_rule_that_is_switched_off_is_missed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    MUTATIONS[name].patch(monkeypatch)
    assert not all(map(changes_places, CASES))
