"""What keeps displaced ops where they stand: of each the one dependence that explains it best."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from math import inf

from eio_audit.audit.dependence import DependenceGraph, DependenceKind


def find_holds(
    keys: Sequence[int | None], graph: DependenceGraph, stands_early: Mapping[int, bool]
) -> dict[int, tuple[int, DependenceKind]]:
    """Finds the direct user through which an op is needed early, or the direct producer that makes it late.

    Args:
        keys: by place of the block, None for an op without a say.
        graph: the block's dependences.
        stands_early: by place asked for, whether the op stands early; otherwise it stands late.

    Returns:
        By place asked for: the place of the op that holds it, and the kind of dependence. An op whose own
        key explains the hold is preferred to one that is held in turn, then the key farthest off. Places
        that nothing holds are missing.

    Complexity: linear in the ops and dependences of the block.
    """
    holders = _Holders(keys, graph)
    found = {place: holders.of(place, early=early) for place, early in stands_early.items()}
    held = {place: holder for place, holder in found.items() if holder is not None}
    kinds = _kinds(graph, {_edge(place, holder) for place, holder in held.items()})
    return {place: (holder, kinds[_edge(place, holder)]) for place, holder in held.items()}


class _Holders:
    def __init__(self, keys: Sequence[int | None], graph: DependenceGraph) -> None:
        self._keys = keys
        self._precedence = graph.precedence

    def of(self, place: int, *, early: bool) -> int | None:
        """The user or producer that holds the op, or None."""
        keys, own = self._keys, self._keys[place]
        assert own is not None
        if early:
            reach = self._smallest_below
            holding = [user for user in self._precedence.successors(place) if reach[user] < own]
            return min(holding, key=lambda u: (keys[u] != reach[u], reach[u], u), default=None)
        reach = self._largest_above
        holding = [producer for producer in self._precedence.predecessors(place) if reach[producer] > own]
        return min(holding, key=lambda p: (keys[p] != reach[p], -reach[p], p), default=None)

    @cached_property
    def _smallest_below(self) -> list[float]:
        """By place: the smallest key of the op and all that depend on it."""
        return self._precedence.smallest_below([inf if key is None else key for key in self._keys])

    @cached_property
    def _largest_above(self) -> list[float]:
        """By place: the largest key of the op and all it depends on."""
        return self._precedence.largest_above([-inf if key is None else key for key in self._keys])


def _edge(place: int, other: int) -> tuple[int, int]:
    return min(place, other), max(place, other)


def _kinds(
    graph: DependenceGraph, wanted: Collection[tuple[int, int]]
) -> dict[tuple[int, int], DependenceKind]:
    """The kinds of some edges, each the first that it has of ``DependenceKind``."""
    rank = list(DependenceKind).index
    kinds: dict[tuple[int, int], DependenceKind] = {}
    for producer, user, kind in graph.edges():
        edge = producer, user
        if edge in wanted and (edge not in kinds or rank(kind) < rank(kinds[edge])):
            kinds[edge] = kind
    return kinds
