"""Topological orders that stay in a group of ops as long as they can.

Code generation makes a function of consecutive ops of one group. An op is ready when all its producers are
placed. The rule takes the next op from those that are ready. It prefers an op of the current group, then an
op that frees nothing, then the op with the least distance from the roots.

An op without producers has distance 0. Any other op is one farther than its producer that was placed last.
An op that frees is never a root: it is placed only after a producer of its own.

The pass uses a binary heap that compares by the rule but is not rebuilt when the current group changes. Such
a heap may return an op of another group although one of the current group is ready. That, and which of two
equal ops comes first, depends on the order of insertion.

The pass takes the roots in the order of a hash table, by the addresses of the ops. These differ from run to
run. So each order of the roots is taken to be as likely as any other: all of them if they are few, else some
at random, always the same ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import groupby, permutations
from math import factorial, sqrt
from random import Random
from statistics import fmean, median, pstdev

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
class GroupedOps:
    """Ops numbered from 0.

    Attributes:
        group: per op, the number of its group.
        rank: per op, a distinct number, which orders the roots.
        frees: per op, whether it only frees results of other ops.
        producers: per op, the ops whose results it uses, each once.
        users: per op, the ops that use its results, each once, in the order in which they enter the queue.
    """

    group: Sequence[int]
    rank: Sequence[int]
    frees: Sequence[bool]
    producers: Sequence[Sequence[int]]
    users: Sequence[Sequence[int]]

    @property
    def roots(self) -> list[int]:
        """The ops that an order can begin with, by rank."""
        ops = range(len(self.group))
        return sorted(
            (op for op in ops if not self.producers[op] and not self.frees[op]), key=self.rank.__getitem__
        )


def order_by_queue(ops: GroupedOps, roots: Iterable[int]) -> list[int]:
    """Return the order of a C++ ``std::priority_queue`` that compares by the rule.

    Python's ``heapq`` moves entries as ``std::push_heap`` and ``std::pop_heap`` do. After a pop, the hole
    sinks to a leaf, and the last entry rises from there. The hole takes the right child unless the left one
    goes first.

    Args:
        ops: the ops to order.
        roots: ``ops.roots``, in the order of their insertion.

    Returns:
        The ops that a root leads to, without those on cycles.

    Complexity: O((n + e) log n) for n ops and e uses.

    >>> ops = GroupedOps([0, 1, 0, 1], range(4), [False] * 4, [[], [], [0], [1]], [[2], [3], [], []])
    >>> order_by_queue(ops, [0, 1])
    [0, 2, 1, 3]
    """
    current: int | None = None
    missing = list(map(len, ops.producers))

    class Entry:
        __slots__ = ("distance", "group", "op", "rule")

        def __init__(self, op: int, distance: int) -> None:
            self.op = op
            self.distance = distance
            self.group = ops.group[op]
            self.rule = len(missing) * ops.frees[op] + distance

        def __lt__(self, other: Entry) -> bool:
            # ``current`` changes while entries are in the heap, but no entry moves for that: see above.
            if self.group != other.group and current in (self.group, other.group):
                return self.group == current
            return self.rule < other.rule

    queue: list[Entry] = []
    for root in roots:
        heappush(queue, Entry(root, 0))
    order: list[int] = []
    while queue:
        first = heappop(queue)
        order.append(first.op)
        current = first.group
        for user in ops.users[first.op]:
            missing[user] -= 1
            if not missing[user]:
                heappush(queue, Entry(user, first.distance + 1))
    return order


def group_count(ops: GroupedOps, order: Iterable[int]) -> int:
    """Return the number of maximal sequences of ops of one group in an order."""
    return sum(1 for _ in groupby(ops.group[op] for op in order))


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


def queue_tries(ops: GroupedOps, tried_ops: int = TRIED_OPS, largest: int = LARGEST) -> QueueTries:
    """Try orders of the roots of some ops.

    Complexity: O((n + e) log n) for n ops and e uses, at most 120 times.

    >>> tries = queue_tries(GroupedOps([0, 1, 0], range(3), [False] * 3, [[], [], [0]], [[2], [], []]))
    >>> tries.counts, tries.is_all, tries.typical
    ([2, 2], True, 2)
    """
    roots = ops.roots
    size = max(len(ops.group), 1)
    affordable = max(tried_ops // size, FEWEST_TRIES) if size <= largest else 1
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
