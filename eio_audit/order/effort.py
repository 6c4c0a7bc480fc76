"""Work budgets, counted in steps, and the limits of the search. A step is about the work of visiting one op.

Finding the fewest inversions is NP-hard, and so is proving them minimal. So each search has a budget, and all
work on one dump shares another. Budgets count steps, never time: the same input always gives the same output.
When a budget is spent, the result is the best order found so far, with the bound proven so far.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

DUMP_STEPS = 12_000_000  # per dump
STEPS_PER_OP = 220  # added for each op of a block that is out of order


class Effort:
    """A budget of steps.

    Example:
        >>> effort = Effort(100)
        >>> with effort.part(30) as part:
        ...     part.left -= 20
        >>> effort.left
        80
    """

    def __init__(self, steps: int = DUMP_STEPS) -> None:
        self.left = steps  # the number of steps left; 0 or less when the budget is spent

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


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """The largest problems that each step of the search takes on."""

    closure_size: int = 10_000  # ops of the largest window that gets a transitive closure
    packed_inversions: int = 400_000  # most inversions that are not forced, for a packing of cycles
    distance: int = 300  # most places that a group of ops moves in local search
    repeated_size: int = 100_000  # ops of the largest window that is ordered more than once
    # Ops of the largest range in which the implied order bounds the moved ops.
    moved_closure_size: int = 4_000
    moved_inversions: int = 100_000  # most inversions that are not forced, in such a range


USUAL_LIMITS = SearchLimits()
