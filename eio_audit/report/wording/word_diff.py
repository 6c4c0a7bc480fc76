"""The words in which two texts differ, as ``git diff --word-diff`` shows them."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import groupby
from typing import NamedTuple

LONGEST_STRETCH = 40
"""The most characters of an unchanged part that a report shows unless verbose."""

MOST_WORDS = 1_000
"""The most words of two texts to compare one by one, in quadratic time."""

_WORD = re.compile(r"affine_(?:map|set)<(?:->|[<>]=|[^<>])*>|[%@#!^]?\w[\w$.]*|%[,)\]]?|\s+|.", re.DOTALL)
"""A word. An affine map is one. So is ``%,``, an operand in a list, or else a mark could look like ``%[``."""


class Stretch(NamedTuple):
    """A part of two texts: what the earlier and the later text have there."""

    before: str
    after: str
    differs: bool


def word_diff(before: str, after: str, *, verbose: bool) -> list[Stretch]:
    """Split two texts into equal and different parts. Long ones are shortened unless verbose.

    >>> word_diff("dims: 1, 16, 16", "dims: 1, 256, 1", verbose=True)[1]
    Stretch(before='16, 16', after='256, 1', differs=True)
    """
    old, new = _WORD.findall(before), _WORD.findall(after)
    if len(old) + len(new) > MOST_WORDS:
        stretches = [Stretch(before, after, differs=True)]
    else:
        places = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        stretches = _joined(
            [Stretch("".join(old[i:j]), "".join(new[k:n]), kind != "equal") for kind, i, j, k, n in places]
        )
    if verbose:
        return stretches
    return [_excerpt(one, place, len(stretches)) for place, one in enumerate(stretches)]


def marked(stretches: list[Stretch]) -> str:
    """Return the parts as one text: ``dims: 1, [-16, 16-]{+256, 1+}``."""
    return "".join(removed(one.before) + added(one.after) if one.differs else one.before for one in stretches)


def removed(text: str) -> str:
    """Return ``[-16, 16-]``. Empty for no text."""
    return f"[-{text}-]" if text else ""


def added(text: str) -> str:
    """Return ``{+256, 1+}``. Empty for no text."""
    return f"{{+{text}+}}" if text else ""


def _joined(stretches: list[Stretch]) -> list[Stretch]:
    """Return the parts. Punctuation between two different parts also differs."""
    inner = range(1, len(stretches) - 1)

    def is_changed(place: int) -> bool:
        one = stretches[place]
        return one.differs or (place in inner and not any(map(str.isalnum, one.before)))

    joined = []
    for differs, places in groupby(range(len(stretches)), is_changed):
        before, after, _ = zip(*(stretches[place] for place in places), strict=True)
        joined.append(Stretch("".join(before), "".join(after), differs))
    return joined


def _excerpt(one: Stretch, place: int, number: int) -> Stretch:
    """Shorten a part: an unchanged one to its ends next to changes, a changed one around its difference."""
    if one.differs:
        return Stretch(*_around_difference(one.before, one.after), differs=True)
    if len(one.before) <= LONGEST_STRETCH:
        return one
    width = LONGEST_STRETCH // 2 - 2
    head = _head(one.before, width) if place > 0 else ""
    tail = _tail(one.before, width) if place < number - 1 else ""
    return Stretch(f"{head}...{tail}", f"{head}...{tail}", differs=False)


def _around_difference(before: str, after: str) -> tuple[str, str]:
    """Return two texts, each cut to the surroundings of the first character in which they differ."""
    pairs = enumerate(zip(before, after, strict=False))
    same = next((k for k, (a, b) in pairs if a != b), min(len(before), len(after)))
    if max(len(before), len(after)) > LONGEST_STRETCH and same > LONGEST_STRETCH // 2:
        start = same - len(_tail(before[:same], LONGEST_STRETCH // 4))
        before, after = f"...{before[start:]}", f"...{after[start:]}"
    return _shortened(before), _shortened(after)


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_STRETCH else _head(text, LONGEST_STRETCH - 3) + "..."


def _head(text: str, width: int) -> str:
    """Return the first words that fit in a width, or a part of a long word if they are short."""
    end = max((word.end() for word in _WORD.finditer(text) if word.end() <= width), default=0)
    return text[: end if end > width // 2 else width]


def _tail(text: str, width: int) -> str:
    """Return the last words that fit in a width, or a part of a long word if they are short."""
    first = max(len(text) - width, 0)
    start = min((word.start() for word in _WORD.finditer(text) if word.start() >= first), default=len(text))
    return text[start if len(text) - start > width // 2 else first :]
