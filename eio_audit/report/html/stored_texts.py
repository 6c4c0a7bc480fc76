"""The texts around the passes of a log: each line is stored once, each text as runs of an earlier one."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Hashable, Iterator, Sequence

from eio_audit.report.html.page_steps import PageText

_NUMBER = re.compile(rb"(?<=%)(0|[1-9][0-9]{0,8})")
"""The number in the name of a value. Many lines differ in these only."""

NO_BASE = -1
"""The base of a text that is stored without another one."""


class StoredLines:
    """Lines, each with a number. Lines that differ only in the numbers of values share a template.

    Attributes:
        templates: the texts of lines, with a line end in the place of each number.
        template_of: by line, the number of its template.
        numbers: the numbers of all lines, one after the other. The first of a line is stored as its
            difference from the first of the last line that has one, the others as how far they are below it.
    """

    def __init__(self) -> None:
        self.templates: dict[str, int] = {}
        self.template_of: list[int] = []
        self.numbers: list[int] = []
        self._known: dict[bytes, int] = {}
        self._first = 0

    def add(self, line: bytes) -> int:
        """Return the number of a line."""
        known = self._known.get(line)
        if known is not None:
            return known
        parts = _NUMBER.split(line)
        template = b"\n".join(parts[::2]).decode("utf-8", "surrogateescape")
        self.template_of.append(self.templates.setdefault(template, len(self.templates)))
        if len(parts) > 1:
            first, *others = map(int, parts[1::2])
            self.numbers.append(first - self._first)
            self.numbers += [first - other for other in others]
            self._first = first
        self._known[line] = number = len(self._known)
        return number


class StoredTexts:
    """Texts, each with a number. Texts of one function or module are stored as runs of the one before.

    Attributes:
        lines: the lines of all texts, each once.
        sources: the names of the files.
        states: per text its base, its file, and the runs (``runs_of``) of its line numbers, of its op numbers
            plus one, of its places in the file, and of the line numbers of the definitions of its aliases.
    """

    def __init__(self) -> None:
        self.lines = StoredLines()
        self.sources: list[str] = []
        self.states: list[tuple[int, int, list[int], list[int], list[int], list[int]]] = []
        self._latest: tuple[PageText, int] | None = None
        self._last: dict[Hashable, tuple[int, tuple[Sequence[int], ...]]] = {}

    def add(self, text: PageText) -> int:
        """Return the number of a text."""
        if self._latest is None or self._latest[0] is not text:
            self._latest = text, self._number_of(text)
        return self._latest[1]

    def _number_of(self, text: PageText) -> int:
        ops = [op + 1 for op in text.ops]
        lines, definitions = [*map(self.lines.add, text.lines)], [*map(self.lines.add, text.definitions)]
        parts = lines, ops, text.places, definitions
        scope = next(filter(None, ops), 0)  # the op around all others keeps its number
        base, known = self._last.get(scope, (NO_BASE, ((), (), (), ())))
        if base != NO_BASE and known == parts and self._source_of(base) == text.source:
            return base
        number = len(self.states)
        self._last[scope] = number, parts
        if text.source not in self.sources:
            self.sources.append(text.source)
        one, two, three, four = (runs_of(*pair) for pair in zip(parts, known, strict=True))
        self.states.append((base, self.sources.index(text.source), one, two, three, four))
        return number

    def _source_of(self, number: int) -> str:
        return self.sources[self.states[number][1]]


def runs_of(numbers: Sequence[int], base: Sequence[int]) -> list[int]:
    """Return numbers as runs, two integers each: where it begins in ``base`` and its length.

    Numbers that are not in ``base`` have runs, too: of first, first + 1, ... These begin at ``-1 - first``.
    No number may be negative.

    >>> runs_of([7, 8, 20, 21, 9], base=[7, 8, 9])
    [0, 2, -21, 2, 2, 1]
    """
    runs: list[int] = []
    for begin, length in _runs(numbers, base):
        runs += begin, length
    return runs


def _runs(numbers: Sequence[int], base: Sequence[int]) -> Iterator[tuple[int, int]]:
    size, known = len(numbers), len(base)
    head = _common(numbers, base)
    if head:
        yield 0, head
    if head == size:
        return
    tail = _common(reversed(numbers[head:]), reversed(base[head:]))
    places: dict[int, list[int]] = {}
    for place in range(head, known - tail):
        places.setdefault(base[place], []).append(place)
    at, expected, end = head, head, size - tail
    while at < end:
        begin = at
        found = places.get(numbers[at])
        if found is None:
            at += 1
            while at < end and numbers[at] == numbers[at - 1] + 1 and numbers[at] not in places:
                at += 1
            yield -1 - numbers[begin], at - begin
            continue
        start = found[min(bisect_left(found, expected), len(found) - 1)]
        while at < end and start + at - begin < known and base[start + at - begin] == numbers[at]:
            at += 1
        expected = start + at - begin
        yield start, at - begin
    if tail:
        yield known - tail, tail


def _common(numbers: Sequence[int] | Iterator[int], others: Sequence[int] | Iterator[int]) -> int:
    """Return how many numbers both begin with."""
    count = 0
    for number, other in zip(numbers, others, strict=False):
        if number != other:
            break
        count += 1
    return count
