"""Topological orders that stay in a group of ops as long as they can, and bounds on how often they leave one.

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

A *run* is a maximal sequence of consecutive ops of one group. Which runs the queue makes depends on the order
in which ops enter it. The bounds on their number use only the dependences. So they hold however ties are
broken: for every order of the roots and of the users of an op.

**From below.** Two ops of a group are in different runs if a path leads from one to the other over an op of
another group. So a path that returns to a group k times shows k + 1 runs of it. The groups add up.

**From above.** A group has at most one run for each op. It has one fewer for each op that an op of the group
certainly follows. Such an op makes an op of its group ready while the queue holds no op of the group that
could go first. The new op then rises to the front. Further, another group's run is between two of a group.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from itertools import chain, groupby, permutations
from math import factorial, sqrt
from random import Random
from statistics import fmean, median, pstdev
from typing import NamedTuple

from eio_audit.order.precedence import Precedence
from eio_audit.order.windows import bits, relatives

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

        # The class is garbage only a full collection finds, so it holds on to nothing large.
        def __init__(self, op: int, distance: int, group: int, rule: int) -> None:
            self.op = op
            self.distance = distance
            self.group = group
            self.rule = rule  # no distance is as large as the number of ops, by which frees come last

        def __lt__(self, other: Entry) -> bool:
            # ``current`` changes while entries are in the heap, but no entry moves for that: see above.
            if self.group != other.group and current in (self.group, other.group):
                return self.group == current
            return self.rule < other.rule

    size, groups, frees = len(missing), ops.group, ops.frees
    queue: list[Entry] = []
    for root in roots:
        heappush(queue, Entry(root, 0, groups[root], size * frees[root]))
    order: list[int] = []
    while queue:
        first = heappop(queue)
        order.append(first.op)
        current = first.group
        for user in ops.users[first.op]:
            missing[user] -= 1
            if not missing[user]:
                distance = first.distance + 1
                heappush(queue, Entry(user, distance, groups[user], size * frees[user] + distance))
    return order


def group_count(ops: GroupedOps, order: Iterable[int]) -> int:
    """Return the number of maximal sequences of ops of one group in an order."""
    return sum(1 for _ in groupby(map(ops.group.__getitem__, order)))


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


VISITED_OPS, COMPARED_OPS = 500_000, 8_000


class Return(NamedTuple):
    """A path that leaves a group and returns to it.

    Attributes:
        via: the op of another group where the path leaves.
        op: the op of the group at its end.
    """

    via: int
    op: int


@dataclass(frozen=True, slots=True)
class _Chain:
    """Ops of the set, each in a later run than the one before: ``length`` of them, ``op`` is the last."""

    length: int
    op: int
    via: int
    previous: _Chain | None


_NONE = _Chain(0, -1, -1, None)

AT_USER = -1

_Left = tuple[int, _Chain, int]
"""The length of a chain that a path has left, the chain, and where. AT_USER: at the next op on the path."""

_NOT_LEFT: _Left = 0, _NONE, AT_USER


class Paths:
    """The paths among ops, to find the fewest runs that a set of ops can be in.

    Args:
        ops: the ops.
        order: an order of them that keeps the dependences. Ops that are not in it are left out.
        visited_ops: the most ops that the searches visit together. They find no paths after that.
    """

    def __init__(self, ops: GroupedOps, order: Sequence[int], visited_ops: int = VISITED_OPS) -> None:
        self._ops = ops
        self._order = order
        self._place = [-1] * len(ops.group)
        for place, op in enumerate(order):
            self._place[op] = place
        self._left = visited_ops
        self._returns: dict[tuple[int, ...], list[Return]] = {}
        self._together: set[tuple[int, int]] = set()

    @cached_property
    def groups(self) -> dict[int, list[int]]:
        """The ops of each group, in order."""
        groups: dict[int, list[int]] = defaultdict(list)
        for op in self._order:
            groups[self._ops.group[op]].append(op)
        return groups

    def returns(self, members: Sequence[int]) -> list[Return]:
        """Return the returns on a path through some ops of one group. The ops are in at least one run more.

        Args:
            members: the ops, as they are in ``order``. All are in it.

        The path is one with the most returns, unless too many ops were visited before; then it has none.

        Complexity: linear in the uses by ops between the first and the last member.

        >>> ops = GroupedOps([0, 1, 0, 0], range(4), [False] * 4, [[], [0], [1], []], [[1], [2], [], []])
        >>> Paths(ops, [0, 3, 1, 2]).returns([0, 3, 2])
        [Return(via=1, op=2)]
        """
        if len(members) < 2:
            return []
        place = self._place
        first, last = place[members[0]], place[members[-1]]
        if last - first < len(members):  # no op of another group is between them
            if (first, last) not in self._together:
                self._together.add((first, last))
                self._left -= len(members)
            return []
        places = tuple(map(place.__getitem__, members))
        if places not in self._returns:
            self._returns[places] = self._found(places, members)
        return self._returns[places]

    def fewest_runs(self) -> int:
        """Return a lower bound on the runs of an order of the queue, or of any that keeps the dependences.

        Complexity: as for ``returns``, once for each group.
        """
        return sum(1 + len(self.returns(group)) for group in self.groups.values())

    def _found(self, places: Sequence[int], members: Sequence[int]) -> list[Return]:
        self._left -= places[-1] + 1 - places[0]
        if self._left < 0:
            return []
        chain, found = self._longest_chain(places, frozenset(members)), []
        while chain.previous is not None:
            found.append(Return(chain.via, chain.op))
            chain = chain.previous
        return found[::-1]

    def _longest_chain(self, places: Sequence[int], members: Collection[int]) -> _Chain:
        groups, producers = self._ops.group, self._ops.producers
        group = groups[self._order[places[0]]]
        until: dict[int, _Chain] = {}  # per op of the group, the longest chain that ends in its run or before
        before: dict[int, _Left] = {}  # per op of the group, the longest that ends before its run
        known: dict[int, _Left] = {}  # per op, what a user outside the group knows of it
        longest = _NONE
        for op in self._order[places[0] : places[-1] + 1]:
            left = _NOT_LEFT
            if groups[op] != group:
                for producer in producers[op]:
                    if (there := known.get(producer, _NOT_LEFT))[0] > left[0]:
                        left = there
                if left[0]:
                    known[op] = left if left[2] != AT_USER else (left[0], left[1], op)
                continue
            chain = _NONE
            for producer in producers[op]:
                if (one := until.get(producer)) is None:
                    there = known.get(producer, _NOT_LEFT)
                else:
                    there = before.get(producer, _NOT_LEFT)
                    chain = one if one.length > chain.length else chain
                if there[0] > left[0]:
                    left = there
            length, previous, via = left
            if op in members and length >= chain.length:
                chain = _Chain(length + 1, op, via, previous if length else None)
            elif length > chain.length:
                chain = previous
            if length:
                before[op] = left
            if chain.length:
                until[op], known[op] = chain, (chain.length, chain, AT_USER)
            if chain.length > longest.length:
                longest = chain
        return longest


def most_runs(ops: GroupedOps, order: Sequence[int], compared_ops: int = COMPARED_OPS) -> int:
    """Return an upper bound on the runs of an order of the queue.

    Args:
        ops: the ops.
        order: an order of the ops that the queue places, such as ``order_by_queue``.
        compared_ops: the most ops of which all pairs are compared. With more, a group may have a run for each
            op.

    Complexity: n * n / 8 bytes for n ops that are compared.
    """
    runs = Counter(map(ops.group.__getitem__, order))
    if len(order) <= compared_ops:
        for op in _surely_followed(ops, order):
            runs[ops.group[op]] -= 1
    total, most = sum(runs.values()), max(runs.values(), default=0)
    return min(total, 2 * (total - most) + 1)


def _surely_followed(ops: GroupedOps, order: Sequence[int]) -> Iterator[int]:
    """Yield the ops that an op of their group follows in every order of the queue.

    An op makes a user ready in every order if the user's other producers are its ancestors. The user rises to
    the front of the queue if no rival can be in it: an op of the group that is neither an ancestor nor a
    descendant and that the rule can put before the user, or level with it.
    """
    place = {op: number for number, op in enumerate(order)}
    producers = [[place[producer] for producer in ops.producers[op]] for op in order]
    users = (user for user, above in enumerate(producers) for _ in above)
    precedence = Precedence.from_edges(len(order), chain.from_iterable(producers), users)
    ancestors, descendants = relatives(precedence, range(len(order)))
    nearest, farthest = _distances(producers, ancestors)
    members: dict[tuple[int, bool], int] = defaultdict(int)
    for number, op in enumerate(order):
        members[ops.group[op], ops.frees[op]] |= 1 << number
    for number, op in enumerate(order):
        group, known = ops.group[op], ancestors[number]
        made_ready = [
            ops.frees[user]
            for user in ops.users[op]
            if ops.group[user] == group
            and user in place
            and all(known >> producer & 1 for producer in producers[place[user]])
        ]
        if not made_ready:
            continue
        only_frees = all(made_ready)
        related = known | descendants[number]
        rivals = members[group, only_frees] & ~related
        is_first = all(nearest[rival] > farthest[number] + 1 for rival in bits(rivals))
        if is_first and not (only_frees and members[group, False] & ~related):
            yield op


def _distances(producers: Sequence[Sequence[int]], ancestors: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return per op its least and its largest distance from the roots, whichever producer is placed last.

    A producer that is an ancestor of another one is not the last.
    """
    nearest, farthest = [0] * len(producers), [0] * len(producers)
    for op, above in enumerate(producers):
        last = [one for one in above if not any(one != two and ancestors[two] >> one & 1 for two in above)]
        if last:
            nearest[op] = 1 + min(nearest[producer] for producer in last)
            farthest[op] = 1 + max(farthest[producer] for producer in last)
    return nearest, farthest
