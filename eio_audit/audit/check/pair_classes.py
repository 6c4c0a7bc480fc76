"""The classes of inversions: why two ops of a block are out of order, and what cures it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from functools import cached_property, reduce
from itertools import compress
from operator import or_

from eio_audit.audit.check.keyed_block import FixedBlock
from eio_audit.audit.options import Follow


class PairClass(StrEnum):
    """The class of an inversion."""

    # A reorder puts the two back in order, and neither is a hoisted constant or a split.
    OUT_OF_PLACE = "out of place"
    # The best order found leaves it: an index contradicts dataflow. `fix --relabel` corrects it.
    WRONG_INDEX = "wrong index"
    HOISTED_CONSTANT = "hoisted constant"  # one is a constant: it vanishes if constants follow
    SPLIT = "split"  # one is a split: it vanishes if splits follow


SHUFFLED = frozenset({PairClass.OUT_OF_PLACE, PairClass.WRONG_INDEX})
"""The classes that fail a gate by default."""


class PairClasses:
    """The classes of the inversions of a block. Ops are identified by their place in the block.

    The dump was audited with ``SharedWork.finds_classes``. Per place, ``bits`` has the bit of its op in bit
    sets, by default its place. Ops in no pair may share one.

    Complexity: O(n) to make; O(1) for one pair; O(n^2 / 64) to divide all pairs of a block of n ops.
    """

    def __init__(self, block: FixedBlock, bits: Sequence[int] | None = None) -> None:
        size, audit = len(block.ops), block.audit
        self._block = block
        self._bits = range(size) if bits is None else bits
        self._new_place = block.new_place
        self._is_constant = block.flags(Follow.CONSTANTS) if audit.avoidable_constants else bytes(size)
        self._is_split = block.flags(Follow.SPLITS) if audit.avoidable_splits else bytes(size)

    def of(self, early: int, late: int) -> PairClass:
        """Return the class of an inverted pair of ops, the earlier one first."""
        if self._new_place[early] < self._new_place[late]:
            return PairClass.WRONG_INDEX
        if self._is_constant[early] or self._is_constant[late]:
            return PairClass.HOISTED_CONSTANT
        if self._is_split[early] or self._is_split[late]:
            return PairClass.SPLIT
        return PairClass.OUT_OF_PLACE

    def divide(self, place: int, inverted: int) -> dict[PairClass, int]:
        """Divide later ops that an op is inverted with, as bits, by the classes that occur."""
        back = inverted & ~self._stays_before[place]
        at_constants = back if self._is_constant[place] else back & self._constants
        others = back ^ at_constants
        at_splits = others if self._is_split[place] else others & self._splits
        found = {
            PairClass.OUT_OF_PLACE: others ^ at_splits,
            PairClass.WRONG_INDEX: inverted ^ back,
            PairClass.HOISTED_CONSTANT: at_constants,
            PairClass.SPLIT: at_splits,
        }
        return {one: bits for one, bits in found.items() if bits}

    @cached_property
    def _stays_before(self) -> Sequence[int]:
        """Per place, the ops that are after its op in the best order found."""
        found, after = [0] * len(self._bits), 0
        for place in reversed(self._block.order):
            found[place] = after
            after |= 1 << self._bits[place]
        return found

    @cached_property
    def _constants(self) -> int:
        return self._set_of(self._is_constant)

    @cached_property
    def _splits(self) -> int:
        return self._set_of(self._is_split)

    def _set_of(self, flags: Sequence[int]) -> int:
        return reduce(or_, (1 << bit for bit in compress(self._bits, flags)), 0)
