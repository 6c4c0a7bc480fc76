"""A lower bound for windows of any size, from the number of ops that cross each threshold.

Number the indexed ops 1 to n by rising key. Of equal keys, the one that an order places first has the smaller
number. The *crossing* at t is the number of ops with a number above t among the first t ops of an order. As
many ops with a number up to t come after the first t.

1. **Inversions are at least the sum of the crossings.** The sum over all t is half of Spearman's footrule,
   the sum of the distances between place and number. Kendall's distance, the number of inversions, is at
   least half of the footrule (Diaconis and Graham 1977, "Spearman's footrule as a measure of disarray").
2. **A crossing is at least half of the paths that cross.** Take dependence paths from ops above t to ops up
   to t, no two of which share a start or an end. The start comes before the end. So the start is among the
   first t ops, or the end is not: one of the two crosses, in one direction or the other. No op is an end of
   two paths, and the number of ops that cross is twice the crossing.
3. **From one threshold to the next, the crossing changes by at most one.** So the paths for some thresholds
   bound the crossings at all others.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import compress, pairwise

from eio_audit.order.effort import Effort
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
        questions, asked[op] = asked[op], 0
        if indexed[op]:
            is_large = ones & first_lanes[bisect_left(thresholds, keys[op])]
            answers = (questions + counts >> width - 1) & is_large  # 1 per lane with a question
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
