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

MOST_ROOTS = 5
"""The most roots of which all orders are tried."""

MOST_TRIES = 64
FEWEST_TRIES = 8
"""How many orders are tried if not all are. The larger a program, the less its tries differ."""

TRIED_OPS = 100_000
"""The most ops in all tries together, if these are more than the fewest tries."""

LARGEST = 25_000
"""The most ops of a program whose orders are tried. Of a larger one, only one order is made."""

ROUNDING, DOUBT = 0.05, 0.05
"""How far a typical number may be from the mean of the tries, and that from the mean of all orders."""


@dataclass(frozen=True, slots=True)
class QueueTries:
    """The orders that the queue made.

    Attributes:
        orders: per try, the ops in their order.
        counts: per try, the number of runs.
        is_all: whether every order of the roots was tried.
        best: the number of a try whose number of runs is nearest to the mean.
    """

    orders: list[list[int]]
    counts: list[int]
    is_all: bool
    best: int

    @property
    def typical(self) -> int | None:
        """The number of runs of ``best`` if the tries tell that the pass makes about as many; else None.

        It is within 5 % of the mean and 10 % of the median of the tries, and the error of the mean that is
        left, two standard errors, is at most 5 %.
        """
        counts, count = self.counts, self.counts[self.best]
        mean = fmean(counts)
        error = 0 if self.is_all else 2 * pstdev(counts) / sqrt(len(counts))
        is_enough = self.is_all or len(counts) >= FEWEST_TRIES
        is_near = abs(count - mean) <= ROUNDING * mean and abs(count - median(counts)) <= 2 * ROUNDING * mean
        return count if is_enough and is_near and error <= DOUBT * mean else None


def queue_tries(ops: GroupedOps) -> QueueTries:
    """Try orders of the roots of some ops.

    Complexity: O((n + e) log n) for n ops and e uses, at most 120 times.

    >>> tries = queue_tries(GroupedOps([0, 1, 0], range(3), [False] * 3, [[], [], [0]], [[2], [], []]))
    >>> tries.counts, tries.is_all, tries.typical
    ([2, 2], True, 2)
    """
    roots = ops.roots
    size = max(len(ops.group), 1)
    affordable = max(TRIED_OPS // size, FEWEST_TRIES) if size <= LARGEST else 1
    is_all = len(roots) <= MOST_ROOTS and factorial(len(roots)) <= affordable
    tries = permutations(roots) if is_all else _shuffled(roots, min(MOST_TRIES, affordable))
    orders = [order_by_queue(ops, one) for one in tries]
    counts = [group_count(ops, order) for order in orders]
    mean = fmean(counts)
    return QueueTries(orders, counts, is_all, min(range(len(counts)), key=lambda k: abs(counts[k] - mean)))


def _shuffled(roots: Sequence[int], tries: int) -> Iterator[Sequence[int]]:
    for seed in range(tries):
        shuffled = list(roots)
        Random(seed).shuffle(shuffled)
        yield shuffled
