"""Audits the order of a block that has inversions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import compress, repeat
from operator import is_not

from eio_audit.audit.displaced_op import DisplacedOp, Hold
from eio_audit.audit.figures import BlockAudit
from eio_audit.audit.holds import find_holds
from eio_audit.audit.keyed_block import KeyedBlock
from eio_audit.order.displaced import displaced_in
from eio_audit.order.effort import Effort
from eio_audit.order.inversions import count_descents
from eio_audit.order.linear_extension import Restoration, restore_order
from eio_audit.order.profile import order_profile
from eio_audit.order.runs import split_into_runs

NAMED_OPS = 10
"""How many displaced ops of a block an audit describes, worst first."""

PROFILE_PARTS = 40
"""In how many parts an audit profiles the order of a block."""


def audit_disorder(
    in_order: BlockAudit, block: KeyedBlock, effort: Effort, *, describes_worst: bool
) -> tuple[BlockAudit, Restoration | None]:
    """Audits a block with inversions.

    Args:
        in_order: the figures that do not depend on the order.
        block: its keys, and its dependences unless it is in a graph region, which has no order to keep.
        effort: what may be done to find an order for it.
        describes_worst: whether the displaced ops are described that carry most inversions.

    Returns:
        All its figures, and what orders it best; None for a graph region.
    """
    keys = block.counted_keys
    runs = split_into_runs(keys)
    inversions, out_of_place = runs.inversions, displaced_in(runs)
    is_counted = list(map(is_not, block.keys, repeat(None)))
    derived = block.ir.of_block(block.block, block.indices.derived_by_op)
    constants = block.ir.of_block(block.block, block.order_keys.constants_by_op)
    worst = {}
    if describes_worst:
        worst = describe_displaced(block, out_of_place, runs.carried_by_position(), NAMED_OPS)
    disordered = replace(
        in_order,
        inversions=inversions,
        descents=count_descents(runs.ranks),  # as many as among the keys: within a run there is none
        minimum=inversions,
        lower_bound=inversions,
        displaced=len(out_of_place),
        inherited=runs.inversions_with(list(compress(derived, is_counted))),
        worst=tuple(worst.values()),
        at_constants=runs.inversions_with(list(compress(constants, is_counted))),
        profile=order_profile(keys, PROFILE_PARTS) if describes_worst else (),
    )
    if block.graph is None:
        return disordered, None
    restoration = restore_order(block.keys, block.graph.precedence, inversions, effort)
    audit = replace(
        disordered,
        forced=restoration.forced,
        minimum=restoration.inversions,
        lower_bound=restoration.lower_bound,
        moved=restoration.moved,
        moved_lower_bound=restoration.moved_lower_bound,
    )
    return audit, restoration


def describe_displaced(
    block: KeyedBlock, positions: Sequence[int], inversions: Sequence[int], limit: int | None = None
) -> dict[int, DisplacedOp]:
    """Describes displaced ops, by their place in the block, those that carry most inversions first.

    Args:
        block: where they stand.
        positions: of the displaced ops, among the ops with a say.
        inversions: how many each position is an end of.
        limit: how many to describe; None for all.

    Complexity: near linear in the ops and dependences of the block.
    """
    if not positions:
        return {}
    standing = block.original_places
    place_of = list(standing)
    carried = dict(zip(standing, inversions, strict=True))
    chosen = sorted((place_of[p] for p in positions), key=lambda k: (-carried[k], k))[:limit]
    textual = {k: rank for rank, k in enumerate(standing)}
    early = {k: standing[k] >= textual[k] for k in chosen}
    holds = find_holds(block.keys, block.graph, early) if block.graph is not None else {}
    return {
        k: DisplacedOp(
            op=block.label(k),
            inversions=carried[k],
            early=early[k],
            derived=block.indices.is_derived(block.ops[k]),
            hold=Hold(block.label(holds[k][0]), holds[k][1]) if k in holds else None,
        )
        for k in chosen
    }
