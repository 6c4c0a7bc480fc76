"""docs/glossary.md explains the words of the reports, each once, and names attributes that exist."""

import re
from pathlib import Path

import pytest

import eio_audit
from eio_audit.report.manual import entries, look_up
from tests.internals import COMMANDS

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "glossary.md").read_text()
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = set(re.findall(r"`([^`]+)`", PAGE))


REPORTS = [
    *(
        text
        for page in (ROOT / "docs").rglob("*.md")
        for language, text in FENCED.findall(page.read_text())
        if not language and text.startswith("$ ")
    ),
    *(path.read_text() for path in (ROOT / "tests" / "report" / "goldens").iterdir()),
]
"""What reports print: the outputs in the documentation, which are real, and those that the tests hold."""
WORDS = """
inversion; out of place; avoidable; can be moved back; wrong indices; wrong index
op index; dependence; dump; finding; moved; modified; added; removed; made; left; attempt
pieces; unknown effect
"""
"""The words of the reports for what is peculiar to this program."""
SYNONYMS = (
    "pairs? out of order",
    "misplaced",
    "disordered",
    "mislabelled",
    "misordered",
    "out-of-order",
    "swapped",
    "violation",
)
"""Words that a report might have for the same things."""


@pytest.mark.parametrize("word", re.split(r"; |\n", WORDS.strip()))
def test_a_word_of_the_reports_is_explained(word: str) -> None:
    assert any(re.search(rf"\b{word}", text) for text in REPORTS)
    assert look_up(word)


@pytest.mark.parametrize("word", SYNONYMS)
def test_the_reports_have_one_word_for_one_thing(word: str) -> None:
    assert [text for text in REPORTS if re.search(rf"\b{word}\b", text)] == []


@pytest.mark.parametrize("name", sorted(code for code in CODE if re.fullmatch(r"[A-Z]\w+\.\w+", code)))
def test_an_attribute_exists(name: str) -> None:
    owner, _, attribute = name.partition(".")
    assert hasattr(getattr(eio_audit, owner), attribute)


def test_commands_exist() -> None:
    assert [code for code in CODE if code.startswith("eio-audit ") and code.split()[1] not in COMMANDS] == []


def test_no_word_has_two_entries() -> None:
    words = [name for entry in entries() for name in entry.names]
    assert [word for word in set(words) if words.count(word) > 1] == []
