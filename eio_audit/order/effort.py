"""How much work may be done, counted in steps: about as much as looking at one more op in a search.

Finding the fewest inversions is NP-hard, and proving them too. So each search has a limit of its own, and all
that is done for a dump together has one. Steps are counted, never time: the same input always gives the same
output. Where the steps are used up, the best order found so far is taken, with the bound proven so far.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

DUMP_STEPS = 12_000_000  # what a dump may cost, however small
STEPS_PER_OP = 220  # and for each op of a block that is out of order, too
WIDE = 4_000  # bits of a bitset that cost a step more


class Effort:
    """Steps that may still be taken.

    Attributes:
        left: how many; 0 or less when they are used up.

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
        """Whether nothing is left."""
        return self.left <= 0

    @contextmanager
    def part(self, most: int) -> Iterator[Effort]:
        """Lend no more than ``most`` steps; what has been taken of them is taken from here afterwards."""
        lent = max(min(most, self.left), 0)
        part = Effort(lent)
        yield part
        self.left -= lent - part.left


def width(size: int) -> int:
    """Return how many steps it costs to look at a bitset of that many ops."""
    return 1 + size // WIDE
