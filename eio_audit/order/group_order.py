"""Topological orders that stay in a group of ops as long as they can.

Code generation makes a function of consecutive ops of one group. An op is ready when all its producers are
placed. The rule takes the next op from those that are ready. It prefers an op of the current group, then an
op that frees nothing, then the op with the least distance from the roots.

An op without producers has distance 0. Any other op is one farther than its producer that was placed last.
An op that frees is never a root: it is placed only after a producer of its own.

The pass uses a binary heap that compares by the rule but is not rebuilt when the current group changes. Such
a heap may return an op of another group although one of the current group is ready. That, and which of two
equal ops comes first, depends on the order of insertion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import groupby


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

    class Entry:
        __slots__ = ("distance", "group", "op", "rule")

        def __init__(self, op: int, distance: int) -> None:
            self.op = op
            self.distance = distance
            self.group = ops.group[op]
            self.rule = ops.frees[op], distance

        def __lt__(self, other: Entry) -> bool:
            if self.group != other.group and current in (self.group, other.group):
                return self.group == current
            return self.rule < other.rule

    ready_after = _readiness(ops)
    queue: list[Entry] = []
    for root in roots:
        heappush(queue, Entry(root, 0))
    order: list[int] = []
    while queue:
        first = heappop(queue)
        order.append(first.op)
        current = first.group
        for user in ready_after(first.op):
            heappush(queue, Entry(user, first.distance + 1))
    return order


def group_count(ops: GroupedOps, order: Iterable[int]) -> int:
    """Return the number of maximal sequences of ops of one group in an order."""
    return sum(1 for _ in groupby(ops.group[op] for op in order))


def _readiness(ops: GroupedOps) -> Callable[[int], list[int]]:
    """Return a function that places an op and returns the users that this makes ready."""
    missing = list(map(len, ops.producers))

    def ready_after(op: int) -> list[int]:
        users = ops.users[op]
        for user in users:
            missing[user] -= 1
        return [user for user in users if not missing[user]]

    return ready_after
