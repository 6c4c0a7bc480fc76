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

from eio_audit.order.windows import LARGEST_KEY, Window


def sections_of(block: Window, order: Sequence[int]) -> list[tuple[int, int]]:
    """Return the sections that an order keeps to and that hold several ops, as half-open stretches of text.

    A section is a stretch of ``order``, too: it has the same ops there as in the text.

    Complexity: O(n); one sweep from the end and one from the start.

    Example:
        >>> from eio_audit.order.precedence import Precedence
        >>> block = Window([0, 2, 1, 1, 3, 5, 4], [True] * 7, Precedence.from_edges(7, [], []))
        >>> sections_of(block, [0, 2, 3, 1, 4, 6, 5])
        [(1, 4), (5, 7)]
    """
    keys = [key if own else -1 for key, own in zip(block.keys, block.indexed, strict=True)]
    sections = []
    start, reach, largest = 0, 0, -1  # where the section starts, and what there is in it: the last op, a key
    for place, op, key, smallest in zip(range(block.size), order, keys, _smallest_behind(keys), strict=True):
        if place > reach and largest <= smallest:
            if place - start > 1:
                sections.append((start, place))
            start = place
        reach = op if op > reach else reach
        largest = key if key > largest else largest
    if block.size - start > 1:
        sections.append((start, block.size))
    return sections


def _smallest_behind(keys: Sequence[int]) -> list[int]:
    """Return, for each place, the smallest key from there on; an unindexed op has -1 instead of one."""
    smallest_behind = []
    smallest = LARGEST_KEY
    for key in reversed(keys):
        if -1 < key < smallest:
            smallest = key
        smallest_behind.append(smallest)
    smallest_behind.reverse()
    return smallest_behind
