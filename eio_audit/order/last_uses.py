"""Placing followers directly after the last op that they wait for.

A free, for example, follows the last use of what it frees. A follower takes no part in inversions, and
delaying it gains nothing. So the other ops are ordered first, then each follower goes as early as they allow.
That is always legal: the ops it waits for and the ops that wait for it keep their order, so directly after
the last of the former it is still before all of the latter.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from eio_audit.order.precedence import Precedence


def after_last_uses(order: Sequence[int], followers: Collection[int], precedence: Precedence) -> list[int]:
    """Return ``order`` with each follower directly after the last op that it waits for.

    Followers that wait for the same op, or for each other, are in textual order. A follower that waits for
    nothing goes to the start of the block. All other ops keep their order. A second call changes nothing.

    Args:
        order: the ops of a block, numbered by textual order, in an order that keeps the dependences.
        followers: the ops to place.
        precedence: the dependences of the block.

    Complexity: O(n + m), plus O(f log f) for f followers.

    Example:
        Ops 2 and 3 wait for op 0; op 1 is between.

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


def away_from_last_uses(
    order: Sequence[int], followers: Collection[int], precedence: Precedence
) -> list[int]:
    """Return the followers that are not directly after the last op that they wait for.

    Followers of one op may be in any order.

    Complexity: O(n + m).

    Example:
        >>> precedence = Precedence.from_edges(4, producers=[0, 0], users=[2, 3])
        >>> away_from_last_uses([0, 3, 1, 2], {2, 3}, precedence)
        [2]
    """
    lead = -1  # number of the last op that is no follower
    place_of: dict[int, int] = {}
    away = []
    for op in order:
        if op not in followers:
            lead += 1
            place_of[op] = lead
            continue
        place_of[op] = max(map(place_of.__getitem__, precedence.predecessors(op)), default=-1)
        if place_of[op] != lead:
            away.append(op)
    return away
