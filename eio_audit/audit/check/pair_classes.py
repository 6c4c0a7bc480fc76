"""The classes of inversions: why two ops of a block are out of order, and what cures it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from eio_audit.audit.check.keyed_block import FixedBlock


class PairClass(StrEnum):
    """The class of an inversion."""

    OUT_OF_PLACE = "out of place"
    """A reorder puts the two back in order, and neither is a hoisted constant or a split."""
    WRONG_INDEX = "wrong index"
    """The best order found leaves it: an index contradicts dataflow. ``fix --relabel`` corrects it."""
    HOISTED_CONSTANT = "hoisted constant"
    """A reorder puts the two back. One is a constant, and its inversions vanish if constants follow."""
    SPLIT = "split"
    """A reorder puts the two back. One is a split, and its inversions vanish if splits follow."""


SHUFFLED = frozenset({PairClass.OUT_OF_PLACE, PairClass.WRONG_INDEX})
"""The classes that fail a gate by default."""


class PairRow(NamedTuple):
    """The inversions of one op with later ops, as bit sets: bit k is set for the op at place k.

    Attributes:
        place: the place of the op.
        inverted: the later ops that it is inverted with.
        by_class: the same for each class that occurs.
    """

    place: int
    inverted: int
    by_class: dict[PairClass, int]


class PairClasses:
    """The classes of the inversions of a block. Ops are identified by their place in the block.

    Complexity: O(n) to make; O(1) for one pair; O(n^2 / 64) for all pairs of a block of n ops.

    Args:
        block: a block whose dump was audited with ``SharedWork.finds_classes``.
    """

    def __init__(self, block: FixedBlock) -> None:
        size, audit = len(block.ops), block.audit
        self._block = block
        self._new_place = block.new_place
        self._is_constant = block.is_constant if audit.avoidable_constants else bytes(size)
        self._is_split = block.is_split if audit.avoidable_splits else bytes(size)

    def of(self, early: int, late: int) -> PairClass:
        """Return the class of an inverted pair of ops, the earlier one first."""
        if self._new_place[early] < self._new_place[late]:
            return PairClass.WRONG_INDEX
        if self._is_constant[early] or self._is_constant[late]:
            return PairClass.HOISTED_CONSTANT
        if self._is_split[early] or self._is_split[late]:
            return PairClass.SPLIT
        return PairClass.OUT_OF_PLACE

    def rows(self) -> Iterator[PairRow]:
        """Yield, by rising key, the ops that are inverted with later ops."""
        block = self._block
        constants, splits = _bits(self._is_constant), _bits(self._is_split)
        stays_before = [0] * len(block.ops)
        after = 0
        for place in reversed(block.order):
            stays_before[place] = after
            after |= 1 << place
        smaller = 0
        keyed: list[int] = []
        for place in sorted(block.indexed, key=block.key):
            if keyed and block.key(keyed[-1]) < block.key(place):
                for other in keyed:
                    smaller |= 1 << other
                keyed = []
            keyed.append(place)
            inverted = smaller >> place << place
            if not inverted:
                continue
            back = inverted & ~stays_before[place]
            at_constants = back if self._is_constant[place] else back & constants
            back ^= at_constants
            at_splits = back if self._is_split[place] else back & splits
            found = {
                PairClass.OUT_OF_PLACE: back ^ at_splits,
                PairClass.WRONG_INDEX: inverted & stays_before[place],
                PairClass.HOISTED_CONSTANT: at_constants,
                PairClass.SPLIT: at_splits,
            }
            yield PairRow(place, inverted, {one: bits for one, bits in found.items() if bits})


def class_of(block: FixedBlock, early: int, late: int) -> PairClass:
    """Return the class of one inverted pair of ops of a block, the earlier one first."""
    return PairClasses(block).of(early, late)


def _bits(flags: Sequence[int]) -> int:
    return sum(1 << place for place, flag in enumerate(flags) if flag)
