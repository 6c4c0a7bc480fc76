"""What became of each op: unchanged, moved, modified, added or removed; as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from eio_audit.audit.op_label import OpLabel


class Relation(StrEnum):
    """How an added op came from an op of the earlier dump."""

    DERIVED = "derived"
    """Its location contains that of the other op: ``"X_tm0"("X")``, a call site, a fused location."""
    CLONED = "cloned"
    """It has the same location, name and attributes as another op."""
    COMMUTED = "commuted"
    """It is a permute, transpose or reshape that a pass moved past other ops, by the dataflow."""
    CONVERTED = "converted"
    """It has the location of a removed op and another name. Only a history follows this relation."""


@dataclass(frozen=True, slots=True)
class Ancestor:
    """The op of the earlier dump that an added op came from."""

    op: OpLabel
    relation: Relation


@dataclass(frozen=True, slots=True)
class OpDifference:
    """One difference between an op before and after.

    Attributes:
        kind: ``operands``, ``attributes``, ``types`` or ``location``.
        name: the attribute's name, or the operand's position from 0. Empty for other kinds.
        before, after: as printed, with aliases expanded. Empty if there is nothing.
    """

    kind: str
    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class OpChange:
    """What became of one op.

    Attributes:
        function: the symbol of its function, or None. For a removed op, its former function.
        before: the op in the earlier dump. None if it was added.
        after: the op in the later dump. None if it was removed.
        place_before, place_after: its 0-based place in its block. None if it is not in that dump.
        block_before, block_after: its function and block in each dump, if the two differ. Else None.
        differences: what differs, in the order operands, attributes, types, location.
        moved: whether it left its place relative to the ops around it.
        derived: whether a pass made it from another op, whose index it has.
        ancestor: for an added op, the op it came from, if known.
        inversions_before, inversions_after: how many inversions it is in. None without the op or an index.
    """

    function: str | None
    before: OpLabel | None
    after: OpLabel | None
    place_before: int | None
    place_after: int | None
    block_before: str | None
    block_after: str | None
    differences: tuple[OpDifference, ...]
    moved: bool
    derived: bool
    ancestor: Ancestor | None
    inversions_before: int | None
    inversions_after: int | None

    @property
    def status(self) -> str:
        """``unchanged``, ``moved``, ``modified``, ``added`` or ``removed``."""
        if self.before is None or self.after is None:
            return "added" if self.before is None else "removed"
        return "modified" if self.differences else "moved" if self.moved else "unchanged"

    @property
    def op(self) -> OpLabel:
        """The op in the later dump. If it was removed, the op in the earlier dump."""
        op = self.after or self.before
        assert op is not None
        return op

    @property
    def changed(self) -> tuple[str, ...]:
        """The kinds of difference, each once: of ``operands``, ``attributes``, ``types`` and ``location``."""
        return tuple(dict.fromkeys(difference.kind for difference in self.differences))


@dataclass(frozen=True, slots=True)
class OpChanges:
    """Every op of both dumps, in one of five groups.

    Attributes:
        implied: ops that one dump prints and the other omits because of its printing form, such as implied
            terminators of custom assembly. They are in no group.
    """

    unchanged: int
    moved: tuple[OpChange, ...]
    modified: tuple[OpChange, ...]
    added: tuple[OpChange, ...]
    removed: tuple[OpChange, ...]
    implied: int

    @property
    def groups(self) -> dict[str, tuple[OpChange, ...]]:
        """The changed ops, by what became of them."""
        return {"moved": self.moved, "modified": self.modified, "added": self.added, "removed": self.removed}
