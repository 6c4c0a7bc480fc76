"""Shortest chains of dependences between the ops of a block."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from itertools import pairwise

from eio_audit.audit.dependence import DependenceGraph, DependenceKind


class DependencePaths:
    """The shortest chains of dependences between one op of a block and the others.

    Complexity: linear in the ops and dependences of the block.
    """

    def __init__(self, graph: DependenceGraph, place: int) -> None:
        self._kinds = graph.kinds()
        self._place = place
        self._below = _search(graph.precedence.successors, place)
        self._above = _search(graph.precedence.predecessors, place)

    def reach(self, place: int) -> bool:
        """Whether one of the two ops depends on the other."""
        return place in self._below or place in self._above

    def length(self, place: int) -> int:
        """How many edges a shortest path has."""
        return self._steps(place)[place][1]

    def between(self, place: int) -> list[tuple[int, int, DependenceKind]]:
        """The edges of a shortest path, from the earlier op to the later one: (producer, user, kind)."""
        steps = self._steps(place)
        chain = [place]
        while chain[-1] != self._place:
            chain.append(steps[chain[-1]][0])
        return [(u, v, self._kinds[u, v]) for u, v in pairwise(sorted(chain))]

    def _steps(self, place: int) -> dict[int, tuple[int, int]]:
        return self._below if place > self._place else self._above


def _search(neighbours_of: Callable[[int], Sequence[int]], start: int) -> dict[int, tuple[int, int]]:
    """By place that can be reached: the place before it on a shortest path, and that path's length."""
    steps: dict[int, tuple[int, int]] = {}
    pending = deque([(start, 0)])
    while pending:
        place, length = pending.popleft()
        for neighbour in neighbours_of(place):
            if neighbour not in steps:
                steps[neighbour] = place, length + 1
                pending.append((neighbour, length + 1))
    return steps
