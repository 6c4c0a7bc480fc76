"""Which ops stand in the same order in *every* minimal order of a block.

A packing of cycles (cycle_packing.py) that meets an order proves more than its number of inversions. Every
minimal order breaks exactly one preference of each cycle, and no preference that is on none: otherwise it
would have more inversions. So in all of them

- a preference on no cycle is followed, like a dependence;
- where one preference of a cycle is sure to be broken, the others of that cycle are followed;
- where a comes before b and b before c, a comes before c.

What follows from this is *settled*. (In linear programming these are complementary slackness and its
consequences.) Ops with equal keys, unindexed ops and preferences on cycles remain open as far as nothing else
settles them.
"""

from __future__ import annotations

from itertools import chain

from eio_audit.order.bounds.cycle_packing import CyclePacking
from eio_audit.order.closure import TransitiveClosure
from eio_audit.order.effort import Effort, width


def settled_before(
    relations: TransitiveClosure, packing: CyclePacking, effort: Effort | None = None
) -> list[int] | None:
    """Return, for each op, the bitset of those that stand before it in every minimal order, as far as known.

    Args:
        relations: the block, or a part of it that can be ordered on its own.
        packing: a packing with as many cycles as its order has inversions that are not forced.
        effort: how many ops and cycles may be looked at; None is returned when it is used up.

    Complexity: O(n * n) operations on bitsets of n bits for each round of conclusions, in practice near O(n).

    Example:
        Keys 5, 1, 3 and 2, where 1 depends on 5. 3 may stand behind 1 or before 5, and so may 2. But 2 before
        3 is a preference on no cycle.

        >>> from eio_audit.order.precedence import Precedence
        >>> from eio_audit.order.windows import Window
        >>> window = Window([5, 1, 3, 2], [True] * 4, Precedence.from_edges(4, [0], [1]))
        >>> relations = TransitiveClosure(window)
        >>> before = settled_before(relations, CyclePacking(relations, [0, 1, 3, 2]))
        >>> from eio_audit.order.bitsets import bits
        >>> {relations.place_of[op]: [relations.place_of[b] for b in bits(before[op])] for op in range(4)}
        {1: [0], 3: [], 2: [3], 0: []}
    """
    effort = effort or Effort()
    cycles = packing.cycles()
    followed = [
        smaller & before
        for smaller, before in zip(relations.smaller_independent, packing.before, strict=True)
    ]
    for start, end in chain.from_iterable(cycles):
        followed[end] &= ~(1 << start)
    while not effort.is_spent:
        effort.left -= relations.size * width(relations.size) + 4 * len(cycles)
        before = _closure(relations, packing.order, followed)
        concluded = [
            (start, end)
            for cycle in cycles
            if any(before[start] >> end & 1 for start, end in cycle)
            for start, end in cycle
            if not (before[start] >> end | before[end] >> start) & 1
        ]
        if not concluded:
            return before
        for start, end in concluded:
            followed[end] |= 1 << start
    return None


def _closure(relations: TransitiveClosure, order: list[int], followed: list[int]) -> list[int]:
    """Return, for each op, what comes before it by dependences and the preferences that are followed."""
    before = [0] * relations.size
    for op in order:
        found = relations.with_ancestors[op] ^ 1 << op
        rest = found | followed[op]
        # Most of the rest comes before the op with the largest key among them.
        while rest:
            highest = rest.bit_length() - 1
            found |= before[highest] | 1 << highest
            rest &= ~found
        before[op] = found
    return before
