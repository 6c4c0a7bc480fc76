"""The original position of an op, read from its debug location."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import regex

from eio_audit.mlir.ir import IR, NO_OFFSET
from eio_audit.mlir.location import AliasLoc, CallSiteLoc, FusedLoc, Location, Locations, NameLoc

DEFAULT_INDEX_PATTERN = r"^(?:DEBUG\|)?(?P<index>-?[0-9]+)\|"
"""Tried on each name of a location, outermost first; group ``index`` is the op index."""


class IndexPattern:
    """An index pattern written as a regular expression.

    Raises:
        ValueError: the expression is malformed or lacks a group ``index``.
    """

    def __init__(self, expression: str = DEFAULT_INDEX_PATTERN) -> None:
        try:
            self._pattern = regex.compile(expression)
        except regex.error as error:
            raise ValueError(f"malformed index pattern: {error}") from error
        if "index" not in self._pattern.groupindex:
            raise ValueError("the index pattern has no group named 'index'")

    def index_in(self, name: str) -> int | None:
        """The integer that group ``index`` matches in ``name``; None for no match or no integer."""
        match = self._pattern.search(name)
        return None if match is None else _integer(match["index"])


def _integer(text: str | None) -> int | None:
    digits = (text or "").removeprefix("-")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 4000:
        return None
    return int(text or "")


@dataclass(frozen=True, slots=True)
class Origin:
    """What a location says about where an op came from, as far as it says it.

    A name reads ``index|module|...|file:defline|function|opline|op``, so it is parsed from the back.
    """

    modules: tuple[str, ...]
    file: str | None
    function: str | None
    line: int | None
    op: str


class OriginalIndices:
    """The op indices of one dump.

    The index of a name location is what the pattern finds in the name, else its child's index; of a call
    site the caller's, else the callee's; of a fused location the smallest. A negative index means that the
    original position is unknown: the op is unindexed.
    """

    def __init__(self, ir: IR, pattern: IndexPattern | None = None) -> None:
        self._ir = ir
        self._pattern = pattern or IndexPattern()
        self._by_text: dict[bytes, int | None] = {}
        self._by_alias: dict[str, int | None] = {}
        self.locations = Locations(ir)

    def index(self, op: int) -> int | None:
        """The op's index, or None when it is unindexed."""
        start = self._ir.location_start[op]
        if start == NO_OFFSET:
            return None
        text = self._ir.source.data[start : self._ir.op_end[op] - 1]
        if text not in self._by_text:
            location = self.locations.of(op)
            assert location is not None
            self._by_text[text] = self._evaluate(location, op)
        return self._by_text[text]

    def keys(self, ops: Sequence[int]) -> list[int | None]:
        """The indices of several ops."""
        return list(map(self.index, ops))

    def is_derived(self, op: int) -> bool:
        """Whether a pass made the op from another: its name extends its child's name (``"X_tm0"("X")``)."""
        name, child = self._name_and_child(op)
        return child is not None and len(name) > len(child) and name.startswith(child)

    def origin(self, op: int) -> Origin | None:
        """The model's source that the op's outermost indexed name tells of."""
        location = self.locations.of(op)
        for inner in () if location is None else self.locations.walk(location, op):
            if isinstance(inner, NameLoc) and self._pattern.index_in(inner.name) is not None:
                return parse_origin(inner.name)
        return None

    def _name_and_child(self, op: int) -> tuple[str, str | None]:
        location = self.locations.of(op)
        outer = None if location is None else self.locations.resolve(location, op)
        if not isinstance(outer, NameLoc) or outer.child is None:
            return "", None
        child = self.locations.resolve(outer.child, op)
        return outer.name, child.name if isinstance(child, NameLoc) else None

    def _evaluate(self, root: Location, op: int) -> int | None:
        """The index a location carries; iterative, since locations nest to any depth."""
        frames = [_Frame([root])]
        entered: set[str] = set()
        while True:
            frame = frames[-1]
            if frame.is_done():
                frames.pop()
                if frame.alias is not None:
                    self._by_alias[frame.alias] = frame.index
                if not frames:
                    return frame.index
                frames[-1].take(frame.index)
                continue
            match frame.pending.pop():
                case AliasLoc(alias) if alias in self._by_alias:
                    frame.take(self._by_alias[alias])
                case AliasLoc(alias):
                    span = self.locations.alias_span(alias, op)
                    if alias in entered:
                        raise self._ir.source.error(span.start, f"alias '{alias}' is defined by itself")
                    entered.add(alias)
                    frames.append(_Frame([self.locations.parse(span)], alias=alias))
                case NameLoc(name, child):
                    index = self._pattern.index_in(name)
                    if index is not None:
                        frame.take(None if index < 0 else index)
                    elif child is not None:
                        frame.pending.append(child)
                case CallSiteLoc(callee, caller):
                    frames.append(_Frame([callee, caller]))
                case FusedLoc(locations, _):
                    frames.append(_Frame(list(locations), smallest=True))
                case _:
                    pass


class _Frame:
    """Alternative locations, the last one first: the first index found counts, or the smallest."""

    __slots__ = ("alias", "index", "pending", "smallest")

    def __init__(self, pending: list[Location], *, smallest: bool = False, alias: str | None = None) -> None:
        self.pending = pending
        self.smallest = smallest
        self.alias = alias
        self.index: int | None = None

    def is_done(self) -> bool:
        return not self.pending or (self.index is not None and not self.smallest)

    def take(self, index: int | None) -> None:
        if index is not None:
            self.index = index if self.index is None else min(self.index, index)


def parse_origin(name: str) -> Origin:
    """Splits a location's name into its fields; fields that are missing stay empty."""
    fields = name.removeprefix("DEBUG|").split("|")
    op = fields.pop()
    line = int(fields.pop()) if len(fields) > 1 and fields[-1].isascii() and fields[-1].isdigit() else None
    function = fields.pop() if line is not None and len(fields) > 1 else None
    file = fields.pop() if function is not None and len(fields) > 1 else None
    return Origin(tuple(fields[1:]), file, function, line, op)
