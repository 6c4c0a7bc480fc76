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
from operator import and_, le, lt, mul

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
    keys, indexed = block.keys, block.indexed
    top = max(keys, default=0)
    # Unindexed ops never are in the way of a cut.
    largest_before = accumulate(map(mul, keys, indexed), max, initial=0)
    known_from_end = [key if own else top for key, own in zip(reversed(keys), reversed(indexed), strict=True)]
    smallest_from = list(accumulate(known_from_end, min))
    smallest_from.reverse()
    can_cut = map(le, largest_before, smallest_from)
    is_kept_to = map(lt, accumulate(order, max, initial=-1), count())
    cuts = [*compress(count(), map(and_, can_cut, is_kept_to)), block.size]
    return [(start, stop) for start, stop in pairwise(cuts) if stop - start > 1]
