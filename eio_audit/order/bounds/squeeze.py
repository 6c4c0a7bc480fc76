"""A lower bound for windows without a transitive closure: squeezes around thousands of forced inversions.

Take forced inversions (a, b) that share no op. An op c is squeezed if it is independent of both and has a key
between theirs: a => b -> c -> a is a cycle (cycle_packing.py), so c costs an inversion with a or with b.
Cycles around the same (a, b) differ in c and share no soft edge. Cycles around two different inversions share
one only if, in each, c is an end of the other inversion. So the inversions are taken in sequence, and c must
not be an end of one taken before. The keys between a and b are counted by lookup. The ops that are not
independent are subtracted: ancestors and descendants of a and b, few in a large window with few dependences.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from dataclasses import replace
from heapq import heappop, heappush
from itertools import compress

from eio_audit.order.bounds.forced import early_ops
from eio_audit.order.effort import Effort
from eio_audit.order.inversions import dense_ranks
from eio_audit.order.windows import Window

PAIRS = 20_000  # forced inversions taken in one window
PARTNER_STEPS = 200  # descendants visited to find the other end of one
RELATIVE_STEPS = 20_000_000  # budget for ancestors and descendants in one window
RELATIVE_SHARE = 50  # a pair may take 1 / 50 of the steps left
DISJOINT_STEPS = 8_000_000  # budget for disjoint pairs
VISIT_STEPS = 8  # cost of visiting an op


def squeeze_bound(window: Window, effort: Effort | None = None) -> int:
    """Return a lower bound on the inversions that are not forced.

    Inversions whose ends have too many ancestors and descendants for the budget are skipped.

    Example:
        Keys 5, 1, 3, where 1 depends on 5: wherever 3 goes, it is squeezed.

        >>> from eio_audit.order.precedence import Precedence
        >>> window = Window([5, 1, 3], [True] * 3, Precedence.from_edges(3, [0], [1]))
        >>> squeeze_bound(window)
        1
    """
    # With ranks as keys, a difference is the number of keys between.
    window = replace(window, keys=dense_ranks(window.keys))
    keys, indexed = window.keys, window.indexed
    sorted_keys = sorted(compress(keys, indexed))
    ends: set[int] = set()
    end_keys: list[int] = []
    squeezed = 0
    effort = effort or Effort()
    pairs = _disjoint_forced(window, effort)
    with effort.part(RELATIVE_STEPS) as left:
        for early, late in pairs:
            ends.update((early, late))
            low, high = keys[late], keys[early]
            insort(end_keys, low)
            insort(end_keys, high)
            with left.part(left.left // RELATIVE_SHARE) as part:
                relatives = _relatives(window, early, late, part)
            if relatives is not None:
                # Keys strictly between, without those of ends and, below, of ops that are not independent.
                between = bisect_left(sorted_keys, high) - bisect_right(sorted_keys, low)
                between -= bisect_left(end_keys, high) - bisect_right(end_keys, low)
                squeezed += between - sum(
                    indexed[op] and low < keys[op] < high and op not in ends for op in relatives
                )
    return squeezed


def _disjoint_forced(window: Window, effort: Effort) -> list[tuple[int, int]]:
    """Return forced inversions that share no op, those with the most keys between their ends first."""
    keys, smallest_below = window.keys, window.smallest_keys_below()
    taken: set[int] = set()
    pairs: list[tuple[int, int]] = []
    with effort.part(DISJOINT_STEPS) as part:
        for early in sorted(early_ops(window, smallest_below), key=lambda op: smallest_below[op] - keys[op]):
            if part.is_spent or len(pairs) == PAIRS:
                break
            late = None if early in taken else _smallest_untaken(window, early, smallest_below, taken, part)
            if late is not None:
                taken.update((early, late))
                pairs.append((early, late))
    return sorted(pairs, key=lambda pair: (keys[pair[1]] - keys[pair[0]], pair))


def _smallest_untaken(
    window: Window, early: int, smallest_below: Sequence[int], taken: set[int], effort: Effort
) -> int | None:
    """Return the descendant with the smallest key that is not taken, if that key is smaller; else None.

    Searches PARTNER_STEPS descendants at most.
    """
    best: int | None = None
    least = window.keys[early]
    seen = {early}
    # Best first, by the smallest key below: a taken op is no answer, but one of its descendants may be.
    queue = [(smallest_below[early], early)]
    for _ in range(PARTNER_STEPS):
        if not queue or queue[0][0] >= least:  # no op below any of the queue has a smaller key
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
    """Return the ancestors and descendants of two ops; None if the budget is spent first."""
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
