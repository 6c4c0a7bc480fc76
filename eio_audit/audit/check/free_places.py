"""The place of frees in a new order: directly after the last use of what they free.

By the dependences, a free waits for all uses of the value, or of its buffer if it frees that. The other ops
are ordered as if the frees had no keys. Then each free goes as early as that order allows, which is always
legal (last_uses.py).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from eio_audit.order.effort import Effort
from eio_audit.order.linear_extension import Restoration, restore_order
from eio_audit.order.permutation import moved_places
from eio_audit.order.precedence import Precedence
from eio_audit.order.unindexed import after_last_uses


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
