"""Simple orders of a window to start from: two variants of Kahn's algorithm.

Kahn's algorithm with the key as priority is not one of them. It places a producer with a late key late, and
that holds back all its users, however early their keys. With k such users and m other ops between, there are
k * m inversions where k + m are enough. The mirrored algorithm, which fills the last place first, fails on
the mirrored case. So one schedule *pulls up* a producer to the earliest op that needs it. The other *pushes
down* a user to the latest op that it waits for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop, heappush

from eio_audit.order.permutation import inverse
from eio_audit.order.windows import Window

Neighbours = Callable[[int], Sequence[int]]


def pull_up(window: Window) -> list[int]:
    """Return Kahn's order with the smallest key of an op and its descendants as its priority.

    Ties go by key, then by textual order. Complexity: O((n + m) log n).
    """
    by_rank = sorted(range(window.size), key=window.keys.__getitem__)
    by_rank.sort(key=window.smallest_keys_below().__getitem__)
    return _kahn(by_rank, window.precedence.predecessors, window.precedence.successors)


def push_down(window: Window) -> list[int]:
    """Return the mirrored order: from the end, with the largest key of an op and its ancestors first."""
    by_rank = sorted(range(window.size - 1, -1, -1), key=window.keys.__getitem__, reverse=True)
    by_rank.sort(key=window.precedence.largest_above(window.keys).__getitem__, reverse=True)
    return _kahn(by_rank, window.precedence.successors, window.precedence.predecessors)[::-1]


def _kahn(by_rank: Sequence[int], before: Neighbours, after: Neighbours) -> list[int]:
    """Return the order that always places the first available op of ``by_rank``."""
    rank_of = inverse(by_rank)
    missing = [len(before(op)) for op in range(len(by_rank))]
    available = [rank for rank, op in enumerate(by_rank) if not missing[op]]  # a heap: it is sorted
    order = []
    while available:
        op = by_rank[heappop(available)]
        order.append(op)
        for user in after(op):
            missing[user] -= 1
            if not missing[user]:
                heappush(available, rank_of[user])
    return order
