"""Work budgets, counted in steps, and the limits of the search. A step is about the work of visiting one op.

Finding the fewest inversions is NP-hard, and so is proving them minimal. So each search has a budget, and all
work on one dump shares another. Budgets count steps, never time: the same input always gives the same output.
When a budget is spent, the result is the best order found so far, with the bound proven so far.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

DUMP_STEPS = 12_000_000  # per dump
STEPS_PER_OP = 220  # added for each op of a block that is out of order
PACKING_STEPS = 6_000_000  # ends of closing edges visited for a packing of cycles, in one window
FORCED_STEPS = 30_000_000  # for the forced inversions of one window
MOVE_STEPS_PER_OP = 20_000  # for a local search, per op of the window, in ops passed or met
LABEL_STEPS = 4_000_000  # for the wrong labels of one block
LABEL_STEPS_PER_OP = 12  # added for each of its ops

BROKEN_STEPS = 2  # cost of a broken edge
OP_STEPS = 8  # cost of visiting an op in a sweep
EDGE_STEPS = 3  # more for each of its producers, plus the width of a bitset
LOOK_STEPS = 6  # cost of visiting an op or a dependence of a window
WIDE = 4_000  # bits of a bitset that cost one more step


class SearchLimits(NamedTuple):
    """The largest problems that each step of the search takes on."""

    closure_size: int = 10_000  # ops of the largest window that gets a transitive closure
    packed_inversions: int = 400_000  # most inversions that are not forced, for a packing of cycles
    distance: int = 300  # most places that a group of ops moves in local search
    repeated_size: int = 100_000  # ops of the largest window that is ordered more than once
    moved_closure_size: int = 4_000  # ops of the largest range in which fewer moved ops are looked for
    moved_inversions: int = 100_000  # most inversions that are not forced, in such a range
    flow_pairs: int = 1 << 29  # givers times takers in the largest window with a flow; each pair takes a bit
    sweep_sizes: tuple[int, int] = (256, 16_384)  # fewest and most late ops of one sweep
    sweep_bits: int = 1 << 30  # bits in all bitsets of one sweep


USUAL_LIMITS = SearchLimits()


class Effort:
    """A budget of steps, and the limits of the search that spends them.

    >>> effort = Effort(100)
    >>> with effort.part(30) as part:
    ...     part.left -= 20
    >>> effort.left
    80
    """

    def __init__(self, steps: int = DUMP_STEPS, limits: SearchLimits = USUAL_LIMITS) -> None:
        self.left = steps  # the number of steps left; 0 or less when the budget is spent
        self.limits = limits

    @property
    def is_spent(self) -> bool:
        """Whether no steps are left."""
        return self.left <= 0

    @contextmanager
    def part(self, most: int) -> Iterator[Effort]:
        """Lend at most ``most`` steps, and deduct the steps taken on exit."""
        lent = max(min(most, self.left), 0)
        part = Effort(lent, self.limits)
        yield part
        self.left -= lent - part.left


def width(size: int) -> int:
    """Return the cost in steps of an operation on a bitset of ``size`` bits."""
    return 1 + size // WIDE
