"""Audits of the order of the blocks that have inversions, and what blocks their displaced ops.

Some ops may follow others:

**Constants and splits.** Every greedy rewrite puts the constants of a function at its start. A fusion puts
splits, which take its results apart, directly after the fused op. If these follow their consumers, only the
order of the other ops counts. So the avoidable inversions of a block are divided: first the part that is gone
if constants follow, then the part that is gone if splits follow, too. The rest is out of place.

Pairs of ops that the original order does not compare (``comparison.py``) take no part in any of this: the
best order, the wrong indices and the parts are those of the comparable keys.

**Frees** go directly after the last use of what they free. By the dependences, a free waits for all uses of
the value, or of its buffer if it frees that. The other ops are ordered as if the frees had no keys. Then each
free goes as early as that order allows, which is always legal.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import compress, count
from math import inf
from types import MappingProxyType
from typing import NamedTuple

from eio_audit.audit.check.comparison import Comparison, without
from eio_audit.audit.check.figures import BlockAudit, Blocker, DisplacedOp, MislabelledOp
from eio_audit.audit.check.keyed_block import KeyedBlock
from eio_audit.audit.check.keyed_dump import KeyedDump, OrderOfOthers, SharedWork
from eio_audit.audit.check.reversed_dependences import find_reversed
from eio_audit.audit.dependence import DependenceGraph, DependenceKind
from eio_audit.audit.locations.original_index import OpLabel
from eio_audit.audit.options import Follow
from eio_audit.audit.pair_class import PairClass
from eio_audit.mlir.ir import IR
from eio_audit.order.effort import Effort
from eio_audit.order.linear_extension import is_minimal, restore_order
from eio_audit.order.permutation import (
    count_descents,
    displaced,
    keyed_inversions,
    moved_places,
    order_profile,
)
from eio_audit.order.precedence import Precedence, after_last_uses
from eio_audit.order.search import Order
from eio_audit.order.windows import block_of, count_forced
from eio_audit.order.wrong_labels import fewest_wrong_labels


def find_blockers(
    keys: Sequence[int | None], graph: DependenceGraph, is_early: Mapping[int, bool]
) -> dict[int, tuple[int, DependenceKind]]:
    """Find the direct user that needs an op early, or the direct producer that makes it late.

    Return, per requested place, the place of the blocker and the kind of dependence. Ops without a blocker
    are missing. A blocker whose own key explains the place is preferred to one that is blocked itself, then
    the one with the most distant key. ``is_early`` tells of each requested op whether it is early; otherwise
    it is late.
    """
    precedence, early = graph.precedence, is_early.values()
    below = precedence.smallest_below([inf if key is None else key for key in keys]) if any(early) else []
    above = precedence.largest_above([-inf if key is None else key for key in keys]) if not all(early) else []

    def blocker_of(place: int) -> int | None:
        own = keys[place]
        assert own is not None
        if is_early[place]:
            users = [user for user in precedence.successors(place) if below[user] < own]
            return min(users, key=lambda u: (keys[u] != below[u], below[u], u), default=None)
        producers = [producer for producer in precedence.predecessors(place) if above[producer] > own]
        return min(producers, key=lambda p: (keys[p] != above[p], -above[p], p), default=None)

    found = {place: blocker for place in is_early if (blocker := blocker_of(place)) is not None}
    edges = {place: (min(place, blocker), max(place, blocker)) for place, blocker in found.items()}
    kinds = graph.kinds(set(edges.values()))
    return {place: (found[place], kinds[edge]) for place, edge in edges.items()}


# Weights of op labels: a label that is more likely to be wrong weighs less.
DERIVED = 2  # A derived op: a pass gave it a name that extends the name of another op (`"X_tm0"("X")`)
INHERITED = 3  # A layout op or a free with the location of another op: most likely a pass copied it
LAYOUT = 4  # another layout op, constant or free: passes move these, and make them where they are needed
OTHER = 12  # any other op: passes do not change the labels of the ops that compute the model

PERMUTES = frozenset({"permute", "transpose"})
RESHAPES = frozenset(
    ("reshape", "squeeze", "unsqueeze", "flatten", "expand_shape", "collapse_shape", "view", "shape_cast")
)
"""The last part of the names of ops that only rearrange a tensor (``ttir.permute``)."""

LAYOUT_OPS = (
    PERMUTES
    | RESHAPES
    | {"broadcast", "from_device", "to_device", "to_dtype", "to_layout", "to_memory_config", "typecast"}
)
"""The last parts of the names of ops that change the layout of a tensor, not its content."""


class LabelWeights:
    """The weights of the labels of one dump's ops."""

    def __init__(self, ir: IR) -> None:
        self._ir = ir
        self._by_name = [
            LAYOUT if name.rpartition(".")[2] in LAYOUT_OPS or ir.op_table.of(name).only_frees else OTHER
            for name in ir.names
        ]

    def of(self, block: KeyedBlock) -> bytes:
        """Return, per place in a block, the weight of the op's label, one byte each."""
        names = self._ir.of_block(block.number, self._ir.op_name)
        weights = bytearray(map(self._by_name.__getitem__, names))
        for place in compress(range(len(weights)), block.flags(Follow.CONSTANTS)):
            weights[place] = LAYOUT
        for place in self._inherited(block, weights):
            weights[place] = INHERITED
        for place in compress(range(len(weights)), block.flags(Follow.DERIVED)):
            weights[place] = DERIVED
        return bytes(weights)

    def _inherited(self, block: KeyedBlock, weights: Sequence[int]) -> list[int]:
        """Return the places of light ops with the location of another op of the block."""
        times = Counter(block.keys)
        repeated = [place for place in block.indexed if times[block.keys[place]] > 1]
        texts = {place: self._ir.location_text(block.ops[place]) for place in repeated}
        shared = Counter(texts.values())
        return [place for place, text in texts.items() if weights[place] < OTHER and shared[text] > 1]


PROFILE_PARTS = 40  # the number of parts in the profile of a block
SHAPE_OPS = 1_000, 2_000  # the most ops of a block whose result is stored by shape; of work by function
MOST_SHAPES = 2_000  # the most shapes that are stored


class ShapeDisorder(NamedTuple):
    """The result for all blocks of one shape. Ops are identified by their place in the block."""

    audit: BlockAudit  # the figures of one of these blocks
    worst: Sequence[_DisplacedPlace]  # the displaced ops in the most inversions, worst first
    order: Sequence[int] | None = None  # the best order found, if it is better than the textual order
    moved: Sequence[int] = ()  # the ops that it moves
    # The order found if hoisted constants or splits follow, if both they and other ops have avoidable
    # inversions.
    order_of_others: OrderOfOthers | None = None
    # Per op with a wrong label, in textual order, the op whose label it should carry. The wrong labels
    # are a set of least weight.
    donors: Mapping[int, int] = MappingProxyType({})
    worst_labels: Sequence[int] = ()  # of these ops, those in the most inversions, worst first
    # The reversed dependences, each with what both ops touch.
    reversed_pairs: Mapping[tuple[int, int], int | str] = MappingProxyType({})


def audit_disordered(
    dump: KeyedDump, in_order: Mapping[int, BlockAudit], work: SharedWork
) -> Iterator[tuple[int, BlockAudit, ShapeDisorder]]:
    """Audit the blocks of a dump that have inversions, by rising number; each shape of a small block once.

    Yield the number of each block, its figures, and the result for its shape.

    ``in_order`` has, per block to audit, the figures that do not depend on the order.
    """
    disordered = [number for number in dump.keys.disordered_blocks if number in in_order]
    dump.dependences.of(list(filter(dump.ir.has_order, disordered)))  # all in one pass
    label_weights, around = LabelWeights(dump.ir), None
    for number in disordered:
        block, own = KeyedBlock(dump, number), in_order[number]
        if work.by_function and own.function != around:
            work.begin_dump()
        around = own.function
        weights = label_weights.of(block) if work.finds_wrong_labels else b""
        disorder = _disorder(block, own, weights, work)
        audit = disorder.audit._replace(
            function=own.function,
            block=own.block,
            line=own.line,
            followed=own.followed,
            followed_frees=own.followed_frees,
            worst=tuple(_described(block, displaced, block.label) for displaced in disorder.worst),
            mislabelled=tuple(
                MislabelledOp(
                    block.label(place), block.label(disorder.donors[place]), block.inversions_at[place]
                )
                for place in disorder.worst_labels
            ),
        )
        yield number, audit, disorder


def _disorder(block: KeyedBlock, in_order: BlockAudit, weights: bytes, work: SharedWork) -> ShapeDisorder:
    """Return the result for a block's shape, which is computed if it is not stored."""
    if len(block.keys) > SHAPE_OPS[work.by_function]:
        return _found(block, in_order, weights, work)
    shape = block.shape, weights
    if shape in work.by_shape:
        known: ShapeDisorder = work.by_shape[shape]
        return known
    # Another dump may have stored the result for the budget that is left.
    efforts = work.effort, work.others_effort, work.label_effort
    key = shape, *(effort.left for effort in efforts)
    if key not in work.by_shape_and_budget:
        if len(work.by_shape_and_budget) > MOST_SHAPES:
            work.by_shape_and_budget.clear()
        found = _found(block, in_order, weights, work)
        work.by_shape_and_budget[key] = found, [effort.left for effort in efforts]
    known, left = work.by_shape_and_budget[key]
    for effort, rest in zip(efforts, left, strict=True):
        effort.left = rest
    work.by_shape[shape] = known
    return known


def _found(block: KeyedBlock, in_order: BlockAudit, weights: bytes, work: SharedWork) -> ShapeDisorder:
    runs, comparable = block.runs, block.comparable
    audit = in_order._replace(
        inversions=runs.inversions,
        descents=count_descents(runs.ranks),  # as many as among the keys: a run has none inside
        minimum=runs.inversions,
        lower_bound=runs.inversions,
        displaced=len(block.displaced),
        inherited=block.inversions_with(block.flags(Follow.DERIVED)),
        at_constants=block.inversions_with(block.flags(Follow.CONSTANTS)),
        at_frees=block.inversions_with(block.flags(Follow.FREES)),
        profile=order_profile(block.indexed_keys, PROFILE_PARTS) if work.described_ops else (),
    )
    worst = _displaced_places(comparable, work.described_ops) if work.described_ops else ()
    if block.graph is None:
        return ShapeDisorder(audit, worst)
    precedence, donors = block.graph.precedence, dict[int, int]()
    reversed_pairs = find_reversed(comparable)
    if weights and block.dump.options.order_from is None:  # an order from another dump has no labels
        carried = [block.inversions_at.get(place, 0) for place in range(len(block.keys))]
        keys = without(comparable.keys, compress(count(), block.handles))
        without_reversed = block.graph.precedence_without(reversed_pairs)
        labels = fewest_wrong_labels(keys, weights, without_reversed, work.label_effort, carried)
        donors = labels.donor_of
        audit = audit._replace(
            wrong_indices=len(donors),
            wrong_by_passes=sum(weights[place] <= INHERITED for place in donors),
            wrong_certified=labels.certified,
        )
    frees, left = block.frees_that_follow, comparable.runs.inversions
    best = restore_block(comparable.keys, precedence, frees, left, work.effort)
    moved = array("i", [best.order[k] for k in displaced(best.order)] if best.moved else [])
    excused = runs.inversions - left
    audit = audit._replace(
        forced=count_forced(block_of(block.keys, precedence), Effort()) if excused else best.forced,
        minimum=best.inversions + excused,
        lower_bound=best.lower_bound + excused,
        moved=best.moved,
        moved_unindexed=sum(block.keys[place] is None for place in moved),
        reversed_dependences=len(reversed_pairs),
        not_comparable=_not_comparable(comparable, block.comparison, best, reversed_pairs),
    )
    others = None
    if work.finds_classes:
        audit, others = find_followers(comparable, audit, best.order, work.others_effort)
    worst_labels = sorted(donors, key=lambda place: -block.inversions_at[place])[: work.described_ops]
    order = array("i", best.order) if best.moved else None
    return ShapeDisorder(audit, worst, order, moved, others, donors, worst_labels, reversed_pairs)


def _not_comparable(
    comparable: KeyedBlock, comparison: Comparison, best: Order, reversed_pairs: Collection[tuple[int, int]]
) -> Counter[PairClass]:
    """Return how many inversions are not comparable, by their class.

    A handle or an allocation follows what it serves. So the inversions that it has in the best order are none
    of a wrong index.
    """
    numbers, keys = +comparison.numbers, comparable.keys
    if 1 in comparable.handles:
        in_best = keyed_inversions(map(keys.__getitem__, best.order))
        others = without(keys, compress(count(), comparable.handles))
        numbers[PairClass.SERVING] += in_best - keyed_inversions(map(others.__getitem__, best.order))
        is_handle = comparable.handles
        numbers[PairClass.SERVING] -= sum(
            is_handle[early] or is_handle[late] for early, late in reversed_pairs
        )
    return +numbers


APART = (PairClass.HOISTED_CONSTANT, PairClass.SPLIT)
"""The classes of avoidable inversions that are told apart, and the order in which they take their part."""


def find_followers(
    block: KeyedBlock, audit: BlockAudit, fixed: Sequence[int], effort: Effort
) -> tuple[BlockAudit, OrderOfOthers | None]:
    """Find the parts of the avoidable inversions that hoisted constants and splits cause.

    ``fixed`` is the order of a fix. Return the figures with these parts, and the order found if these ops
    follow; None if they cause no part, or all.
    """
    assert block.graph is not None
    rest, order_of_others = audit.avoidable, None
    sorts: list[Follow] = []
    for one in APART if rest else ():
        sort = one.follow
        assert sort is not None
        sorts.append(sort)
        places = [place for place in block.places_of(sort) if block.inversions_at[place]]
        if not places:
            continue
        keys = block.keys_without(sorts)
        order, others = _order_of(keys, fixed, rest, block.graph.precedence, effort)
        if others < rest:
            then = block.inversions_in(fixed)
            fewer = sum(block.inversions_at[place] > then[place] for place in places)
            if one is PairClass.HOISTED_CONSTANT:
                audit = audit._replace(avoidable_constants=rest - others, hoisted_constants=fewer)
            else:
                audit = audit._replace(avoidable_splits=rest - others, left_splits=fewer)
            rest, order_of_others = others, OrderOfOthers(tuple(sorts), order)
    return audit, order_of_others if rest else None


def _order_of(
    keys: Sequence[int | None], fixed: Sequence[int], most: int, precedence: Precedence, effort: Effort
) -> tuple[Sequence[int], int]:
    """Return the better of two orders of the ops with keys, and how many inversions it removes.

    One is the order of a fix. It removes fewer than another if it leaves these ops out of order for the sake
    of those that follow. The other is searched for, unless the first removes ``most``.
    """
    inversions = keyed_inversions(keys)
    order, removed = fixed, inversions - keyed_inversions(map(keys.__getitem__, fixed))
    left = inversions - removed
    if removed < min(most, inversions) and not is_minimal(keys, precedence, fixed, left, effort):
        found = restore_order(keys, precedence, inversions, effort)
        if found.inversions < left:
            order, removed = found.order, inversions - found.inversions
    return order, removed


def restore_block(
    keys: Sequence[int | None],
    precedence: Precedence,
    frees: Collection[int],
    inversions: int | None = None,
    effort: Effort | None = None,
) -> Order:
    """Find the best order of a block. If any op moves, its frees are directly after their last uses.

    Moving the frees changes no inversion. But unless it is certified, the order of the other ops may depend
    on where the frees were. So they are ordered again until nothing better is found, and a second fix changes
    nothing. The other arguments are as for ``restore_order``.
    """
    effort = effort or Effort()
    best = restore_order(keys, precedence, inversions, effort)
    if not (frees and best.moved):
        return best
    order = after_last_uses(best.order, frees, precedence)
    while not best.certified and order != best.order and not effort.is_spent:
        again = restore_order(
            [keys[place] for place in order], precedence.restricted(order), best.inversions, effort
        )
        if again.inversions == best.inversions:
            break
        best = again._replace(order=[order[place] for place in again.order])
        order = after_last_uses(best.order, frees, precedence)
    return best._replace(order=order, moved=len(moved_places(order)))


def describe_displaced(
    block: KeyedBlock, places: Iterable[int], label_of: Callable[[int], OpLabel]
) -> dict[int, DisplacedOp]:
    """Describe the ops at some places of a block, those in the most inversions first.

    ``label_of`` returns the op at a place, as reports name it.
    """
    chosen = _displaced_places(block, None, places)
    return {place.place: _described(block, place, label_of) for place in chosen}


class _DisplacedPlace(NamedTuple):
    """A displaced op and its blocker, by their places; ``DisplacedOp`` has the rest."""

    place: int
    inversions: int
    early: bool
    blocker: tuple[int, DependenceKind] | None


def _displaced_places(
    block: KeyedBlock, limit: int | None, places: Iterable[int] | None = None
) -> list[_DisplacedPlace]:
    """Return up to ``limit`` displaced ops, or ops at ``places``, those in the most inversions first."""
    carried, original = block.inversions_at, block.original_places
    chosen = sorted(block.displaced if places is None else places, key=lambda place: -carried[place])[:limit]
    rank_of = {place: rank for rank, place in enumerate(block.indexed)}
    early = {place: original[place] >= rank_of[place] for place in chosen}
    blockers = find_blockers(block.keys, block.graph, early) if block.graph is not None else {}
    return [_DisplacedPlace(place, carried[place], early[place], blockers.get(place)) for place in chosen]


def _described(
    block: KeyedBlock, displaced: _DisplacedPlace, label_of: Callable[[int], OpLabel]
) -> DisplacedOp:
    blocker = displaced.blocker
    return DisplacedOp(
        op=label_of(displaced.place),
        inversions=displaced.inversions,
        early=displaced.early,
        derived=bool(block.dump.indices.derived_by_op[block.ops[displaced.place]]),
        blocker=Blocker(label_of(blocker[0]), blocker[1]) if blocker else None,
    )
