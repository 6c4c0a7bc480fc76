"""The forced inversions, the part of the minimum that no order can avoid.

*Forced*: a and b with key(a) > key(b), where b depends on a, directly or not. They are inverted in every
order. An *early* op is one that is forced to be: it has a smaller key among its descendants.

Windows whose pairs are all looked at read the forced inversions off their transitive closure (closure.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eio_audit.order.bitsets import prefix
from eio_audit.order.effort import Effort
from eio_audit.order.windows import Window

SWEEP_BITS = 1 << 30  # what the bitsets of one sweep may hold together
SWEEP_EARLY_LIMITS = (256, 4096)  # fewest and most early ops that one sweep follows
FORCED_STEPS = 30_000_000  # what may be done to count the forced inversions of one window
OP_STEPS = 8  # what it costs to visit an op
USER_STEPS = 4  # and for each of its users


def count_forced(window: Window, effort: Effort | None = None) -> tuple[int, bool]:
    """Count the forced inversions, without building a transitive closure.

    Early ops are taken some thousands at a time. For each such batch one sweep over the window hands on, from
    producer to user, the bitset of those early ops that the user depends on. An op's bitset is dropped as
    soon as it has been handed on, and an early op leaves it once no descendant has a smaller key, so what
    is held at a time is narrow, and a sweep ends where its last bit is dropped.

    Args:
        window: the ops to count among.
        effort: how much may be done, over all sweeps.

    Returns:
        The number of forced inversions found, and whether that is all: False when the effort was spent.

    Complexity: O(e / b * (n + m)) operations on bitsets of b bits for e early ops, b = 256 .. 4096; in
    practice sweeps are short.

    Example:
        Key 3 before 2 before 1, each a user of the one before: all three pairs are forced.

        >>> from eio_audit.order.precedence import Precedence
        >>> count_forced(Window([3, 2, 1], [True] * 3, Precedence.from_edges(3, [0, 1], [1, 2])))
        (3, True)
    """
    smallest_below = window.smallest_keys_below()
    early = early_ops(window, smallest_below)
    fewest, most = SWEEP_EARLY_LIMITS
    batch_size = min(most, max(fewest, SWEEP_BITS // max(window.size, 1)))
    forced = 0
    with (effort or Effort()).part(FORCED_STEPS) as part:
        for start in range(0, len(early), batch_size):
            batch = early[start : start + batch_size]
            forced += sum(
                larger.bit_count() for _, larger in forced_with(window, batch, smallest_below, part)
            )
            if part.left < 0:
                break
        return forced, part.left >= 0


def early_ops(window: Window, smallest_below: Sequence[int]) -> list[int]:
    """Return the indexed ops with a smaller key among their descendants, in textual order."""
    return [op for op in range(window.size) if window.indexed[op] and smallest_below[op] < window.keys[op]]


def forced_with(
    window: Window, early: Sequence[int], smallest_below: Sequence[int], effort: Effort
) -> Iterator[tuple[int, int]]:
    """Yield each op that ends a forced inversion with one of ``early``, in textual order, and with which.

    Args:
        window: the ops.
        early: some of its early ops, at least one, in textual order.
        smallest_below: per op, the smallest key among itself and its descendants.
        effort: less than 0 is left of it when the sweep was cut short.

    Yields:
        The op, and the bitset of the early ops that it is forced with: bit i is the i-th by falling key.

    Example:
        >>> from eio_audit.order.precedence import Precedence
        >>> window = Window([3, 2, 1], [True] * 3, Precedence.from_edges(3, [0, 1], [1, 2]))
        >>> list(forced_with(window, [0, 1], window.smallest_keys_below(), Effort()))
        [(1, 1), (2, 3)]
    """
    # Bits by falling key: the early ops with a key larger than a given one are a prefix, the lowest bits.
    falling = sorted(early, key=lambda op: -window.keys[op])
    negated_keys = [-window.keys[op] for op in falling]
    place_of = {op: place for place, op in enumerate(falling)}
    arriving: dict[int, int] = {}  # per op still ahead: its early ancestors, as far as handed on
    for op in range(early[0], window.size):
        effort.left -= OP_STEPS
        ancestors = arriving.pop(op, 0)
        if ancestors and window.indexed[op]:
            larger = ancestors & prefix(negated_keys, -window.keys[op])
            if larger:
                yield op, larger
        if op in place_of:
            ancestors |= 1 << place_of[op]
        handed_on = ancestors & prefix(negated_keys, -smallest_below[op])
        if handed_on:
            users = window.precedence.successors(op)
            effort.left -= USER_STEPS * len(users)
            for user in users:
                arriving[user] = arriving.get(user, 0) | handed_on
        if effort.left < 0 or (not arriving and op >= early[-1]):
            return
