"""Unindexed ops that are moved stand with their consumer, else with their producer.

An unindexed op has no part in inversions, so wherever dependences allow it, it costs nothing. If it can be
kept in its place, it is. One that is moved all the same goes where it belongs: right in front of the first op
that uses it, or, where nothing does, right behind the last one that it uses. Several that go to the same
place keep their order.
"""

from __future__ import annotations

from collections.abc import Sequence

from eio_audit.order.windows import Window


def place_followers(block: Window, order: Sequence[int], kept: Sequence[int]) -> list[int]:
    """Return ``order`` with the unindexed ops that are not kept next to their consumers, else producers.

    Args:
        block: the ops, numbered by textual order.
        order: some of them, in an order that keeps the dependences.
        kept: those that stay where they are.

    Complexity: O(n * u) for u unindexed ops that are not kept.

    Example:
        The unindexed op 0 is used by op 2, which is moved up in front of op 1.

        >>> from eio_audit.order.precedence import Precedence
        >>> block = Window([2, 7, 2], [False, True, True], Precedence.from_edges(3, [0], [2]))
        >>> place_followers(block, [0, 2, 1], kept=[1])
        [0, 2, 1]
    """
    placed = list(order)
    if all(map(block.indexed.__getitem__, order)):
        return placed
    is_kept = set(kept)
    followers = [op for op in order if not block.indexed[op] and op not in is_kept]
    among = set(order)
    for op in reversed(followers):
        producers = among.intersection(block.precedence.predecessors(op))
        if producers and among.isdisjoint(block.precedence.successors(op)):
            placed.remove(op)
            placed.insert(max(map(placed.index, producers)) + 1, op)
    at_home: set[int] = set()
    for op in reversed(followers):
        users = among.intersection(block.precedence.successors(op))
        if users:
            placed.remove(op)
            place = min(map(placed.index, users))
            while place and placed[place - 1] in at_home:
                place -= 1
            placed.insert(place, op)
            at_home.add(op)
    return placed
