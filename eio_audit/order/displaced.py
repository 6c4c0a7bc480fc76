"""Which ops to name when a block is out of order."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul

from eio_audit.order.permutation import Runs, split_into_runs
from eio_audit.order.rising import heaviest_rising


def displaced(keys: Sequence[int]) -> list[int]:
    """Return the positions, ascending, of a smallest set whose removal leaves the keys non-decreasing.

    That is the complement of a longest non-decreasing subsequence, and a minimum vertex cover of the
    inversions. Among the smallest sets it takes one that carries the most inversions: what is named
    first should explain most. What ties even then is decided by position, always alike.

    Complexity: O(n log n).

    Example:
        Without 23 the rest is in order; without 18 as well, but 23 carries two inversions and 18 one.

        >>> displaced([15, 23, 18, 20])
        [1]
    """
    return displaced_in(split_into_runs(keys))


def displaced_in(found: Runs) -> list[int]:
    """Return what ``displaced`` gives for keys that have been split into runs."""
    removed: list[int] = []
    for start, stop in found.sections():
        kept = set(_cheapest_longest_nondecreasing(found, start, stop))
        removed += [run for run in range(start, stop) if run not in kept]
    return [p for run in removed for p in range(found.starts[run], found.starts[run] + found.lengths[run])]


def _cheapest_longest_nondecreasing(found: Runs, start: int, stop: int) -> list[int]:
    """Return, last first, the runs of a longest non-decreasing subsequence of the least total cost.

    A longest subsequence that holds one key of a run holds all of it. So it is one of runs with rising ranks:
    the longest, then the cheapest, then the one that ends earliest in the text.

    Args:
        found: the runs.
        start: the first run of the section to look at; each is apart from the others.
        stop: one past its last.
    """
    lengths, carried = found.lengths[start:stop], found.carried[start:stop]
    cost_limit = 1 + sum(map(mul, carried, lengths))  # no cost outweighs the length of one key
    values = [length * (cost_limit - cost) for length, cost in zip(lengths, carried, strict=True)]
    ranks = [rank - start for rank in found.ranks[start:stop]]
    return [start + run for run in heaviest_rising(ranks, values)]
