"""How reports name an op."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # a check of dumps in order parses no locations
    from eio_audit.audit.locations.original_index import OriginalIndices
    from eio_audit.mlir.ir import IR


@dataclass(frozen=True, slots=True)
class OpLabel:
    """An op as reports name it."""

    name: str  # `ttir.permute`
    # The first result's name, `%12`. None for an op without results.
    result: str | None
    # Its original position. None if unindexed.
    index: int | None
    line: int  # the 1-based line in the file
    module: str | None  # the innermost module in its location (`BatchNorm2d[net.norm0]`), or None

    @property
    def title(self) -> str:
        """``#23 ttir.permute %8``, without a number for an unindexed op."""
        name = self.name if self.result is None else f"{self.name} {self.result}"
        return name if self.index is None else f"#{self.index} {name}"

    def __str__(self) -> str:
        """Return ``#23 ttir.permute %8 (line 11)``."""
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
        """The sentence in one piece."""
        return self.before if self.line is None else f"{self.before}{self.line}{self.after}"

    def shifted(self, lines: int) -> Sentence:
        """The same sentence about a line so many lines further down."""
        return self if self.line is None else self._replace(line=self.line + lines)


def label(ir: IR, indices: OriginalIndices, op: int, line: int | None = None) -> OpLabel:
    """Return the op as reports name it. ``line`` is its line, if known."""
    line, place = line or ir.source.line_at(ir.op_start[op]), indices.parsed.place(op)
    module = place.modules[-1] if place is not None and place.modules else None
    return OpLabel(ir.name(op), ir.first_result_name(op), indices.index(op), line, module)


def labels(ir: IR, indices: OriginalIndices, ops: Sequence[int]) -> list[OpLabel]:
    """Return many ops of a dump as reports name them. All locations of the dump are read at once."""
    _ = indices.parsed.places
    return [label(ir, indices, op) for op in ops]
