"""Runs: keys that stand next to each other and belong next to each other.

A *run* is a longest stretch of positions whose keys also follow one another, in the same sequence, when all
keys are sorted (ties by position). Whatever is inverted with one key of a run is inverted with all of it. A
sequence that is in order is a single run, and one in which k keys have been moved has no more than 3k + 1:
what is said of runs costs little where little is out of order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, compress, islice, repeat
from operator import ne, sub


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

    def carried_by_position(self) -> list[int]:
        """How many inversions each position is an end of."""
        return list(chain.from_iterable(map(repeat, self.carried, self.lengths)))


def split_into_runs(keys: Sequence[int]) -> Runs:
    """Return the runs of ``keys``.

    Complexity: O(n log n), near O(n) when nearly sorted.

    Example:
        >>> split_into_runs([1, 2, 9, 3, 4])
        Runs(starts=[0, 2, 3], lengths=[2, 1, 2], ranks=[0, 2, 1], carried=[0, 2, 1])
    """
    by_key = sorted(range(len(keys)), key=keys.__getitem__)
    steps = map(sub, islice(by_key, 1, None), by_key)
    places = [0][: len(by_key)]  # where each begins in ``by_key``
    places += compress(range(1, len(by_key)), map(ne, steps, repeat(1)))
    start_of = [by_key[place] for place in places]
    length_of = list(map(sub, [*places[1:], len(by_key)], places))
    ranks = sorted(range(len(places)), key=start_of.__getitem__)
    starts, lengths = [start_of[rank] for rank in ranks], [length_of[rank] for rank in ranks]
    # A stable sort moves a key right by the smaller keys behind it less the larger ones before it.
    carried = [
        2 * before + places[rank] - start
        for before, rank, start in zip(_count_larger_before(ranks, lengths), ranks, starts, strict=True)
    ]
    return Runs(starts, lengths, ranks, carried)


def _count_larger_before(ranks: Sequence[int], lengths: Sequence[int]) -> list[int]:
    """Return, for each run, the number of larger keys before it; one sweep over a Fenwick tree."""
    count = len(ranks)
    tree = [0] * (count + 1)  # keys seen of each rank, from the largest rank down
    larger_before = []
    for rank, length in zip(ranks, lengths, strict=True):
        larger = 0
        node = count - rank - 1  # the nodes of larger ranks are 1 .. count - rank - 1
        while node:
            larger += tree[node]
            node &= node - 1
        larger_before.append(larger)
        node = count - rank
        while node <= count:
            tree[node] += length
            node += node & -node
    return larger_before
