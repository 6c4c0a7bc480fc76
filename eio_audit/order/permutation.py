"""Permutations as consecutive runs: the ranges that they permute, the ops that they move, their inversions.

A *consecutive run* is a maximal sequence of neighbours in one order that are neighbours in the other as well.
A permutation that moves k ops has at most 3k + 1 runs. So one step per run is little work if few ops moved.
An order of ops is ``order[k]``, the textual index of the op placed k-th.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, compress, count, islice, pairwise, repeat
from operator import gt, mul, ne, not_, sub
from typing import NamedTuple


def run_bounds(order: Sequence[int]) -> list[int]:
    """Return the places where the consecutive runs of an order begin, then its length.

    >>> run_bounds([0, 1, 4, 2, 3])
    [0, 2, 3, 5]
    """
    steps = map(sub, islice(order, 1, None), order)
    return [0, *compress(count(1), map(ne, steps, repeat(1))), len(order)] if order else [0]


def closed_ranges(permutation: Sequence[int]) -> list[range]:
    """Return the shortest ranges of several places that a permutation maps onto themselves.

    >>> closed_ranges([0, 2, 1, 3, 5, 4])
    [range(1, 3), range(4, 6)]
    """
    # A range can end where the differences of number and place so far add up to 0.
    surplus = accumulate(map(sub, permutation, count()))
    cuts = [0, *compress(count(1), map(not_, surplus))]
    return [range(start, stop) for start, stop in pairwise(cuts) if stop - start > 1]


class PermutedRange(NamedTuple):
    """A shortest range of places whose ops an order permutes among themselves."""

    places: range  # the range; also the textual indices of its ops
    runs: list[range]  # the ops in the new order, as consecutive runs of textual indices


def permuted_ranges(order: Sequence[int]) -> list[PermutedRange]:
    """Return the ranges that an order permutes, first to last. Every other op keeps its place.

    Complexity: O(n + r log r) for r runs.

    >>> permuted_ranges([0, 2, 3, 1, 4])
    [PermutedRange(places=range(1, 4), runs=[range(2, 4), range(1, 2)])]
    """
    bounds = run_bounds(order)
    runs = [range(order[start], order[start] + stop - start) for start, stop in pairwise(bounds)]
    return [
        PermutedRange(range(bounds[closed.start], bounds[closed.stop]), runs[closed.start : closed.stop])
        for closed in closed_ranges(ranks_of([run.start for run in runs]))
    ]


def inverse(order: Sequence[int]) -> list[int]:
    """Return the place of each op. For numbers with gaps, return their positions by rising number.

    >>> inverse([2, 0, 1])
    [1, 2, 0]
    """
    return sorted(range(len(order)), key=order.__getitem__)


def ranks_of(numbers: Sequence[int]) -> list[int]:
    """Return the rank of each number among all: 0, 1, 2, ...; of equal numbers, the first has the lowest.

    >>> ranks_of([70, -5, 70])
    [1, 0, 2]
    """
    return inverse(inverse(numbers))


def longest_in_place(order: Sequence[int]) -> list[int]:
    """Return a longest subsequence of ``order`` in textual order: the kept ops. All others are moved.

    Complexity: O(n log n), O(n) for the textual order (patience sorting; Fredman 1975).

    >>> longest_in_place([1, 2, 0, 3])
    [1, 2, 3]
    """
    return [op for start, stop in _kept_ranges(order) for op in order[start:stop]]


def moved_places(order: Sequence[int]) -> list[int]:
    """Return the places of the moved ops: those that ``longest_in_place`` leaves out.

    >>> moved_places([1, 2, 0, 3])
    [2]
    """
    bounds = [0, *chain.from_iterable(_kept_ranges(order)), len(order)]
    return list(chain.from_iterable(map(range, bounds[::2], bounds[1::2])))


def _kept_ranges(order: Sequence[int]) -> list[tuple[int, int]]:
    """Return the half-open ranges of places of the kept ops."""
    ends = [-1]  # per length, the smallest op that ends a subsequence in textual order
    before = []  # per run, the op before its first op in such a subsequence
    runs = list(pairwise(run_bounds(order)))
    for start, stop in runs:
        # Ops of a run are neighbours in the text as well, so a subsequence with one can have the next.
        first = order[start]
        length = len(ends) if ends[-1] < first else bisect_left(ends, first)
        before.append(ends[length - 1])
        ends[length : length + stop - start] = order[start:stop]
    ranges = []
    last = ends[-1]
    for (start, stop), op_before in zip(reversed(runs), reversed(before), strict=True):
        if 0 <= last - order[start] < stop - start:
            ranges.append((start, start + last - order[start] + 1))
            last = op_before
    return ranges[::-1]


class SortedRuns(NamedTuple):
    """The consecutive runs of a sequence of keys, compared with the same keys sorted, ties by position.

    A key that is inverted with one key of a run is inverted with all of them.
    """

    starts: list[int]  # per run, the position of its first key; ascending
    lengths: list[int]  # per run, its number of keys
    ranks: list[int]  # per run, its place among the runs sorted by key
    inversions_at: list[int]  # per run, how many inversions each of its keys is in

    @property
    def inversions(self) -> int:
        """Number of inversions of the keys."""
        ends: int = sum(map(mul, self.inversions_at, self.lengths))
        return ends // 2

    def inversions_by_position(self) -> list[int]:
        """Return, per position, how many inversions it is in."""
        return list(chain.from_iterable(map(repeat, self.inversions_at, self.lengths)))


def sorted_runs(keys: Sequence[int]) -> SortedRuns:
    """Return the consecutive runs of ``keys``.

    Complexity: O(n log n), near O(n) when nearly sorted.

    >>> sorted_runs([1, 2, 9, 3, 4])
    SortedRuns(starts=[0, 2, 3], lengths=[2, 1, 2], ranks=[0, 2, 1], inversions_at=[0, 2, 1])
    """
    by_key = inverse(keys)
    bounds = run_bounds(by_key)
    places = bounds[:-1]
    start_of = [by_key[place] for place in places]
    length_of = list(map(sub, bounds[1:], places))
    ranks = inverse(start_of)
    starts, lengths = [start_of[rank] for rank in ranks], [length_of[rank] for rank in ranks]
    # A stable sort moves a key right by the smaller keys after it minus the larger keys before it.
    inversions_at = [
        2 * before + places[rank] - start
        for before, rank, start in zip(_larger_before(ranks, lengths), ranks, starts, strict=True)
    ]
    return SortedRuns(starts, lengths, ranks, inversions_at)


def _larger_before(ranks: Sequence[int], weights: Sequence[int]) -> list[int]:
    """Return, per place of a permutation of ranks, the total weight of the larger ranks before it."""
    larger_before = [0] * len(ranks)
    for closed in closed_ranges(ranks):
        places = slice(closed.start, closed.stop)
        larger_before[places] = _sweep([rank - closed.start for rank in ranks[places]], weights[places])
    return larger_before


def _sweep(ranks: Sequence[int], weights: Sequence[int]) -> Iterator[int]:
    """Yield, per rank, the total weight of the larger ranks before it, from a Fenwick tree."""
    tree = [0] * (len(ranks) + 1)  # weights seen, from the largest rank down
    for rank, weight in zip(ranks, weights, strict=True):
        larger = 0
        node = len(ranks) - rank - 1  # the nodes of larger ranks are 1 .. len - rank - 1
        while node:
            larger += tree[node]
            node &= node - 1
        yield larger
        node = len(ranks) - rank
        while node < len(tree):
            tree[node] += weight
            node += node & -node


CHUNK = 512  # keys sorted by insertion before merging starts


def keyed_inversions(keys: Iterable[int | None]) -> int:
    """Return the inversions of the keys; None stands for an op without a key, which is in none."""
    return count_inversions([key for key in keys if key is not None])


def count_inversions(keys: Sequence[int], chunk_size: int = CHUNK) -> int:
    """Return the number of pairs i < j with keys[i] > keys[j]. Equal keys are no inversion.

    This is the Kendall tau distance to the sorted sequence. Insertion sorts chunks of keys, then neighbouring
    chunks are merged. Each step counts the pairs that it puts in order.

    Complexity: O(n log n), near O(n) when nearly sorted.

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
            inversions += len(unsorted) * (len(unsorted) - 1) // 2  # all pairs, but for those in order
            for key in unsorted:
                place = bisect_right(chunk, key)
                inversions -= place
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

    >>> count_descents([15, 23, 18, 18, 2])
    2
    """
    return sum(map(gt, keys, islice(keys, 1, None)))


def inversions_charged(keys: Sequence[int], chosen: Sequence[int]) -> list[int]:
    """Return how many inversions each chosen position is charged with.

    An inversion with one chosen position is charged to it. An inversion of two chosen positions is charged to
    the one with the smaller key. So no inversion counts twice. ``chosen`` is ascending.

    Complexity: O(n log n).

    Here (23, 16) and (18, 16) are charged to 16, (23, 18) is charged to 23.

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

    Here removing 23 or removing 18 leaves the rest in order. 23 is in two inversions, 18 in one.

    >>> displaced([15, 23, 18, 20])
    [1]
    """
    return displaced_in(sorted_runs(keys))


def displaced_in(found: SortedRuns) -> list[int]:
    """Return the result of ``displaced`` for keys that are already split into runs."""
    lengths, costs = found.lengths, found.inversions_at
    cost_limit = 1 + sum(map(mul, costs, lengths))  # no cost outweighs the length of one key
    weights = [length * (cost_limit - cost) for length, cost in zip(lengths, costs, strict=True)]
    # A longest subsequence with one key of a run has all of them.
    runs = _left_out(found.ranks, weights)
    return [p for run in runs for p in range(found.starts[run], found.starts[run] + found.lengths[run])]


def displaced_by_weight(keys: Sequence[int], weights: Sequence[int]) -> list[int]:
    """Return the positions, ascending, of a lightest set whose removal leaves the keys non-decreasing.

    Each weight is at least 1.

    Complexity: O(n log n).

    >>> displaced_by_weight([0, 30, 10, 20], [1, 5, 2, 2])
    [2, 3]
    """
    ranks = ranks_of(keys)
    bounds = run_bounds(ranks)
    of_runs = [sum(weights[start:stop]) for start, stop in pairwise(bounds)]
    runs = _left_out(ranks_of([ranks[start] for start in bounds[:-1]]), of_runs)
    return [position for run in runs for position in range(bounds[run], bounds[run + 1])]


def _left_out(ranks: Sequence[int], weights: Sequence[int]) -> list[int]:
    """Return the positions, ascending, that ``heaviest_rising`` leaves out."""
    left_out: list[int] = []
    for closed in closed_ranges(ranks):
        places = slice(closed.start, closed.stop)
        kept = set(heaviest_rising([rank - closed.start for rank in ranks[places]], weights[places]))
        left_out += [position for position in closed if position - closed.start not in kept]
    return left_out


def heaviest_rising(ranks: Sequence[int], weights: Sequence[int]) -> list[int]:
    """Return the positions, last first, of a subsequence of rising ranks with the largest total weight.

    A sweep with a Fenwick tree finds, per position, the heaviest subsequence that ends at a smaller rank.
    Of equally heavy ones it takes the one that ends earliest. The ranks are 0, 1, 2, ... in any order. The
    weight of each position is at least 1.

    Complexity: O(n log n).

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

    Here the last key belongs first.

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
