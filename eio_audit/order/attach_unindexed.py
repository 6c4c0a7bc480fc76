"""Unindexed ops that are moved stand with their consumer, else with their producer.

An unindexed op has no part in inversions, so wherever dependences allow it, it costs nothing. If it can be
kept in its place, it is. One that is moved all the same goes where it belongs: right in front of the first op
that uses it, or, where nothing does, right behind the last one that it uses. Several that go to the same
place keep their order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from eio_audit.order.windows import Window


def place_followers(block: Window, order: Sequence[int], kept: Sequence[int]) -> list[int]:
    """Return ``order`` with the unindexed ops that are not kept next to their consumers, else producers.

    Args:
        block: the ops, numbered by textual order.
        order: some of them, in an order that keeps the dependences.
        kept: those that stay where they are.

    Complexity: O(n + m).

    Example:
        The unindexed op 0 is used by op 2, which is moved up in front of op 1.

        >>> from eio_audit.order.precedence import Precedence
        >>> block = Window([2, 7, 2], [False, True, True], Precedence.from_edges(3, [0], [2]))
        >>> place_followers(block, [0, 2, 1], kept=[1])
        [0, 2, 1]
    """
    if all(map(block.indexed.__getitem__, order)):
        return list(order)
    is_kept = set(kept)
    followers = [op for op in order if not block.indexed[op] and op not in is_kept]
    return _behind_or_in_front(block, order, followers[::-1])


def _behind_or_in_front(block: Window, order: Sequence[int], followers: Sequence[int]) -> list[int]:
    """Return ``order`` with ``followers``, which are given last first, next to consumers or producers."""
    place_of = {op: place for place, op in enumerate(order)}
    behind: dict[int, list[int]] = {}
    users_of: dict[int, list[int]] = {}
    for op in followers:
        producers = [producer for producer in block.precedence.predecessors(op) if producer in place_of]
        users = [user for user in block.precedence.successors(op) if user in place_of]
        if users:
            users_of[op] = users
        elif producers:
            behind.setdefault(max(producers, key=place_of.__getitem__), []).append(op)
    order = _with(order, behind, {})
    # An op is found at the place of the one that it stands in front of; of several there, the last one
    # to come stands first.
    found_at = {op: (place, 0) for place, op in enumerate(order)}
    in_front: dict[int, list[int]] = {}
    for count, (op, users) in enumerate(users_of.items(), 1):
        place, _ = min(map(found_at.__getitem__, users))
        found_at[op] = place, -count
        in_front.setdefault(order[place], []).append(op)
    return _with(order, {}, in_front)


def _with(
    order: Sequence[int], behind: Mapping[int, list[int]], in_front: Mapping[int, list[int]]
) -> list[int]:
    """Return an order with ops moved, which are given last first, behind others and in front of them."""
    moved = set(chain.from_iterable(chain(behind.values(), in_front.values())))
    placed: list[int] = []
    for op in order:
        if op not in moved:
            placed += [*reversed(in_front.get(op, ())), op, *reversed(behind.get(op, ()))]
    return placed
