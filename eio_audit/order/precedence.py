"""The dependences of one block, as a DAG on the integers 0 .. size - 1, and the ops that only follow others.

Two kinds of ops take no part in inversions: those without an index, and followers. An op without an index
moves with its consumer.

A *follower* waits for other ops: a free, for example, follows the last use of what it frees. Delaying it
gains nothing. So the other ops are ordered first, then each follower goes as early as they allow. That is
always legal: the ops it waits for and the ops that wait for it keep their order, so directly after the last
of the former it is still before all of the latter.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain, compress, islice, pairwise, repeat
from operator import add, gt, le, lt, mod, mul, ne, or_
from typing import TypeVar, cast

from eio_audit.order.permutation import run_bounds

Number = TypeVar("Number", int, float)
INT = "i"  # 32 bits: a block of two billion ops does not fit in memory anyway
SLICE = 1_024  # edges tested at a time when few of them are wanted


class Precedence:
    """Direct dependences of one block.

    Ops are numbered 0 to ``size - 1`` in textual order. Every edge runs from a producer to a *later* op, its
    user. So the textual order is a linear extension, and there are no cycles.

    The edges are two columns, producers and users, sorted by user. So a sweep meets the edges to an op before
    the edges from it. Compressed sparse rows hold the neighbours of each op, built on first use. Those of
    ``op`` are ``neighbours[starts[op]:starts[op + 1]]``, ascending. One million ops with two million edges
    take 16 MB, and 24 MB more for the rows.

    >>> precedence = Precedence.from_edges(3, producers=[0, 1, 0], users=[2, 2, 2])
    >>> list(precedence.predecessors(2)), list(precedence.successors(0)), precedence.edge_count
    ([0, 1], [2], 2)
    """

    def __init__(self, size: int, producers: array[int], users: array[int]) -> None:
        """Take edges that point forward, sorted by user; ``from_edges`` sorts them."""
        self.size = size
        self._producers = producers
        self._users = users

    @classmethod
    def from_edges(cls, size: int, producers: Iterable[int], users: Iterable[int]) -> Precedence:
        """Build the DAG from edges in any order; duplicates count once. The columns are parallel.

        Complexity: O(m log m) for m edges, O(m) if they are sorted by user.
        """
        return cls(size, *ordered_by_user(array(INT, producers), array(INT, users)))

    @cached_property
    def predecessor_rows(self) -> tuple[array[int], array[int]]:
        """Where the producers of each op start, with one more entry for the end, and the producers."""
        return _rows(self.size, self._users, self._producers)

    @cached_property
    def successor_rows(self) -> tuple[array[int], array[int]]:
        """The same for the users of each op."""
        return _rows(self.size, self._producers, self._users)

    @property
    def edge_count(self) -> int:
        """Number of distinct direct dependences."""
        return len(self.predecessor_rows[1])

    @property
    def columns(self) -> tuple[bytes, bytes]:
        """Producers and users as bytes, for comparison."""
        return self._producers.tobytes(), self._users.tobytes()

    def forwards(self) -> Iterator[tuple[int, int]]:
        """Yield the edges as (producer, user): the edges to an op before the edges from it."""
        return zip(self._producers, self._users, strict=True)

    def backwards(self) -> Iterator[tuple[int, int]]:
        """Yield the edges in reverse: the edges from an op before the edges to it."""
        return zip(reversed(self._producers), reversed(self._users), strict=True)

    def predecessors(self, op: int) -> Sequence[int]:
        """Return the ops that must stay before ``op``, ascending."""
        starts, neighbours = self.predecessor_rows
        return neighbours[starts[op] : starts[op + 1]]

    def successors(self, op: int) -> Sequence[int]:
        """Return the ops that must stay after ``op``, ascending."""
        starts, neighbours = self.successor_rows
        return neighbours[starts[op] : starts[op + 1]]

    def inverted(self, keys: Sequence[int]) -> list[tuple[int, int]]:
        """Return the edges, as (producer, user), whose producer has the larger key."""
        key = keys.__getitem__
        return list(compress(self.forwards(), map(gt, map(key, self._producers), map(key, self._users))))

    def smallest_below(self, values: Sequence[Number]) -> list[Number]:
        """Return, per op, the smallest of ``values`` over itself and its descendants.

        Complexity: O(n + m); one sweep from the end.

        >>> Precedence.from_edges(3, [0, 1], [1, 2]).smallest_below([5, 6, 1])
        [1, 1, 1]
        """
        smallest = list(values)
        for producer, user in self.backwards():
            own, below = smallest[producer], smallest[user]
            smallest[producer] = below if below < own else own
        return smallest

    def largest_above(self, values: Sequence[Number]) -> list[Number]:
        """Return, per op, the largest of ``values`` over itself and its ancestors."""
        largest = list(values)
        for producer, user in self.forwards():
            above, own = largest[producer], largest[user]
            largest[user] = above if above > own else own
        return largest

    def touching(self, ops: Iterable[int]) -> list[tuple[int, int]]:
        """Return the edges, as (producer, user), with an end in ``ops``."""
        among = set(ops)
        touching: list[tuple[int, int]] = []
        first = bisect_left(self._users, min(among)) if among else len(self._users)
        for start in range(first, len(self._users), SLICE):
            edges = slice(start, start + SLICE)
            producers, users = self._producers[edges], self._users[edges]
            if not (among.isdisjoint(producers) and among.isdisjoint(users)):
                is_touching = map(or_, *(map(among.__contains__, ends) for ends in (producers, users)))
                touching += compress(zip(producers, users, strict=True), is_touching)
        return touching

    def restricted(self, ops: Sequence[int]) -> Precedence:
        """Return the dependences among ``ops``, renumbered by their place in that sequence.

        ``ops`` is some or all of the ops, in any order that keeps the dependences.

        Raises:
            ValueError: if a user is before its producer in ``ops``.

        Complexity: O(k) for k ops and the edges to them, plus O(log m) per consecutive run of ``ops``.

        >>> chain = Precedence.from_edges(4, [0, 1, 2], [1, 2, 3])
        >>> part = chain.restricted([1, 2])
        >>> part.size, list(part.predecessors(1))
        (2, [0])
        """
        place_of = {op: place for place, op in enumerate(ops)}
        producers: list[int] = []
        users: list[int] = []
        for start, stop in pairwise(run_bounds(ops)):
            first = bisect_left(self._users, ops[start])
            edges = slice(first, bisect_right(self._users, ops[stop - 1], first))
            for producer, user in zip(self._producers[edges], self._users[edges], strict=True):
                if producer in place_of:
                    producers.append(place_of[producer])
                    users.append(place_of[user])
        if not all(map(lt, producers, users)):
            late, early = next((p, u) for p, u in zip(producers, users, strict=True) if p > u)
            raise ValueError(f"op {ops[early]} is placed before op {ops[late]}, which it depends on")
        return Precedence(len(ops), array(INT, producers), array(INT, users))

    def mirrored(self) -> Precedence:
        """Return the reversed DAG: op i becomes op size - 1 - i, and every edge changes direction."""
        last = self.size - 1
        producers = array(INT, [last - user for user in reversed(self._users)])
        users = array(INT, [last - producer for producer in reversed(self._producers)])
        return Precedence(self.size, *ordered_by_user(producers, users))


def ordered_by_user(producers: array[int], users: array[int]) -> tuple[array[int], array[int]]:
    """Return the edges sorted by user: the given arrays if they are sorted already, else copies."""
    if all(map(le, users, islice(users, 1, None))):
        return producers, users
    by_user = sorted(range(len(users)), key=users.__getitem__)
    return array(INT, [producers[edge] for edge in by_user]), array(INT, [users[edge] for edge in by_user])


def _rows(size: int, ops: array[int], neighbours: array[int]) -> tuple[array[int], array[int]]:
    """Return where the neighbours of each op start, with one more entry for the end, and the neighbours."""
    codes = list(map(add, map(mul, ops, repeat(size)), neighbours))
    codes.sort()
    # Duplicates are adjacent now: keep each code that differs from the one before it.
    codes = list(compress(codes, map(ne, codes, chain((-1,), codes))))
    counts = [0] * (size + 1)
    for code in codes:
        counts[code // size + 1] += 1
    return array(INT, accumulate(counts)), array(INT, map(mod, codes, repeat(size)))


def effective_keys(keys: Sequence[int | None], precedence: Precedence) -> list[int]:
    """Return a key for every op: its own, or a borrowed one for an unindexed op (None).

    An unindexed op borrows the smallest key among its users. If it leads to no indexed op, it borrows the
    largest key among its producers, or without producers the key of the op before it. At the start of the
    block, it borrows the smallest key among its users, or else the key of the next op. Borrowed keys count
    like any other key. In a block without any index, all keys are 0.

    This guarantees that **only an indexed producer can have a larger key than its user.** Each rule keeps an
    unindexed op at or below its users and, if it leads to no indexed op, at or above its producers. If an
    indexed op has a larger key than an unindexed user, that user borrowed its key from an indexed descendant.
    The same inversion then exists between the two indexed ops. So unindexed ops never add a window
    (windows.py).

    Complexity: O(n + m). Most work is on the ops without a key.

    Take an unindexed constant, its user with key 7, and an unindexed user of that:

    >>> precedence = Precedence.from_edges(3, producers=[0, 1], users=[1, 2])
    >>> effective_keys([None, 7, None], precedence)
    [7, 7, 7]
    """
    effective = list(keys)
    unindexed = [op for op, key in enumerate(keys) if key is None]
    users, producers = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
    for producer, user in precedence.touching(unindexed):
        users[producer].append(user)
        producers[user].append(producer)

    def known(ops: Iterable[int]) -> list[int]:
        return [key for op in ops if (key := effective[op]) is not None]

    for op in reversed(unindexed):
        effective[op] = min(known(users[op]), default=None)
    for op in unindexed:
        if effective[op] is None:
            before = effective[op - 1] if op else None
            effective[op] = max(known(producers[op]), default=before)
    if not effective or effective[-1] is None:
        return [0] * len(keys)
    # Only ops at the start of the block still lack a key.
    start_count = next(op for op, key in enumerate(effective) if key is not None)
    following = effective[start_count]
    for op in range(start_count - 1, -1, -1):
        effective[op] = following = min(known(users[op]), default=following)
    return cast("list[int]", effective)


def attach_unindexed(
    precedence: Precedence, indexed: Sequence[bool], order: Sequence[int], kept: Sequence[int]
) -> list[int]:
    """Return ``order`` with each moved unindexed op directly before its first user.

    An op without users goes directly after its last producer. Ops that go to the same place keep their order.
    No inversion changes. ``order`` has some of the ops and keeps the dependences; ``kept`` are not moved.

    Complexity: O(n + m).

    Here the unindexed op 0 is used by op 2, which is moved up before op 1.

    >>> precedence = Precedence.from_edges(3, [0], [2])
    >>> attach_unindexed(precedence, [False, True, True], [0, 2, 1], kept=[1])
    [0, 2, 1]
    """
    loose = {op for op in order if not indexed[op]}.difference(kept)
    if not loose:
        return list(order)
    place_of = {op: place for place, op in enumerate(order)}
    after = defaultdict[int, list[int]](list)  # per op, the ops to place after it, last one first
    users_of: dict[int, list[int]] = {}
    for op in filter(loose.__contains__, reversed(order)):
        producers = [producer for producer in precedence.predecessors(op) if producer in place_of]
        users = [user for user in precedence.successors(op) if user in place_of]
        if users:
            users_of[op] = users
        elif producers:
            after[max(producers, key=place_of.__getitem__)].append(op)
    moved = {op for ops in after.values() for op in ops}
    order = [placed for op in order if op not in moved for placed in (op, *reversed(after.get(op, ())))]
    # Per op, the place of the op that it goes before. Of several there, the one attached last is first.
    found_at = {op: (place, 0) for place, op in enumerate(order)}
    before = defaultdict[int, list[int]](list)
    for count, (op, users) in enumerate(users_of.items(), 1):
        place, _ = min(map(found_at.__getitem__, users))
        found_at[op] = place, -count
        before[order[place]].append(op)
    return [placed for op in order if op not in users_of for placed in (*reversed(before.get(op, ())), op)]


def after_last_uses(order: Sequence[int], followers: Collection[int], precedence: Precedence) -> list[int]:
    """Return ``order`` with each follower directly after the last op that it waits for.

    Followers that wait for the same op, or for each other, are in textual order. A follower that waits for
    nothing goes to the start of the block. All other ops keep their order. A second call changes nothing.

    Complexity: O(n + m), plus O(f log f) for f followers.

    Here ops 2 and 3 wait for op 0; op 1 is between.

    >>> precedence = Precedence.from_edges(4, producers=[0, 0], users=[2, 3])
    >>> after_last_uses([0, 1, 3, 2], {2, 3}, precedence)
    [0, 2, 3, 1]
    """
    if not followers:
        return list(order)
    leads = [op for op in order if op not in followers]
    place_of = {op: place for place, op in enumerate(leads)}
    following: list[list[int]] = [[] for _ in range(len(leads) + 1)]
    for op in sorted(followers):
        # A follower that this one waits for is earlier in the text, so its place is known.
        place_of[op] = max(map(place_of.__getitem__, precedence.predecessors(op)), default=-1)
        following[place_of[op] + 1].append(op)
    placed = following[0]
    for op, frees in zip(leads, following[1:], strict=True):
        placed += [op, *frees]
    return placed
