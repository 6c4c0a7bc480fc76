"""The heaviest rising subsequence."""

from __future__ import annotations

from collections.abc import Sequence


def heaviest_rising(ranks: Sequence[int], weights: Sequence[int]) -> list[int]:
    """Return, last first, the positions of a subsequence of rising ranks with the largest total weight.

    A sweep over a Fenwick tree finds for each position the heaviest subsequence to append it to, among those
    that end at smaller ranks. Of several it takes the one that ends earliest.

    Args:
        ranks: 0, 1, 2, ... in any order.
        weights: in parallel, at least 1 each.

    Complexity: O(n log n).

    Example:
        >>> heaviest_rising([0, 3, 1, 2], [1, 5, 2, 2])
        [1, 0]
    """
    count = len(ranks)
    tree = [-1] * (count + 1)  # by node, the position at which its heaviest subsequence ends
    values = [0] * count + [0]  # of the heaviest that ends at a position; none
    previous = [-1] * count
    for position, (rank, weight) in enumerate(zip(ranks, weights, strict=True)):
        best, node = -1, rank
        while node:
            if values[tree[node]] > values[best]:
                best = tree[node]
            node &= node - 1
        previous[position] = best
        value = values[position] = values[best] + weight
        node = rank + 1
        while node <= count and value > values[tree[node]]:
            tree[node] = position
            node += node & -node
    chain = []
    position = max(range(count), key=values.__getitem__, default=-1)
    while position >= 0:
        chain.append(position)
        position = previous[position]
    return chain
