"""The original position of an op, read from its debug location, and how reports name the op."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress, repeat
from operator import is_
from typing import TYPE_CHECKING, NamedTuple

from eio_audit.audit.locations.index_pattern import IndexPattern
from eio_audit.mlir.ir import IR, NO_OFFSET

if TYPE_CHECKING:  # a check of dumps in order parses no locations
    from eio_audit.audit.locations.parsed_locations import ParsedLocations

UNKNOWN = b"unknown"  # the location of most ops without an index; it needs no parsing


class OriginalIndices:
    """The op indices of one dump.

    The pattern finds the index of a name; if it does not match, the index is that of the child. A call site
    has the caller's index, else the callee's. A fused location has the smallest one. A negative index means
    that the original position is unknown: the op is unindexed. ``given`` indices, one per op, replace these.
    """

    def __init__(
        self, ir: IR, pattern: IndexPattern | None = None, given: list[int | None] | None = None
    ) -> None:
        self._ir = ir
        self._pattern = pattern or IndexPattern()
        self._given = given

    def index(self, op: int) -> int | None:
        """Return the op's index, or None if it is unindexed."""
        return self.by_op[op]

    @cached_property
    def by_op(self) -> list[int | None]:
        """Per op, its index; None for an unindexed op."""
        return self._scanned[0] if self._given is None else self._given

    @cached_property
    def derived_by_op(self) -> bytearray:
        """Per op, 1 if it is derived: its name extends its child's name (``"X_tm0"("X")``)."""
        return self._scanned[1]

    def keys(self, ops: Iterable[int]) -> list[int | None]:
        """Return the indices of several ops; None for an unindexed op."""
        return list(map(self.by_op.__getitem__, ops))

    @cached_property
    def parsed(self) -> ParsedLocations:
        """The parsed locations. A check without findings does not need them."""
        from eio_audit.audit.locations.parsed_locations import ParsedLocations

        return ParsedLocations(self._ir, self._pattern)

    @cached_property
    def _scanned(self) -> tuple[list[int | None], bytearray]:
        indices: list[int | None] = []
        derived = bytearray(len(self._ir))
        for ops in self._ir.chunks():
            self._look_at(ops, indices, derived)
        return indices, derived

    def _look_at(self, ops: range, indices: list[int | None], derived: bytearray) -> None:
        locations = self._ir.location_texts(ops)
        found = self._pattern.indices_of_names(locations)
        for place in compress(range(len(ops)), map(is_, found, repeat(None))) if None in found else ():
            op, location = ops[place], locations[place]
            if location == UNKNOWN or self._ir.location_start[op] == NO_OFFSET:
                continue
            index = self._pattern.index_of_name(location)
            found[place] = self.parsed.index(op) if index is None else index
            if location.endswith(b")"):
                derived[op] = self.parsed.is_derived(op)
        indices += found


@dataclass(frozen=True, slots=True)
class OpLabel:
    """An op as reports name it."""

    name: str  # `ttir.permute`
    result: str | None  # the first result's name, `%12`; None for an op without results
    index: int | None  # its original position; None if unindexed
    line: int  # the 1-based line in the file
    module: str | None  # the innermost module in its location (`BatchNorm2d[net.norm0]`), or None

    @property
    def title(self) -> str:
        """``#23 ttir.permute %8``, without a number for an unindexed op."""
        name = self.name if self.result is None else f"{self.name} {self.result}"
        return name if self.index is None else f"#{self.index} {name}"

    def __str__(self) -> str:
        return f"{self.title} (line {self.line})"

    def shifted(self, lines: int) -> OpLabel:
        """The same op, so many lines further down."""
        return OpLabel(self.name, self.result, self.index, self.line + lines, self.module)

    def __reduce__(self) -> tuple[object, ...]:
        """The fields alone, which is faster to send to another process than a dictionary."""
        return OpLabel, (self.name, self.result, self.index, self.line, self.module)


class Sentence(NamedTuple):
    """A sentence that may name another line of the file: ``before``, the line, ``after``."""

    before: str
    line: int | None = None
    after: str = ""

    def __str__(self) -> str:
        return self.before if self.line is None else f"{self.before}{self.line}{self.after}"

    def shifted(self, lines: int) -> Sentence:
        """The same sentence about a line so many lines further down."""
        return self if self.line is None else self._replace(line=self.line + lines)


def label(
    ir: IR, indices: OriginalIndices, op: int, line: int | None = None, *, has_module: bool = True
) -> OpLabel:
    """Return the op as reports name it. ``line`` is its line if known. A module needs its parsed location."""
    line, place = line or ir.source.line_at(ir.op_start[op]), indices.parsed.place(op) if has_module else None
    module = place.modules[-1] if place is not None and place.modules else None
    return OpLabel(ir.name(op), ir.first_result_name(op), indices.index(op), line, module)


def labels(ir: IR, indices: OriginalIndices, ops: Sequence[int]) -> list[OpLabel]:
    """Return many ops of a dump as reports name them. All locations of the dump are read at once."""
    _ = indices.parsed.places
    return [label(ir, indices, op) for op in ops]
