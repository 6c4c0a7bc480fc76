"""What happened to permutes, transposes and reshapes: cancelled, moved without cancelling, or left.

A pass that erases inverse ops moves them up or down until they meet their inverse. An op that meets no
inverse should not have moved: its location is now where the op never was.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from eio_audit.audit.check.keyed_block import KeyedBlock
from eio_audit.audit.check.keyed_dump import KeyedDump
from eio_audit.audit.diff.compared_dump import ComparedOps
from eio_audit.audit.diff.dump_comparison import DumpComparison
from eio_audit.audit.diff.layout import (
    InversePair,
    inverse_pairs,
    is_elementwise,
    may_commute,
    rearrangements,
)
from eio_audit.audit.diff.op_changes import Relation
from eio_audit.audit.locations.location_numbers import NO_LOCATION
from eio_audit.audit.op_label import OpLabel

SEARCHED_OPS = 64
"""How many ops above a commuted op to search for its origin."""


@dataclass(frozen=True, slots=True)
class LayoutOp:
    """A permute, transpose or reshape.

    Attributes:
        does: its permutation, ``[0, 3, 1, 2]``, or its shapes, ``1x32 -> 32``.
    """

    op: OpLabel
    does: str


@dataclass(frozen=True, slots=True)
class LayoutPair:
    """Two layout ops, of which the second undoes the first, and the elementwise ops between them."""

    first: LayoutOp
    second: LayoutOp
    between: int


@dataclass(frozen=True, slots=True)
class MovedLayoutOp:
    """A layout op that was moved, and where it is now. It is in several places if copies were needed."""

    before: LayoutOp
    after: tuple[LayoutOp, ...]


@dataclass(frozen=True, slots=True)
class InverseOps:
    """What became of the permutes, transposes and reshapes.

    Attributes:
        before, after: how many there are.
        inverse_before: how many pairs of the earlier dump undo each other.
        cancelled: the pairs of the earlier dump that are gone.
        copies: copies of ops of these pairs that are left, on other operands of the ops they were moved past.
        moved: ops that were moved and did not cancel, except those that were only put back in order.
        gone: ops that were removed without an inverse: merged with another op or folded.
        added: ops that came from no op of the earlier dump.
        remaining: pairs of the later dump that undo each other.
        inversions: how many inversions of the later dump involve a moved op or a copy.
    """

    before: int
    after: int
    inverse_before: int
    cancelled: tuple[LayoutPair, ...]
    copies: tuple[MovedLayoutOp, ...]
    moved: tuple[MovedLayoutOp, ...]
    gone: tuple[LayoutOp, ...]
    added: tuple[LayoutOp, ...]
    remaining: tuple[LayoutPair, ...]
    inversions: int


class LayoutChanges:
    """The layout ops of two dumps.

    Attributes:
        came_to: by moved layout op of the earlier dump, its new ops: itself and its copies.
        orphans: layout ops of the later dump that came from no op of the earlier dump.
    """

    def __init__(self, comparison: DumpComparison) -> None:
        self.comparison = comparison
        self.sides = (comparison.before, comparison.after)
        self.old, self.new = comparison.before.ops, comparison.after.ops
        self.does = [rearrangements(self.old), rearrangements(self.new)]
        self.gone_from: dict[int, list[int]] = defaultdict(list)
        for op in filter(self._is_gone, self.does[0]):
            self.gone_from[self.old.locations[op]].append(op)
        self.came_to: dict[int, list[int]] = defaultdict(list)
        self.orphans = []
        was = comparison.was
        self.added = self.does[1].keys() - was.keys()
        for new in self.does[1]:
            if new in was and new in comparison.moved and not comparison.came_back(new):
                self.came_to[was[new]].append(new)
        for new in self.does[1]:
            if new not in was and (origin := self._origin(new)) is not None:
                self.came_to[origin].append(new)
            elif new not in was:
                self.orphans.append(new)

    @cached_property
    def pairs(self) -> list[list[InversePair]]:
        """By side, the pairs that undo each other."""
        return [inverse_pairs(ops, does) for ops, does in zip((self.old, self.new), self.does, strict=True)]

    @property
    def came_from(self) -> dict[int, int]:
        """By layout op of the later dump that was moved or copied, the op it came from."""
        return {new: old for old, ops in self.came_to.items() for new in ops}

    def inverse_ops(self) -> InverseOps:
        """Return what became of the layout ops and their inverses."""
        cancelled = [pair for pair in self.pairs[0] if self._is_cancelled(pair)]
        met = {op for pair in cancelled for op in (pair.first, pair.second)}
        gone = [op for op in self.does[0] if self._is_gone(op) and op not in met and op not in self.came_to]
        return InverseOps(
            before=len(self.does[0]),
            after=len(self.does[1]),
            inverse_before=len(self.pairs[0]),
            cancelled=tuple(self._pair(0, pair) for pair in cancelled),
            copies=tuple(self._moved(op) for op in sorted(met) if op in self.came_to),
            moved=tuple(self._moved(op) for op in sorted(self.came_to.keys() - met)),
            gone=tuple(self._op(0, op) for op in gone),
            added=tuple(self._op(1, op) for op in self.orphans),
            remaining=tuple(self._pair(1, pair) for pair in self.pairs[1]),
            inversions=_inversions_with(self.sides[1].dump, self.came_from),
        )

    def _is_gone(self, old: int) -> bool:
        return old not in self.comparison.became

    def _is_cancelled(self, pair: InversePair) -> bool:
        """Whether both ops are gone, one of them without a copy. The other may have left copies."""
        both_left_copies = pair.first in self.came_to and pair.second in self.came_to
        return self._is_gone(pair.first) and self._is_gone(pair.second) and not both_left_copies

    def _origin(self, new: int) -> int | None:
        """Return the earlier layout op that an added op came from."""
        found = (find(new) for find in (self._derived, self._at_its_location, self._commuted))
        return next((origin for origin in found if origin is not None), None)

    def _derived(self, new: int) -> int | None:
        """Return the removed layout op whose location is inside that of ``new``."""
        ancestor = self.comparison.ancestor(new)
        if ancestor is None or ancestor[1] != Relation.DERIVED:
            return None
        was = self.does[0].get(ancestor[0])
        is_alike = was is not None and was.is_reshape == self.does[1][new].is_reshape
        return ancestor[0] if is_alike and self._is_gone(ancestor[0]) else None

    def _at_its_location(self, new: int) -> int | None:
        """Return the removed layout op with this location. Where it passed an op, it left its inverse."""
        does, location = self.does[1][new], self.new.locations[new]
        for old in self.gone_from.get(location, ()) if location != NO_LOCATION else ():
            what = self.does[0][old]
            same = (what, what.inverse)
            if does in same or (does.permutation and does.permutation in [one.permutation for one in same]):
                return old
        return None

    def _commuted(self, new: int) -> int | None:
        """Return the earlier op that was moved down to ``new``, past ops that both dumps have.

        A pass gives the op the location of the last op it passes, so only the dataflow shows its origin: the
        origin fed the ops that now feed ``new``.
        """
        was, does = self.comparison.was, self.does[1][new]
        passed = next((op for op in _above(self.new, new, self.added) if op in was), None)
        if passed is None or not may_commute(self.new, passed):
            return None
        candidates = []
        for distance, old in enumerate(_above(self.old, was[passed], self.does[0])):
            what = self.does[0].get(old)
            if what is not None and self._is_gone(old) and what.is_reshape == does.is_reshape:
                candidates.append((what != does, what.shape_out != does.shape_out, distance, old))
        return min(candidates)[-1] if candidates else None

    def _op(self, side: int, op: int) -> LayoutOp:
        return LayoutOp(self.sides[side].dump.label(op), str(self.does[side][op]))

    def _pair(self, side: int, pair: InversePair) -> LayoutPair:
        return LayoutPair(self._op(side, pair.first), self._op(side, pair.second), pair.between)

    def _moved(self, old: int) -> MovedLayoutOp:
        return MovedLayoutOp(self._op(0, old), tuple(self._op(1, new) for new in sorted(self.came_to[old])))


def _above(ops: ComparedOps, op: int, also: Collection[int]) -> Iterator[int]:
    """Yield the ops that an op is computed from, nearest first, through elementwise ops and ``also`` only."""
    pending, seen = deque(owner for owner, _ in ops.producers[op] if owner >= 0), {op}
    while pending and len(seen) <= SEARCHED_OPS:
        current = pending.popleft()
        if current in seen:
            continue
        seen.add(current)
        yield current
        if current in also or is_elementwise(ops, current):
            pending.extend(owner for owner, _ in ops.producers[current] if owner >= 0)


def _inversions_with(dump: KeyedDump, members: Collection[int]) -> int:
    blocks = [KeyedBlock(dump, number) for number in {dump.ir.op_block[op] for op in members}]
    return sum(
        block.runs.inversions_with([block.ops[k] in members for k in block.indexed]) for block in blocks
    )
