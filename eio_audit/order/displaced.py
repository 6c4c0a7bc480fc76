"""Which ops to name when a block is out of order."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul

from eio_audit.order.inversions import inversions_carried
from eio_audit.order.runs import Runs, split_into_runs

__all__ = ["displaced", "inversions_carried"]


def displaced(keys: Sequence[int]) -> list[int]:
    """Return the positions, ascending, of a smallest set whose removal leaves the keys non-decreasing.

    That is the complement of a longest non-decreasing subsequence, and a minimum vertex cover of the
    inversions. Among the smallest sets it takes one that carries the most inversions: what is named
    first should explain most. What ties even then is decided by position, always alike.

    Complexity: O(n log n).

    Example:
        Without 23 the rest is in order; without 18 as well, but 23 carries two inversions and 18 one.

        >>> displaced([15, 23, 18, 20])
        [1]
    """
    found = split_into_runs(keys)
    kept = set(_cheapest_longest_nondecreasing(found))
    removed = (s for s in range(len(found.starts)) if s not in kept)
    return [p for s in removed for p in range(found.starts[s], found.starts[s] + found.lengths[s])]


def _cheapest_longest_nondecreasing(found: Runs) -> list[int]:
    """Return, last first, the runs of a longest non-decreasing subsequence of the least total cost.

    A longest subsequence that holds one key of a run holds all of it. So it is one of runs with
    rising ranks, and a sweep over a Fenwick tree finds for each the best one to append it to among those that
    end at smaller ranks: the longest, then the cheapest, then the one that ends earliest in the text.
    """
    cost_limit = 1 + sum(map(mul, found.carried, found.lengths))  # no cost outweighs the length of one key
    count = len(found.ranks)
    tree = [-1] * (count + 1)  # by node, the run at which its best subsequence ends
    values = [0] * count + [0]  # of the best that ends at a run: length, less its cost as a fraction; none
    previous = [-1] * count
    for run, rank in enumerate(found.ranks):
        best, node = -1, rank
        while node:
            if values[tree[node]] > values[best]:
                best = tree[node]
            node &= node - 1
        previous[run] = best
        length = found.lengths[run]
        value = values[run] = values[best] + length * (cost_limit - found.carried[run])
        node = rank + 1
        while node <= count and value > values[tree[node]]:
            tree[node] = run
            node += node & -node
    chain = []
    run = max(range(count), key=values.__getitem__, default=-1)
    while run >= 0:
        chain.append(run)
        run = previous[run]
    return chain
