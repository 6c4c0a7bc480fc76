"""The best order found for one window, and its lower bound.

The search starts from simple orders (schedules.py). Often only the forced inversions are left, and the order
is proven minimal. If not, the order and a packing of cycles improve each other (packed_order.py).

A window with too many ops for a transitive closure, or with too many inversions for a packing, keeps its simple
order. Squeezes (squeeze.py) raise its bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from eio_audit.order.bounds.cycle_packing import CyclePacking
from eio_audit.order.bounds.lower_bound import forced_bound
from eio_audit.order.bounds.squeeze import disjoint_forced, squeeze_bound
from eio_audit.order.closure import TransitiveClosure
from eio_audit.order.effort import Effort
from eio_audit.order.inversions import dense_ranks
from eio_audit.order.search.packed_order import BestOrder, packed_order
from eio_audit.order.search.schedules import pull_up, push_down
from eio_audit.order.windows import Window

CLOSURE_SIZE = 10_000  # ops of the largest window that gets a transitive closure
PACKED_INVERSIONS = 400_000  # most inversions that are not forced, for a packing
EASY_INVERSIONS = 1_000  # the same for a packing before other orders are tried
LOOK_STEPS = 6  # cost of visiting an op or a dependence


def best_order(window: Window, effort: Effort | None = None) -> BestOrder:
    """Return the best order found for a window, and a lower bound on the inversions of all orders.

    The search starts from simple orders, not from the textual one. So the result does not depend on the order
    of the window, except for ops with equal keys. Searching the result again finds nothing better. If the
    textual order is better than the result, the search starts again from the textual order.

    Args:
        window: the ops to order.
        effort: the budget. If it is spent, the result is the best so far.

    Example:
        Keys 9, 5, 1, 3, where 1 depends on 5. 9 can go last, 3 is squeezed.

        >>> from eio_audit.order.precedence import Precedence
        >>> best_order(Window([9, 5, 1, 3], [True] * 4, Precedence.from_edges(4, [1], [2])))
        BestOrder(order=[1, 2, 3, 0], inversions=2, bound=LowerBound(forced=1, total=2, forced_complete=True))
    """
    effort = effort or Effort()
    text = list(range(window.size))
    closure = TransitiveClosure(window) if window.size <= CLOSURE_SIZE else None
    effort.left -= LOOK_STEPS * window.extent
    textual = BestOrder(text, window.inversions(text), forced_bound(window, closure, effort))
    if textual.certified:
        return textual
    best = _best_schedule(window, closure, textual, effort)
    if not best.certified:
        best = _improved(window, closure, best, effort)
    textual = replace(textual, bound=best.bound)
    if textual.inversions < best.inversions:
        best = _improved(window, closure, textual, effort)
    elif textual.inversions == best.inversions:
        best = textual
    return best


def _improved(
    window: Window, closure: TransitiveClosure | None, best: BestOrder, effort: Effort
) -> BestOrder:
    """Return the best order found, starting from ``best``."""
    while not best.certified and not effort.is_spent:
        if closure is None or best.inversions - closure.forced > PACKED_INVERSIONS:
            return best.raised(best.bound.forced + _squeezes(window, effort))
        better = packed_order(window, closure, best, effort)
        if better.inversions == best.inversions:
            return better
        best = better
    return best


def _best_schedule(
    window: Window, closure: TransitiveClosure | None, textual: BestOrder, effort: Effort
) -> BestOrder:
    """Return the best simple order; the second is not tried if the first is proven minimal."""
    order = pull_up(window)
    best = BestOrder(order, window.inversions(order), textual.bound)
    if closure is not None and not best.certified:
        best = _proven(closure, best, effort)
    return best if best.certified else best.or_better(window, push_down(window))


def _proven(closure: TransitiveClosure, best: BestOrder, effort: Effort) -> BestOrder:
    """Return the order with its bound raised, if a packing proves it minimal at once."""
    if effort.is_spent or best.inversions - closure.forced > EASY_INVERSIONS:
        return best
    ops = [closure.number_of[place] for place in best.order]
    if any(closure.smaller_independent[op] >> following & 1 for op, following in pairwise(ops)):
        return best  # two neighbours are inverted and independent, so the order is not minimal
    proven = best.with_cycles(CyclePacking(closure, best.order, effort))
    return proven if proven.certified else best


def _squeezes(window: Window, effort: Effort) -> int:
    """Return a lower bound on the inversions of a window that are not forced."""
    # With ranks as keys, a difference is the number of keys between.
    window = replace(window, keys=dense_ranks(window.keys))
    return squeeze_bound(window, disjoint_forced(window, effort), effort)
