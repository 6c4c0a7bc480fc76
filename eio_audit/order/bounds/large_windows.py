"""Lower bounds for windows of any size: the footrule and the squeeze.

**The footrule** needs no transitive closure, and few steps. Number the indexed ops 1 to n by rising key. Of
equal keys, the one that an order places first has the smaller number. The *crossing* at t is the number of
ops with a number above t among the first t ops of an order. As many ops with a number up to t come after the
first t.

1. **Inversions are at least the sum of the crossings.** The sum over all t is half of Spearman's footrule,
   the sum of the distances between place and number. Kendall's distance, the number of inversions, is at
   least half of the footrule (Diaconis and Graham 1977, "Spearman's footrule as a measure of disarray").
2. **A crossing is at least half of the paths that cross.** Take dependence paths from ops above t to ops up
   to t, no two of which share a start or an end. The start comes before the end. So the start is among the
   first t ops, or the end is not: one of the two crosses, in one direction or the other. No op is an end of
   two paths, and the number of ops that cross is twice the crossing.
3. **From one threshold to the next, the crossing changes by at most one.** So the paths for some thresholds
   bound the crossings at all others.

**The squeeze** is for windows with thousands of forced inversions. Take forced inversions (a, b) that share
no op. An op c is squeezed if it is independent of both and has a key between theirs: a => b -> c -> a is a
cycle (cycle_packing.py), so c costs an inversion with a or with b. Cycles around the same (a, b) differ in c
and share no soft edge. Cycles around two different inversions share one only if, in each, c is an end of the
other inversion. So the inversions are taken in sequence, and c must not be an end of one taken before. The
keys between a and b are counted by lookup. The ops that are not independent are subtracted: ancestors and
descendants of a and b, few in a large window with few dependences.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from dataclasses import replace
from heapq import heappop, heappush
from itertools import compress, pairwise

from eio_audit.order.bounds.forced import early_ops
from eio_audit.order.effort import Effort
from eio_audit.order.inversions import dense_ranks
from eio_audit.order.windows import Window

THRESHOLDS = 256
STEPS = 10  # cost of visiting an op or a dependence, for all thresholds together


def footrule_bound(window: Window, effort: Effort | None = None, most_thresholds: int = THRESHOLDS) -> int:
    """Return a lower bound on the inversions of any order of the window, forced ones included.

    Args:
        window: the ops.
        effort: the budget.
        most_thresholds: paths are counted for so many thresholds, evenly spread over the keys.

    Complexity: O(n log n + m) operations on integers of 256 log2(n) bits.

    Example:
        Keys 5, 4, 1, 2, with dependences from 5 to 1 and from 4 to 2. Two paths cross each threshold between.

        >>> from eio_audit.order.precedence import Precedence
        >>> footrule_bound(Window([5, 4, 1, 2], [True] * 4, Precedence.from_edges(4, [0, 1], [2, 3])))
        3
    """
    (effort or Effort()).left -= STEPS * window.extent
    keys = sorted(compress(window.keys, window.indexed))
    parts = range(1, most_thresholds + 1) if keys else ()
    last = len(keys) - 1
    thresholds = sorted({keys[last * part // (most_thresholds + 1)] for part in parts} - {*keys[-1:]})
    crossings = [(0, 0)]
    for key, paths in zip(thresholds, _crossing_paths(window, thresholds), strict=True):
        crossings.append((bisect_right(keys, key), (paths + 1) // 2))
    crossings.append((len(keys), 0))
    return sum(
        max(least - passed, next_least - (following - threshold - passed), 0)
        for (threshold, least), (following, next_least) in pairwise(crossings)
        for passed in range(following - threshold)
    )


def _crossing_paths(window: Window, thresholds: Sequence[int]) -> list[int]:
    """Return, per threshold, a number of paths from larger keys to keys up to it that share no end.

    Each op with a small key asks for an op with a large key. A user passes its questions to its producers:
    half of them to the first that leads to a large key, half of the rest to the second, and so on. An op with
    a large key answers one question. Each answer is a path. A sweep from the last op to the first finds them.

    One integer counts the questions for all thresholds, with a *lane* of bits for each, the smallest
    threshold lowest. The top bit of a lane is 0, so sums do not overflow into the next lane.
    """
    keys, indexed, precedence = window.keys, window.indexed, window.precedence
    width = window.size.bit_length() + 1
    first_lanes = [(1 << width * lane) - 1 for lane in range(len(thresholds) + 1)]  # per number of lanes
    ones = sum(1 << width * lane for lane in range(len(thresholds)))  # 1 in each lane
    counts = ones * ((1 << width - 1) - 1)  # all bits of each lane but the top one
    reach = precedence.largest_above([key if own else -1 for key, own in zip(keys, indexed, strict=True)])
    asked = [0] * window.size
    answered = 0
    for op in reversed(range(window.size)):
        questions, asked[op] = asked[op], 0  # 0 frees a large integer
        if indexed[op]:
            is_large = ones & first_lanes[bisect_left(thresholds, keys[op])]
            # A lane with a question carries into its top bit. So this is 1 per such lane.
            answers = (questions + counts >> width - 1) & is_large
            answered += answers
            questions += (ones ^ is_large) - answers
        producers = sorted(precedence.predecessors(op), key=reach.__getitem__) if questions else ()
        for left, producer in zip(reversed(range(len(producers))), producers, strict=True):
            handed_on = questions & first_lanes[bisect_left(thresholds, reach[producer])]
            if left:
                handed_on = handed_on >> 1 & counts
            asked[producer] += handed_on
            questions -= handed_on
    return [answered >> width * lane & (1 << width) - 1 for lane in range(len(thresholds))]


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
