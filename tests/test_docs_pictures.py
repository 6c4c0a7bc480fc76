"""The pictures of the documentation show what the commands print and write now."""

import re
from collections.abc import Iterable
from xml.etree import ElementTree

import pytest

from docs.make_pictures import GRAPHS, PAGES, PICTURES, TERMINALS, drawn, graph, screen
from tests.golden import IS_UPDATED

ROOT = PICTURES.parent.parent
TEXT = "{http://www.w3.org/2000/svg}text"


def without_spaces(lines: Iterable[str]) -> list[str]:
    """Remove spaces, whose positions depend on rich's version."""
    return [line for line in ("".join(line.split()) for line in lines) if line]


def lines_of(svg: str) -> list[str]:
    rows: dict[float, str] = {}
    for text in ElementTree.fromstring(svg).iter(TEXT):
        row = float(text.attrib["y"])
        rows[row] = rows.get(row, "") + (text.text or "")
    return [rows[row] for row in sorted(rows)]


@pytest.mark.parametrize("name", TERMINALS)
def test_a_terminal_shows_what_the_command_prints(name: str) -> None:
    printed = screen(TERMINALS[name])
    if IS_UPDATED:
        (PICTURES / name).write_text(drawn(printed))
    for svg in ((PICTURES / name).read_text(), drawn(printed)):
        assert without_spaces(lines_of(svg)) == without_spaces(printed.plain.splitlines())


@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_is_what_the_command_writes(name: str) -> None:
    assert (PICTURES / name).read_text() == graph(GRAPHS[name])


def test_every_picture_is_made_and_shown() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    shown = {name for page in pages for name in re.findall(r"pictures/([\w.]+)", page.read_text())}
    made = {*TERMINALS, *GRAPHS, *PAGES}
    assert shown == made == {path.name for path in PICTURES.iterdir()}


def test_pictures_are_small_and_ask_for_nothing_from_elsewhere() -> None:
    assert [path.name for path in PICTURES.iterdir() if path.stat().st_size > 150_000] == []
    assert [
        path.name for path in PICTURES.glob("*.svg") if re.search(r"url\([^#]|href=\"[^#]", path.read_text())
    ] == []
