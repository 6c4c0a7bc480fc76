"""Work budgets, counted in steps. A step is about the work of visiting one op in a search.

Finding the fewest inversions is NP-hard, and so is proving them minimal. So each search has a budget, and all
work on one dump shares another. Budgets count steps, never time: the same input always gives the same output.
When a budget is spent, the result is the best order found so far, with the bound proven so far.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

DUMP_STEPS = 12_000_000  # per dump
STEPS_PER_OP = 220  # added for each op of a block that is out of order
WIDE = 4_000  # bits of a bitset that cost one more step


class Effort:
    """A budget of steps.

    Attributes:
        left: the number of steps left; 0 or less when the budget is spent.

    Example:
        >>> effort = Effort(100)
        >>> with effort.part(30) as part:
        ...     part.left -= 20
        >>> effort.left
        80
    """

    def __init__(self, steps: int = DUMP_STEPS) -> None:
        self.left = steps

    @property
    def is_spent(self) -> bool:
        """Whether no steps are left."""
        return self.left <= 0

    @contextmanager
    def part(self, most: int) -> Iterator[Effort]:
        """Lend at most ``most`` steps, and deduct the steps taken on exit."""
        lent = max(min(most, self.left), 0)
        part = Effort(lent)
        yield part
        self.left -= lent - part.left


def width(size: int) -> int:
    """Return the cost in steps of an operation on a bitset of ``size`` bits."""
    return 1 + size // WIDE
