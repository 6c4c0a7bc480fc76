"""The original position of an op, read from its debug location."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress, repeat

from eio_audit.mlir.ir import IR, NO_OFFSET
from eio_audit.mlir.location import (
    AliasLoc,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    Location,
    Locations,
    NameLoc,
)
from eio_audit.mlir.source import InputError

DEFAULT_INDEX_PATTERN = r"^(?:DEBUG\|)?(?P<index>-?[0-9]+)\|"
"""Tried on each name of a location, outermost first; group ``index`` is the op index."""


PATTERN_SECONDS = 2.0
"""How long a pattern may take on one name: only one that backtracks without end needs that long."""

LONGEST_INDEX = 4000
"""Digits; Python refuses to make an int of more than 4,300."""

OPS_AT_ONCE = 1 << 13
"""Ops whose locations are looked at together: enough to be quick, few enough to need little memory."""

_DEFAULT = re.compile(DEFAULT_INDEX_PATTERN)
_PLAIN_INDICES = re.compile(rb'^"(?:DEBUG\|)?([0-9]{1,18})\|[^\n]*+(?<=[")])$|^[^\n]*+$', re.MULTILINE)
"""Of a name's location, which ends like this; that of a file ends with a number."""


class IndexPattern:
    """An index pattern written as a regular expression.

    Attributes:
        expression: as it was written.

    Raises:
        ValueError: the expression is malformed or lacks a group ``index``.
    """

    def __init__(self, expression: str = DEFAULT_INDEX_PATTERN) -> None:
        self.expression = expression
        self._is_default = expression == DEFAULT_INDEX_PATTERN
        if self._is_default:
            return
        import regex  # noqa: PLC0415  (slow to import; needed for a user's pattern only: it can be stopped)

        try:
            self._pattern = regex.compile(expression)
        except regex.error as error:
            raise ValueError(f"malformed index pattern: {error}") from error
        if "index" not in self._pattern.groupindex:
            raise ValueError("the index pattern has no group named 'index'")

    def indices_in(self, locations: Sequence[bytes]) -> list[int | None]:
        """The indices of many locations' texts at once, as far as they can be told without parsing them.

        Only the default pattern has a short cut; None stands for "parse it", not for "unindexed".
        """
        if not self._is_default:
            return [None] * len(locations)
        found = _PLAIN_INDICES.findall(b"\n".join(locations))
        if len(found) != len(locations):  # a location over several lines
            return [None] * len(locations)
        return list(map(int, found)) if all(found) else [int(index) if index else None for index in found]

    def index_in(self, name: str) -> int | None:
        """The integer that group ``index`` matches in ``name``; None for no match or no integer.

        Raises:
            InputError: matching one name takes longer than PATTERN_SECONDS.
        """
        if self._is_default:
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
        match = (_DEFAULT if self._is_default else self._pattern).search(name)
        return name[: match.start("index")] + name[match.end("index") :] if match else name


def _integer(text: str | None) -> int | None:
    digits = (text or "").removeprefix("-")
    if not digits.isascii() or not digits.isdigit() or len(digits) > LONGEST_INDEX:
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


@dataclass(frozen=True, slots=True)
class ModelLine:
    """A line of the model's source, as a location records it."""

    file: str
    line: int

    def __str__(self) -> str:
        """``model.py:51``."""
        return f"{self.file}:{self.line}"


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
        return self._scanned[0][op]

    def keys(self, ops: Iterable[int]) -> list[int | None]:
        """The indices of several ops, None for an unindexed one."""
        return list(map(self._scanned[0].__getitem__, ops))

    def derived(self, ops: Iterable[int]) -> bytes:
        """By op, 1 if a pass made it from another: the name extends its child's name (``"X_tm0"("X")``)."""
        return bytes(map(self._scanned[1].__getitem__, ops))

    def replaced(self, indices: list[int | None]) -> OriginalIndices:
        """The same dump with other indices, one per op; what is derived stays so."""
        other = OriginalIndices(self._ir, self._pattern)
        other.locations = self.locations
        other._scanned = (indices, self._scanned[1])
        return other

    def is_derived(self, op: int) -> bool:
        """Whether a pass made the op from another one, whose index it carries."""
        return bool(self._scanned[1][op])

    @cached_property
    def _scanned(self) -> tuple[list[int | None], bytearray]:
        """By op its index, and whether it is derived; the locations are looked at in batches."""
        indices: list[int | None] = []
        derived = bytearray(len(self._ir))
        for start in range(0, len(self._ir), OPS_AT_ONCE):
            ops = range(start, min(start + OPS_AT_ONCE, len(self._ir)))
            texts = self._texts(ops)
            definitions = list(map(self._definition, texts)) if self._ir.aliases else texts
            keys = self._pattern.indices_in(definitions)
            if None in keys:
                for place in [place for place, key in enumerate(keys) if key is None and texts[place]]:
                    keys[place] = self._of_text(ops[place], texts[place])
            indices += keys
            for op in compress(ops, map(bytes.endswith, definitions, repeat(b")"))):
                derived[op] = self._is_derived(op)
        return indices, derived

    def _texts(self, ops: range) -> list[bytes]:
        """The ops' locations as text; empty for an op without."""
        data, batch = self._ir.source.data, slice(ops.start, ops.stop)
        starts, ends = self._ir.location_start[batch], self._ir.op_end[batch]
        return [
            data[start : end - 1] if start != NO_OFFSET else b""
            for start, end in zip(starts, ends, strict=True)
        ]

    def _definition(self, text: bytes) -> bytes:
        """The text of a location, for an alias that of its definition."""
        span = self._ir.aliases.get(text) if text.startswith(b"#") else None
        return self._ir.source.data[span.start : span.end] if span else text

    def _of_text(self, op: int, text: bytes) -> int | None:
        if text not in self._by_text:
            location = self.locations.of(op)
            assert location is not None
            self._by_text[text] = self._evaluate(location, op)
        return self._by_text[text]

    def _is_derived(self, op: int) -> bool:
        location = self.locations.of(op)
        outer = None if location is None else self.locations.resolve(location, op)
        if not isinstance(outer, NameLoc) or outer.child is None:
            return False
        child = self.locations.resolve(outer.child, op)
        if not isinstance(child, NameLoc):
            return False
        return len(outer.name) > len(child.name) and outer.name.startswith(child.name)

    def is_unknown(self, op: int) -> bool:
        """Whether the op's location carries a negative index: where it stood is not known."""
        names = (inner.name for inner in self._walk(op) if isinstance(inner, NameLoc))
        index = next((index for name in names if (index := self._pattern.index_in(name)) is not None), 0)
        return index < 0

    def origin(self, op: int) -> Origin | None:
        """The model's source that the op's outermost indexed name tells of.

        A name with a negative index tells of none: its fields are placeholders.
        """
        name = self._indexed_name(op)
        return None if name is None else parse_origin(name)

    def model_line(self, op: int) -> ModelLine | None:
        """Where in the model's source the op comes from, as far as its location says."""
        origin = self.origin(op)
        if origin is not None and origin.file is not None and origin.line is not None:
            return ModelLine(_without_line(origin.file), origin.line)
        for inner in self._walk(op):
            if isinstance(inner, FileLineColLoc):
                return ModelLine(inner.file, inner.line)
        return None

    def place_in_model(self, op: int) -> str:
        """What the op's location says of the model, without the index and without line numbers.

        Changes elsewhere in the model leave it as it is; ops that are near one another may share it.
        """
        name = self._indexed_name(op)
        if name is not None:
            origin = parse_origin(self._pattern.without_index(name))
            file = _without_line(origin.file) if origin.file is not None else None
            return "|".join(filter(None, (*origin.modules, file, origin.function, origin.op)))
        parts = [
            inner.name if isinstance(inner, NameLoc) else inner.file
            for inner in self._walk(op)
            if isinstance(inner, NameLoc | FileLineColLoc)
        ]
        return "|".join(parts)

    def _indexed_name(self, op: int) -> str | None:
        """The outermost name with an index, if that is not negative."""
        for inner in self._walk(op):
            index = self._pattern.index_in(inner.name) if isinstance(inner, NameLoc) else None
            if isinstance(inner, NameLoc) and index is not None and index >= 0:
                return inner.name
        return None

    def _walk(self, op: int) -> Iterable[Location]:
        location = self.locations.of(op)
        return () if location is None else self.locations.walk(location, op)

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
                        raise self.locations.loop(alias, op)
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


def _without_line(file: str) -> str:
    """``model.py`` of ``model.py:14``, which names the line of a definition."""
    name, _, line = file.rpartition(":")
    return name if name and line.isdigit() else file


def parse_origin(name: str) -> Origin:
    """Splits a location's name into its fields; fields that are missing stay empty."""
    fields = name.removeprefix("DEBUG|").split("|")
    op = fields.pop()
    line = int(fields.pop()) if len(fields) > 1 and fields[-1].isascii() and fields[-1].isdigit() else None
    function = fields.pop() if line is not None and len(fields) > 1 else None
    file = fields.pop() if function is not None and len(fields) > 1 else None
    return Origin(tuple(fields[1:]), file, function, line, op)
