"""Ops that take no part in inversions: those without an index, and followers.

An op without an index moves with its consumer.

A *follower* waits for other ops: a free, for example, follows the last use of what it frees. Delaying it
gains nothing. So the other ops are ordered first, then each follower goes as early as they allow. That is
always legal: the ops it waits for and the ops that wait for it keep their order, so directly after the last
of the former it is still before all of the latter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import cast

from eio_audit.order.precedence import Precedence


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

    Example:
        An unindexed constant, its user with key 7, and an unindexed user of that:

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
    No inversion changes.

    Args:
        precedence: the dependences.
        indexed: per op, whether it has an index.
        order: some of the ops, in an order that keeps the dependences.
        kept: the ops that are not moved.

    Complexity: O(n + m).

    Example:
        The unindexed op 0 is used by op 2, which is moved up before op 1.

        >>> precedence = Precedence.from_edges(3, [0], [2])
        >>> attach_unindexed(precedence, [False, True, True], [0, 2, 1], kept=[1])
        [0, 2, 1]
    """
    if all(map(indexed.__getitem__, order)):
        return list(order)
    place_of = {op: place for place, op in enumerate(order)}
    is_kept = set(kept)
    after = defaultdict[int, list[int]](list)  # per op, the ops to place after it, last one first
    users_of: dict[int, list[int]] = {}
    for op in reversed(order):
        if indexed[op] or op in is_kept:
            continue
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
