"""The avoidable inversions that hoisted constants cause.

Every greedy rewrite puts the constants of a function at its start. If constants follow their consumers, only
the order of the other ops counts. So the avoidable inversions of a block are divided: those that the other
ops have by themselves, and the rest, which constants cause.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from eio_audit.audit.check.figures import BlockAudit
from eio_audit.audit.check.keyed_block import KeyedBlock
from eio_audit.order.effort import Effort
from eio_audit.order.inversions import count_inversions
from eio_audit.order.linear_extension import Restoration, restore_order
from eio_audit.order.permutation import sorted_runs
from eio_audit.order.precedence import Precedence


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
