"""The options that change an audit."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from eio_audit.audit.locations.index_pattern import IndexPattern
from eio_audit.mlir.source import printable
from eio_audit.mlir.traits import OpTable, OpTraits

if TYPE_CHECKING:
    from eio_audit.audit.locations.original_index import OriginalIndices
    from eio_audit.mlir.ir import IR


class Follow(StrEnum):
    """Ops that follow other ops instead of their own index: their consumer, or what they wait for.

    Frees follow by default: compilers insert them, so they have no original place.
    """

    DERIVED = "derived"
    """Ops that a pass made from other ops. They have the index of a place where they never were."""
    CONSTANTS = "constants"
    """Ops without operands that the op table calls pure or constant. Passes hoist them."""
    SPLITS = "splits"
    """Ops of one name that read the same value and stand directly after its producer. Fusions leave them."""
    AHEAD = "ahead"
    """All ops of functions that run once, ahead of the model: those with ``_const_eval_`` in their name."""
    FREES = "frees"
    """Ops that only free, by the op table. Each follows the last use of the value it frees. The default."""
    NONE = "none"
    """No ops but those that are named with it: frees do not follow unless they are named."""

    @classmethod
    def _missing_(cls, value: object) -> None:
        raise ValueError(f"expected follow to be some of {', '.join(cls)}, not {value!r}")


class Relabel(StrEnum):
    """How to write a location with another label."""

    NESTED = "nested"
    """The new name contains the old location, so the op's origin stays."""
    FLAT = "flat"
    """Only the new name, for tools that do not read nested names."""


@runtime_checkable
class OrderSource(Protocol):
    """What gives ops their original places if their locations do not: ``OriginalOrder``."""

    name: str

    @property
    def text(self) -> bytes:
        """The IR that has the original order."""

    def indices_of(
        self, ir: IR, indices: OriginalIndices, functions: Sequence[str | None]
    ) -> list[int | None]:
        """Return, per op of a dump, its original place, from 0; None for a new op."""


class Configuration(NamedTuple):
    """The file that changed what counts in a verdict."""

    file: str  # its path
    keys: tuple[str, ...]  # its keys that did

    def __str__(self) -> str:
        """Return ``by ci/eio-audit.toml: fail-on, assume-pure``."""
        return f"by {printable(self.file)}: {', '.join(self.keys)}"


@dataclass(frozen=True)
class AuditOptions:
    """The options that change the figures of an audit. They are the same for every dump of one run.

    Attributes:
        pattern: finds the op index in a location's name.
        follow: the ops that are treated as unindexed, so that only the order of the others counts. One name
            of ``Follow`` or several. ``FREES`` is added unless ``NONE`` is one of them. Stored as a set.
        order_from: a dump whose order is the original one, instead of the indices in locations.
        assume_pure: one shell pattern (``my.*``) or several. Ops whose full name matches are assumed to have
            no effects. The ops in their regions still count.
        ops: a project's own rows of the op table, by full name or shell pattern.
        configuration: the file that these are from, and the gate, if it changed any of it; reports name it.

    Raises:
        TypeError: ``pattern`` or ``order_from`` has another type.
        ValueError: a name is not in ``Follow``.

    Example:
        >>> sorted(AuditOptions(follow={"derived"}).follow)
        [<Follow.DERIVED: 'derived'>, <Follow.FREES: 'frees'>]
        >>> sorted(AuditOptions(follow={"derived", "none"}).follow)
        [<Follow.DERIVED: 'derived'>, <Follow.NONE: 'none'>]
    """

    pattern: IndexPattern = field(default_factory=IndexPattern)
    follow: Collection[Follow | str] = frozenset({Follow.FREES})
    assume_pure: Sequence[str] = ()
    order_from: OrderSource | None = None
    ops: Mapping[str, OpTraits] = field(default_factory=dict)
    configuration: Configuration | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.pattern, IndexPattern):
            raise TypeError(f"expected pattern to be an IndexPattern(REGEX), not {self.pattern!r:.80}")
        if not isinstance(self.order_from, OrderSource | None):
            given = f"{self.order_from!r:.80}"
            raise TypeError(f"expected order_from to be an OriginalOrder(DUMP), not {given}")
        follow = frozenset(map(Follow, _several(self.follow)))
        if Follow.FREES in follow or Follow.NONE not in follow:
            follow = (follow | {Follow.FREES}) - {Follow.NONE}
        object.__setattr__(self, "follow", follow)
        object.__setattr__(self, "assume_pure", tuple(_several(self.assume_pure)))

    def __reduce__(self) -> str | tuple[object, ...]:
        """The choices alone, for another process."""
        if self is DEFAULT_OPTIONS:
            return "DEFAULT_OPTIONS"
        return AuditOptions, tuple(getattr(self, field.name) for field in fields(self))

    @cached_property
    def op_table(self) -> OpTable:
        """The op table to read dumps with: the shipped table and the project's rows."""
        return OpTable(self.ops)


def _several(names: Collection[str]) -> Collection[str]:
    """Return the names. A single ``str`` is one name, not a collection of letters."""
    return (names,) if isinstance(names, str) else names


DEFAULT_OPTIONS = AuditOptions()  # the default options
