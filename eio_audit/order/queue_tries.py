"""What the queue of ``group_order.py`` makes of several orders of its roots.

The pass takes the roots in the order of a hash table, by the addresses of the ops. These differ from run to
run. So each order of the roots is taken to be as likely as any other: all of them if they are few, else some
at random, always the same ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import factorial, sqrt
from random import Random
from statistics import fmean, median, pstdev

from eio_audit.order.group_order import GroupedOps, group_count, order_by_queue

MOST_ORDERS = 120
"""The most orders of the roots of which all are tried."""

MOST_TRIES = 64
"""How many orders are tried if not all are."""

TRIED_OPS = 200_000
"""The most ops in all tries together, of one program."""

FEWEST_TRIES = 8
"""With fewer tries, no number of runs is called typical."""

ROUNDING, DOUBT = 0.05, 0.05
"""How far a typical number may be from the mean, and how far the mean of the tries from that of all orders."""


@dataclass(frozen=True, slots=True)
class QueueTries:
    """The orders that the queue made.

    Attributes:
        counts: per try, the number of runs, ascending.
        is_all: whether every order of the roots was tried.
        order: the ops in the order of a try whose number of runs is nearest to the mean.
        count: the number of its runs.
    """

    counts: tuple[int, ...]
    is_all: bool
    order: list[int]
    count: int

    @property
    def typical(self) -> int | None:
        """``count`` if the tries tell that runs of the pass have about as many; else None.

        It is within 5 % of the mean and 10 % of the median of the tries, and the error of the mean that is
        left, two standard errors, is at most 5 %.
        """
        counts = self.counts
        mean = fmean(counts) if counts else 0
        if not self.is_all:
            if len(counts) < FEWEST_TRIES or 2 * pstdev(counts) / sqrt(len(counts)) > DOUBT * mean:
                return None
        is_near = abs(self.count - mean) <= ROUNDING * mean
        return self.count if is_near and abs(self.count - median(counts)) <= 2 * ROUNDING * mean else None


def queue_tries(ops: GroupedOps) -> QueueTries:
    """Try orders of the roots of some ops.

    Complexity: O((n + e) log n) for n ops and e uses, at most ``MOST_ORDERS`` times.

    >>> two_lines = GroupedOps([0, 1, 0], range(3), [False] * 3, [[], [], []], [[], [], []])
    >>> tries = queue_tries(two_lines)
    >>> tries.counts, tries.is_all, tries.typical
    ((2, 2, 2, 2, 2, 2), True, 2)
    """
    roots = ops.roots
    size = max(len(ops.group), 1)
    is_all = len(roots) < 6 and factorial(len(roots)) <= min(MOST_ORDERS, max(TRIED_OPS // size, 1))
    tries = permutations(roots) if is_all else _shuffled(roots, min(MOST_TRIES, max(TRIED_OPS // size, 1)))
    orders = [order_by_queue(ops, one) for one in tries]
    counts = [group_count(ops, order) for order in orders]
    mean = fmean(counts)
    best = min(range(len(counts)), key=lambda k: abs(counts[k] - mean))
    return QueueTries(tuple(sorted(counts)), is_all, orders[best], counts[best])


def _shuffled(roots: Sequence[int], tries: int) -> Iterator[Sequence[int]]:
    for seed in range(tries):
        shuffled = list(roots)
        Random(seed).shuffle(shuffled)
        yield shuffled
