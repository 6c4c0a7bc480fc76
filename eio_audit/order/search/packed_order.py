"""An order of a window, a packing of cycles and a search, each with what it needs from the others.

1. The order guides a packing (cycle_packing.py). Mostly that meets it: it is certified minimal.
2. If not, the cover of the packing is a better order (cover.py), which guides a better packing, and so on.
3. If that is no better, cycles with detours raise the bound, and a search with a small allowance of work
   closes a small gap (exact_search.py).
4. What is still open are larger windows far out of order. The order is improved stretch by stretch
   (sliding_windows.py) and by moving ops in groups (local_search.py). As long as that helps, all starts
   again.
5. Last, a search with the full allowance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from eio_audit.order.bounds.cover import order_by_cover
from eio_audit.order.bounds.cycle_packing import CyclePacking
from eio_audit.order.closure import TransitiveClosure
from eio_audit.order.effort import Effort
from eio_audit.order.search.exact_search import SEARCH_MOVES, SEARCH_STATES, search
from eio_audit.order.search.local_search import improve
from eio_audit.order.search.sliding_windows import reorder_stretches
from eio_audit.order.windows import Window

ROUNDS = 3  # how often an order is improved, and how often a cover is, in each of these
SEARCH_GAP = 60  # inversions between bound and order that a search may close
FIRST_SHARE = 20  # before the order is improved, a search may do a twentieth of the work


@dataclass(frozen=True, slots=True)
class LowerBound:
    """What every order of a window has to pay.

    Attributes:
        forced: inverted pairs where one op depends on the other.
        total: no order has fewer inversions than this.
        forced_complete: False when counting forced pairs was cut short: ``forced`` is then too small.
        open_pairs: pairs of places that orders with ``total`` inversions may have either way round: for each
            place the bitset of those with larger keys. They have all other independent pairs in order of
            their keys. None where that is not known.
    """

    forced: int
    total: int
    forced_complete: bool
    open_pairs: Sequence[int] | None = field(default=None, repr=False, compare=False)

    def raised(self, total: int) -> LowerBound:
        """Return the bound with what else is proven: no order has fewer inversions than ``total``."""
        return replace(self, total=max(self.total, total))


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

    def with_bound(self, bound: LowerBound) -> BestOrder:
        """Return the same order with the bound of another."""
        return replace(self, bound=bound)

    def proven_by(self, packing: CyclePacking) -> BestOrder:
        """Return the same order with what a packing proves.

        Which preferences are open only a packing says that meets the order by itself.
        """
        packed = self.bound.forced + len(packing)
        if packed < self.inversions:
            return self.raised(packed)
        bound = LowerBound(self.bound.forced, packed, self.bound.forced_complete, packing.open_pairs())
        return BestOrder(self.order, self.inversions, bound)


def packed_order(window: Window, relations: TransitiveClosure, best: BestOrder, effort: Effort) -> BestOrder:
    """Return the best order found for a window, and what is proven, starting from an order of it.

    Args:
        window: the ops to order.
        relations: all their pairs.
        best: the order to start from.
        effort: how much may be done; then what has been found stands.
    """
    for rounds_left in reversed(range(ROUNDS)):
        best, packing, by_cover = _packed(window, relations, best, effort)
        if not best.certified:
            best = _searched(relations, packing, best, FIRST_SHARE, effort)
        if best.certified:
            break
        improved = _improved(window, best, by_cover, effort) if rounds_left else None
        if improved is None:
            return _searched(relations, packing, best, 1, effort)
        best = improved
    return best


def _packed(
    window: Window, relations: TransitiveClosure, best: BestOrder, effort: Effort
) -> tuple[BestOrder, CyclePacking, list[int]]:
    """Let the order guide a packing, and the packing suggest an order, as long as that is a better one.

    Returns:
        The best order, the packing it guides, and the order by its cover, which is no better.
    """
    for rounds_left in reversed(range(ROUNDS)):
        packing = CyclePacking(relations, best.order, effort)
        best = best.proven_by(packing)
        if best.certified:
            return best, packing, best.order
        order = order_by_cover(relations, packing, effort) or best.order
        better = better_order(window, best, order) if rounds_left else None
        if better is None:
            break
        best = better
    packing.find_detours(effort)
    return best.raised(relations.forced + len(packing)), packing, order


def _improved(window: Window, best: BestOrder, by_cover: list[int], effort: Effort) -> BestOrder | None:
    """Return a better order that starts from one of two; None when there is none in reach."""
    for order in (by_cover, best.order):
        for improvement in (reorder_stretches, improve):
            better = better_order(window, best, improvement(window, order, effort))
            if better is not None:
                return better
    return None


def better_order(window: Window, best: BestOrder, order: list[int]) -> BestOrder | None:
    """Return ``best`` with another order, if that has fewer inversions."""
    inversions = window.inversions(order)
    return BestOrder(order, inversions, best.bound) if inversions < best.inversions else None


def _searched(
    relations: TransitiveClosure, packing: CyclePacking, best: BestOrder, share: int, effort: Effort
) -> BestOrder:
    """Search with 1 / ``share`` of the full work, if the gap is not hopeless; the packing is the estimate."""
    if best.inversions - best.bound.total > SEARCH_GAP or effort.is_spent:
        return best
    found = search(
        relations, packing.cycles(), best.inversions, SEARCH_STATES // share, SEARCH_MOVES // share, effort
    )
    best = best.raised(found.lower_bound)
    return best if found.order is None else replace(best, order=found.order, inversions=found.inversions)
