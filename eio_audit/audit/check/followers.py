"""Orders in which some ops follow others: constants and splits their consumers, frees the last uses.

**Constants and splits.** Every greedy rewrite puts the constants of a function at its start. A fusion puts
splits, which take its results apart, directly after the fused op. If these follow their consumers, only the
order of the other ops counts. So the avoidable inversions of a block are divided: first the part that is gone
if constants follow, then the part that is gone if splits follow, too. The rest is out of place.

**Frees** go directly after the last use of what they free. By the dependences, a free waits for all uses of
the value, or of its buffer if it frees that. The other ops are ordered as if the frees had no keys. Then each
free goes as early as that order allows, which is always legal.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from eio_audit.audit.check.figures import BlockAudit
from eio_audit.audit.check.keyed_block import KeyedBlock
from eio_audit.audit.check.keyed_dump import OrderOfOthers
from eio_audit.audit.options import Follow
from eio_audit.order.effort import Effort
from eio_audit.order.inversions import count_inversions
from eio_audit.order.linear_extension import restore_order
from eio_audit.order.permutation import moved_places, sorted_runs
from eio_audit.order.precedence import Precedence, after_last_uses
from eio_audit.order.search import Order

APART = (Follow.CONSTANTS, Follow.SPLITS)
"""The ops whose avoidable inversions are told apart, and the order in which they take their part."""


def find_followers(
    block: KeyedBlock, audit: BlockAudit, fixed: Sequence[int], effort: Effort
) -> tuple[BlockAudit, OrderOfOthers | None]:
    """Find the parts of the avoidable inversions that hoisted constants and splits cause.

    Args:
        block: the block, which is in no graph region.
        audit: its figures, but for these parts.
        fixed: the order of a fix.
        effort: the budget to order the other ops, for all blocks of a dump.

    Returns:
        The figures with these parts, and the order found if these ops follow; None if they cause no part, or
        all.
    """
    assert block.graph is not None
    rest, order_of_others = audit.avoidable, None
    sorts: list[Follow] = []
    for sort in APART if rest else ():
        sorts.append(sort)
        places = [place for place in block.places_of(sort) if block.inversions_at[place]]
        if not places:
            continue
        keys = block.keys_without(sorts)
        order, others = _order_of(keys, fixed, rest, block.graph.precedence, effort)
        if others < rest:
            indexed = [place for place in fixed if block.keys[place] is not None]
            carried = sorted_runs([block.key(place) for place in indexed]).inversions_by_position()
            then = dict(zip(indexed, carried, strict=True))
            fewer = sum(block.inversions_at[place] > then[place] for place in places)
            if sort is Follow.CONSTANTS:
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
    inversions = _inversions(keys, range(len(keys)))
    order, removed = fixed, inversions - _inversions(keys, fixed)
    if removed < min(most, inversions):
        found = restore_order(keys, precedence, inversions, effort)
        if inversions - found.inversions > removed:
            order, removed = found.order, inversions - found.inversions
    return order, removed


def sentences(block: BlockAudit) -> dict[Follow, str]:
    """Return what is known of the hoisted constants and splits of a block, of those that it has.

    ``24 constants are hoisted (1,104 inversions); fix puts them back``;
    ``5 splits stay beside their source (25 inversions); fix moves them``.
    """
    found = {}
    if inversions := block.avoidable_constants:
        one = block.hoisted_constants == 1
        what = "1 constant is" if one else f"{block.hoisted_constants:,} constants are"
        back = f"fix puts {'it' if one else 'them'} back"
        found[Follow.CONSTANTS] = f"{what} hoisted ({inversions:,} inversion{'s' * (inversions > 1)}); {back}"
    if inversions := block.avoidable_splits:
        one = block.left_splits == 1
        what = "1 split stays beside its" if one else f"{block.left_splits:,} splits stay beside their"
        moves = f"fix moves {'it' if one else 'them'}"
        found[Follow.SPLITS] = f"{what} source ({inversions:,} inversion{'s' * (inversions > 1)}); {moves}"
    return found


def _inversions(keys: Sequence[int | None], order: Sequence[int]) -> int:
    return count_inversions([key for place in order if (key := keys[place]) is not None])


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
    nothing.

    Args:
        keys: per place, its key; None for an op that does not count in inversions.
        precedence: the dependences of the block.
        frees: the places of the frees to move.
        inversions: those of the textual order, if known.
        effort: the budget for all blocks of a dump.
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
        best = replace(again, order=[order[place] for place in again.order], moved_lower_bound=0)
        order = after_last_uses(best.order, frees, precedence)
    return replace(best, order=order, moved=len(moved_places(order)))
