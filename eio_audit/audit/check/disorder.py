"""Audits of the order of the blocks that have inversions, and what blocks their displaced ops."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from eio_audit.audit.check.figures import BlockAudit, Blocker, DisplacedOp, MislabelledOp
from eio_audit.audit.check.followers import find_followers, restore_block
from eio_audit.audit.check.keyed_block import KeyedBlock
from eio_audit.audit.check.keyed_dump import KeyedDump, OrderOfOthers, SharedWork
from eio_audit.audit.check.label_weights import INHERITED, LabelWeights
from eio_audit.audit.dependence import DependenceGraph, DependenceKind
from eio_audit.audit.op_label import OpLabel
from eio_audit.order.effort import Effort
from eio_audit.order.flow.wrong_labels import fewest_wrong_labels
from eio_audit.order.inversions import count_descents, displaced, order_profile


def find_blockers(
    keys: Sequence[int | None], graph: DependenceGraph, is_early: Mapping[int, bool]
) -> dict[int, tuple[int, DependenceKind]]:
    """Find the direct user that needs an op early, or the direct producer that makes it late.

    Args:
        keys: per place of the block, its key; None for an op that does not count in inversions.
        graph: the block's dependences.
        is_early: per requested place, whether the op is early; otherwise it is late.

    Returns:
        Per requested place, the place of the blocker and the kind of dependence; ops without a blocker are
        missing. A blocker whose own key explains the place is preferred to one that is blocked itself, then
        the one with the most distant key.
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


PROFILE_PARTS = 40
"""The number of parts in the profile of a block."""

SHAPE_OPS = 1_000
"""The most ops of a block whose result is stored by shape."""

MOST_SHAPES = 2_000
"""The most shapes that are stored."""


@dataclass(frozen=True, slots=True)
class ShapeDisorder:
    """The result for all blocks of one shape. Ops are identified by their place in the block."""

    figures: Mapping[str, Any]  # figures of `BlockAudit`, by name
    worst: Sequence[_DisplacedPlace]  # the displaced ops in the most inversions, worst first
    order: Sequence[int] | None  # the best order found, if it is better than the textual order
    # The order found if hoisted constants or splits follow, if both they and other ops have avoidable
    # inversions.
    order_of_others: OrderOfOthers | None
    # Per op with a wrong label, in textual order, the op whose label it should carry. The wrong labels
    # are a set of least weight.
    donors: Mapping[int, int]
    # Of these ops, those in the most inversions, worst first, with their inversions.
    worst_labels: Mapping[int, int]


def audit_disordered(
    dump: KeyedDump, in_order: Mapping[int, BlockAudit], work: SharedWork
) -> Iterator[tuple[BlockAudit, ShapeDisorder]]:
    """Audit the blocks of a dump that have inversions, by rising number; each shape of a small block once.

    Yield the figures of each block, and the result for its shape.

    ``in_order`` has, per block, the figures that do not depend on the order.
    """
    dump.dependences.of(list(filter(dump.has_order, dump.keys.disordered_blocks)))  # all in one pass
    weights = LabelWeights(dump.ir)
    for number in dump.keys.disordered_blocks:
        block = KeyedBlock(dump, number)
        disorder = _disorder(block, weights, work)
        audit = in_order[number]._replace(
            **disorder.figures,
            worst=tuple(_described(block, displaced, block.label) for displaced in disorder.worst),
            mislabelled=tuple(
                MislabelledOp(block.label(place), block.label(disorder.donors[place]), inversions)
                for place, inversions in disorder.worst_labels.items()
            ),
        )
        yield audit, disorder


def _disorder(block: KeyedBlock, label_weights: LabelWeights, work: SharedWork) -> ShapeDisorder:
    """Return the result for a block's shape, which is computed if it is not stored."""
    weights = label_weights.of(block) if work.finds_wrong_labels else b""
    if len(block.keys) > SHAPE_OPS:
        return _found(block, weights, work)
    shape = block.shape, weights
    if shape not in work.by_shape:
        work.by_shape[shape] = _found_before(shape, block, weights, work)
    known: ShapeDisorder = work.by_shape[shape]
    return known


def _found_before(shape: Hashable, block: KeyedBlock, weights: bytes, work: SharedWork) -> ShapeDisorder:
    """Return the result for a shape with the budget left, which another dump may have stored."""
    efforts = work.effort, work.others_effort, work.label_effort
    key = shape, *(effort.left for effort in efforts)
    if key not in work.by_shape_and_budget:
        if len(work.by_shape_and_budget) > MOST_SHAPES:
            work.by_shape_and_budget.clear()
        found = _found(block, weights, work)
        work.by_shape_and_budget[key] = found, [effort.left for effort in efforts]
    known: ShapeDisorder
    known, left = work.by_shape_and_budget[key]
    for effort, rest in zip(efforts, left, strict=True):
        effort.left = rest
    return known


def _found(block: KeyedBlock, weights: bytes, work: SharedWork) -> ShapeDisorder:
    figures = _figures(block)
    worst: Sequence[_DisplacedPlace] = ()
    if work.described_ops:
        worst = _displaced_places(block, work.described_ops)
        figures["profile"] = order_profile(block.indexed_keys, PROFILE_PARTS)
    if block.graph is None:
        return ShapeDisorder(figures, worst, None, None, {}, {})
    donors = _wrong_labels(block, weights, work.label_effort, figures) if weights else {}
    worst_labels = sorted(donors, key=lambda place: -block.inversions_at[place])[: work.described_ops]
    precedence, inversions = block.graph.precedence, block.runs.inversions
    best = restore_block(block.keys, precedence, block.frees_that_follow, inversions, work.effort)
    figures |= {"forced": best.forced, "minimum": best.inversions, "lower_bound": best.lower_bound}
    if best.moved:
        figures |= {"moved": best.moved, "moved_lower_bound": best.moved_lower_bound}
        if None in block.keys:
            moved = map(best.order.__getitem__, displaced(best.order))
            figures["moved_unindexed"] = sum(block.keys[place] is None for place in moved)
    order_of_others = None
    if work.finds_classes:
        apart = find_followers(block, best, precedence, work.others_effort)
        figures |= apart.figures
        order_of_others = apart.order_of_others
    return ShapeDisorder(
        figures,
        worst,
        best.order if best.moved else None,
        order_of_others,
        donors,
        {place: block.inversions_at[place] for place in worst_labels},
    )


def _figures(block: KeyedBlock) -> dict[str, Any]:
    runs = block.runs

    def inversions_with(is_member: Sequence[int]) -> int:
        return runs.inversions_with(list(map(is_member.__getitem__, block.indexed))) if any(is_member) else 0

    return {
        "inversions": runs.inversions,
        "descents": count_descents(runs.ranks),  # as many as among the keys: a run has none inside
        "minimum": runs.inversions,
        "lower_bound": runs.inversions,
        "displaced": len(block.displaced),
        "inherited": inversions_with(block.is_derived),
        "at_constants": inversions_with(block.is_constant),
        "at_frees": inversions_with(block.is_free),
    }


def _wrong_labels(
    block: KeyedBlock, weights: bytes, effort: Effort, figures: dict[str, Any]
) -> dict[int, int]:
    """Return, per op with a wrong label, the op whose label it should carry; adds to ``figures``."""
    if block.graph is None or block.dump.options.order_from is not None:
        return {}  # an order from another dump has no labels
    carried = [block.inversions_at.get(place, 0) for place in range(len(block.keys))]
    found = fewest_wrong_labels(block.keys, weights, block.graph.precedence, effort, carried)
    figures |= {
        "wrong_indices": len(found.donor_of),
        "wrong_by_passes": sum(weights[place] <= INHERITED for place in found.donor_of),
        "wrong_certified": found.certified,
    }
    return found.donor_of


def describe_displaced(
    block: KeyedBlock, places: Iterable[int], label_of: Callable[[int], OpLabel]
) -> dict[int, DisplacedOp]:
    """Describe the ops at some places of a block, those in the most inversions first.

    ``label_of`` returns the op at a place, as reports name it.
    """
    chosen = _displaced_places(block, None, places)
    return {place.place: _described(block, place, label_of) for place in chosen}


@dataclass(frozen=True, slots=True)
class _DisplacedPlace:
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
