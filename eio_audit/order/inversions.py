"""Inversions and descents in a sequence of keys, and the displaced ops of a block."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import count, islice, pairwise, repeat
from operator import gt, mul, sub

from eio_audit.order.permutation import SortedRuns, closed_ranges, ranks_of, sorted_runs

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


def inversions_charged(keys: Sequence[int], chosen: Sequence[int]) -> list[int]:
    """Return how many inversions each chosen position is charged with.

    An inversion with one chosen position is charged to it. An inversion of two chosen positions is charged to
    the one with the smaller key. So no inversion counts twice. ``chosen`` is ascending.

    Complexity: O(n log n).

    Example:
        (23, 16) and (18, 16) are charged to 16, (23, 18) is charged to 23.

        >>> inversions_charged([15, 23, 18, 16], [1, 3])
        [1, 2]
    """
    among = [keys[position] for position in chosen]
    all_at, shared = (sorted_runs(some).inversions_by_position() for some in (keys, among))
    # A stable sort moves a key right by its inversions with smaller keys minus those with larger keys.
    shifts = map(sub, ranks_of(among), count())
    return [all_at[k] - (own + shift) // 2 for k, own, shift in zip(chosen, shared, shifts, strict=False)]


def displaced(keys: Sequence[int]) -> list[int]:
    """Return the positions, ascending, of a smallest set whose removal leaves the keys non-decreasing.

    The set is the complement of a longest non-decreasing subsequence, and a minimum vertex cover of the
    inversions. Of several smallest sets, the result is one with the most inversions, because it explains
    most of the disorder. Remaining ties are decided by position.

    Complexity: O(n log n).

    Example:
        Removing 23 or removing 18 leaves the rest in order. 23 is in two inversions, 18 in one.

        >>> displaced([15, 23, 18, 20])
        [1]
    """
    return displaced_in(sorted_runs(keys))


def displaced_in(found: SortedRuns) -> list[int]:
    """Return the result of ``displaced`` for keys that are already split into runs."""
    removed: list[int] = []
    for closed in closed_ranges(found.ranks):
        start, stop = closed.start, closed.stop
        lengths, costs = found.lengths[start:stop], found.inversions_at[start:stop]
        cost_limit = 1 + sum(map(mul, costs, lengths))  # no cost outweighs the length of one key
        values = [length * (cost_limit - cost) for length, cost in zip(lengths, costs, strict=True)]
        # A longest subsequence with one key of a run has all of them.
        kept = set(heaviest_rising([rank - start for rank in found.ranks[start:stop]], values))
        removed += [run for run in closed if run - start not in kept]
    return [p for run in removed for p in range(found.starts[run], found.starts[run] + found.lengths[run])]


def heaviest_rising(ranks: Sequence[int], weights: Sequence[int]) -> list[int]:
    """Return the positions, last first, of a subsequence of rising ranks with the largest total weight.

    A sweep with a Fenwick tree finds, per position, the heaviest subsequence that ends at a smaller rank.
    Of equally heavy ones it takes the one that ends earliest. The ranks are 0, 1, 2, ... in any order. The
    weight of each position is at least 1.

    Complexity: O(n log n).

    Example:
        >>> heaviest_rising([0, 3, 1, 2], [1, 5, 2, 2])
        [1, 0]
    """
    count = len(ranks)
    tree = [-1] * (count + 1)  # per node, the position where its heaviest subsequence ends
    values = [0] * count + [0]  # per position, the heaviest weight that ends there; the last entry: none
    previous = [-1] * count
    for position, (rank, weight) in enumerate(zip(ranks, weights, strict=True)):
        best, node = -1, rank
        while node:
            if values[tree[node]] > values[best]:
                best = tree[node]
            node &= node - 1
        previous[position] = best
        value = values[position] = values[best] + weight
        node = rank + 1
        while node <= count and value > values[tree[node]]:
            tree[node] = position
            node += node & -node
    chain = []
    position = max(range(count), key=values.__getitem__, default=-1)
    while position >= 0:
        chain.append(position)
        position = previous[position]
    return chain


def order_profile(keys: Sequence[int], parts: int) -> tuple[float, ...]:
    """Return, per part of the sequence, where its key that is farthest from its place belongs.

    It is a number from 0 (the start of the sorted sequence) to 1 (its end). A sorted sequence has an evenly
    rising profile. A key far from its place shows, however long the sequence. There are at most so many
    parts, of equal lengths. Equal keys keep their order.

    Complexity: O(n log n).

    Example:
        The last key belongs first.

        >>> order_profile([1, 2, 3, 4, 0], 5)
        (0.25, 0.5, 0.75, 1.0, 0.0)
    """
    size = len(keys)
    belongs = ranks_of(keys)
    parts = min(parts, size)
    bounds = [size * part // max(parts, 1) for part in range(parts + 1)]
    farthest = (
        max(range(start, stop), key=lambda position: abs(belongs[position] - position))
        for start, stop in pairwise(bounds)
    )
    return tuple(belongs[position] / max(size - 1, 1) for position in farthest)
