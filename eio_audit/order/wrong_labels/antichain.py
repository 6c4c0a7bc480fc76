"""The heaviest antichain of a window, and the proof that none is heavier.

Each op may give to the ops that it is over (contradictions.py), and take from those over it, each no more
than it weighs. What is given and taken is a *flow*, kept as links (links.py).

- No antichain is heavier than the total weight less the flow. Link each unit of an op to a unit of an op that
  it gives to: the units fall into chains, as many as there are units less links. All ops of a chain are over
  each other, so an antichain has one unit of it at most.
- Where the flow is largest, there is an antichain of just that weight (Dilworth 1950, by König 1931). Start
  at the ops that have something left to give; go from giver to the takers that it is over, from taker to the
  givers that it takes from. No taker that is reached has room, else the flow could grow. The antichain is the
  ops that are reached as givers and not as takers. Each other op weighs just what is given or taken at it.

Where the effort does not suffice, the antichain is one that is quickly found, and the links still prove a
bound.

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

LAST_STEPS = 8  # what may be done for each op and dependence where the effort is spent


def outside_antichain(window: Window, weights: Sequence[int], effort: Effort) -> tuple[set[int], list[Link]]:
    """Return the indexed ops that are not in a heaviest antichain, and the links that prove it.

    Args:
        window: the ops and their keys.
        weights: per op, at least 1.
        effort: how much may be done. Where it does not suffice, the links may amount to less than the ops
            weigh.

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
    """Return what is not in an antichain that is found in two sweeps, down and up, and filled up."""
    indexed = {op for op, own in enumerate(window.indexed) if own}
    found = [indexed]
    if down.spread(Effort(LAST_STEPS * window.extent)):
        found.append(down.outside())
    if (up := down.mirrored()).spread(Effort(LAST_STEPS * window.extent)):
        found.append({window.size - 1 - op for op in up.outside()})
    lightest = min(found, key=lambda ops: sum(map(weights.__getitem__, ops)))
    return indexed - with_what_fits(window, indexed - lightest)
