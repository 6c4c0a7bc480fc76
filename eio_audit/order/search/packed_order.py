"""The best order of a window with a transitive closure: packings of cycles and searches alternate.

1. The order guides a packing (cycle_packing.py). Usually the packing proves the order minimal.
2. If not, cycles with detours raise the bound, and a search with a small budget closes a small gap
   (exact_search.py).
3. If a gap is left, the order is improved by moving groups of ops (local_search.py) and part by part
   (sliding_windows.py). After an improvement, all steps are repeated.
4. The last step is a search with the full budget.
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

SEARCH_GAP = 60  # largest gap between bound and order that is searched
FIRST_SHARE = 20  # the search before improvements gets 1 / 20 of the full budget


@dataclass(frozen=True, slots=True)
class BestOrder:
    """The best order found for a window.

    Attributes:
        order: places in the window, in the order found; the textual order if none is strictly better.
        inversions: number of inversions of ``order``.
        bound: the lower bound for all orders.
    """

    order: list[int]
    inversions: int
    bound: LowerBound

    @property
    def certified(self) -> bool:
        """Whether the order is proven minimal."""
        return self.inversions == self.bound.total

    def raised(self, total: int) -> BestOrder:
        """Return the same order, with the bound raised to ``total`` if that is greater."""
        return replace(self, bound=self.bound.raised(total))

    def with_cycles(self, packing: CyclePacking) -> BestOrder:
        """Return the same order, with the bound raised by a packing that it guided."""
        return replace(self, bound=self.bound.with_cycles(packing))

    def or_better(self, window: Window, order: list[int]) -> BestOrder:
        """Return this result with another order, if that has fewer inversions."""
        inversions = window.inversions(order)
        return self if inversions >= self.inversions else replace(self, order=order, inversions=inversions)


def packed_order(window: Window, closure: TransitiveClosure, best: BestOrder, effort: Effort) -> BestOrder:
    """Return the best order found for a window, and its bound, starting from a given order.

    Args:
        window: the ops to order.
        closure: their transitive closure.
        best: the order to start from.
        effort: the budget. If it is spent, the result is the best so far.
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
    """Search with 1 / ``share`` of the full budget, unless the gap is too large."""
    if best.inversions - best.bound.total > SEARCH_GAP or effort.is_spent:
        return best
    found = search(
        closure, packing.cycles(), best.inversions, SEARCH_STATES // share, SEARCH_MOVES // share, effort
    )
    best = best.raised(found.lower_bound)
    return best if found.order is None else replace(best, order=found.order, inversions=found.inversions)
