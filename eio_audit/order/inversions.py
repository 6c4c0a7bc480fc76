"""Counting inversions and descents in a sequence of keys."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import count, islice, repeat
from operator import gt, sub

from eio_audit.order.permutation import ranks_of, sorted_runs

CHUNK = 512  # keys sorted by insertion before merging starts


def count_inversions(keys: Sequence[int], chunk_size: int = CHUNK) -> int:
    """Return the number of pairs i < j with keys[i] > keys[j]. Equal keys are no inversion.

    This is the Kendall tau distance to the sorted sequence. Insertion sorts chunks of keys, then neighbouring
    chunks are merged. Each step counts the pairs that it puts in order.

    Complexity: O(n log n), near O(n) when nearly sorted.

    Example:
        >>> count_inversions([15, 23, 18])
        1
        >>> count_inversions([3, 2, 2, 1])
        5
    """
    inversions = 0
    chunks = []
    for start in range(0, len(keys), chunk_size):
        chunk = list(keys[start : start + chunk_size])
        if count_descents(chunk):
            unsorted, chunk = chunk, []
            for key in unsorted:
                place = bisect_right(chunk, key)
                inversions += len(chunk) - place
                chunk.insert(place, key)
        chunks.append(chunk)
    while len(chunks) > 1:
        merged = []
        for left, right in zip(chunks[::2], chunks[1::2], strict=False):
            inversions += _count_across(left, right)
            merged.append(sorted(left + right))  # two ascending chunks: Python's sort only merges them
        chunks = merged + chunks[2 * len(merged) :]
    return inversions


def _count_across(left: list[int], right: list[int]) -> int:
    """Return the number of pairs (x in left, y in right) with x > y. Both lists are ascending."""
    if left[-1] <= right[0]:
        return 0
    # Keep only the keys where the two overlap.
    left = left[bisect_right(left, right[0]) :]
    right = right[: bisect_left(right, left[-1])]
    if len(left) < len(right):
        return sum(map(bisect_left, repeat(right), left))
    return len(left) * len(right) - sum(map(bisect_right, repeat(left), right))


def count_descents(keys: Sequence[int]) -> int:
    """Return the number of inversions between neighbours: positions i with keys[i] > keys[i + 1].

    Example:
        >>> count_descents([15, 23, 18, 18, 2])
        2
    """
    return sum(map(gt, keys, islice(keys, 1, None)))


def inversions_at(keys: Sequence[int]) -> list[int]:
    """Return, per position, how many inversions it is in. The sum is twice the number of inversions.

    Complexity: O(n log n), near O(n) when nearly sorted.

    Example:
        >>> inversions_at([15, 23, 18, 16])
        [0, 2, 2, 2]
    """
    return sorted_runs(keys).inversions_by_position()


def inversions_charged(keys: Sequence[int], chosen: Sequence[int]) -> list[int]:
    """Return how many inversions each chosen position is charged with.

    An inversion with one chosen position is charged to it. An inversion of two chosen positions is charged to
    the one with the smaller key. So no inversion counts twice.

    Args:
        keys: the sequence.
        chosen: positions, ascending.

    Complexity: O(n log n).

    Example:
        (23, 16) and (18, 16) are charged to 16, (23, 18) is charged to 23.

        >>> inversions_charged([15, 23, 18, 16], [1, 3])
        [1, 2]
    """
    among = [keys[position] for position in chosen]
    all_at, shared = inversions_at(keys), inversions_at(among)
    # A stable sort moves a key right by its inversions with smaller keys minus those with larger keys.
    shifts = map(sub, ranks_of(among), count())
    return [all_at[k] - (own + shift) // 2 for k, own, shift in zip(chosen, shared, shifts, strict=False)]


def dense_ranks(keys: Sequence[int]) -> list[int]:
    """Return the keys replaced by their ranks 0, 1, 2, ...; equal keys have equal ranks.

    Example:
        >>> dense_ranks([70, -5, 10**30, -5])
        [1, 0, 2, 0]
    """
    rank_of = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    return [rank_of[key] for key in keys]
