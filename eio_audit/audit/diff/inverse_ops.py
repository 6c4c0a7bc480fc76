"""What became of permutes, transposes and reshapes: cancelled, moved in vain, or left with their inverse.

A pass that erases inverse ops moves them up or down until they meet their inverse. One that met none had
better been left where it was: it carries its location to a place where it never stood.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from eio_audit.audit.diff.compared_dump import ComparedDump
from eio_audit.audit.diff.op_changes import DumpComparison, Relation
from eio_audit.audit.layout import InversePair, inverse_pairs, is_elementwise, may_commute, rearrangements
from eio_audit.audit.locations.location_numbers import NO_LOCATION
from eio_audit.audit.op_label import OpLabel
from eio_audit.order.inversions import count_inversions

SEARCHED_OPS = 64
"""How many ops above a commuted op are looked at for the one it was."""


@dataclass(frozen=True, slots=True)
class LayoutOp:
    """A permute, transpose or reshape.

    Attributes:
        op: which.
        does: its permutation, ``[0, 3, 1, 2]``, or its shapes, ``1x32 -> 32``.
    """

    op: OpLabel
    does: str


@dataclass(frozen=True, slots=True)
class LayoutPair:
    """Two layout ops of which the second undoes the first, and the elementwise ops between."""

    first: LayoutOp
    second: LayoutOp
    between: int


@dataclass(frozen=True, slots=True)
class MovedLayoutOp:
    """A layout op that was moved, and where it is now; in several places where copies of it were needed."""

    before: LayoutOp
    after: tuple[LayoutOp, ...]


@dataclass(frozen=True, slots=True)
class InverseOps:
    """What became of the permutes, transposes and reshapes.

    Attributes:
        before, after: how many there are.
        inverse_before: how many pairs of the dump before undo each other.
        cancelled: the pairs of the dump before that are gone.
        copies: ops of these pairs of which copies are left, on other operands of the ops they were moved
            past.
        moved: ops that were moved and did not cancel; not those that were only put back in order.
        gone: ops that are gone without an inverse: merged with another or folded.
        added: ops that came from none of the dump before.
        remaining: pairs of the dump after that undo each other.
        inversions: how many inversions of the dump after have one of the moved ops or copies at an end.
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
        came_to: by layout op of the dump before that was moved, where it is now, and copies of it.
        orphans: layout ops of the dump after that came from none of the dump before.

    Complexity: near-linear.
    """

    def __init__(self, comparison: DumpComparison) -> None:
        self.comparison = comparison
        self.old, self.new = comparison.before, comparison.after
        self.does = [rearrangements(side.ops) for side in (self.old, self.new)]
        self.pairs = [
            inverse_pairs(side.ops, does) for side, does in zip((self.old, self.new), self.does, strict=True)
        ]
        self.gone_from: dict[int, list[int]] = {}
        for op in self.does[0]:
            if self._is_gone(op) and self.old.ops.locations[op] != NO_LOCATION:
                self.gone_from.setdefault(self.old.ops.locations[op], []).append(op)
        self.came_to: dict[int, list[int]] = {}
        for new in self.does[1]:
            was = comparison.was.get(new)
            if was is not None and new in comparison.moved and not comparison.came_back(new):
                self.came_to.setdefault(was, []).append(new)
        added = [op for op in self.does[1] if op not in comparison.was]
        self.orphans = []
        for op in added:
            came_from = self._derived(op)
            if came_from is None:
                came_from = self._at_its_location(op)
            if came_from is None:
                came_from = self._commuted(op)
            if came_from is None:
                self.orphans.append(op)
            else:
                self.came_to.setdefault(came_from, []).append(op)

    @property
    def came_from(self) -> dict[int, int]:
        """By layout op of the dump after that was moved or copied, the one it came from."""
        return {new: old for old, ops in self.came_to.items() for new in ops}

    def inverse_ops(self) -> InverseOps:
        """What became of them, by what became of their inverses."""
        cancelled = [pair for pair in self.pairs[0] if self._is_cancelled(pair)]
        met = {op for pair in cancelled for op in (pair.first, pair.second)}
        moved = sorted(op for op in self.came_to if op not in met)
        gone = [op for op in self.does[0] if self._is_gone(op) and op not in met and op not in self.came_to]
        displaced = {new for ops in self.came_to.values() for new in ops}
        return InverseOps(
            before=len(self.does[0]),
            after=len(self.does[1]),
            inverse_before=len(self.pairs[0]),
            cancelled=tuple(self._pair(0, pair) for pair in cancelled),
            copies=tuple(self._moved(op) for op in sorted(met) if op in self.came_to),
            moved=tuple(self._moved(op) for op in moved),
            gone=tuple(self._op(0, op) for op in gone),
            added=tuple(self._op(1, op) for op in self.orphans),
            remaining=tuple(self._pair(1, pair) for pair in self.pairs[1]),
            inversions=_inversions_with(self.new, displaced),
        )

    def _is_gone(self, old: int) -> bool:
        return old not in self.comparison.became

    def _is_cancelled(self, pair: InversePair) -> bool:
        """Both are gone, and one of them for good: the other may have left copies."""
        if not (self._is_gone(pair.first) and self._is_gone(pair.second)):
            return False
        return pair.first not in self.came_to or pair.second not in self.came_to

    def _derived(self, new: int) -> int | None:
        """The layout op that is gone and whose location is inside that of ``new``."""
        ancestor = self.comparison.ancestor(new)
        if ancestor is None or ancestor[1] != Relation.DERIVED:
            return None
        was = self.does[0].get(ancestor[0])
        is_alike = was is not None and was.is_reshape == self.does[1][new].is_reshape
        return ancestor[0] if is_alike and self._is_gone(ancestor[0]) else None

    def _at_its_location(self, new: int) -> int | None:
        """The layout op that is gone and had the location: where it passed an op, it left its inverse."""
        does = self.does[1][new]
        for old in self.gone_from.get(self.new.ops.locations[new], ()):
            what = self.does[0][old]
            same = (what, what.inverse)
            if does in same or (does.permutation and does.permutation in [one.permutation for one in same]):
                return old
        return None

    def _commuted(self, new: int) -> int | None:
        """The op of the dump before that was moved down to ``new``, behind ops that both dumps have.

        A pass gives it the location of the last op it passes, so only the dataflow tells: it fed what now
        feeds it.
        """
        users = (op for op in _above(self.new, new, set(self.does[1]) - self.comparison.was.keys()))
        passed = next((op for op in users if op in self.comparison.was), None)
        if passed is None or not may_commute(self.new.ops, passed):
            return None
        does = self.does[1][new]
        candidates = []
        for distance, old in enumerate(_above(self.old, self.comparison.was[passed], set(self.does[0]))):
            what = self.does[0].get(old)
            if what is not None and self._is_gone(old) and what.is_reshape == does.is_reshape:
                candidates.append((what != does, what.shape_out != does.shape_out, distance, old))
        return min(candidates)[-1] if candidates else None

    def _op(self, side: int, op: int) -> LayoutOp:
        return LayoutOp((self.old, self.new)[side].label(op), str(self.does[side][op]))

    def _pair(self, side: int, pair: InversePair) -> LayoutPair:
        return LayoutPair(self._op(side, pair.first), self._op(side, pair.second), pair.between)

    def _moved(self, old: int) -> MovedLayoutOp:
        return MovedLayoutOp(self._op(0, old), tuple(self._op(1, new) for new in sorted(self.came_to[old])))


def _above(side: ComparedDump, op: int, also: set[int]) -> Iterator[int]:
    """The ops an op is computed from, nearest first, with only elementwise ops and ``also`` between."""
    pending, seen = deque(owner for owner, _ in side.ops.producers[op] if owner >= 0), {op}
    while pending and len(seen) <= SEARCHED_OPS:
        current = pending.popleft()
        if current in seen:
            continue
        seen.add(current)
        yield current
        if current in also or is_elementwise(side.ops, current):
            pending.extend(owner for owner, _ in side.ops.producers[current] if owner >= 0)


def _inversions_with(side: ComparedDump, members: set[int]) -> int:
    """How many inversions have a member at an end."""
    total = 0
    for ops in side.audited.ir.block_ops:
        keyed = [(op, key) for op, key in zip(ops, side.audited.keys.of(ops), strict=True) if key is not None]
        if any(op in members for op, _ in keyed):
            others = [key for op, key in keyed if op not in members]
            total += count_inversions([key for _, key in keyed]) - count_inversions(others)
    return total
