"""docs/internals/architecture.md names files and functions that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "internals" / "architecture.md").read_text()
NAMED = sorted(set(re.findall(r"`([\w/]+(?:/|\.\w+))`", PAGE)))
FUNCTIONS = re.findall(r"`([\w/]+\.py)`, `(\w+)`", PAGE)


@pytest.mark.parametrize("path", NAMED)
def test_a_path_exists(path: str) -> None:
    assert (ROOT / path).exists() or (ROOT / "eio_audit" / path).exists()


@pytest.mark.parametrize(("path", "name"), FUNCTIONS)
def test_a_name_is_defined_in_its_module(path: str, name: str) -> None:
    text = (ROOT / "eio_audit" / path).read_text()
    assert re.search(rf"^(?:def |class )?{name}\b", text, re.MULTILINE)


def test_the_page_names_every_room() -> None:
    assert {"mlir/", "order/", "audit/", "report/", "cli/"} <= set(NAMED)
