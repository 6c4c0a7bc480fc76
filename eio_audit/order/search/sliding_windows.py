"""Improve an order stretch by stretch: in a minimal order, each stretch of neighbours is minimal in itself.

Were it not, a better order of the same ops could take its place: what stands before them and behind them sees
no difference. So each stretch of some forty ops is a small window of its own, for which the exact search is
cheap. Stretches overlap by half, so that ops can travel on.
"""

from __future__ import annotations

from collections.abc import Sequence

from eio_audit.order.bounds.cycle_packing import CyclePacking
from eio_audit.order.closure import TransitiveClosure
from eio_audit.order.effort import Effort
from eio_audit.order.search.exact_search import search
from eio_audit.order.windows import Window

STRETCH = 40  # ops
STRETCH_STATES = 3_000  # what the search of one stretch may reach
STRETCH_MOVES = 30_000  # and try


def reorder_stretches(window: Window, order: Sequence[int], effort: Effort | None = None) -> list[int]:
    """Return an order with as many inversions as ``order`` or fewer, each stretch reordered where that pays.

    Complexity: O(n) searches of bounded size.

    Example:
        Keys 2, 0, 1, where 1 depends on 2. To get in front of 2 there is nothing in the way of 0.

        >>> from eio_audit.order.precedence import Precedence
        >>> reorder_stretches(Window([2, 0, 1], [True] * 3, Precedence.from_edges(3, [0], [2])), [0, 1, 2])
        [1, 0, 2]
    """
    order = list(order)
    effort = effort or Effort()
    for start in range(0, len(order), STRETCH // 2):
        if effort.is_spent:
            break
        ops = order[start : start + STRETCH]
        effort.left -= STRETCH
        places = _best_places(window.restricted(ops), effort)
        order[start : start + STRETCH] = [ops[place] for place in places]
    return order


def _best_places(stretch: Window, effort: Effort) -> Sequence[int]:
    """Return the best order of a stretch, as far as a short search finds it; else the order it has."""
    places = range(stretch.size)
    relations = TransitiveClosure(stretch)
    packing = CyclePacking(relations, places, effort)
    inversions = relations.forced + len(packing.broken)
    if len(packing) == len(packing.broken):
        return places
    found = search(relations, packing.cycles(), inversions, STRETCH_STATES, STRETCH_MOVES, effort)
    return places if found.order is None else found.order
