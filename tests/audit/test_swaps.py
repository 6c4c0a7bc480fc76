"""Programs in which op #1 may come before op #2, as the indices ask for: unknown is not a fence."""

from __future__ import annotations

from pathlib import Path

import pytest

from eio_audit import fix, read

CASES = sorted((Path(__file__).parents[1] / "data" / "swaps").glob("*.mlir"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_what_may_change_places_does(case: Path) -> None:
    text = fix(read(case)).text
    assert text.index(b'"DEBUG|1|m"') < text.index(b'"DEBUG|2|m"')
