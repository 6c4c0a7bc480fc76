"""Runs: keys that stand next to each other and belong next to each other.

A *run* is a longest stretch of positions whose keys also follow one another, in the same sequence, when all
keys are sorted (ties by position). Whatever is inverted with one key of a run is inverted with all of it. A
sequence that is in order is a single run, and one in which k keys have been moved has no more than 3k + 1:
what is said of runs costs little where little is out of order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, compress, count, islice, pairwise, repeat
from operator import mul, not_, sub


@dataclass(frozen=True, slots=True)
class Runs:
    """The runs of a sequence of keys, in textual order.

    Attributes:
        starts: the position of the first key of each.
        lengths: how many keys.
        ranks: the place of each among the runs in order of their keys.
        carried: how many inversions each of its keys is an end of.
    """

    starts: list[int]
    lengths: list[int]
    ranks: list[int]
    carried: list[int]

    @property
    def inversions(self) -> int:
        """How many inversions the keys have."""
        ends: int = sum(map(mul, self.carried, self.lengths))
        return ends // 2

    def carried_by_position(self) -> list[int]:
        """How many inversions each position is an end of."""
        return list(chain.from_iterable(map(repeat, self.carried, self.lengths)))

    def sections(self) -> list[tuple[int, int]]:
        """The shortest stretches of several runs with no larger key before and no smaller one behind."""
        return _sections(self.ranks)

    def inversions_with(self, is_member: Sequence[int]) -> int:
        """How many inversions have a member at an end; ``is_member`` has 1 for one, by position.

        Example:
            >>> split_into_runs([15, 23, 18, 16]).inversions_with([False, False, False, True])
            2
        """
        if not any(is_member):
            return 0
        before = list(accumulate(is_member, initial=0))
        members = [
            before[start + length] - before[start]
            for start, length in zip(self.starts, self.lengths, strict=True)
        ]
        ends: int = sum(map(mul, self.carried, members))
        return ends - self._among(members)

    def _among(self, members: Sequence[int]) -> int:
        """How many inversions there are among some of the keys, given as how many there are of each run."""
        ranks = list(compress(self.ranks, members))
        weights = list(compress(members, members))
        dense = {rank: place for place, rank in enumerate(sorted(ranks))}
        before = _larger_before([dense[rank] for rank in ranks], weights)
        among: int = sum(map(mul, before, weights))
        return among


def split_into_runs(keys: Sequence[int]) -> Runs:
    """Return the runs of ``keys``.

    Complexity: O(n log n), near O(n) when nearly sorted.

    Example:
        >>> split_into_runs([1, 2, 9, 3, 4])
        Runs(starts=[0, 2, 3], lengths=[2, 1, 2], ranks=[0, 2, 1], carried=[0, 2, 1])
    """
    by_key = sorted(range(len(keys)), key=keys.__getitem__)
    bounds = piece_bounds(by_key)
    places = bounds[:-1]
    start_of = [by_key[place] for place in places]
    length_of = list(map(sub, bounds[1:], places))
    ranks = sorted(range(len(places)), key=start_of.__getitem__)
    starts, lengths = [start_of[rank] for rank in ranks], [length_of[rank] for rank in ranks]
    # A stable sort moves a key right by the smaller keys behind it less the larger ones before it.
    carried = [
        2 * before + places[rank] - start
        for before, rank, start in zip(_larger_before(ranks, lengths), ranks, starts, strict=True)
    ]
    return Runs(starts, lengths, ranks, carried)


def piece_bounds(order: Sequence[int]) -> list[int]:
    """Return where an order is cut into pieces, both ends included.

    A piece is a longest stretch of ops that follow each other in the text as well.

    Example:
        >>> piece_bounds([0, 1, 4, 2, 3])
        [0, 2, 3, 5]
    """
    places, following = range(1, len(order)), islice(order, 1, None)
    cuts = [place for place, op, behind in zip(places, order, following, strict=False) if behind - op != 1]
    return [0, *cuts, len(order)] if order else [0]


def _sections(ranks: Sequence[int]) -> list[tuple[int, int]]:
    """Return the shortest stretches of several ranks that hold the ranks which are theirs when sorted."""
    # How far the ranks up to there are from their places in all: where they have changed places among
    # themselves only, that is nothing.
    surplus = accumulate(map(sub, ranks, count()))
    cuts = [0, *compress(count(1), map(not_, surplus))]
    return [(start, stop) for start, stop in pairwise(cuts) if stop - start > 1]


def _larger_before(ranks: Sequence[int], weights: Sequence[int]) -> list[int]:
    """Return, for each run, the weight of the runs of larger rank before it."""
    larger_before = [0] * len(ranks)
    for start, stop in _sections(ranks):
        local = [rank - start for rank in ranks[start:stop]]
        larger_before[start:stop] = _larger_before_in_section(local, weights[start:stop])
    return larger_before


def _larger_before_in_section(ranks: Sequence[int], weights: Sequence[int]) -> list[int]:
    """Return the same where the ranks are 0, 1, 2, ...; one sweep over a Fenwick tree."""
    count = len(ranks)
    tree = [0] * (count + 1)  # weights seen of each rank, from the largest rank down
    larger_before = []
    for rank, weight in zip(ranks, weights, strict=True):
        larger = 0
        node = count - rank - 1  # the nodes of larger ranks are 1 .. count - rank - 1
        while node:
            larger += tree[node]
            node &= node - 1
        larger_before.append(larger)
        node = count - rank
        while node <= count:
            tree[node] += weight
            node += node & -node
    return larger_before
