"""The forced inversions, and the lower bound of a window that begins with them.

An op is *over* another if the other depends on it, directly or not, and has the smaller key. The two are a
*forced* inversion: every order has it. An *early* op is over another op, a *late* op is under one.

Cycles add one more inversion each, in windows with a transitive closure (cycle_packing.py).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from eio_audit.order.bounds.cycle_packing import CyclePacking
from eio_audit.order.effort import Effort
from eio_audit.order.windows import Window, width

SWEEP_BITS = 1 << 30  # bits in all bitsets of one sweep
BATCH_SIZES = (256, 4096)  # fewest and most late ops of one sweep
FORCED_STEPS = 30_000_000  # budget for the forced inversions of one window
OP_STEPS = 8  # cost of visiting an op
EDGE_STEPS = 3  # more for each of its producers, plus the width of a bitset


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


def early_ops(window: Window) -> list[int]:
    """Return the indexed ops that are over another, in textual order."""
    smallest_below = window.smallest_keys_below()
    return [op for op in range(window.size) if window.indexed[op] and smallest_below[op] < window.keys[op]]


def late_ops(window: Window, largest_above: Sequence[int]) -> list[int]:
    """Return the indexed ops that are under another, in textual order."""
    return [op for op in range(window.size) if window.indexed[op] and largest_above[op] > window.keys[op]]


def rows_over(
    window: Window, late: Sequence[int], largest_above: Sequence[int], effort: Effort
) -> Iterator[tuple[int, int]]:
    """Yield the ops that are over some of ``late``, last in the text first, each with a bitset of these.

    One sweep from the last op to the first passes bitsets from users to producers: the late ops that depend
    on an op. An op's bitset is dropped once it has been passed on. A late op leaves the bitset once no
    ancestor has a larger key. So few bitsets are alive at a time, and the sweep ends with the last one.

    Args:
        window: the ops.
        late: some late ops, at least one, by rising key. Bit i of a bitset is for ``late[i]``.
        largest_above: per op, the largest key of itself and its ancestors.
        effort: the budget. If fewer than 0 steps are left, the sweep was cut short.

    Complexity: O(n + m) operations on bitsets. In practice, the sweep is short.

    Example:
        >>> from eio_audit.order.precedence import Precedence
        >>> window = Window([3, 2, 1], [True] * 3, Precedence.from_edges(3, [0, 1], [1, 2]))
        >>> [(op, bin(row)) for op, row in rows_over(window, [2, 1], [3, 3, 3], Effort())]
        [(1, '0b1'), (0, '0b11')]
    """
    keys = window.keys
    late_keys = [keys[op] for op in late]
    number_of = {op: number for number, op in enumerate(late)}
    arriving: dict[int, int] = {}  # per op not yet visited, the late ops that depend on it, as far as known
    producer_steps = EDGE_STEPS + width(len(late))
    first = min(late)
    for op in range(max(late), -1, -1):
        effort.left -= OP_STEPS
        below = arriving.pop(op, 0)
        row = below & _prefix(late_keys, keys[op]) if window.indexed[op] else 0
        if row:
            yield op, row
        if op in number_of:
            below |= 1 << number_of[op]
        handed_on = below & _prefix(late_keys, largest_above[op])
        if handed_on:
            producers = window.precedence.predecessors(op)
            effort.left -= producer_steps * len(producers)
            for producer in producers:
                arriving[producer] = arriving.get(producer, 0) | handed_on
        if effort.left < 0 or (not arriving and op <= first):
            break


def count_forced(
    window: Window, effort: Effort | None = None, batch_sizes: tuple[int, int] = BATCH_SIZES
) -> tuple[int, bool]:
    """Count the forced inversions without a transitive closure, in sweeps for some late ops each.

    Args:
        window: the ops.
        effort: the budget for all sweeps.
        batch_sizes: fewest and most late ops of one sweep.

    Returns:
        The number of forced inversions found, and whether these are all; False if the budget was spent.

    Complexity: O(l / b * (n + m)) operations on bitsets of b bits for l late ops, b = 256 .. 4096. In
    practice, sweeps are short.

    Example:
        Keys 3, 2, 1, where each op uses the one before it: all three pairs are forced.

        >>> from eio_audit.order.precedence import Precedence
        >>> count_forced(Window([3, 2, 1], [True] * 3, Precedence.from_edges(3, [0, 1], [1, 2])))
        (3, True)
    """
    largest_above = window.largest_keys_above()
    late = late_ops(window, largest_above)
    fewest, most = batch_sizes
    batch_size = min(most, max(fewest, SWEEP_BITS // max(window.size, 1)))
    forced = 0
    with (effort or Effort()).part(FORCED_STEPS) as part:
        for start in range(0, len(late), batch_size):
            batch = sorted(late[start : start + batch_size], key=window.keys.__getitem__)
            forced += sum(row.bit_count() for _, row in rows_over(window, batch, largest_above, part))
            if part.left < 0:
                break
        return forced, part.left >= 0


def _prefix(ascending: Sequence[int], value: int) -> int:
    """Return a bitset with bit i set if ``ascending[i] < value``. These are its lowest bits.

    Example:
        >>> bin(_prefix([10, 20, 30], 25))
        '0b11'
    """
    return (1 << bisect_left(ascending, value)) - 1
