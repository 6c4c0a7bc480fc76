"""Which ops to name when a block is out of order."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Sequence
from itertools import pairwise

from eio_audit.order.inversions import inversions_carried

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
    carried = inversions_carried(keys)
    # A key in no inversion fits into every non-decreasing subsequence: only the others need a choice.
    suspects = [position for position, count in enumerate(carried) if count]
    kept = _cheapest_longest_nondecreasing(
        [keys[position] for position in suspects], [carried[p] for p in suspects]
    )
    kept_positions = {suspects[place] for place in kept}
    return [position for position in suspects if position not in kept_positions]


def _cheapest_longest_nondecreasing(keys: Sequence[int], costs: Sequence[int]) -> list[int]:
    """Return, last first, the places of a longest non-decreasing subsequence of the least total cost.

    The *level* of a place is the length of a longest non-decreasing subsequence that ends there, less one.
    Within a level keys fall strictly, since a place whose key is not smaller than one before it has a higher
    level. So what a place can follow on the level below, those before it with no larger key, is one stretch
    of that level, and from place to place both ends of the stretch only move on: its cheapest member comes
    from a sliding-window minimum.
    """
    levels = _levels(keys)
    least_cost = list(costs)  # of a longest subsequence that ends at this place
    previous = [-1] * len(keys)
    for below, level in pairwise(levels):
        arrived = 0
        candidates: deque[int] = deque()  # places of ``below`` that may still be the cheapest: costs rise
        for place in level:
            while arrived < len(below) and below[arrived] < place:
                while candidates and least_cost[candidates[-1]] > least_cost[below[arrived]]:
                    candidates.pop()
                candidates.append(below[arrived])
                arrived += 1
            while keys[candidates[0]] > keys[place]:
                candidates.popleft()
            previous[place] = candidates[0]
            least_cost[place] += least_cost[candidates[0]]
    chain = []
    place = min(levels[-1], key=least_cost.__getitem__) if levels else -1
    while place >= 0:
        chain.append(place)
        place = previous[place]
    return chain


def _levels(keys: Sequence[int]) -> list[list[int]]:
    """Return the places by level, each level in textual order (patience sorting; Fredman 1975)."""
    levels: list[list[int]] = []
    smallest_end: list[int] = []  # per level, the smallest key on it so far; ascending
    for place, key in enumerate(keys):
        level = bisect_right(smallest_end, key)
        if level == len(levels):
            levels.append([place])
            smallest_end.append(key)
        else:
            levels[level].append(place)
            smallest_end[level] = key
    return levels
