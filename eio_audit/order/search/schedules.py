"""Simple orders of a window to start from: Kahn's algorithm in two ways.

Kahn's algorithm with a heap on the key is not among them. A producer that carries a late key is placed late,
and holds back all its users, however early their keys. With k such users and m other ops between, that makes
k * m inversions where k + m are needed. The mirror of it, which fills the last place first, fails on the
mirrored case. So one schedule *pulls up* a producer to the earliest op that needs it, and one *pushes down* a
user to the latest op it waits for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop, heappush

from eio_audit.order.permutation import inverse
from eio_audit.order.windows import Window

Neighbours = Callable[[int], Sequence[int]]


def pull_up(window: Window) -> list[int]:
    """Return the order that always places the available op that the smallest key waits for, its own or below.

    Kahn's algorithm with a heap: an op is available once all its producers are placed. Ties go by key, then
    by textual order; O((n + m) log n).
    """
    by_rank = sorted(range(window.size), key=window.keys.__getitem__)
    by_rank.sort(key=window.smallest_keys_below().__getitem__)
    return _kahn(by_rank, window.precedence.predecessors, window.precedence.successors)


def push_down(window: Window) -> list[int]:
    """Return the mirror of it: from the end, always the op that waits for the largest key."""
    by_rank = sorted(range(window.size - 1, -1, -1), key=window.keys.__getitem__, reverse=True)
    by_rank.sort(key=window.precedence.largest_above(window.keys).__getitem__, reverse=True)
    return _kahn(by_rank, window.precedence.successors, window.precedence.predecessors)[::-1]


def _kahn(by_rank: Sequence[int], before: Neighbours, after: Neighbours) -> list[int]:
    """Return the order that always places the first op of ``by_rank`` that nothing ``before`` holds back."""
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
