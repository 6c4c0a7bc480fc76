"""Audits the order of a block that has inversions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress, repeat
from operator import is_not
from typing import Any

from eio_audit.audit.check.blockers import find_holds
from eio_audit.audit.check.displaced_op import DisplacedOp, Hold
from eio_audit.audit.check.figures import BlockAudit
from eio_audit.audit.check.free_places import restore_block
from eio_audit.audit.check.keyed_block import KeyedBlock
from eio_audit.audit.check.label_weights import INHERITED, LabelWeights
from eio_audit.audit.check.mislabelled_op import MislabelledOp
from eio_audit.audit.check.shared_work import SharedWork
from eio_audit.audit.dependence import DependenceKind
from eio_audit.mlir.ir import IR
from eio_audit.mlir.rewriting.pieces import BlockOrder
from eio_audit.order.displaced import displaced_in, order_profile
from eio_audit.order.inversions import count_descents
from eio_audit.order.permutation import Runs, split_into_runs
from eio_audit.order.wrong_labels.wrong_labels import fewest_wrong_labels

NAMED_OPS = 10
"""How many displaced ops of a block an audit describes, worst first."""

PROFILE_PARTS = 40
"""In how many parts an audit profiles the order of a block."""

SHAPE_OPS = 1_000
"""Up to how many ops a block may be one of many of its shape."""

MOST_SHAPES = 2_000
"""How many shapes are known at a time."""


@dataclass(frozen=True, slots=True)
class BlockDisorder:
    """A block with inversions.

    Attributes:
        audit: all its figures.
        order: what orders it best, where that is better than the textual order.
        donors: by op whose label is wrong, the op whose label it should carry: a set of least weight that
            contradicts the dependences.
    """

    audit: BlockAudit
    order: BlockOrder | None
    donors: dict[int, int]


@dataclass(frozen=True, slots=True)
class _Wrong:
    """An op whose label is wrong, by its place; ``donor`` is the place of the op whose label is right."""

    place: int
    donor: int
    inversions: int


@dataclass(frozen=True, slots=True)
class ShapeDisorder:
    """What is to be said of every block of one shape.

    Attributes:
        figures: of ``BlockAudit``, by name.
        worst: the displaced ops that carry most inversions, worst first.
        order: as in ``BlockDisorder``.
        wrong: the ops whose labels are wrong, in textual order.
    """

    figures: Mapping[str, Any]
    worst: Sequence[_Displaced] = ()
    order: BlockOrder | None = None
    wrong: Sequence[_Wrong] = ()


class DisorderAudits:
    """Audits blocks with inversions, each shape of a small block once: the layers of a model often repeat.

    Args:
        ir: the dump that the blocks are of.
        work: what the audits of several dumps share.
        describes_worst: whether the ops are described that are in most inversions.
        finds_wrong_labels: whether labels are looked for that contradict the dependences.
    """

    def __init__(self, ir: IR, work: SharedWork, *, describes_worst: bool, finds_wrong_labels: bool) -> None:
        self._weights = LabelWeights(ir)
        self._finds_wrong_labels = finds_wrong_labels
        self._effort = work.effort
        self._known = work.known
        self._describes_worst = describes_worst

    def audit(self, in_order: BlockAudit, block: KeyedBlock) -> BlockDisorder:
        """Audits a block.

        Args:
            in_order: the figures that do not depend on the order.
            block: its keys, and its dependences unless it is in a graph region.
        """
        disorder = self._disorder(block)
        audit = replace(
            in_order,
            **disorder.figures,
            worst=tuple(_described(block, place) for place in disorder.worst),
            mislabelled=tuple(_mislabelled(block, disorder.wrong)) if self._describes_worst else (),
        )
        ops = block.ops
        donors = {ops[wrong.place]: ops[wrong.donor] for wrong in disorder.wrong}
        return BlockDisorder(audit, disorder.order, donors)

    def _disorder(self, block: KeyedBlock) -> ShapeDisorder:
        weights = self._weights.of(block)
        if len(block.keys) > SHAPE_OPS:
            return self._found(block, weights)
        shape = block.shape, weights
        if len(self._known) > MOST_SHAPES:
            self._known.clear()
        if shape not in self._known:
            self._known[shape] = self._found(block, weights)
        return self._known[shape]

    def _found(self, block: KeyedBlock, weights: bytes) -> ShapeDisorder:
        keys = block.counted_keys
        runs = split_into_runs(keys)
        inversions, out_of_place = runs.inversions, displaced_in(runs)
        is_counted = list(map(is_not, block.keys, repeat(None)))
        figures: dict[str, Any] = {
            "inversions": inversions,
            "descents": count_descents(runs.ranks),  # as many as among the keys: within a run there is none
            "minimum": inversions,
            "lower_bound": inversions,
            "displaced": len(out_of_place),
            "inherited": runs.inversions_with(list(compress(block.is_derived, is_counted))),
            "at_constants": runs.inversions_with(list(compress(block.is_constant, is_counted))),
            "at_frees": runs.inversions_with(list(compress(block.is_free, is_counted))),
        }
        worst: Sequence[_Displaced] = ()
        if self._describes_worst:
            worst = _displaced_places(block, out_of_place, runs.carried_by_position(), NAMED_OPS)
            figures["profile"] = order_profile(keys, PROFILE_PARTS)
        if block.graph is None:
            return ShapeDisorder(figures, worst)
        # Before the search for orders, which may use up the effort.
        wrong = self._wrong_labels(block, weights, _carried(runs, is_counted), figures)
        restoration = restore_block(block, inversions, self._effort)
        figures |= {
            "forced": restoration.forced,
            "minimum": restoration.inversions,
            "lower_bound": restoration.lower_bound,
        }
        if not restoration.moved:
            return ShapeDisorder(figures, worst, wrong=wrong)
        figures |= {"moved": restoration.moved, "moved_lower_bound": restoration.moved_lower_bound}
        return ShapeDisorder(figures, worst, BlockOrder(restoration.order), wrong)

    def _wrong_labels(
        self, block: KeyedBlock, weights: bytes, carried: Sequence[int], figures: dict[str, Any]
    ) -> list[_Wrong]:
        """The ops whose labels are wrong; adds to the block's figures."""
        if block.graph is None or not self._finds_wrong_labels:
            return []
        found = fewest_wrong_labels(block.keys, weights, block.graph.precedence, self._effort)
        figures |= {
            "wrong_labels": len(found.changed),
            "wrong_by_passes": sum(weights[place] <= INHERITED for place in found.changed),
            "wrong_certified": found.certified,
        }
        return [_Wrong(place, donor, carried[place]) for place, donor in found.donor_of.items()]


def _carried(runs: Runs, is_counted: Sequence[bool]) -> list[int]:
    """By place in the block, how many inversions the op is an end of."""
    by_position = iter(runs.carried_by_position())
    return [next(by_position) if counts else 0 for counts in is_counted]


def _mislabelled(block: KeyedBlock, wrong: Iterable[_Wrong]) -> Iterator[MislabelledOp]:
    """The ops whose labels are wrong that are in most inversions, worst first."""
    for one in sorted(wrong, key=lambda one: -one.inversions)[:NAMED_OPS]:
        yield MislabelledOp(block.label(one.place), block.label(one.donor), one.inversions)


def describe_displaced(
    block: KeyedBlock, positions: Sequence[int], inversions: Sequence[int]
) -> dict[int, DisplacedOp]:
    """Describes displaced ops, by their place in the block, those that carry most inversions first.

    Args:
        block: where they stand.
        positions: of the displaced ops, among the ops with a say.
        inversions: how many each position is an end of.

    Complexity: near linear in the ops and dependences of the block.
    """
    places = _displaced_places(block, positions, inversions)
    return {displaced.place: _described(block, displaced) for displaced in places}


@dataclass(frozen=True, slots=True)
class _Displaced:
    """A displaced op, by its place in the block; ``DisplacedOp`` says what the rest is."""

    place: int
    inversions: int
    early: bool
    hold: tuple[int, DependenceKind] | None


def _displaced_places(
    block: KeyedBlock, positions: Sequence[int], inversions: Sequence[int], limit: int | None = None
) -> list[_Displaced]:
    """Finds what is to be said of displaced ops; of all, or of so many."""
    if not positions:
        return []
    standing = block.original_places
    place_of = list(standing)
    carried = dict(zip(standing, inversions, strict=True))
    chosen = sorted((place_of[p] for p in positions), key=lambda k: (-carried[k], k))[:limit]
    textual = {k: rank for rank, k in enumerate(standing)}
    early = {k: standing[k] >= textual[k] for k in chosen}
    holds = find_holds(block.keys, block.graph, early) if block.graph is not None else {}
    return [_Displaced(k, carried[k], early[k], holds.get(k)) for k in chosen]


def _described(block: KeyedBlock, displaced: _Displaced) -> DisplacedOp:
    return DisplacedOp(
        op=block.label(displaced.place),
        inversions=displaced.inversions,
        early=displaced.early,
        derived=block.indices.is_derived(block.ops[displaced.place]),
        hold=Hold(block.label(displaced.hold[0]), displaced.hold[1]) if displaced.hold else None,
    )
