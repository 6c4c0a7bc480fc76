"""The dependences of one block, as a DAG on the integers 0 .. size - 1."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain, compress, islice, pairwise, repeat
from operator import add, gt, le, lt, mod, mul, ne
from typing import TypeVar

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

    Example:
        >>> precedence = Precedence.from_edges(3, producers=[0, 1, 0], users=[2, 2, 2])
        >>> list(precedence.predecessors(2)), list(precedence.successors(0)), precedence.edge_count
        ([0, 1], [2], 2)
    """

    def __init__(self, size: int, producers: array[int], users: array[int]) -> None:
        """Take edges that point forward, sorted by user; ``from_edges`` checks and sorts."""
        self.size = size
        self._producers = producers
        self._users = users

    @classmethod
    def from_edges(cls, size: int, producers: Iterable[int], users: Iterable[int]) -> Precedence:
        """Build the DAG from edges in any order; duplicates count once.

        Args:
            size: number of ops in the block.
            producers: the earlier op of each edge.
            users: the op that must stay after it, in parallel with ``producers``.

        Raises:
            ValueError: if an edge leaves 0 .. size - 1 or does not point forward, or if one iterable is
                longer than the other.

        Complexity: O(m log m) for m edges, O(m) if they are sorted by user.
        """
        producers = producers if isinstance(producers, array) else array(INT, producers)
        users = users if isinstance(users, array) else array(INT, users)
        if len(producers) != len(users):
            raise ValueError(f"{len(producers)} producers for {len(users)} users: one column is shorter")
        is_legal = min(producers, default=0) >= 0 and max(users, default=-1) < size
        if not is_legal or not all(map(lt, producers, users)):
            edges = zip(producers, users, strict=True)
            producer, user = next((p, u) for p, u in edges if not 0 <= p < u < size)
            raise ValueError(f"dependence {producer} -> {user} does not point forward among {size} ops")
        return cls(size, *ordered_by_user(producers, users))

    @cached_property
    def _predecessors(self) -> tuple[array[int], array[int]]:
        return _rows(self.size, self._users, self._producers)

    @cached_property
    def _successors(self) -> tuple[array[int], array[int]]:
        return _rows(self.size, self._producers, self._users)

    @property
    def edge_count(self) -> int:
        """Number of distinct direct dependences."""
        return len(self._predecessors[1])

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
        starts, neighbours = self._predecessors
        return neighbours[starts[op] : starts[op + 1]]

    def successors(self, op: int) -> Sequence[int]:
        """Return the ops that must stay after ``op``, ascending."""
        starts, neighbours = self._successors
        return neighbours[starts[op] : starts[op + 1]]

    def inverted(self, keys: Sequence[int]) -> list[tuple[int, int]]:
        """Return the edges, as (producer, user), whose producer has the larger key."""
        key = keys.__getitem__
        return list(compress(self.forwards(), map(gt, map(key, self._producers), map(key, self._users))))

    def smallest_below(self, values: Sequence[Number]) -> list[Number]:
        """Return, per op, the smallest of ``values`` over itself and its descendants.

        Complexity: O(n + m); one sweep from the end.

        Example:
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
                pairs = zip(producers, users, strict=True)
                touching += [
                    (producer, user) for producer, user in pairs if producer in among or user in among
                ]
        return touching

    def restricted(self, ops: Sequence[int]) -> Precedence:
        """Return the dependences among ``ops``, renumbered by their place in that sequence.

        ``ops`` is some or all of the ops, in any order that keeps the dependences.

        Raises:
            ValueError: if a user is before its producer in ``ops``.

        Complexity: O(k) for k ops and the edges to them, plus O(log m) per consecutive run of ``ops``.

        Example:
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
