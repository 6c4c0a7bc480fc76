"""The choices that change an audit."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from eio_audit.audit.locations.index_pattern import IndexPattern
from eio_audit.mlir.traits import OpTable, OpTraits

if TYPE_CHECKING:
    from eio_audit.audit.locations.original_order import OriginalOrder


class Follow(StrEnum):
    """Ops that follow others, whatever index they carry: their consumer, or what they wait for."""

    DERIVED = "derived"
    """Ops that a pass made from others: they carry the index of a place where they never were."""
    CONSTANTS = "constants"
    """Ops without operands that the op table calls pure or constant: passes hoist them."""
    FREES = "frees"
    """Ops that only free, by the op table: each follows right after the last use of what it frees."""

    @classmethod
    def _missing_(cls, value: object) -> None:
        raise ValueError(f"expected follow to be some of {', '.join(cls)}, not {value!r}")


@dataclass(frozen=True)
class AuditOptions:
    """The choices that change the figures of an audit; the same for every dump of one run.

    Attributes:
        pattern: finds the op index in a location's name.
        follow: the ops that are treated as unindexed, so that only the order of the others counts: a name of
            ``Follow`` or several, made a set of them.
        order_from: a dump whose order is the original one, instead of the indices in locations.
        assume_pure: a shell pattern (``my.*``) or several; ops whose full name matches one are taken to have
            no effects. What the ops in their regions do still counts.
        ops: a project's own rows of the op table, by full name or shell pattern.

    Raises:
        ValueError: a name that ``Follow`` does not have.

    Example:
        >>> sorted(AuditOptions(follow={"derived"}).follow)
        [<Follow.DERIVED: 'derived'>]
    """

    pattern: IndexPattern = field(default_factory=IndexPattern)
    follow: Collection[Follow | str] = frozenset()
    assume_pure: Sequence[str] = ()
    order_from: OriginalOrder | None = None
    ops: Mapping[str, OpTraits] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "follow", frozenset(map(Follow, _several(self.follow))))
        object.__setattr__(self, "assume_pure", tuple(_several(self.assume_pure)))

    def __reduce__(self) -> str | tuple[object, ...]:
        """The choices alone, for another process."""
        if self is DEFAULT_OPTIONS:
            return "DEFAULT_OPTIONS"
        return AuditOptions, tuple(getattr(self, field.name) for field in fields(self))

    @cached_property
    def op_table(self) -> OpTable:
        """The op table that dumps are read with: the shipped one and the project's rows."""
        return OpTable(self.ops)


def _several(names: Collection[str]) -> Collection[str]:
    """The names; a single one is not taken for its letters."""
    return (names,) if isinstance(names, str) else names


DEFAULT_OPTIONS = AuditOptions()
"""The default options."""
