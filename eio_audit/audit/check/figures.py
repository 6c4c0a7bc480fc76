"""The figures of an audit: of blocks, of dumps, and in total."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import add, attrgetter
from typing import TYPE_CHECKING, NamedTuple

from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions

if TYPE_CHECKING:  # a block in order has none of these
    from eio_audit.audit.check.displaced_op import DisplacedOp, MislabelledOp


class BlockMemory(NamedTuple):
    """What the values of a block hold in memory, by their types, and where its frees are.

    Attributes:
        peak: the most bytes held at once in textual order.
        peak_fixed: the same after a fix.
        unsized: how many values are left out, because their types do not tell their size.
        away: how many frees do not follow right after the last use of what they free.
        away_fixed: the same after a fix.
    """

    peak: int
    peak_fixed: int
    unsized: int
    away: int
    away_fixed: int

    @property
    def says_nothing(self) -> bool:
        """Whether no value holds anything: scalar code."""
        return not (self.peak or self.peak_fixed or self.unsized or self.away or self.away_fixed)


class BlockAudit(NamedTuple):
    """The order of one block; it has no inversions if only the first figures are given.

    A dump may have many thousands: a tuple is made several times as fast as a frozen dataclass.

    Attributes:
        function: symbol of the function around it, or None.
        block: its label, ``^bb0`` for an entry block printed without one.
        line: 1-based line of the label, or of the first op.
        ops: how many ops it has, the terminator included, nested ones not.
        indexed: how many of them carry an op index.
        derived: indexed ops that a pass made from another op and that carry its index.
        constants: indexed ops without operands that the op table calls pure or constant.
        followed: ops that carry an index and are not among ``indexed``, because they follow others.
        forced: inversions where one op depends on the other; None for a graph region, which has no order.
        inversions: pairs of indexed ops, the earlier with the larger index.
        descents: inversions between neighbours among the indexed ops.
        minimum: inversions of the best order found; the true minimum where ``certified``.
        lower_bound: no legal order has fewer.
        displaced: size of a smallest set of ops whose removal leaves the block in order.
        inherited: inversions that involve a derived op.
        at_constants: inversions that involve a constant.
        at_frees: inversions that involve an op that only frees.
        worst: the displaced ops that carry most inversions, worst first, as many as requested.
        moved: ops that a fix moves.
        moved_lower_bound: no order with the minimum of inversions moves fewer.
        profile: from the first op to the last, in PROFILE_PARTS parts: where in the original order (0 its
            start, 1 its end) the op of the part belongs that is farthest off; empty without inversions.
        wrong_labels: how many ops have an index that contradicts the dependences: a set of least weight (see
            ``label_weights.py``) without which all indices agree with them.
        wrong_by_passes: how many of these passes made: derived ops, and layout ops and frees that have the
            location of another op.
        wrong_certified: no set that weighs less is enough (see ``order/wrong_labels.py``).
        mislabelled: those of these ops that are in most inversions, worst first, as many as requested.
        frees: indexed ops that only free, by the op table.
        followed_frees: those of ``followed`` that only free, and so follow their last use.
        memory: what its values hold; None in a graph region, and unless it is asked for.
    """

    function: str | None
    block: str
    line: int
    ops: int
    indexed: int
    derived: int
    constants: int
    followed: int
    forced: int | None
    inversions: int = 0
    descents: int = 0
    minimum: int = 0
    lower_bound: int = 0
    displaced: int = 0
    inherited: int = 0
    at_constants: int = 0
    at_frees: int = 0
    worst: tuple[DisplacedOp, ...] = ()
    moved: int = 0
    moved_lower_bound: int = 0
    profile: tuple[float, ...] = ()
    wrong_labels: int = 0
    wrong_by_passes: int = 0
    wrong_certified: bool = True
    mislabelled: tuple[MislabelledOp, ...] = ()
    frees: int = 0
    followed_frees: int = 0
    memory: BlockMemory | None = None

    def shifted(self, lines: int) -> BlockAudit:
        """The same block, so many lines further down."""
        return self._replace(
            line=self.line + lines,
            worst=tuple(op.shifted(lines) for op in self.worst),
            mislabelled=tuple(op.shifted(lines) for op in self.mislabelled),
        )

    @property
    def certified(self) -> bool:
        """Whether the minimum is proven."""
        return self.minimum == self.lower_bound

    @property
    def moved_certified(self) -> bool:
        """Whether it is also proven that no order with as few inversions moves fewer ops."""
        return self.certified and self.moved == self.moved_lower_bound

    @property
    def avoidable(self) -> int:
        """Inversions that a fix removes."""
        return self.inversions - self.minimum

    @property
    def knock_on(self) -> int:
        """Inversions of the best order found that no single dependence forces."""
        return self.minimum - self.forced if self.forced is not None else 0


class Summary(NamedTuple):
    """Figures added up over blocks; graph regions count with ``forced`` 0."""

    dumps: int
    blocks: int
    ops: int
    indexed: int
    inversions: int
    forced: int
    minimum: int
    lower_bound: int
    avoidable: int
    knock_on: int
    displaced: int
    derived: int
    inherited: int
    constants: int
    at_constants: int
    followed: int
    wrong_labels: int
    wrong_by_passes: int
    wrong_certified: bool
    certified: bool

    def plus(self, other: Summary) -> Summary:
        """The figures of both; certified where both are."""
        return Summary._make(map(add, self, other))._replace(
            wrong_certified=self.wrong_certified and other.wrong_certified,
            certified=self.certified and other.certified,
        )

    @property
    def has_indices(self) -> bool:
        """Whether any op carries an index, even one that follows another."""
        return self.indexed + self.followed > 0


@dataclass(frozen=True)
class DumpAudit:
    """The order of one dump.

    Attributes:
        source: file name, ``<stdin>`` for standard input.
        line: 1-based line of the dump's marker, or of its first line.
        pass_name: from the marker; None without one.
        when: ``"before"`` or ``"after"`` that pass; None without a marker.
        blocks: the blocks that have an op with an index, in textual order.
        unknown_ops: how many ops there are, by name, that may do anything to memory because the op table
            has no row; counted only where a block has inversions.
        assumed_pure: how many ops are taken to have no effects that otherwise would have some, by the pattern
            that says so; counted only where a block has inversions.
        unmatched: the patterns of ops to be taken as pure that match no op of the dump.
        options: what it was audited with.
        all_ops: how many ops it has, those of other blocks included.
        located: how many of these have a location.
        program: what it is a state of; equal for the dumps of its source that show one program.
        first_line: 1-based line where its text begins, below the marker.
    """

    source: str
    line: int
    pass_name: str | None
    when: str | None
    blocks: tuple[BlockAudit, ...]
    unknown_ops: Counter[str]
    assumed_pure: Counter[str] = field(default_factory=Counter)
    unmatched: tuple[str, ...] = ()
    options: AuditOptions = DEFAULT_OPTIONS
    all_ops: int = 0
    located: int = 0
    program: str = ""
    first_line: int = 0

    @property
    def moment(self) -> str:
        """Which dump of a log it is, ``after canonicalize``; empty without a marker."""
        return " ".join(filter(None, (self.when, self.pass_name)))

    @cached_property
    def summary(self) -> Summary:
        """The dump's figures added up."""
        return summarize([self])


COUNTED_IN_ALL = ("ops", "indexed", "derived", "constants", "followed")
DERIVED_FIGURES = ("dumps", "blocks", "forced", "wrong_certified", "certified")
COUNTED_IN_DISORDERED = [name for name in Summary._fields if name not in COUNTED_IN_ALL + DERIVED_FIGURES]
"""Figures of blocks that are 0 where a block has no inversions."""


def summarize(dumps: Sequence[DumpAudit]) -> Summary:
    """Adds up the figures of several dumps."""
    return summarize_blocks([block for dump in dumps for block in dump.blocks], len(dumps))


def summarize_blocks(blocks: Sequence[BlockAudit], dumps: int = 1) -> Summary:
    """Adds up the figures of the blocks of so many dumps."""
    disordered = [block for block in blocks if block.inversions]
    return Summary(
        dumps=dumps,
        blocks=len(blocks),
        forced=sum(block.forced or 0 for block in disordered),
        wrong_certified=all(block.wrong_certified for block in disordered),
        certified=all(block.certified for block in disordered),
        **{name: sum(map(attrgetter(name), blocks)) for name in COUNTED_IN_ALL},
        **{name: sum(map(attrgetter(name), disordered)) for name in COUNTED_IN_DISORDERED},
    )


def unmatched_patterns(dumps: Sequence[DumpAudit]) -> list[str]:
    """The patterns of ops to be taken as pure that match no op of any dump."""
    first = dumps[0].unmatched if dumps else ()
    return [pattern for pattern in first if all(pattern in dump.unmatched for dump in dumps)]
