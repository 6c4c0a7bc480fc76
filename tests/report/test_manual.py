"""The rules and words that ``eio-audit help`` knows, and what is printed of them."""

import re
from pathlib import Path

import pytest

from eio_audit.report.manual import entries
from tests.cli.running import run, run_on_terminal
from tests.internals import RULES

GLOSSARY = Path(__file__).parents[2] / "docs" / "glossary.md"


def names_for(word: str) -> list[str]:
    """The first name of each entry that a word finds: an entry begins with a line of its names."""
    shown = run("help", word).stdout.decode().split("\n\n")
    known = {", ".join(entry.names): entry.names[0] for entry in entries()}
    return [known[part.strip()] for part in shown if part.strip() in known]


def test_every_rule_has_an_entry() -> None:
    for rule in RULES:
        assert (
            run("help", rule.code).stdout.decode().startswith(f"{rule.code}, {rule.name}\n\n{rule.summary}\n")
        )


def test_every_item_of_the_glossary_is_an_entry() -> None:
    terms = re.findall(r"^- \*\*([^*]+)\*\*", GLOSSARY.read_text(), re.MULTILINE)
    words = [", ".join(entry.names) for entry in entries() if entry.section != "Rules"]
    assert words == [" ".join(term.split()) for term in terms]


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
        ("unindexed", ["op index", "EIO108"]),
        ("nothing of the kind", []),
        ("", []),
        ("-", []),
    ],
)
def test_what_a_word_finds(word: str, found: list[str]) -> None:
    assert names_for(word) == found


def test_no_two_entries_have_one_name() -> None:
    names = [name.casefold() for entry in entries() for name in entry.names]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("certifed", "did you mean 'certified' or "),
        ("EIO00", "did you mean 'EIO00"),
        ("xyz", "'eio-audit help rules' lists all rules and words"),
    ],
)
def test_misspelt_names(word: str, said: str) -> None:
    result = run("help", word)
    assert (result.returncode, said in result.stderr.decode()) == (2, True)


def test_no_markup_is_left() -> None:
    shown = "".join(run("help", entry.names[0]).stdout.decode() for entry in entries())
    assert re.findall(r"\*\*|`|\]\(|(?<!\w)\*\w[^\n]*\w\*", shown.replace("my.*", "")) == []


def test_a_terminal_gets_ir_as_it_is() -> None:
    lines = run_on_terminal("help", "EIO001", columns=40, NO_COLOR="1")[1].splitlines()
    assert '  %1 = "ttir.neg"(%x) : (i32) -> i32 loc("0|Net[net]|net.py:1|forward|2|neg")' in lines
    assert lines[2:5] == [
        "Ops are out of their original order;",
        "  moving this op helps to restore it and",
        "  breaks no dependence.",
    ]
