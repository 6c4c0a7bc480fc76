"""A lower bound for windows too large to look at all pairs: squeezes around a few thousand forced inversions.

Take forced inversions (a, b) no two of which share an op. Around each, every op c that is independent of
both, with a key between theirs, is squeezed: a => b -> c -> a is a cycle (cycle_packing.py), so c costs an
inversion with a or with b. Cycles around the same (a, b) differ in c and share no soft edge. Nor do cycles
around different ones, unless c is an end of the other in both; so the inversions are taken in sequence, and
c must not be an end of one taken before. How many keys lie between is a matter of counting. How many of those
are not independent is a matter of visiting the ancestors and descendants of a and b, which are few in a large
window with few dependences.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import compress

from eio_audit.order.bounds.forced import early_ops
from eio_audit.order.effort import Effort
from eio_audit.order.windows import Window

PAIRS = 20_000  # forced inversions taken in one window
PARTNER_STEPS = 200  # descendants looked at to find the other end of one
RELATIVE_STEPS = 20_000_000  # what may be done in one window to find ancestors and descendants
RELATIVE_SHARE = 50  # for a pair no more than this part of what is left
DISJOINT_STEPS = 8_000_000  # what may be done to find disjoint pairs
VISIT_STEPS = 8  # what it costs to visit an op


def squeeze_bound(window: Window, pairs: Sequence[tuple[int, int]], effort: Effort | None = None) -> int:
    """Return a number of inversions with an end in ``pairs`` that every order has besides the forced ones.

    Args:
        window: the ops to bound.
        pairs: forced inversions (a, b) no two of which share an op.
        effort: how much may be done. Pairs with too many ancestors and descendants are passed over.

    Example:
        Keys 5, 1, 3, where 1 depends on 5: wherever 3 goes, it is squeezed.

        >>> from eio_audit.order.precedence import Precedence
        >>> window = Window([5, 1, 3], [True] * 3, Precedence.from_edges(3, [0], [1]))
        >>> disjoint_forced(window), squeeze_bound(window, [(0, 1)])
        ([(0, 1)], 1)
    """
    keys, indexed = window.keys, window.indexed
    sorted_keys = sorted(compress(keys, indexed))
    ends: set[int] = set()
    end_keys: list[int] = []
    squeezed = 0
    with (effort or Effort()).part(RELATIVE_STEPS) as left:
        for early, late in pairs:
            ends.update((early, late))
            low, high = keys[late], keys[early]
            insort(end_keys, low)
            insort(end_keys, high)
            with left.part(left.left // RELATIVE_SHARE) as part:
                relatives = _relatives(window, early, late, part)
            if relatives is not None:
                between = bisect_left(sorted_keys, high) - bisect_right(sorted_keys, low)
                between -= bisect_left(end_keys, high) - bisect_right(end_keys, low)
                squeezed += between - sum(
                    indexed[op] and low < keys[op] < high and op not in ends for op in relatives
                )
    return squeezed


def disjoint_forced(window: Window, effort: Effort | None = None) -> list[tuple[int, int]]:
    """Return forced inversions no two of which share an op, those with many keys between first.

    Args:
        window: the ops to look among.
        effort: how much may be done.
    """
    keys, smallest_below = window.keys, window.smallest_keys_below()
    taken: set[int] = set()
    pairs: list[tuple[int, int]] = []
    with (effort or Effort()).part(DISJOINT_STEPS) as part:
        for early in sorted(early_ops(window, smallest_below), key=lambda op: smallest_below[op] - keys[op]):
            if part.is_spent or len(pairs) == PAIRS:
                break
            late = None if early in taken else _smallest_free(window, early, smallest_below, taken, part)
            if late is not None:
                taken.update((early, late))
                pairs.append((early, late))
    return sorted(pairs, key=lambda pair: (keys[pair[1]] - keys[pair[0]], pair))


def _smallest_free(
    window: Window, early: int, smallest_below: Sequence[int], taken: set[int], effort: Effort
) -> int | None:
    """Return the descendant with the smallest key that is not taken, if it is smaller, as far as searched."""
    best: int | None = None
    least = window.keys[early]
    seen = {early}
    queue = [(smallest_below[early], early)]
    for _ in range(PARTNER_STEPS):
        if not queue or queue[0][0] >= least:
            break
        _, op = heappop(queue)
        if window.indexed[op] and op not in taken and window.keys[op] < least:
            best, least = op, window.keys[op]
        users = window.precedence.successors(op)
        effort.left -= VISIT_STEPS + 2 * len(users)
        for user in users:
            if user not in seen and smallest_below[user] < least:
                seen.add(user)
                heappush(queue, (smallest_below[user], user))
    return best


def _relatives(window: Window, early: int, late: int, effort: Effort) -> set[int] | None:
    """Return the ancestors and descendants of two ops; None when there are too many."""
    related: set[int] = set()
    for start in (early, late):
        for neighbours in (window.precedence.predecessors, window.precedence.successors):
            stack, seen = [start], {start}
            while stack:
                direct = neighbours(stack.pop())
                effort.left -= VISIT_STEPS + 2 * len(direct)
                if effort.is_spent:
                    return None
                fresh = [op for op in direct if op not in seen]
                seen.update(fresh)
                stack += fresh
            related |= seen
    return related
