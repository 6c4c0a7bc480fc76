"""An order that stays in a group of ops as long as it can: code generation makes a function of each stretch.

The rule, for the next op among those whose producers are all there: one of the group at hand; of these, or
of all where that group has none, one that frees nothing; of these one with the least distance from the roots.
An op without producers has distance 0, any other one more than the producer that came last. An op that frees
is never a root: it comes only behind a producer of its own.

The rule leaves ties. ``order_by_rule`` decides them by rank. ``order_by_queue`` is what becomes of it in
a binary heap that is ordered by it, and that is not built again when the group at hand changes. Such a heap
gives out an op of another group although one of the group at hand is ready; when it does depends on the order
in which ops went in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import groupby

Entry = tuple[int, int]
"""An op and its distance from the roots."""


@dataclass(frozen=True, slots=True)
class GroupedOps:
    """Ops by number from 0.

    Attributes:
        group: by op, a number that the ops of its group share.
        rank: by op, who comes first among equals; no two are the same.
        frees: by op, whether it only frees what others have made.
        producers: by op, the ops whose results it uses, repeats included.
        users: by op, the ops that use its results, in order, repeats included.
    """

    group: Sequence[int]
    rank: Sequence[int]
    frees: Sequence[bool]
    producers: Sequence[Sequence[int]]
    users: Sequence[Sequence[int]]

    @property
    def roots(self) -> list[int]:
        """The ops that the order may begin with, by rank."""
        ops = range(len(self.group))
        return sorted(
            (op for op in ops if not self.producers[op] and not self.frees[op]), key=self.rank.__getitem__
        )


def order_by_rule(ops: GroupedOps) -> list[int]:
    """The order by the rule; among equals the smallest rank goes first.

    Returns:
        The ops, first to last. What no root leads to, and what is part of a cycle, is left out.

    Complexity: O((n + e) log n) for n ops and e uses.

    >>> ops = GroupedOps([0, 1, 0, 1], range(4), [False] * 4, [[], [], [0], [1]], [[2], [3], [], []])
    >>> order_by_rule(ops)
    [0, 2, 1, 3]
    """
    waiting = _Waiting(ops)
    everywhere: list[tuple[bool, int, int, int]] = []
    of_group: dict[int, list[tuple[bool, int, int, int]]] = {}
    is_placed = bytearray(len(ops.group))

    def add(op: int, distance: int) -> None:
        entry = (ops.frees[op], distance, ops.rank[op], op)
        heappush(everywhere, entry)
        heappush(of_group.setdefault(ops.group[op], []), entry)

    for root in ops.roots:
        add(root, 0)
    order: list[int] = []
    here: list[tuple[bool, int, int, int]] = []
    while everywhere:
        _, distance, _, op = heappop(here or everywhere)
        if is_placed[op]:
            continue
        is_placed[op] = True
        order.append(op)
        here = of_group[ops.group[op]]
        for user in waiting.ready_behind(op):
            add(user, distance + 1)
    return order


def order_by_queue(ops: GroupedOps, roots: Iterable[int]) -> list[int]:
    """The order that a C++ ``std::priority_queue`` gives out, with the rule as its comparator.

    Args:
        ops: which.
        roots: ``ops.roots``, in the order in which they are put into the queue.

    Returns:
        As ``order_by_rule``. Users enter the queue last one first, as MLIR lists the uses of a value.

    Complexity: O((n + e) log n) for n ops and e uses.
    """
    waiting = _Waiting(ops)
    queue = _Queue(ops)
    for root in roots:
        queue.push((root, 0))
    order: list[int] = []
    while queue.heap:
        op, distance = queue.pop()
        order.append(op)
        queue.here = ops.group[op]
        for user in reversed(waiting.ready_behind(op)):
            queue.push((user, distance + 1))
    return order


def group_count(ops: GroupedOps, order: Iterable[int]) -> int:
    """How many stretches of one group an order has."""
    return sum(1 for _ in groupby(ops.group[op] for op in order))


class _Waiting:
    """Ops that wait for their producers."""

    def __init__(self, ops: GroupedOps) -> None:
        self._users = ops.users
        self._missing = [len(set(producers)) for producers in ops.producers]

    def ready_behind(self, op: int) -> list[int]:
        """The users that wait for nothing any more once ``op`` has its place."""
        ready = []
        for user in dict.fromkeys(self._users[op]):
            self._missing[user] -= 1
            if not self._missing[user]:
                ready.append(user)
        return ready


class _Queue:
    """A binary heap as C++'s standard library keeps it, the first entry on top.

    Attributes:
        here: the group at hand. A change of it changes the order of what is in the heap, not the heap.
    """

    def __init__(self, ops: GroupedOps) -> None:
        self._group = ops.group
        self._frees = ops.frees
        self.heap: list[Entry] = []
        self.here: int | None = None

    def push(self, entry: Entry) -> None:
        """As ``std::push_heap``."""
        self.heap.append(entry)
        self._rise(len(self.heap) - 1, entry)

    def pop(self) -> Entry:
        """As ``std::pop_heap``: the hole on top sinks to a leaf, and the last entry rises from there."""
        heap = self.heap
        top, last = heap[0], heap.pop()
        if not heap:
            return top
        hole = 0
        while (right := 2 * hole + 2) < len(heap):
            child = right - 1 if self._is_behind(heap[right], heap[right - 1]) else right
            heap[hole] = heap[child]
            hole = child
        if right == len(heap):
            heap[hole] = heap[right - 1]
            hole = right - 1
        self._rise(hole, last)
        return top

    def _rise(self, hole: int, entry: Entry) -> None:
        heap = self.heap
        while hole and self._is_behind(heap[(hole - 1) // 2], entry):
            heap[hole] = heap[(hole - 1) // 2]
            hole = (hole - 1) // 2
        heap[hole] = entry

    def _is_behind(self, one: Entry, other: Entry) -> bool:
        """Whether the other goes first, by the rule alone: equals are not behind one another."""
        is_here = self._group[one[0]] == self.here
        if is_here != (self._group[other[0]] == self.here):
            return not is_here
        frees = self._frees[one[0]]
        if frees != self._frees[other[0]]:
            return frees
        return one[1] > other[1]
