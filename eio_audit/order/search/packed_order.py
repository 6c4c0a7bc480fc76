"""The best order of a window whose pairs are all looked at: a packing of cycles and searches in turns.

1. The order guides a packing (cycle_packing.py). Mostly that meets it: it is certified minimal.
2. If not, cycles with detours raise the bound, and a search with a small allowance of work closes a small gap
   (exact_search.py).
3. Larger windows far out of order are still open then. The order is improved by moving ops in groups
   (local_search.py) and part by part (sliding_windows.py). As long as that helps, all starts again.
4. Last, a search with the full allowance.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from eio_audit.order.bounds.cycle_packing import CyclePacking
from eio_audit.order.bounds.lower_bound import LowerBound
from eio_audit.order.closure import TransitiveClosure
from eio_audit.order.effort import Effort
from eio_audit.order.search.exact_search import SEARCH_MOVES, SEARCH_STATES, search
from eio_audit.order.search.local_search import improve
from eio_audit.order.search.sliding_windows import slide
from eio_audit.order.windows import Window

SEARCH_GAP = 60  # inversions between bound and order that a search may close
FIRST_SHARE = 20  # before the order is improved, a search may do a twentieth of the work


@dataclass(frozen=True, slots=True)
class BestOrder:
    """The best order found for a window.

    Attributes:
        order: places in the window, in the order found; the textual order if none is strictly better.
        inversions: those of ``order``.
        bound: the lower bound that goes with it.
    """

    order: list[int]
    inversions: int
    bound: LowerBound

    @property
    def certified(self) -> bool:
        """Whether the order is proven minimal."""
        return self.inversions == self.bound.total

    def raised(self, total: int) -> BestOrder:
        """Return the same order, with a bound of ``total`` if that is higher."""
        return replace(self, bound=self.bound.raised(total))

    def with_cycles(self, packing: CyclePacking) -> BestOrder:
        """Return the same order, with the bound raised by a packing that it guided."""
        return replace(self, bound=self.bound.with_cycles(packing))

    def or_better(self, window: Window, order: list[int]) -> BestOrder:
        """Return this with another order, if that has fewer inversions."""
        inversions = window.inversions(order)
        return self if inversions >= self.inversions else replace(self, order=order, inversions=inversions)


def packed_order(window: Window, closure: TransitiveClosure, best: BestOrder, effort: Effort) -> BestOrder:
    """Return the best order found for a window, and what is proven, starting from an order of it.

    Args:
        window: the ops to order.
        closure: all their pairs.
        best: the order to start from.
        effort: how much may be done; then what has been found remains.
    """
    while True:
        packing = CyclePacking(closure, best.order, effort)
        best = best.with_cycles(packing)
        if best.certified:
            return best
        packing.find_detours(effort)
        best = best.raised(closure.forced + len(packing))
        best = _searched(closure, packing, best, FIRST_SHARE, effort)
        if best.certified:
            return best
        order = slide(window, improve(window, best.order, effort), effort)
        improved = best.or_better(window, order)
        if improved is best:
            return _searched(closure, packing, best, 1, effort)
        best = improved


def _searched(
    closure: TransitiveClosure, packing: CyclePacking, best: BestOrder, share: int, effort: Effort
) -> BestOrder:
    """Search with 1 / ``share`` of the full work, if the gap is not hopeless; the packing is the estimate."""
    if best.inversions - best.bound.total > SEARCH_GAP or effort.is_spent:
        return best
    found = search(
        closure, packing.cycles(), best.inversions, SEARCH_STATES // share, SEARCH_MOVES // share, effort
    )
    best = best.raised(found.lower_bound)
    return best if found.order is None else replace(best, order=found.order, inversions=found.inversions)
