"""An order that stays in a group of ops as long as it can.

Code generation makes a function of each run of ops of one group.

The rule, for the next op among those whose producers are all placed: one of the current group; of these, or
of all where that group has none, one that frees nothing; of these one with the least distance from the roots.
An op without producers has distance 0, any other one more than the producer that was placed last. An op that
frees is never a root: it is placed only after a producer of its own.

The rule leaves ties. ``order_by_rule`` decides them by rank. ``order_by_queue`` is the order that a binary
heap gives which compares by the rule and is not built again when the current group changes. Such a heap may
give an op of another group although one of the current group is ready; when it does depends on the order in
which ops were added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import groupby


@dataclass(frozen=True, slots=True)
class GroupedOps:
    """Ops by number from 0.

    Attributes:
        group: by op, a number that the ops of its group share.
        rank: by op, which is first among equals; no two are the same.
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
    """Return the order by the rule; among equals the smallest rank goes first.

    What no root leads to, and what is part of a cycle, is left out.

    Complexity: O((n + e) log n) for n ops and e uses.

    >>> ops = GroupedOps([0, 1, 0, 1], range(4), [False] * 4, [[], [], [0], [1]], [[2], [3], [], []])
    >>> order_by_rule(ops)
    [0, 2, 1, 3]
    """
    ready_after = _readiness(ops)
    all_groups: list[tuple[bool, int, int, int]] = []
    by_group: dict[int, list[tuple[bool, int, int, int]]] = {group: [] for group in ops.group}
    is_placed = bytearray(len(ops.group))

    def add(op: int, distance: int) -> None:
        entry = (ops.frees[op], distance, ops.rank[op], op)
        heappush(all_groups, entry)
        heappush(by_group[ops.group[op]], entry)

    for root in ops.roots:
        add(root, 0)
    order: list[int] = []
    current: list[tuple[bool, int, int, int]] = []
    while all_groups:
        _, distance, _, op = heappop(current or all_groups)
        if is_placed[op]:
            continue
        is_placed[op] = True
        order.append(op)
        current = by_group[ops.group[op]]
        for user in ready_after(op):
            add(user, distance + 1)
    return order


def order_by_queue(ops: GroupedOps, roots: Iterable[int]) -> list[int]:
    """Return the order that a C++ ``std::priority_queue`` gives, with the rule as its comparator.

    Python's ``heapq`` moves entries as ``std::push_heap`` and ``std::pop_heap`` do: after a pop, the hole
    sinks to a leaf, to the right child where the left one does not go first, and the last entry rises from
    there.

    Args:
        ops: the ops to order.
        roots: ``ops.roots``, in the order in which they are put into the queue.

    Returns:
        The ops that ``order_by_rule`` has. Users enter the queue last one first, as MLIR lists the uses of a
        value.

    Complexity: O((n + e) log n) for n ops and e uses.
    """
    current: int | None = None

    @dataclass(frozen=True, slots=True)
    class Entry:
        op: int
        distance: int

        def __lt__(self, other: Entry) -> bool:
            is_current = ops.group[self.op] == current
            if is_current != (ops.group[other.op] == current):
                return is_current
            if ops.frees[self.op] != ops.frees[other.op]:
                return ops.frees[other.op]
            return self.distance < other.distance

    ready_after = _readiness(ops)
    queue: list[Entry] = []
    for root in roots:
        heappush(queue, Entry(root, 0))
    order: list[int] = []
    while queue:
        first = heappop(queue)
        order.append(first.op)
        current = ops.group[first.op]
        for user in reversed(ready_after(first.op)):
            heappush(queue, Entry(user, first.distance + 1))
    return order


def group_count(ops: GroupedOps, order: Iterable[int]) -> int:
    """Return how often the group changes along an order, counting the first one."""
    return sum(1 for _ in groupby(ops.group[op] for op in order))


def _readiness(ops: GroupedOps) -> Callable[[int], list[int]]:
    """Return a function that places an op and returns the users that are then ready."""
    missing = [len(set(producers)) for producers in ops.producers]

    def ready_after(op: int) -> list[int]:
        users = list(dict.fromkeys(ops.users[op]))
        for user in users:
            missing[user] -= 1
        return [user for user in users if not missing[user]]

    return ready_after
