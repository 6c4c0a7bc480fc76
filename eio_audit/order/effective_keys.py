"""Keys for the ops that have none, so that they travel with their consumer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import cast

from eio_audit.order.precedence import Precedence


def effective_keys(keys: Sequence[int | None], precedence: Precedence) -> list[int]:
    """Return a key for every op: its own, or for an unindexed op (None) a borrowed one.

    An unindexed op takes the smallest key among its users. One that leads to no indexed op takes the
    largest among its producers; without producers the key of the op before it in the block; at the start
    of the block, where there is none before, the smallest among its users or else the key of the next op.
    Keys borrowed along the way count like the others. A block without any index gets 0 everywhere.

    What this guarantees: **only an indexed producer can have a larger key than its user.** Each rule keeps
    the unindexed op at or below its users and, where it leads to no indexed op, at or above its producers.
    And if an indexed op has a larger key than an unindexed user, that user has borrowed its key from an
    indexed op further down, so the same inversion is there with the two indexed ops. Unindexed ops
    therefore never add a window (see windows.py).

    Complexity: O(n + m), with little work but for the ops without a key.

    Example:
        A constant before its user, 7, and an op behind 7 that nothing uses:

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
    for op in reversed(unindexed):
        effective[op] = min(_known(effective, users[op]), default=None)
    for op in unindexed:
        if effective[op] is None:
            before = effective[op - 1] if op else None
            effective[op] = max(_known(effective, producers[op]), default=before)
    if not effective or effective[-1] is None:
        return [0] * len(keys)
    # What is still without a key stands at the start of the block, before every op that has one.
    start_count = next(op for op, key in enumerate(effective) if key is not None)
    following = effective[start_count]
    for op in range(start_count - 1, -1, -1):
        effective[op] = following = min(_known(effective, users[op]), default=following)
    return cast("list[int]", effective)


def _known(effective: Sequence[int | None], ops: Sequence[int]) -> list[int]:
    """Return the keys of those of ``ops`` that have one."""
    return [key for op in ops if (key := effective[op]) is not None]
