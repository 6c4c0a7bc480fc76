"""The glossary words that a page explains where the reader points at them."""

from __future__ import annotations

import re
from functools import cache

from eio_audit.report.manual import look_up

TERMS = {
    "inversions?": "inversion",
    "avoidable": "avoidable",
    "forced": "forced inversion",
    "knock-on": "knock-on",
    "displaced": "displaced op",
    "derived": "derived op",
    "indexed": "op index",
    "dependences?": "dependence",
    "certified|proven minimal": "certified",
    "wrong index|wrong indices|contradicts? dataflow": "wrong index",
    "graph regions?": "graph region",
    "peak live bytes": "peak live bytes",
    "introduced": "introduced",
    "lost": "lost",
    "moved": "moved",
    "modified": "modified",
    "added|removed": "added",
    "torn": "torn",
    "inverse pairs?": "inverse pair",
    "cancelled": "cancelled",
}
"""How pages write the words, and the glossary entries that explain them."""

_WORD = re.compile(rf"(?<![\w/.-])({'|'.join(TERMS)})(?![\w-])")
_MARKUP = re.compile(r"[*`\[]|\]\([^)]*\)")


@cache
def meanings() -> list[tuple[str, str, str]]:
    """Return the id in a page, the name and the first sentence of each entry."""
    return [
        (_id(name), name, _MARKUP.sub("", look_up(name)[0].summary)) for name in dict.fromkeys(TERMS.values())
    ]


def stretches(text: str) -> list[tuple[str, str | None]]:
    """Split a text into parts, each with the id of its explanation, or None.

    >>> stretches("2 inversions")
    [('2 ', None), ('inversions', 'term-inversion'), ('', None)]
    """
    return [(part, term_of(part) if k % 2 else None) for k, part in enumerate(_WORD.split(text))]


def term_of(word: str) -> str | None:
    """Return the id of a word's explanation. None for other words."""
    return next((_id(name) for words, name in TERMS.items() if re.fullmatch(words, word)), None)


def _id(name: str) -> str:
    return f"term-{name.replace(' ', '-')}"
