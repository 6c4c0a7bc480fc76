"""The implied order: pairs of ops that are in the same order in *every* minimal order of a block.

Let a packing of cycles (cycle_packing.py) have as many cycles as an order has inversions that are not forced.
Then every minimal order breaks exactly one soft edge of each cycle, and no soft edge on no cycle: otherwise
it would have more inversions. So every minimal order

- follows a soft edge on no cycle, like a dependence;
- follows the other soft edges of a cycle if it must break one of them;
- has a before c if it has a before b and b before c.

These conclusions are the *implied order*. (In linear programming, they are complementary slackness and its
consequences.) Ops with equal keys, unindexed ops and soft edges on cycles are undecided unless another
conclusion implies their order.
"""

from __future__ import annotations

from itertools import chain

from eio_audit.order.bounds.cycle_packing import CyclePacking
from eio_audit.order.closure import TransitiveClosure, width
from eio_audit.order.effort import Effort
from eio_audit.order.precedence import Precedence


def implied_order(
    closure: TransitiveClosure, packing: CyclePacking, effort: Effort | None = None
) -> Precedence | None:
    """Return the implied order, as dependences.

    Args:
        closure: the block, or a part of it that can be ordered on its own.
        packing: a packing with as many cycles as its order has inversions that are not forced.
        effort: the budget, in ops and cycles visited.

    Returns:
        Dependences among the ops, numbered by their place in the packing's order; None if the budget is
        spent.

    Complexity: O(n * n) operations on bitsets of n bits per round of conclusions, in practice near O(n).

    Example:
        Keys 5, 1, 2 and 3, where 1 depends on 5. 2 and 3 may be after 1 or before 5. But 2 -> 3 is a soft
        edge on no cycle.

        >>> from eio_audit.order.windows import Window
        >>> closure = TransitiveClosure(Window([5, 1, 2, 3], [True] * 4, Precedence.from_edges(4, [0], [1])))
        >>> list(implied_order(closure, CyclePacking(closure, [0, 1, 2, 3])).forwards())
        [(0, 1), (2, 3)]
    """
    effort = effort or Effort()
    cycles = packing.cycles()
    rows = zip(closure.with_ancestors, closure.smaller_independent, packing.before, strict=True)
    earlier = [ancestors | smaller & before for ancestors, smaller, before in rows]
    for start, end in chain.from_iterable(cycles):
        earlier[end] &= ~(1 << start)
    while not effort.is_spent:
        effort.left -= closure.size * width(closure.size) + 4 * len(cycles)
        before, edges = _transitive(packing.order, earlier)
        concluded = [
            (start, end)
            for cycle in cycles
            if any(before[start] >> end & 1 for start, end in cycle)
            for start, end in cycle
            if not (before[start] >> end | before[end] >> start) & 1
        ]
        if not concluded:
            place_of = {op: place for place, op in enumerate(packing.order)}
            producers, users = ([place_of[edge[side]] for edge in edges] for side in (0, 1))
            return Precedence.from_edges(closure.size, producers, users)
        for start, end in concluded:
            earlier[end] |= 1 << start
    return None


def _transitive(order: list[int], earlier: list[int]) -> tuple[list[int], list[tuple[int, int]]]:
    """Return, per op, all ops that come before it, and few pairs that imply all of these."""
    before = [0] * len(order)
    edges = []
    for op in order:
        found, rest = 0, earlier[op] & ~(1 << op)
        # Most of the rest comes before its op with the largest key.
        while rest:
            largest = rest.bit_length() - 1
            edges.append((largest, op))
            found |= before[largest] | 1 << largest
            rest &= ~found
        before[op] = found
    return before, edges
