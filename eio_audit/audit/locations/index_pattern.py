"""How the op index is found in a location's name: a regular expression, the usual one or a user's own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from eio_audit.mlir.source import InputError

DEFAULT_INDEX_PATTERN = r"^(?:DEBUG\|)?(?P<index>-?[0-9]+)\|"
"""Tried on each name of a location, outermost first; group ``index`` is the op index."""

PATTERN_SECONDS = 2.0
"""How long a pattern may take on one name: only one that backtracks without end needs that long."""

LONGEST_INDEX = 4000
"""Digits; Python refuses to make an int of more than 4,300."""

_DEFAULT = re.compile(DEFAULT_INDEX_PATTERN)
_REST_OF_NAME = rb'[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
_CHILD = (
    rb"\((?:unknown|#[\w$.-]++"
    rb'|"' + _REST_OF_NAME + rb'(?::\d++:\d++|\("' + _REST_OF_NAME + rb"(?::\d++:\d++)?\))?)\)"
)
_NUMBER = rb'"(?:DEBUG\|)?([0-9]{1,18})\|'
_NUMBER_OF_PART = re.compile(rb"(?:" + _NUMBER + rb")?[^\0]*+\0")
NUMBER_BYTES = len(b'"DEBUG||') + 18
"""How many bytes of a location tell its index, if it is such a name."""
_NAME = re.compile(_NUMBER + _REST_OF_NAME + rb"(?:" + _CHILD + rb")?")
"""A name's location whose child is simple; any other location may be malformed."""


class IndexPattern:
    """An index pattern written as a regular expression.

    Attributes:
        expression: as it was written.
        is_default: it is the usual one.

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
        if "index" not in self._pattern.groupindex:
            raise ValueError("the index pattern has no group named 'index'")

    def first_indices(self, beginnings: Sequence[bytes]) -> list[int | None]:
        """The indices that many locations begin with, if the pattern is the usual one.

        None stands for "parse it", not for "unindexed". An index counts if the location is a name.

        Args:
            beginnings: of each location NUMBER_BYTES, or more, or what there is.
        """
        if not self.is_default:
            return [None] * len(beginnings)
        numbers = _NUMBER_OF_PART.findall(b"\0".join([*beginnings, b""]))
        if len(numbers) != len(beginnings):  # a zero byte
            return [None] * len(beginnings)
        return list(map(int, numbers)) if all(numbers) else [int(text) if text else None for text in numbers]

    def is_indexed_name(self, location: bytes) -> bool:
        """Whether a location's text that begins with an index is a name, with a simple child or without."""
        return _NAME.fullmatch(location) is not None

    def index_in(self, name: str) -> int | None:
        """The integer that group ``index`` matches in ``name``; None for no match or no integer.

        Raises:
            InputError: matching one name takes longer than PATTERN_SECONDS.
        """
        if self.is_default:
            plain = _DEFAULT.search(name)
            return int(plain["index"]) if plain and len(plain["index"]) <= LONGEST_INDEX else None
        try:
            match = self._pattern.search(name, timeout=PATTERN_SECONDS)
        except TimeoutError:
            message = f"the index pattern takes too long on the location {name[:80]!r}"
            raise InputError("--index-pattern", None, message) from None
        return None if match is None else _integer(match["index"])

    def without_index(self, name: str) -> str:
        """The name with nothing where its index was."""
        match = (_DEFAULT if self.is_default else self._pattern).search(name)
        return name[: match.start("index")] + name[match.end("index") :] if match else name


def _integer(text: str | None) -> int | None:
    digits = (text or "").removeprefix("-")
    if not digits.isascii() or not digits.isdigit() or len(digits) > LONGEST_INDEX:
        return None
    return int(text or "")
