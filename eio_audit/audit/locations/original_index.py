"""The original position of an op, read from its debug location."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import compress, repeat
from operator import is_
from typing import TYPE_CHECKING

from eio_audit.audit.locations.index_pattern import IndexPattern
from eio_audit.mlir.ir import IR, NO_OFFSET

if TYPE_CHECKING:
    from eio_audit.audit.locations.parsed_locations import ParsedLocations

OPS_AT_ONCE = 1 << 13
"""How many ops' locations are searched together: a balance of speed and memory."""

UNKNOWN = b"unknown"
"""The location of most ops without an index: nothing to parse."""


class OriginalIndices:
    """The op indices of one dump.

    The index of a name location is what the pattern finds in the name, else its child's index; of a call
    site the caller's, else the callee's; of a fused location the smallest. A negative index means that the
    original position is unknown: the op is unindexed. Indices that are ``given``, one per op, count instead.
    """

    def __init__(
        self, ir: IR, pattern: IndexPattern | None = None, given: list[int | None] | None = None
    ) -> None:
        self._ir = ir
        self._pattern = pattern or IndexPattern()
        self._given = given

    def index(self, op: int) -> int | None:
        """The op's index, or None when it is unindexed."""
        return self.by_op[op]

    @cached_property
    def by_op(self) -> list[int | None]:
        """The indices of all ops, None for an unindexed one."""
        return self._scanned[0] if self._given is None else self._given

    @cached_property
    def derived_by_op(self) -> bytearray:
        """By op, 1 if a pass made it from another: the name extends its child's name (``"X_tm0"("X")``)."""
        return self._scanned[1]

    def keys(self, ops: Iterable[int]) -> list[int | None]:
        """The indices of several ops, None for an unindexed one."""
        return list(map(self.by_op.__getitem__, ops))

    @cached_property
    def parsed(self) -> ParsedLocations:
        """The parsed locations; a check of a dump without findings does not need them."""
        from eio_audit.audit.locations.parsed_locations import ParsedLocations

        return ParsedLocations(self._ir, self._pattern)

    @cached_property
    def _scanned(self) -> tuple[list[int | None], bytearray]:
        indices: list[int | None] = []
        derived = bytearray(len(self._ir))
        for start in range(0, len(self._ir), OPS_AT_ONCE):
            self._look_at(range(start, min(start + OPS_AT_ONCE, len(self._ir))), indices, derived)
        return indices, derived

    def _look_at(self, ops: range, indices: list[int | None], derived: bytearray) -> None:
        """Reads indices from the text of several ops' locations; parses those where that is not enough."""
        ir, chunk = self._ir, slice(ops.start, ops.stop)
        starts, ends = ir.location_start[chunk], ir.op_end[chunk]  # one past the bracket
        locations = [ir.source.data[start : end - 1] for start, end in zip(starts, ends, strict=True)]
        if ir.aliases:
            locations = [ir.definition(location) or location for location in locations]
        found = self._pattern.indices_of_names(locations)
        for place in compress(range(len(ops)), map(is_, found, repeat(None))) if None in found else ():
            op, location = ops[place], locations[place]
            if starts[place] == NO_OFFSET or location == UNKNOWN:
                continue
            index = self._pattern.index_of_name(location)
            found[place] = self.parsed.index(op) if index is None else index
            if location.endswith(b")"):
                is_derived = _extends_child(location)
                derived[op] = self.parsed.is_derived(op) if is_derived is None else is_derived
        indices += found


def _extends_child(location: bytes) -> bool | None:
    """Whether a name extends its child's, where that can be seen as it is: ``"X_tm0"("X")``."""
    match location.split(b'"'):
        case [b"", name, b"(", child, b")"] if not (b"\\" in location or b"\n" in location):
            return len(name) > len(child) and name.startswith(child)
    return None
