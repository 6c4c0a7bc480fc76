"""A block of a dump with the keys of its ops, and the order that a fix gives it."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Hashable, Iterable, Sequence
from enum import StrEnum
from functools import cached_property, reduce
from itertools import chain, compress, count
from operator import not_, or_
from typing import TYPE_CHECKING, Any

from eio_audit.audit.check.keyed_dump import KeyedDump
from eio_audit.audit.dependence import DependenceGraph
from eio_audit.audit.locations.original_index import OpLabel
from eio_audit.audit.options import Follow
from eio_audit.order.permutation import SortedRuns, displaced, displaced_in, keyed_inversions, sorted_runs

if TYPE_CHECKING:
    from eio_audit.audit.check.figures import BlockAudit
    from eio_audit.audit.check.keyed_dump import AuditedDump


SORTS = (Follow.DERIVED, Follow.CONSTANTS, Follow.SPLITS, Follow.FREES)

UNCOUNTED = -1
"""In arrays, the figure of an op that does not count in inversions: its place, or how many it is in."""


class KeyedBlock:
    """A block of a dump with the keys of its ops. Ops are identified by their place in the block, from 0."""

    def __init__(self, dump: KeyedDump, number: int) -> None:
        self.dump = dump
        self.number = number  # the number of the block in the dump
        self.ops: array[int] = dump.ir.block_ops[number]  # its ops in textual order
        # Per place, its key; None for an op that does not count in inversions.
        self.keys = dump.ir.of_block(number, dump.keys.by_op)

    @cached_property
    def graph(self) -> DependenceGraph | None:
        """Its dependences; None in a graph region."""
        return self.dump.dependences.of([self.number])[self.number] if self.has_order else None

    @property
    def has_order(self) -> bool:
        """Whether its ops have an order: it is not in a graph region."""
        return self.dump.ir.has_order(self.number)

    @cached_property
    def indexed(self) -> list[int]:
        """The places of the ops that count in inversions."""
        return [place for place, key in enumerate(self.keys) if key is not None]

    @property
    def indexed_keys(self) -> list[int]:
        """The keys of these ops."""
        return [key for key in self.keys if key is not None]

    @cached_property
    def runs(self) -> SortedRuns:
        """The runs of these keys."""
        return sorted_runs(self.indexed_keys)

    @cached_property
    def inversions_at(self) -> dict[int, int]:
        """Per place of an op that counts in inversions, how many it is in."""
        return dict(zip(self.indexed, self.runs.inversions_by_position(), strict=True))

    @cached_property
    def displaced(self) -> list[int]:
        """The places of a smallest set of ops whose removal leaves the block in order."""
        return [self.indexed[position] for position in displaced_in(self.runs)]

    def flags(self, sort: Follow) -> Sequence[int]:
        """Return, per place, 1 if ``sort`` names its kind."""
        return self.dump.ir.of_block(self.number, self.dump.keys.flags(sort))

    def places_of(self, sort: Follow) -> list[int]:
        """Return the places of the ops of a sort that count in inversions."""
        return [place for place in compress(count(), self.flags(sort)) if self.keys[place] is not None]

    def keys_without(self, sorts: Iterable[Follow]) -> list[int | None]:
        """Return, per place, its key; None for an op of these sorts, too."""
        keys = list(self.keys)
        for place in chain.from_iterable(map(self.places_of, sorts)):
            keys[place] = None
        return keys

    @property
    def frees_that_follow(self) -> frozenset[int]:
        """The places of the frees that follow the last use of what they free."""
        return self.dump.keys.frees_that_follow(self.number)

    @property
    def shape(self) -> Hashable:
        """A value that is equal for blocks that differ only in names, or in keys of the same order."""
        rank_of: dict[int | None, int] = dict(zip(sorted(set(self.indexed_keys)), count()))
        ranks = tuple(map(rank_of.get, self.keys))
        edges = None if self.graph is None else self.graph.shape
        return ranks, *(bytes(self.flags(sort)) for sort in SORTS), edges

    @cached_property
    def original_places(self) -> dict[int, int]:
        """Per place of an op that counts, in textual order, its place in the original order of these ops."""
        keys: Sequence[Any] = self.keys  # those of the indexed ops are integers
        rank_of = {place: rank for rank, place in enumerate(sorted(self.indexed, key=keys.__getitem__))}
        return {place: rank_of[place] for place in self.indexed}

    def inversions_with(self, is_member: Sequence[int]) -> int:
        """Return how many inversions have a member at an end; ``is_member`` is 0 or 1 per place."""
        others = compress(self.keys, map(not_, is_member))
        return self.runs.inversions - keyed_inversions(others) if any(is_member) else 0

    def inversions_in(self, order: Sequence[int]) -> dict[int, int]:
        """Return, per place of an op that counts in inversions, how many it is in in an order."""
        indexed = [place for place in order if self.keys[place] is not None]
        runs = sorted_runs([self.key(place) for place in indexed])
        return dict(zip(indexed, runs.inversions_by_position(), strict=True))

    def key(self, place: int) -> int:
        """Return the key of an op that has one."""
        key = self.keys[place]
        assert key is not None
        return key

    def label(self, place: int) -> OpLabel:
        """Return the op at a place, as reports name it."""
        return self.dump.label(self.ops[place])


class FixedBlock(KeyedBlock):
    """A block, and the order that a fix gives it."""

    dump: AuditedDump

    def __init__(self, dump: AuditedDump, number: int) -> None:
        super().__init__(dump, number)
        # `order[k]` is the place of the op that a fix puts k-th.
        self.order: Sequence[int] = dump.orders.get(number) or range(len(self.ops))
        self._with_followers: FixedBlock | None = None

    @property
    def audit(self) -> BlockAudit:
        """Its figures."""
        return self.dump.audit.blocks[bisect_left(self.dump.blocks, self.number)]

    @property
    def fixed(self) -> FixedBlock:
        """The same block; of ``of_others`` the block with all keys and the order of a fix."""
        return self if self._with_followers is None else self._with_followers

    def of_others(self) -> FixedBlock:
        """Return the block as if these had no indices: hoisted constants and splits, if they cause a part."""
        others = self.dump.orders_of_others.get(self.number)
        if others is None:
            return self
        block = FixedBlock(self.dump, self.number)
        block.keys, block.order = self.keys_without(others.follow), others.order
        block._with_followers = self
        return block

    @property
    def follow_options(self) -> str:
        """The options that give the order of ``of_others``: `` --follow constants``."""
        others = self.dump.orders_of_others.get(self.number)
        return "".join(f" --follow {one.value}" for one in others.follow) if others else ""

    @cached_property
    def new_place(self) -> list[int]:
        """Per place, the place that a fix gives its op."""
        return sorted(range(len(self.order)), key=self.order.__getitem__)

    @cached_property
    def moved(self) -> frozenset[int]:
        """The places whose ops a fix moves: the fewest that explain the new order."""
        if self.order == self.dump.orders.get(self.number):
            return frozenset(self.dump.moved[self.number])
        return frozenset(self.order[k] for k in displaced(self.order))

    @property
    def indexed_order(self) -> list[int]:
        """The places of the ops that count in inversions, in the order of a fix."""
        return [place for place in self.order if self.keys[place] is not None]

    @cached_property
    def inversions_at_fixed(self) -> dict[int, int]:
        """Per place of an op that counts in inversions, how many it is in after a fix."""
        return self.inversions_in(self.order)


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
