"""A heaviest antichain of a window, and a proof that none is heavier.

Each op can give to the ops that it is over (contradictions.py) and take from the ops over it, both up to its
weight. This is a *flow*, stored as links (links.py).

- No antichain is heavier than the total weight minus the flow. Split each op into units of weight, and link
  each unit it gives to the unit that takes it. The units form as many chains as there are units minus links.
  Of two ops of a chain, one is over the other, so an antichain has at most one unit of each chain.
- If the flow is largest, an antichain has exactly that weight (Dilworth 1950, by König 1931). Start at the
  ops that have weight left to give. Go from a giver to the takers that it is over, and from a taker to the
  givers that it takes from. No taker reached has room left, or else the flow could grow. The antichain has
  the ops reached as givers and not as takers. Every other op gives or takes its whole weight.

If the budget is spent first, a simpler search finds the antichain, and the links still prove a bound.

References:
    Dilworth, "A decomposition theorem for partially ordered sets", Annals of Mathematics 51, 1950.
    König, "Gráfok és mátrixok", Matematikai és Fizikai Lapok 38, 1931.
    Möhring, "Algorithmic aspects of comparability graphs and interval graphs", Graphs and Order, 1985.
"""

from __future__ import annotations

from collections.abc import Sequence

from eio_audit.order.effort import Effort
from eio_audit.order.windows import Window
from eio_audit.order.wrong_labels.contradictions import with_what_fits
from eio_audit.order.wrong_labels.links import Link, Links

LAST_STEPS = 8  # budget per op and dependence of the simpler search


def outside_antichain(window: Window, weights: Sequence[int], effort: Effort) -> tuple[set[int], list[Link]]:
    """Return the indexed ops outside a heaviest antichain, and the links that prove it.

    Args:
        window: the ops and their keys.
        weights: per op, its weight, at least 1.
        effort: the budget. If it is spent, the links may amount to less than the weight of the ops.

    Returns:
        The ops, and the links as (u, v, amount) with u over v.

    Example:
        >>> from eio_audit.order.precedence import Precedence
        >>> chain = Window([3, 2, 1], [True] * 3, Precedence.from_edges(3, [0, 1], [1, 2]))
        >>> outside_antichain(chain, weights=[1, 2, 1], effort=Effort())
        ({0, 2}, [(0, 1, 1), (1, 2, 1)])
    """
    flow = Links(window, weights)
    flow.fill()
    is_largest = flow.grow(effort)
    return flow.outside() if is_largest else _outside_quickly_found(window, weights, flow), list(flow)


def _outside_quickly_found(window: Window, weights: Sequence[int], down: Links) -> set[int]:
    """Return the ops outside an antichain that two sweeps find, down and up, extended by all ops that fit."""
    indexed = {op for op, own in enumerate(window.indexed) if own}
    found = [indexed]
    if down.spread(Effort(LAST_STEPS * window.extent)):
        found.append(down.outside())
    if (up := down.mirrored()).spread(Effort(LAST_STEPS * window.extent)):
        found.append({window.size - 1 - op for op in up.outside()})
    lightest = min(found, key=lambda ops: sum(map(weights.__getitem__, ops)))
    return indexed - with_what_fits(window, indexed - lightest)
