"""Improving an order part by part.

In a minimal order, any consecutive ops are in a minimal order, too. Otherwise a better order of these ops
could replace theirs: for the ops before and after, nothing changes. So forty consecutive ops are a small
window, and the exact search is cheap for it. These windows overlap by half, so ops can move on.
"""

from __future__ import annotations

from collections.abc import Sequence

from eio_audit.order.bounds.cycle_packing import CyclePacking
from eio_audit.order.closure import TransitiveClosure
from eio_audit.order.effort import Effort
from eio_audit.order.search.exact_search import search
from eio_audit.order.windows import Window

SLIDING_SIZE = 40  # ops
SLIDING_STATES = 3_000  # states that the search of one sliding window may reach
SLIDING_MOVES = 30_000  # moves that it may try


def slide(window: Window, order: Sequence[int], effort: Effort | None = None) -> list[int]:
    """Return an order with at most the inversions of ``order``.

    Complexity: O(n) searches of bounded size.

    Example:
        Keys 2, 0, 1, where 1 depends on 2. Nothing keeps 0 from going first.

        >>> from eio_audit.order.precedence import Precedence
        >>> slide(Window([2, 0, 1], [True] * 3, Precedence.from_edges(3, [0], [2])), [0, 1, 2])
        [1, 0, 2]
    """
    order = list(order)
    effort = effort or Effort()
    for start in range(0, len(order), SLIDING_SIZE // 2):
        if effort.is_spent:
            break
        ops = order[start : start + SLIDING_SIZE]
        effort.left -= SLIDING_SIZE
        order[start : start + SLIDING_SIZE] = [
            ops[place] for place in _reordered(window.restricted(ops), effort)
        ]
    return order


def _reordered(window: Window, effort: Effort) -> Sequence[int]:
    """Return a better order of a small window if a short search finds one, else its textual order."""
    text = range(window.size)
    closure = TransitiveClosure(window)
    packing = CyclePacking(closure, text, effort)
    if len(packing) == len(packing.broken):
        return text
    inversions = closure.forced + len(packing.broken)
    found = search(closure, packing.cycles(), inversions, SLIDING_STATES, SLIDING_MOVES, effort)
    return text if found.order is None else found.order
