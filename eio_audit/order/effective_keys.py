"""Keys for the ops that have none, so that they travel with their consumer."""

from __future__ import annotations

from collections.abc import Sequence

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

    Complexity: O(n + m).

    Example:
        A constant before its user, 7, and an op behind 7 that nothing uses:

        >>> precedence = Precedence.from_edges(3, producers=[0, 1], users=[1, 2])
        >>> effective_keys([None, 7, None], precedence)
        [7, 7, 7]
    """
    effective = list(keys)
    _borrow_from_users(effective, range(precedence.size - 1, -1, -1), precedence)
    last = _borrow_from_producers(effective, precedence)
    if last is None:
        return [0] * len(keys)
    # What is still without a key stands at the start of the block, before every op that has one.
    start_count = next(op for op, key in enumerate(effective) if key is not None)
    following = effective[start_count]
    for op in range(start_count - 1, -1, -1):
        _borrow_from_users(effective, (op,), precedence)
        if effective[op] is None:
            effective[op] = following
        following = effective[op]
    return [0 if key is None else key for key in effective]


def _borrow_from_users(effective: list[int | None], ops: Sequence[int], precedence: Precedence) -> None:
    """Give those of ``ops`` that have no key the smallest of their users, where a user has one."""
    for op in ops:
        if effective[op] is None:
            users = (effective[user] for user in precedence.successors(op))
            effective[op] = min((key for key in users if key is not None), default=None)


def _borrow_from_producers(effective: list[int | None], precedence: Precedence) -> int | None:
    """Give ops without a key the largest of their producers, else that of the op before.

    Returns:
        The key of the last op of the block; None when no op has one.
    """
    previous: int | None = None
    for op, key in enumerate(effective):
        if key is None:
            producers = (effective[producer] for producer in precedence.predecessors(op))
            effective[op] = max((known for known in producers if known is not None), default=previous)
        previous = effective[op]
    return previous
