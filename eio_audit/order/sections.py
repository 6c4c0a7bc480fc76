"""Cutting a block into sections, whose moved ops can be counted independently of each other.

A block can be cut where no key before the cut is larger than one behind it. Take any order of the block, and
move what stands before the cut in the text to the front, both sides keeping their own order. No dependence
breaks, since none leads back across the cut in the text; no inversion is added, since there is none across;
and ops that were in textual order still are. So among the orders with fewest inversions there is one with
fewest ops moved that keeps to the cuts, and what it moves is the sum over the *sections* between them.

Windows (windows.py) are intervals of keys, sections are stretches of text. A section with more than one op
holds an inversion.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, compress, count, pairwise
from operator import le, mul

from eio_audit.order.windows import Window


def sections_of(block: Window) -> list[tuple[int, int]]:
    """Return the sections of a block that hold more than one op, as half-open stretches of text; O(n).

    Example:
        >>> from eio_audit.order.precedence import Precedence
        >>> sections_of(Window([0, 2, 1, 1, 3, 5, 4], [True] * 7, Precedence.from_edges(7, [], [])))
        [(1, 4), (5, 7)]
    """
    keys, indexed = block.keys, block.indexed
    top = max(keys, default=0)
    # Unindexed ops never are in the way of a cut.
    largest_before = accumulate(map(mul, keys, indexed), max, initial=0)
    smallest_from = list(
        accumulate(
            (key if own else top for key, own in zip(reversed(keys), reversed(indexed), strict=True)), min
        )
    )
    smallest_from.reverse()
    cuts = [*compress(count(), map(le, largest_before, smallest_from)), block.size]
    return [(start, stop) for start, stop in pairwise(cuts) if stop - start > 1]


def in_sections(order: Sequence[int], sections: Sequence[tuple[int, int]]) -> list[int]:
    """Return ``order`` with every op in its section, and what is in none in its place."""
    section_of = list(range(len(order)))
    for start, stop in sections:
        section_of[start:stop] = [start] * (stop - start)
    return sorted(order, key=section_of.__getitem__)
