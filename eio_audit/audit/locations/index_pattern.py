"""The regular expression that finds the op index in a location's name: the default, or a user's own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from time import thread_time
from typing import Any

from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.source import InputError

DEFAULT_INDEX_PATTERN = r"^(?:DEBUG\|)?(?P<index>-?[0-9]+)\|"
"""Searched in each name of a location, outermost first; group ``index`` is the op index."""
PATTERN_SECONDS = 2.0  # the most that a pattern may backtrack, on one name or on many together
_QUICK_SECONDS = 0.001  # what a pattern takes on a name at most without much backtracking
LONGEST_INDEX = 4000  # the most digits of an index; Python refuses to parse an int of more than 4,300
_DEFAULT = pattern(DEFAULT_INDEX_PATTERN)
_REST_OF_NAME = rb'[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
_CHILD = (
    rb"\((?:unknown|#[\w$.-]++"
    rb'|"' + _REST_OF_NAME + rb'(?::\d++:\d++|\("' + _REST_OF_NAME + rb"(?::\d++:\d++)?\))?)\)"
)
_NUMBER = rb'"(?:DEBUG\|)?([0-9]{1,18})\|'
_NAME_ONLY = pattern(rb"(?:" + _NUMBER + rb'[^"]*+"\0|[^\0]*+\0)')
_FIELDS_OF_NAME = pattern(
    rb'(?:"(?:DEBUG\|)?[0-9]{1,18}\|([^"\\\n\0\x80-\xff]*)\|[0-9]++\|[^"\\|\n\0]*+"\0|[^\0]*+\0)'
)
_NAME = _NUMBER + _REST_OF_NAME + rb"(?:" + _CHILD + rb")?"
"""A name location with a simple child or none; any other location may be malformed."""


class IndexPattern:
    """An index pattern.

    Raises:
        ValueError: the expression is malformed or lacks a group ``index``.
    """

    def __init__(self, expression: str = DEFAULT_INDEX_PATTERN) -> None:
        self.expression = expression
        self.is_default = expression == DEFAULT_INDEX_PATTERN
        if self.is_default:
            return
        import regex

        try:
            self._pattern = regex.compile(expression)
        except regex.error as error:
            raise ValueError(f"malformed index pattern: {error}") from error
        self._backtracked = 0.0  # seconds
        if "index" not in self._pattern.groupindex:
            raise ValueError("the index pattern has no group named 'index'")

    def indices_of_names(self, locations: Sequence[bytes]) -> list[int | None]:
        """Return, per location, its index if it is a name without a child; else None."""
        numbers = self._found(_NAME_ONLY, locations)
        return list(map(int, numbers)) if all(numbers) else [int(text) if text else None for text in numbers]

    def fields_of_names(self, locations: Sequence[bytes]) -> list[bytes]:
        """Return, per location, what a name without a child has between index and line; empty if it is none.

        Empty, too, if it must be parsed.
        """
        return self._found(_FIELDS_OF_NAME, locations)

    def _found(self, expression: re.Pattern[bytes], locations: Sequence[bytes]) -> list[bytes]:
        """Return, per location, what the group of an expression matches, in one pass; empty for nothing."""
        found: list[bytes] = expression.findall(b"\0".join([*locations, b""])) if self.is_default else []
        is_whole = len(found) == len(locations)  # else a location contains a zero byte
        return found if is_whole else [b""] * len(locations)

    def index_of_name(self, location: bytes) -> int | None:
        """Return the index of a name with a simple child or none; None if the location must be parsed."""
        match = re.compile(_NAME).fullmatch(location) if self.is_default else None
        return int(match[1]) if match else None

    def index_in(self, name: str) -> int | None:
        """Return the integer that group ``index`` matches in ``name``; None for no match or no integer.

        Raises:
            InputError: the pattern backtracks for longer than PATTERN_SECONDS.
        """
        if self.is_default:
            plain = _DEFAULT.search(name)
            return int(plain["index"]) if plain and len(plain["index"]) <= LONGEST_INDEX else None
        match = self._search(name)
        text = (match and match["index"]) or ""
        digits = text.removeprefix("-")
        is_index = digits.isascii() and digits.isdigit() and len(digits) <= LONGEST_INDEX
        return int(text) if is_index else None

    def without_index(self, name: str) -> str:
        """Return the name without its index."""
        match = _DEFAULT.search(name) if self.is_default else self._search(name)
        return name[: match.start("index")] + name[match.end("index") :] if match else name

    def _search(self, name: str) -> Any:
        began = thread_time()
        try:
            match = self._pattern.search(name, timeout=PATTERN_SECONDS)
        except TimeoutError:
            match, self._backtracked = None, PATTERN_SECONDS
        self._backtracked += max(thread_time() - began - _QUICK_SECONDS, 0)
        if self._backtracked >= PATTERN_SECONDS:
            message = f"the index pattern takes too long on the location {name[:80]!r}"
            raise InputError("--index-pattern", None, message)
        return match
