"""A better order, from a packing that does not meet the order it was guided by.

A packing of cycles with a return (cycle_packing.py) is a matching of the preferences that an order breaks
with preferences that it keeps. By König's theorem (1931) a largest matching comes with a *cover* of the same
size: a set of preferences, broken and kept ones, that has one of each cycle of that kind. It consists of

- the returns that a broken preference without a return wants, or that their holders want, and so on;
- the broken preferences that do not take part in this.

So the cover says what might be broken instead: fewer preferences than before, if any had been left without a
return. Follow all others: the arrows that are left have no cycle of that kind any more. They may have longer
ones, so what is returned is the order that Kahn's algorithm finds when it breaks as little as possible at
each step. Mostly it breaks just the cover, which proves it minimal.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence

from eio_audit.order.bounds.cycle_packing import CyclePacking
from eio_audit.order.closure import TransitiveClosure
from eio_audit.order.effort import Effort, width

COVER_STEPS = 4_000_000  # available ops looked at
PLACED_STEPS = 4  # what it costs to place one


def order_by_cover(
    relations: TransitiveClosure, packing: CyclePacking, effort: Effort | None = None
) -> list[int] | None:
    """Return the order that breaks the cover of a packing, and what else it has to, as places in the window.

    Args:
        relations: the window.
        packing: what has been found by matching alone, without detours.
        effort: how many available ops may be looked at; None is returned when it is used up.

    Complexity: O(n * a) operations on bitsets of n bits, where a ops are available at a time; in practice the
    first one or two are looked at.

    Example:
        Keys 8, 9, 1 and 2, where 1 depends on the first two. 2 follows both of them, two inversions; the
        cover says that it should rather precede 1, which is one.

        >>> from eio_audit.order.precedence import Precedence
        >>> from eio_audit.order.windows import Window
        >>> window = Window([8, 9, 1, 2], [True] * 4, Precedence.from_edges(4, [0, 1], [2, 2]))
        >>> relations = TransitiveClosure(window)
        >>> order_by_cover(relations, CyclePacking(relations, range(4)))
        [3, 0, 1, 2]
    """
    with (effort or Effort()).part(COVER_STEPS) as part:
        return _broken_least(relations, packing.order, _to_be_followed(relations, packing), part)


def _broken_least(
    relations: TransitiveClosure, order: Sequence[int], first: Sequence[int], effort: Effort
) -> list[int] | None:
    """Return the order that Kahn's algorithm finds that breaks few preferences of ``first``."""
    rank = [0] * relations.size
    for place, op in enumerate(order):
        rank[op] = place
    available = sorted(rank[op] for op in range(relations.size) if not relations.producers[op])
    placed = 0
    found = []
    while available:
        effort.left -= PLACED_STEPS
        fewest, best = relations.size, 0
        for place in available:
            effort.left -= width(relations.size)
            broken = (first[order[place]] & ~placed).bit_count()
            if broken < fewest:
                fewest, best = broken, place
            if not broken:
                break
        if effort.left < 0:
            return None
        available.remove(best)
        op = order[best]
        found.append(relations.place_of[op])
        placed |= 1 << op
        for user in relations.users[op]:
            if not relations.producers[user] & ~placed:
                insort(available, rank[user])
    return found


def _to_be_followed(relations: TransitiveClosure, packing: CyclePacking) -> list[int]:
    """Return, for each op, where the preferences come from that lead to it and are not in the cover."""
    first = relations.smaller_independent[:]
    for op, starts in enumerate(packing.wanted_returns()):
        first[op] &= ~starts
    for x, y in packing.broken_for_good():
        first[x] &= ~(1 << y)
    return first
