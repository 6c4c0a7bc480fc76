"""The rules and words that ``eio-audit help`` knows, and what is printed of them."""

import io
import re

import pytest

from tests.internals import PAGES, RULES, Console, close_names, entries, look_up, print_entries


def names_for(word: str) -> list[str]:
    return [entry.names[0] for entry in look_up(word)]


def test_every_rule_has_an_entry() -> None:
    found = [(*entry.names, entry.summary) for entry in entries() if entry.section == "Rules"]
    assert found == [(rule.code, rule.name, rule.summary) for rule in RULES]


def test_every_row_of_the_glossary_is_an_entry() -> None:
    rows = re.findall(r"^\| (.*?) \|", (PAGES / "glossary.md").read_text(), re.MULTILINE)
    words = [", ".join(entry.names) for entry in entries() if entry.section != "Rules"]
    assert words == [term for term in rows if term != "term"]


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("eio001", ["EIO001"]),
        ("avoidable-inversion", ["EIO001"]),
        ("Knock On", ["knock-on"]),
        ("lower_bound", ["lower bound"]),
        ("removed", ["added"]),
        ("inversion", ["inversion"]),
        ("forced", ["forced inversion"]),
        ("derived", ["derived op", "ancestor"]),
        ("stale", ["baseline"]),
        ("unindexed", ["EIO108", "op index"]),
        ("nothing of the kind", []),
        ("", []),
        ("-", []),
    ],
)
def test_what_a_word_finds(word: str, found: list[str]) -> None:
    assert names_for(word) == found


def test_no_two_entries_have_one_name() -> None:
    assert [entry.names for entry in entries() for name in entry.names if look_up(name) != [entry]] == []


def test_misspelt_names() -> None:
    assert close_names("certifed")[0] == "certified"
    assert close_names("EIO00")[0] in ("EIO001", "EIO002", "EIO003", "EIO004", "EIO005")
    assert close_names("xyz") == []


def test_no_markup_is_left() -> None:
    file = io.StringIO()
    print_entries(entries(), Console(file))
    assert re.findall(r"\*\*|`|\]\(|(?<!\w)\*\w[^\n]*\w\*", file.getvalue().replace("my.*", "")) == []


def test_a_terminal_gets_ir_as_it_is() -> None:
    file = io.StringIO()
    file.isatty = lambda: True  # type: ignore[method-assign]
    print_entries(look_up("EIO001"), Console(file, color=False, width=40))
    lines = file.getvalue().splitlines()
    assert '  %1 = "ttir.neg"(%x) : (i32) -> i32 loc("0|Net[net]|net.py:1|forward|2|neg")' in lines
    assert lines[2:5] == [
        "Ops are out of their original order;",
        "  moving this op helps to restore it and",
        "  breaks no dependence.",
    ]
