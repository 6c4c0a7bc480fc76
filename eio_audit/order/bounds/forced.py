"""The forced inversions, and the lower bound of a window that begins with them.

An inversion of a and b, key(a) > key(b), is *forced* if b depends on a, directly or not: every order has it.
An *early* op has a smaller key among its descendants.

Cycles add one more inversion each, in windows with a transitive closure (cycle_packing.py). In larger
windows, squeezes are the cycles around some of the forced inversions (large_windows.py). A search that stops
raises the bound, too (search/exact_search.py).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from eio_audit.order.bounds.cycle_packing import CyclePacking
from eio_audit.order.effort import Effort
from eio_audit.order.windows import Window

SWEEP_BITS = 1 << 30  # bits in all bitsets of one sweep
BATCH_SIZES = (256, 4096)  # fewest and most early ops of one sweep
FORCED_STEPS = 30_000_000  # budget for the forced inversions of one window
OP_STEPS = 8  # cost of visiting an op
USER_STEPS = 4  # more for each of its users


@dataclass(frozen=True, slots=True)
class LowerBound:
    """A lower bound on the inversions of all orders of a window.

    Attributes:
        forced: number of inversions where one op depends on the other.
        total: no order has fewer inversions.
        forced_complete: whether all forced inversions were counted. If not, ``forced`` is a lower bound.
        open_pairs: the independent pairs that orders with ``total`` inversions may have in either order. Per
            place, the bitset of the places with larger keys. Such orders have all other independent pairs in
            order of their keys. None if unknown.
    """

    forced: int
    total: int
    forced_complete: bool
    open_pairs: Sequence[int] | None = field(default=None, repr=False, compare=False)

    def raised(self, total: int) -> LowerBound:
        """Return the bound raised to ``total``, if that is greater."""
        return replace(self, total=max(self.total, total))

    def with_cycles(self, packing: CyclePacking) -> LowerBound:
        """Return the bound raised by a packing, which gives the open pairs if it proves its order minimal."""
        raised = self.raised(self.forced + len(packing))
        if len(packing) < len(packing.broken):
            return raised
        return replace(raised, open_pairs=packing.open_pairs())


def count_forced(
    window: Window, effort: Effort | None = None, batch_sizes: tuple[int, int] = BATCH_SIZES
) -> tuple[int, bool]:
    """Count the forced inversions without a transitive closure.

    Each sweep follows a batch of early ops. It passes a bitset from producers to users: the early ops of the
    batch that the user depends on. An op's bitset is dropped once it has been passed on. An early op leaves
    the bitset once no descendant has a smaller key. So few bitsets are alive at a time, and a sweep ends with
    the last one.

    Args:
        window: the ops.
        effort: the budget for all sweeps.
        batch_sizes: fewest and most early ops of one sweep.

    Returns:
        The number of forced inversions found, and whether these are all; False if the budget was spent.

    Complexity: O(e / b * (n + m)) operations on bitsets of b bits for e early ops, b = 256 .. 4096. In
    practice, sweeps are short.

    Example:
        Keys 3, 2, 1, where each op uses the one before it: all three pairs are forced.

        >>> from eio_audit.order.precedence import Precedence
        >>> count_forced(Window([3, 2, 1], [True] * 3, Precedence.from_edges(3, [0, 1], [1, 2])))
        (3, True)
    """
    smallest_below = window.smallest_keys_below()
    early = early_ops(window, smallest_below)
    fewest, most = batch_sizes
    batch_size = min(most, max(fewest, SWEEP_BITS // max(window.size, 1)))
    forced = 0
    with (effort or Effort()).part(FORCED_STEPS) as part:
        for start in range(0, len(early), batch_size):
            batch = early[start : start + batch_size]
            forced += _count_in_batch(window, batch, smallest_below, part)
            if part.left < 0:
                break
        return forced, part.left >= 0


def early_ops(window: Window, smallest_below: Sequence[int]) -> list[int]:
    """Return the indexed ops with a smaller key among their descendants, in textual order."""
    return [op for op in range(window.size) if window.indexed[op] and smallest_below[op] < window.keys[op]]


def _count_in_batch(
    window: Window, early: Sequence[int], smallest_below: Sequence[int], effort: Effort
) -> int:
    """Count the forced inversions whose earlier op is in ``early``, some early ops in textual order.

    Fewer than 0 steps are left if the sweep was cut short.
    """
    # Bits are by falling key, so the early ops with a key larger than a given one are the lowest bits.
    falling = sorted(early, key=lambda op: -window.keys[op])
    negated_keys = [-window.keys[op] for op in falling]
    place_of = {op: place for place, op in enumerate(falling)}
    arriving: dict[int, int] = {}  # per op not yet visited, its early ancestors known so far
    forced = 0
    for op in range(early[0], window.size):
        effort.left -= OP_STEPS
        ancestors = arriving.pop(op, 0)
        if ancestors and window.indexed[op]:
            forced += (ancestors & _prefix(negated_keys, -window.keys[op])).bit_count()
        if op in place_of:
            ancestors |= 1 << place_of[op]
        handed_on = ancestors & _prefix(negated_keys, -smallest_below[op])
        if handed_on:
            users = window.precedence.successors(op)
            effort.left -= USER_STEPS * len(users)
            for user in users:
                arriving[user] = arriving.get(user, 0) | handed_on
        if effort.left < 0 or (not arriving and op >= early[-1]):
            break
    return forced


def _prefix(ascending: Sequence[int], value: int) -> int:
    """Return a bitset with bit i set if ``ascending[i] < value``. These are its lowest bits.

    Example:
        >>> bin(_prefix([10, 20, 30], 25))
        '0b11'
    """
    return (1 << bisect_left(ascending, value)) - 1
