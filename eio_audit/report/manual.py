"""The manual of rules and words: the entries of pages/rules.md and pages/glossary.md, and how they are shown.

docs/rules.md and docs/glossary.md are the same pages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

from eio_audit.report.document import Piece, plain
from eio_audit.report.text.console import Column, Console, print_table

PAGES = Path(__file__).with_name("pages")
CLOSE_NAMES = 3  # how many names are suggested for an unknown one
CLOSE = 0.65  # how similar they are at least: of `chek`, `chosen` is not
_RULE = re.compile(r"^## (?P<code>\w+)\n\n\*\*(?P<name>[\w-]+)\*\*: (?P<text>.*?)(?=^## |\Z)", re.M | re.S)
_SECTION = re.compile(r"^## (?P<title>.*)\n(?P<entries>(?:(?!## ).*\n)*)", re.MULTILINE)
_ENTRY = re.compile(r"^- \*\*(?P<term>[^*]+)\*\*: (?P<meaning>.+(?:\n  .+)*)", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[^.]\.) (?=[A-Z])")
_SEPARATORS = re.compile(r"[\s_-]+")
_EMPHASIS = re.compile(r"\*([\w -]+)\*")


@dataclass(frozen=True, slots=True)
class Entry:
    """A rule, whose first name is its code, or a word of the glossary."""

    section: str  # it is listed under
    names: tuple[str, ...]
    text: str  # in Markdown
    related: tuple[str, ...] = ()  # the words that it also explains

    @property
    def summary(self) -> str:
        """The first sentence."""
        return _SENTENCE_END.split(" ".join(self.text.partition("\n\n")[0].split()), maxsplit=1)[0]


@cache
def entries() -> tuple[Entry, ...]:
    """Return all rules by code, then all words by section."""
    found = [
        Entry("Rules", (rule["code"], rule["name"]), rule["text"].strip())
        for rule in _RULE.finditer((PAGES / "rules.md").read_text(encoding="utf-8"))
    ]
    for section in _SECTION.finditer((PAGES / "glossary.md").read_text(encoding="utf-8")):
        for one in _ENTRY.finditer(section["entries"]):
            term, meaning = (" ".join(part.split()) for part in one.groups())
            names = tuple(term.split(", "))
            found.append(Entry(section["title"], names, meaning, tuple(_EMPHASIS.findall(meaning))))
    return tuple(found)


def look_up(word: str) -> list[Entry]:
    """Return the entry with this name, or else those whose longer name contains it or that also explain it.

    Case does not matter. Dashes and underscores equal blanks.

    >>> [entry.names for entry in look_up("Forced")]
    [('forced inversion',)]
    """
    key = _key(word.strip("()+-~ "))
    term = next((name for words, name in TERMS.items() if re.fullmatch(words, key)), "")
    for known in dict.fromkeys((key, _key(term), key.removesuffix("s"), f"{key}s")):
        named = [entry for entry in entries() if known and known in map(_key, entry.names)]
        if named:
            return named
    if not key:
        return []
    forms = {key, key.removesuffix("s")}
    related = [entry for entry in entries() if forms & {*map(_key, entry.related)}]
    longer = [
        entry
        for entry in sorted(entries(), key=lambda entry: entry.section == "Rules")
        if any(f" {form} " in f" {_key(name)} " for name in entry.names for form in forms)
    ]
    first = [entry for entry in longer if entry.section != "Rules" and _key(entry.names[0]).startswith(key)]
    return list(dict.fromkeys([*first, *related, *longer]))


def close_names(word: str) -> list[str]:
    """Return similar names, the most similar first."""
    from difflib import get_close_matches

    names = {_key(name): name for entry in reversed(entries()) for name in (*entry.related, *entry.names)}
    return [names[key] for key in get_close_matches(_key(word), names, CLOSE_NAMES, CLOSE)]


def _key(name: str) -> str:
    return " ".join(filter(None, _SEPARATORS.split(name.casefold())))


_CODE_BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MARKUP = re.compile(
    r"\*\*(?P<bold>[^*]+)\*\*|`(?P<code>[^`]+)`|\*(?P<italic>[^*\s][^*]*)\*|\[[^\]]*\]\((?P<page>[^)]+)\)"
)
_STYLES = {"bold": "bold", "code": "cyan", "italic": "italic"}


def print_entries(entries: Sequence[Entry], console: Console) -> None:
    """Print the full text of rules or words."""
    for number, entry in enumerate(entries):
        if number:
            console.print()
        console.print((entry.names[0], "bold"), *(f", {name}" for name in entry.names[1:]))
        for part_number, part in enumerate(_CODE_BLOCK.split(entry.text)):
            if part_number % 2:
                console.print()
                for line in part.splitlines():
                    console.print_plain(line)
                continue
            for paragraph in filter(None, part.strip().split("\n\n")):
                console.print()
                console.print(*_pieces(" ".join(paragraph.split())))


def print_list(entries: Sequence[Entry], console: Console) -> None:
    """Print a line for each rule and word."""
    for section, members in groupby(entries, lambda entry: entry.section):
        console.print((section, "bold"))
        rows = [(", ".join(entry.names), "".join(map(plain, _pieces(entry.summary)))) for entry in members]
        names, summaries = zip(*rows, strict=True)
        print_table(console, [Column("", names), Column("", summaries, cut="never")], indent=2)
        console.print()
    console.print("Run eio-audit help NAME to read about one.")


def _pieces(text: str) -> list[Piece]:
    pieces: list[Piece] = []
    offset = 0
    for match in _MARKUP.finditer(text):
        kind = str(match.lastgroup)
        shown = match[kind]
        pieces += [
            text[offset : match.start()],
            (shown, _STYLES[kind]) if kind in _STYLES else f"docs/{shown}",
        ]
        offset = match.end()
    return [*pieces, text[offset:]]


TERMS = {
    "inversions?|pairs? out of order": "inversion",
    "avoidable": "avoidable",
    "indexed": "op index",
    "dependences?": "dependence",
    "wrong index|wrong indices|contradicts? dataflow": "wrong indices",
    "out of place": "out of place",
    "graph regions?": "graph region",
    "made": "made",
    "undone": "undone",
    "lost": "lost",
    "moved": "moved",
    "modified": "modified",
    "added|removed": "added",
    "inverse pairs?": "inverse pair",
    "cancelled": "cancelled",
}
"""How pages write the words, and the glossary entries that explain them."""

_WORD = re.compile(rf"(?<![\w/.-])({'|'.join(TERMS)})(?![\w-])")
_MARKDOWN = re.compile(r"[*`\[]|\]\([^)]*\)")


@cache
def meanings() -> list[tuple[str, str, str]]:
    """Return the id in a page, the name and the first sentence of each entry."""
    return [
        (_id(name), name, _MARKDOWN.sub("", look_up(name)[0].summary))
        for name in dict.fromkeys(TERMS.values())
    ]


def with_terms(text: str) -> list[tuple[str, str | None]]:
    """Split a text into parts, each with the id of its explanation, or None.

    >>> with_terms("2 inversions")
    [('2 ', None), ('inversions', 'term-inversion'), ('', None)]
    """
    return [(part, term_of(part) if k % 2 else None) for k, part in enumerate(_WORD.split(text))]


def term_of(word: str) -> str | None:
    """Return the id of a word's explanation. None for other words."""
    return next((_id(name) for words, name in TERMS.items() if re.fullmatch(words, word)), None)


def _id(name: str) -> str:
    return f"term-{name.replace(' ', '-')}"
