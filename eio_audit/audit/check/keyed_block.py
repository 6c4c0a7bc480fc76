"""A block of a dump with the keys of its ops, and the order that a fix gives it."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property, reduce
from itertools import chain, compress, count, groupby
from operator import itemgetter, not_, or_
from typing import TYPE_CHECKING, Any

from eio_audit.audit.check.comparison import Comparison, Keys, compare, is_inverted, without
from eio_audit.audit.check.keyed_dump import KeyedDump
from eio_audit.audit.dependence import DependenceGraph
from eio_audit.audit.locations.original_index import OpLabel
from eio_audit.audit.options import Follow
from eio_audit.audit.pair_class import PairClass
from eio_audit.order.permutation import SortedRuns, displaced, displaced_in, keyed_inversions, sorted_runs

if TYPE_CHECKING:
    from eio_audit.audit.check.figures import BlockAudit
    from eio_audit.audit.check.keyed_dump import AuditedDump


SORTS = (Follow.DERIVED, Follow.CONSTANTS, Follow.SPLITS, Follow.FREES)

UNCOUNTED = -1
"""In arrays, the figure of an op that does not count in inversions: its place, or how many it is in."""


class KeyedBlock:
    """A block of a dump with the keys of its ops. Ops are identified by their place in the block, from 0."""

    def __init__(self, dump: KeyedDump, number: int, keys: Keys | None = None) -> None:
        self.dump = dump
        self.number = number  # the number of the block in the dump
        self.ops: array[int] = dump.ir.block_ops[number]  # its ops in textual order
        # Per place, its key; None for an op that does not count in inversions.
        self.keys: Keys = dump.ir.of_block(number, dump.keys.by_op) if keys is None else keys
        self._has_all_keys = keys is None

    @cached_property
    def graph(self) -> DependenceGraph | None:
        """Its dependences; None in a graph region."""
        return self.dump.dependences.of([self.number])[self.number] if self.has_order else None

    @property
    def has_order(self) -> bool:
        """Whether its ops have an order: it is not in a graph region."""
        return self.dump.ir.has_order(self.number)

    @cached_property
    def comparison(self) -> Comparison:
        """What of it the original order compares: all, if it is in a graph region and so not judged."""
        known: dict[int, Comparison] = self.dump.keys.comparisons if self._has_all_keys else {}
        if self.number not in known:
            inversions = self.runs.inversions if self.has_order else 0
            known[self.number] = compare(self.dump, self.number, self.keys, inversions)
        return known[self.number]

    @property
    def comparable(self) -> KeyedBlock:
        """The same block with the keys that can be compared."""
        return self._compared if self.comparison.steps else self

    @cached_property
    def _compared(self) -> KeyedBlock:
        return KeyedBlock(self.dump, self.number, self.comparison.keys)

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

    def is_inverted(self, early: int, late: int) -> bool:
        """Return whether two ops are inverted, the earlier one first."""
        return is_inverted(self.keys, early, late)

    @property
    def handles(self) -> Sequence[int]:
        """Per place, 1 if its op only gives a handle or an allocation."""
        return self.dump.ir.of_block(self.number, self.dump.keys.handles_by_op)

    def places_of(self, sort: Follow) -> list[int]:
        """Return the places of the ops of a sort that count in inversions."""
        return [place for place in compress(count(), self.flags(sort)) if self.keys[place] is not None]

    def keys_without(self, sorts: Iterable[Follow]) -> Keys:
        """Return, per place, its key; None for an op of these sorts, too."""
        return without(self.keys, chain.from_iterable(map(self.places_of, sorts)))

    @property
    def frees_that_follow(self) -> frozenset[int]:
        """The places of the frees that follow the last use of what they free."""
        return self.dump.keys.frees_that_follow(self.number)

    @property
    def shape(self) -> Hashable:
        """A value that is equal for blocks that differ only in names, or in keys of the same order."""
        flags = (bytes(flags) for flags in (*map(self.flags, SORTS), self.handles))
        steps = ((one, _ranks(keys)) for one, keys in self.comparison.steps)
        return _ranks(self.keys), *flags, *steps, None if self.graph is None else self.graph.shape

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


def _ranks(keys: Keys) -> tuple[int | None, ...]:
    rank_of: dict[int | None, int] = dict(zip(sorted({key for key in keys if key is not None}), count()))
    return tuple(map(rank_of.get, keys))


class FixedBlock(KeyedBlock):
    """A block, and the order that a fix gives it."""

    dump: AuditedDump

    def __init__(
        self, dump: AuditedDump, number: int, keys: Keys | None = None, order: Sequence[int] | None = None
    ) -> None:
        super().__init__(dump, number, keys)
        # `order[k]` is the place of the op that a fix puts k-th.
        self.order: Sequence[int] = order or dump.orders.get(number) or range(len(self.ops))
        self._with_followers: FixedBlock | None = None

    @property
    def comparable(self) -> FixedBlock:
        """The same block with the keys that can be compared."""
        return self._compared if self.comparison.steps else self

    @cached_property
    def _compared(self) -> FixedBlock:
        return FixedBlock(self.dump, self.number, self.comparison.keys)

    @property
    def audit(self) -> BlockAudit:
        """Its figures."""
        return self.dump.audit.blocks[bisect_left(self.dump.blocks, self.number)]

    def without_handles(self) -> FixedBlock:
        """Return the block as if handles and allocations had no keys, as they cannot be out of order."""
        if 1 not in self.handles:
            return self
        keys = without(self.keys, compress(count(), self.handles))
        return FixedBlock(self.dump, self.number, keys, self.order)

    def inversions_around(self, one: PairClass) -> tuple[dict[int, int], dict[int, int]]:
        """Return, per place, in how many inversions its op is before and after the step of a class."""
        before: Keys = self.keys
        for step, after in self.comparison.steps:
            if step is one:
                break
            before = after
        else:  # handles in the best order
            before, after = self.comparison.keys, self.comparable.without_handles().keys
        block, then = (KeyedBlock(self.dump, self.number, keys) for keys in (before, after))
        return defaultdict(int, block.inversions_at), then.inversions_at

    @property
    def fixed(self) -> FixedBlock:
        """The same block; of ``of_others`` the block with all keys and the order of a fix."""
        return self if self._with_followers is None else self._with_followers

    def of_others(self) -> FixedBlock:
        """Return the block as if these had no keys: hoisted constants and splits, if they cause a part."""
        others = self.dump.orders_of_others.get(self.number)
        if others is None:
            return self
        block = FixedBlock(self.dump, self.number, self.keys_without(others.follow), others.order)
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


class PairClasses:
    """The classes of the inversions of a block. Ops are identified by their place in the block.

    The dump was audited with ``SharedWork.finds_classes``. Per place, ``bits`` has the bit of its op in bit
    sets, by default its place. Ops in no pair may share one.

    Complexity: O(n log n) to make; O(1) for one pair; O(n^2 / 64) to divide all pairs of a block of n ops.
    """

    def __init__(self, block: FixedBlock, bits: Sequence[int] | None = None) -> None:
        self._block = block
        self._bits = range(len(block.ops)) if bits is None else bits
        self._new_place = block.new_place
        self._steps = block.comparison.steps
        self._reversed = block.dump.reversed_pairs.get(block.number, {})
        self._follows = {
            one: block.flags(one.follow)
            for one in PairClass
            if one.follow and getattr(block.audit, one.figure)
        }
        self._serves = block.handles

    def of(self, early: int, late: int) -> PairClass:
        """Return the class of an inverted pair of ops, the earlier one first."""
        if (one := self._block.comparison.class_of(early, late)) is not None:
            return one
        if (early, late) in self._reversed:
            return PairClass.REVERSED
        if self._new_place[early] < self._new_place[late]:
            serves = self._serves[early] or self._serves[late]
            return PairClass.SERVING if serves else PairClass.WRONG_INDEX
        found = (one for one, flags in self._follows.items() if flags[early] or flags[late])
        return next(found, PairClass.OUT_OF_PLACE)

    def divide(self, place: int, inverted: int) -> dict[PairClass, int]:
        """Divide later ops that an op is inverted with, as bits, by the classes that occur."""
        found: dict[PairClass, int] = {}

        def take(one: PairClass, bits: int) -> None:
            nonlocal inverted
            if taken := inverted & bits:
                found[one] = found.get(one, 0) | taken
                inverted ^= taken

        for one, still in self._inverted_after:
            take(one, ~still[place])
        take(PairClass.REVERSED, self._reversed_with.get(place, 0))
        stays = self._stays_before[place]
        take(PairClass.SERVING, stays if self._serves[place] else stays & self._serving)
        take(PairClass.WRONG_INDEX, stays)
        for one, flags in self._follows.items():
            take(one, -1 if flags[place] else self._following[one])
        take(PairClass.OUT_OF_PLACE, -1)
        return found

    @cached_property
    def _stays_before(self) -> Sequence[int]:
        """Per place, the ops that are after its op in the best order found."""
        found, after = [0] * len(self._bits), 0
        for place in reversed(self._block.order):
            found[place] = after
            after |= 1 << self._bits[place]
        return found

    @cached_property
    def _inverted_after(self) -> list[tuple[PairClass, Sequence[int]]]:
        """By step of the comparison, per place, the later ops that its op is inverted with after the step."""
        return [(one, self._inverted(keys)) for one, keys in self._steps]

    def _inverted(self, keys: Keys) -> Sequence[int]:
        lesser, below = dict[int, int](), 0
        for key, group in groupby(
            sorted((key, place) for place, key in enumerate(keys) if key is not None), itemgetter(0)
        ):
            lesser[key] = below
            for _, place in group:
                below |= 1 << self._bits[place]
        found, after = [0] * len(keys), 0
        for place in reversed(range(len(keys))):
            key = keys[place]
            if key is not None:
                found[place] = after & lesser[key]
                after |= 1 << self._bits[place]
        return found

    @cached_property
    def _reversed_with(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for early, late in self._reversed:
            found[early] = found.get(early, 0) | 1 << self._bits[late]
        return found

    @cached_property
    def _serving(self) -> int:
        return self._set_of(self._serves)

    @cached_property
    def _following(self) -> dict[PairClass, int]:
        return {one: self._set_of(flags) for one, flags in self._follows.items()}

    def _set_of(self, flags: Sequence[int]) -> int:
        return reduce(or_, (1 << bit for bit in compress(self._bits, flags)), 0)
