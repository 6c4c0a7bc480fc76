"""A sequence of keys in a few numbers, to be seen at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise


def order_profile(keys: Sequence[int], parts: int) -> tuple[float, ...]:
    """Return, part by part of the sequence, where the key that is farthest from its place belongs.

    A sequence in order rises evenly; what was moved far stands out, however long the sequence is.

    Args:
        keys: the sequence; equal keys belong where they are to each other.
        parts: how many stretches of equal length, at the most.

    Returns:
        For each part a number from 0, the start of the sorted sequence, to 1, its end.

    Complexity: O(n log n).

    Example:
        The last key belongs first.

        >>> order_profile([1, 2, 3, 4, 0], 5)
        (0.25, 0.5, 0.75, 1.0, 0.0)
    """
    size = len(keys)
    belongs = [0] * size
    for place, position in enumerate(sorted(range(size), key=keys.__getitem__)):
        belongs[position] = place
    parts = min(parts, size)
    bounds = [size * part // max(parts, 1) for part in range(parts + 1)]
    farthest = (
        max(range(start, stop), key=lambda position: abs(belongs[position] - position))
        for start, stop in pairwise(bounds)
    )
    return tuple(belongs[position] / max(size - 1, 1) for position in farthest)
