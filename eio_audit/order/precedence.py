"""The dependences of one block, as a DAG on the integers 0 .. size - 1."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain

INT = "i"  # 32 bits: a block of two thousand million ops does not fit in memory anyway


class Precedence:
    """Direct dependences of one block.

    Ops are numbered by textual order, 0 to ``size - 1``, and every edge runs from a producer to a
    *later* op, its user: the textual order is itself a linear extension, so there are no cycles and
    nothing needs a topological sort to be swept front to back or back to front.

    The edges are held twice, by user and by producer, each as two flat arrays (compressed sparse rows):
    the neighbours of ``op`` are ``neighbours[starts[op]:starts[op + 1]]``, in ascending order. One million
    ops with two million edges take 24 MB.

    Example:
        >>> precedence = Precedence.from_edges(3, producers=[0, 1, 0], users=[2, 2, 2])
        >>> list(precedence.predecessors(2)), list(precedence.successors(0)), precedence.edge_count
        ([0, 1], [2], 2)
    """

    __slots__ = ("_predecessor_starts", "_predecessors", "_successor_starts", "_successors", "size")

    def __init__(
        self,
        predecessor_starts: array[int],
        predecessors: array[int],
        successor_starts: array[int],
        successors: array[int],
    ) -> None:
        self.size: int = len(predecessor_starts) - 1
        self._predecessor_starts = predecessor_starts
        self._predecessors = predecessors
        self._successor_starts = successor_starts
        self._successors = successors

    @classmethod
    def from_edges(cls, size: int, producers: Iterable[int], users: Iterable[int]) -> Precedence:
        """Build the DAG from its edges, in any order; duplicates count once.

        Args:
            size: number of ops in the block.
            producers: the earlier op of each edge.
            users: the op that must stay after it, in parallel with ``producers``.

        Raises:
            ValueError: when an edge leaves 0 .. size - 1 or does not point forward, or when one of the two
                iterables is longer than the other.

        Complexity: O(size + m log m) for m edges; linear when they come ordered by user.
        """
        codes = []
        for producer, user in zip(producers, users, strict=True):
            if not 0 <= producer < user < size:
                raise ValueError(f"dependence {producer} -> {user} does not point forward among {size} ops")
            codes.append(user * size + producer)
        codes.sort()
        # Equal edges are neighbours now: keep each code that differs from the one before it.
        codes = [code for code, previous in zip(codes, chain((-1,), codes), strict=False) if code != previous]
        counts = [0] * size
        for code in codes:
            counts[code // size] += 1
        return cls._from_predecessors(_starts(counts), array(INT, [code % size for code in codes]))

    @classmethod
    def _from_predecessors(cls, starts: array[int], predecessors: array[int]) -> Precedence:
        """Add the other half, the successors, by one counting sort."""
        size = len(starts) - 1
        counts = [0] * size
        for producer in predecessors:
            counts[producer] += 1
        successor_starts = _starts(counts)
        successors = array(INT, bytes(predecessors.itemsize * len(predecessors)))
        free = successor_starts[:]  # the next place to fill, per producer
        for user in range(size):
            for producer in predecessors[starts[user] : starts[user + 1]]:
                successors[free[producer]] = user
                free[producer] += 1
        return cls(starts, predecessors, successor_starts, successors)

    @property
    def edge_count(self) -> int:
        """Number of distinct direct dependences."""
        return len(self._predecessors)

    def predecessors(self, op: int) -> Sequence[int]:
        """Return the ops that must stay before ``op``, ascending."""
        return self._predecessors[self._predecessor_starts[op] : self._predecessor_starts[op + 1]]

    def successors(self, op: int) -> Sequence[int]:
        """Return the ops that must stay after ``op``, ascending."""
        return self._successors[self._successor_starts[op] : self._successor_starts[op + 1]]

    def restricted(self, ops: Sequence[int]) -> Precedence:
        """Return the dependences among ``ops``, which are renumbered by their place in that sequence.

        ``ops`` may be some of the ops, or all of them in another order; either way the sequence must itself
        keep the dependences.

        Raises:
            ValueError: when a user stands before its producer in ``ops``.

        Example:
            >>> chain = Precedence.from_edges(4, [0, 1, 2], [1, 2, 3])
            >>> part = chain.restricted([1, 2])
            >>> part.size, list(part.predecessors(1))
            (2, [0])
        """
        place_of = {op: place for place, op in enumerate(ops)}
        counts = []
        kept = array(INT)
        for place, op in enumerate(ops):
            places = [place_of[producer] for producer in self.predecessors(op) if producer in place_of]
            places.sort()
            if places and places[-1] >= place:
                raise ValueError(f"op {op} is placed before op {ops[places[-1]]}, which it depends on")
            counts.append(len(places))
            kept.extend(places)
        return self._from_predecessors(_starts(counts), kept)

    def mirrored(self) -> Precedence:
        """Return the DAG read from the end: op i becomes op size - 1 - i and every edge turns round.

        Example:
            >>> mirror = Precedence.from_edges(3, producers=[0], users=[1]).mirrored()
            >>> list(mirror.predecessors(2))
            [1]
        """
        last = self.size - 1
        edge_count = self.edge_count

        def turned(starts: array[int], neighbours: array[int]) -> tuple[array[int], array[int]]:
            return (
                array(INT, [edge_count - start for start in reversed(starts)]),
                array(INT, [last - neighbour for neighbour in reversed(neighbours)]),
            )

        return Precedence(
            *turned(self._successor_starts, self._successors),
            *turned(self._predecessor_starts, self._predecessors),
        )


def _starts(counts: list[int]) -> array[int]:
    """Return where the row of each op starts in the flat array, and one past the last row."""
    return array(INT, accumulate(counts, initial=0))
