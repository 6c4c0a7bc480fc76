"""The manual of rules and words: the entries of pages/rules.md and pages/glossary.md.

docs/rules.md and docs/glossary.md are the same pages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PAGES = Path(__file__).with_name("pages")

CLOSE_NAMES = 3
"""How many names are suggested for an unknown one."""

_RULE = re.compile(r"^## (?P<code>\w+)\n\n\*\*(?P<name>[\w-]+)\*\*: (?P<text>.*?)(?=^## |\Z)", re.M | re.S)
_SECTION = re.compile(r"^## (?P<title>.*)\n(?P<rows>(?:(?!## ).*\n)*)", re.MULTILINE)
_ROW = re.compile(r"^\| (?!term \|)(?P<term>[^|\n]+) \| (?P<meaning>.+) \|$", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[^.]\.) (?=[A-Z])")
_SEPARATORS = re.compile(r"[\s_-]+")
_EMPHASIS = re.compile(r"\*([\w -]+)\*")


@dataclass(frozen=True, slots=True)
class Entry:
    """A rule, whose first name is its code, or a word of the glossary.

    It is listed under ``section``. ``text`` is Markdown and also explains the ``related`` words.
    """

    section: str
    names: tuple[str, ...]
    text: str
    related: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """The first sentence."""
        return _SENTENCE_END.split(" ".join(self.text.partition("\n\n")[0].split()), maxsplit=1)[0]


@cache
def entries() -> tuple[Entry, ...]:
    """Return all rules by code, then all words by section."""
    found = [
        Entry("Rules", (rule["code"], rule["name"]), rule["text"].strip())
        for rule in _RULE.finditer(_page("rules.md"))
    ]
    for section in _SECTION.finditer(_page("glossary.md")):
        for row in _ROW.finditer(section["rows"]):
            names, meaning = tuple(row["term"].split(", ")), row["meaning"]
            found.append(Entry(section["title"], names, meaning, tuple(_EMPHASIS.findall(meaning))))
    return tuple(found)


def look_up(word: str) -> list[Entry]:
    """Return the entry with this name, or else those whose longer name contains it or that also explain it.

    Case does not matter. Dashes and underscores equal blanks.

    >>> [entry.names for entry in look_up("Forced")]
    [('forced inversion',)]
    """
    key = _key(word)
    named = [entry for entry in entries() if key in map(_key, entry.names)]
    if named or not key:
        return named
    return [
        entry
        for entry in entries()
        if key in map(_key, entry.related) or any(f" {key} " in f" {_key(name)} " for name in entry.names)
    ]


def close_names(word: str) -> list[str]:
    """Return similar names, the most similar first."""
    from difflib import get_close_matches

    names = {_key(name): name for entry in reversed(entries()) for name in (*entry.related, *entry.names)}
    return [names[key] for key in get_close_matches(_key(word), names, CLOSE_NAMES)]


def _page(name: str) -> str:
    return (PAGES / name).read_text(encoding="utf-8")


def _key(name: str) -> str:
    return " ".join(_SEPARATORS.split(name.casefold().strip()))
