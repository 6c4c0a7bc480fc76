"""The blockers of displaced ops: per op, the dependence that best explains why it cannot move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

from eio_audit.audit.dependence import DependenceGraph, DependenceKind


def find_blockers(
    keys: Sequence[int | None], graph: DependenceGraph, is_early: Mapping[int, bool]
) -> dict[int, tuple[int, DependenceKind]]:
    """Find the direct user that needs an op early, or the direct producer that makes it late.

    Args:
        keys: per place of the block, its key; None for an op that does not count in inversions.
        graph: the block's dependences.
        is_early: per requested place, whether the op is early; otherwise it is late.

    Returns:
        Per requested place, the place of the blocker and the kind of dependence; ops without a blocker are
        missing. A blocker whose own key explains the place is preferred to one that is blocked itself, then
        the one with the most distant key.
    """
    precedence, early = graph.precedence, is_early.values()
    below = precedence.smallest_below([inf if key is None else key for key in keys]) if any(early) else []
    above = precedence.largest_above([-inf if key is None else key for key in keys]) if not all(early) else []

    def blocker_of(place: int) -> int | None:
        own = keys[place]
        assert own is not None
        if is_early[place]:
            users = [user for user in precedence.successors(place) if below[user] < own]
            return min(users, key=lambda u: (keys[u] != below[u], below[u], u), default=None)
        producers = [producer for producer in precedence.predecessors(place) if above[producer] > own]
        return min(producers, key=lambda p: (keys[p] != above[p], -above[p], p), default=None)

    found = {place: blocker for place in is_early if (blocker := blocker_of(place)) is not None}
    edges = {place: (min(place, blocker), max(place, blocker)) for place, blocker in found.items()}
    kinds = graph.kinds(set(edges.values()))
    return {place: (found[place], kinds[edge]) for place, edge in edges.items()}
