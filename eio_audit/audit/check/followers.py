"""Orders in which some ops follow others: constants their consumers, frees the last uses.

**Constants.** Every greedy rewrite puts the constants of a function at its start. If constants follow their
consumers, only the order of the other ops counts. So the avoidable inversions of a block are divided: those
that the other ops have by themselves, and the rest, which constants cause.

**Frees** go directly after the last use of what they free. By the dependences, a free waits for all uses of
the value, or of its buffer if it frees that. The other ops are ordered as if the frees had no keys. Then each
free goes as early as that order allows, which is always legal.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from eio_audit.audit.check.figures import BlockAudit
from eio_audit.audit.check.keyed_block import KeyedBlock
from eio_audit.order.effort import Effort
from eio_audit.order.inversions import count_inversions
from eio_audit.order.linear_extension import Restoration, restore_order
from eio_audit.order.permutation import moved_places, sorted_runs
from eio_audit.order.precedence import Precedence, after_last_uses


class HoistedConstants(NamedTuple):
    """The part of a block's avoidable inversions that constants cause.

    Attributes:
        inversions: how many of the avoidable inversions are gone if constants follow their consumers.
        constants: how many constants have fewer inversions after a fix.
        order_of_others: the order found if constants follow; None if no other op has avoidable inversions.
    """

    inversions: int
    constants: int
    order_of_others: Sequence[int] | None


def find_hoisted(
    block: KeyedBlock, at_constants: int, best: Restoration, precedence: Precedence, effort: Effort
) -> HoistedConstants | None:
    """Return the part of the avoidable inversions that constants cause; None if they cause none.

    Args:
        block: the block.
        at_constants: its inversions with a constant.
        best: the order of a fix.
        precedence: the dependences of the block.
        effort: the budget to order the other ops, for all blocks of a dump.
    """
    avoidable = block.runs.inversions - best.inversions
    if not (avoidable and at_constants):
        return None
    keys, inversions = block.keys_of_others, block.runs.inversions - at_constants
    # The order of a fix is also an order of the other ops, so they have no fewer avoidable inversions than it
    # removes. They may have more, where a fix leaves them out of order for the sake of constants.
    order, others = best.order, inversions - _inversions(keys, best.order)
    if others < min(avoidable, inversions):
        found = restore_order(keys, precedence, inversions, effort)
        if inversions - found.inversions > others:
            order, others = found.order, inversions - found.inversions
    if others >= avoidable:
        return None
    fixed = [place for place in best.order if block.keys[place] is not None]
    carried = sorted_runs([block.key(place) for place in fixed]).inversions_by_position()
    carried_fixed = dict(zip(fixed, carried, strict=True))
    is_constant = block.is_constant
    return HoistedConstants(
        inversions=avoidable - others,
        constants=sum(
            number > carried_fixed[place]
            for place, number in block.inversions_at.items()
            if is_constant[place]
        ),
        order_of_others=order if others else None,
    )


def sentence(block: BlockAudit) -> str:
    """Return what is known of the hoisted constants of a block that has some.

    ``24 constants are hoisted (1,104 inversions); fix puts them back``.
    """
    number, inversions = block.hoisted_constants, block.avoidable_constants
    constants, them = (f"{number:,} constants are", "them") if number > 1 else ("1 constant is", "it")
    return f"{constants} hoisted ({inversions:,} inversion{'s' * (inversions > 1)}); fix puts {them} back"


def _inversions(keys: Sequence[int | None], order: Sequence[int]) -> int:
    return count_inversions([key for place in order if (key := keys[place]) is not None])


def restore_block(
    keys: Sequence[int | None],
    precedence: Precedence,
    frees: Collection[int],
    inversions: int | None = None,
    effort: Effort | None = None,
) -> Restoration:
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
