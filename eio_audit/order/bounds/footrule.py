"""A lower bound for windows of any size, from how many ops have to cross each threshold.

Number the indexed ops 1 to n by rising key; of equal keys the one that an order places first has the smaller
number. In an order, the *crossing* at t is the number of ops with a number above t among the first t. As many
with a number up to t come after them.

1. **Inversions are at least the sum of the crossings.** Their sum over all t is half of Spearman's footrule,
   the sum of the distances between place and number. Kendall's distance, which is the number of inversions,
   is at least half of the footrule (Diaconis and Graham 1977, "Spearman's footrule as a measure of
   disarray").
2. **A crossing is at least half of the paths that cross.** Take dependence paths from ops above t to ops up
   to t, no two of which share a start or an end. The start comes before the end. So the start is among the
   first t ops, or the end is not: one of them is an op that crosses, in one direction or the other. No op is
   an end of two paths, and twice the crossing is the number of ops that cross.
3. **From one threshold to the next the crossing changes by one at most.** So paths for some thresholds bound
   the crossings at all others.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import compress, pairwise

from eio_audit.order.effort import Effort
from eio_audit.order.windows import Window

THRESHOLDS = 256
STEPS = 10  # what it costs to look at an op or a dependence for all thresholds


def footrule_bound(window: Window, effort: Effort | None = None) -> int:
    """Return a number of inversions that every order of the window has, forced ones included.

    Complexity: O(n log n + m) operations on integers of 256 log2(n) bits.

    Example:
        5 and 4 come before 1 and 2: each threshold between is crossed by two paths.

        >>> from eio_audit.order.precedence import Precedence
        >>> footrule_bound(Window([5, 4, 1, 2], [True] * 4, Precedence.from_edges(4, [0, 1], [2, 3])))
        3
    """
    (effort or Effort()).left -= STEPS * window.extent
    keys = sorted(compress(window.keys, window.indexed))
    parts = range(1, THRESHOLDS + 1) if keys else ()
    thresholds = sorted({keys[(len(keys) - 1) * part // (THRESHOLDS + 1)] for part in parts} - {*keys[-1:]})
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
    """Return a number of paths for each threshold: from larger keys to keys up to it, no end shared.

    Each op with a small key asks for one with a large key. Questions are handed on from user to producers,
    half of them to the first that leads to a large key, half of the rest to the second, and so on. An op with
    a large key answers one. So each answer is a path, and a sweep from the last op to the first finds them.

    The questions for all thresholds are counted in one integer: a *lane* of bits for each, the smallest
    threshold lowest. The top bit of a lane is 0, so that sums do not run over.
    """
    keys, indexed, precedence = window.keys, window.indexed, window.precedence
    width = window.size.bit_length() + 1
    first_lanes = [(1 << width * lane) - 1 for lane in range(len(thresholds) + 1)]  # by how many
    ones = sum(1 << width * lane for lane in range(len(thresholds)))  # 1 in each lane
    counts = ones * ((1 << width - 1) - 1)  # all bits of each lane but the top one
    reach = precedence.largest_above([key if own else -1 for key, own in zip(keys, indexed, strict=True)])
    asked = [0] * window.size
    answered = 0
    for op in reversed(range(window.size)):
        questions, asked[op] = asked[op], 0
        if indexed[op]:
            is_large = ones & first_lanes[bisect_left(thresholds, keys[op])]
            answers = (questions + counts >> width - 1) & is_large  # 1 where there is a question
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
