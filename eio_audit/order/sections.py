"""Cutting a block into sections, whose moved ops can be counted independently of each other.

A block can be cut where no key before the cut is larger than one behind it. Take any order of the block, and
move what stands before the cut in the text to the front, both sides keeping their own order. No dependence
breaks, since none leads back across the cut in the text; no inversion is added, since there is none across;
and ops that were in textual order still are. So among the orders with fewest inversions there is one with
fewest ops moved that keeps to the cuts, and what it moves is the sum over the *sections* between them. That
holds for any choice of such cuts: here it is those that an order keeps to anyway.

Windows (windows.py) are intervals of keys, sections are stretches of text. A section with more than one op
holds an inversion.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, compress, count, pairwise
from operator import add, not_, sub

from eio_audit.order.windows import Window


def sections_of(block: Window, order: Sequence[int]) -> list[tuple[int, int]]:
    """Return the sections that an order keeps to and that hold several ops, as half-open stretches of text.

    A section is a stretch of ``order``, too: it has the same ops there as in the text.

    Complexity: O(n).

    Example:
        >>> from eio_audit.order.precedence import Precedence
        >>> block = Window([0, 2, 1, 1, 3, 5, 4], [True] * 7, Precedence.from_edges(7, [], []))
        >>> sections_of(block, [0, 2, 3, 1, 4, 6, 5])
        [(1, 4), (5, 7)]
    """
    keys = _with_unindexed(block)
    by_key = sorted(range(block.size), key=keys.__getitem__)
    # By place, how far the ops up to there have moved down in all, in either order: where what stands before
    # is what stood before, that is nothing.
    moved_down = accumulate(map(sub, map(add, by_key, order), range(0, 2 * block.size, 2)))
    cuts = [0, *compress(count(1), map(not_, moved_down))]
    return [(start, stop) for start, stop in pairwise(cuts) if stop - start > 1]


def _with_unindexed(block: Window) -> Sequence[int]:
    """Return the keys, for an unindexed op the largest before it: one that is never in the way of a cut."""
    keys = list(block.keys)
    largest, known = 0, 0
    for op in [op for op, own in enumerate(block.indexed) if not own]:
        keys[op] = largest = max(largest, max(keys[known:op], default=largest))
        known = op
    return keys
