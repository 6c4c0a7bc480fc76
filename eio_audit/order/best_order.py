"""The best order of one window, and how much of its cost is proven.

Each step is only for what those before have left open:

1. Simple orders compete, the textual order among them (candidates.py). Often there is nothing but the forced
   inversions left (forced.py), and that is it.
2. A packing of cycles, guided by the best order (cycles.py), raises the lower bound. Mostly it meets the
   order.
3. A search with a small allowance of work closes small gaps (exact.py).
4. Local search improves the order (local_search.py). With the better order come a better packing and a search
   that has less to look for.

A window too large to look at all pairs, or too far out of order to look at all inversions, is divided. Often
it is a few inversions with many keys between that hold it together, and there would be many small windows
without them. So the ends of these inversions are set aside: they count as unindexed for a while. That leaves

- an order: that of the small windows, into which the ops set aside are then moved where they cost least;
- a bound: forced inversions, what the small windows cost beyond them, and what the inversions set aside
  squeeze (pairs.py). The first are forced, the second have no end set aside and the third have one: none is
  counted twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from eio_audit.order.candidates import CANDIDATES
from eio_audit.order.cover import order_by_cover
from eio_audit.order.cycles import Packing
from eio_audit.order.exact import SEARCH_MOVES, SEARCH_STATES, search
from eio_audit.order.forced import count_forced
from eio_audit.order.local_search import improve, place_best
from eio_audit.order.pairs import count_squeezed, disjoint_forced
from eio_audit.order.relations import Relations
from eio_audit.order.stretches import reorder_stretches
from eio_audit.order.windows import Window, Windows, block_of, split_into_windows

RELATIONS_SIZE = 10_000  # ops of the largest window whose pairs are all looked at
PACKED_INVERSIONS = 400_000  # the same for inversions that are not forced
SET_ASIDE = (4, 16, 64, 256, 1024)  # inversions to set aside, so that a larger window falls apart
FIRST_SHARE = 10  # before local search, a search may do a tenth of the work


@dataclass(frozen=True, slots=True)
class LowerBound:
    """What every order of a window has to pay.

    Attributes:
        forced: inverted pairs where one op depends on the other.
        total: no order has fewer inversions than this.
        forced_complete: False when counting forced pairs was cut short: ``forced`` is then too small.
    """

    forced: int
    total: int
    forced_complete: bool

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

    def with_bound(self, total: int) -> BestOrder:
        """Return the same order, with a bound of ``total`` if that is higher."""
        return replace(self, bound=self.bound.raised(total))


def best_order(window: Window) -> BestOrder:
    """Return the best order found for a window, and a lower bound on the inversions of all orders.

    Example:
        Keys 9, 5, 1, 3, where 1 depends on 5. 9 can go last, 3 is squeezed.

        >>> from eio_audit.order.precedence import Precedence
        >>> best_order(Window([9, 5, 1, 3], [True] * 4, Precedence.from_edges(4, [1], [2])))
        BestOrder(order=[1, 2, 3, 0], inversions=2, bound=LowerBound(forced=1, total=2, forced_complete=True))
    """
    best = _best_candidate(window)
    if best.certified:
        return best
    if window.size > RELATIONS_SIZE or best.inversions - best.bound.forced > PACKED_INVERSIONS:
        return _divided(window, best)
    relations = Relations(window)
    best = replace(best, bound=LowerBound(relations.forced, best.bound.total, forced_complete=True))
    while True:
        best, packing, by_cover = _packed(window, relations, best)
        if best.certified:
            return best
        best = _searched(relations, packing, best, FIRST_SHARE)
        if best.certified:
            return best
        improved = _improved(window, best, by_cover)
        if improved is None:
            return _searched(relations, packing, best, 1)
        best = improved


def _best_candidate(window: Window) -> BestOrder:
    """Return the best of the simple orders; among equals the first, and the textual order before all."""
    forced, complete = count_forced(window)
    best = list(range(window.size))
    fewest = window.inversions(best)
    for candidate in CANDIDATES:
        if fewest == forced:
            break
        order = candidate(window)
        inversions = window.inversions(order)
        if inversions < fewest:
            best, fewest = order, inversions
    return BestOrder(best, fewest, LowerBound(forced, forced, complete))


def _divided(window: Window, best: BestOrder) -> BestOrder:
    """Set aside what holds a large window together, and order the rest window by window.

    Where a thousand inversions set aside are not enough, as with keys in random order, there is just a bound.
    """
    pairs = disjoint_forced(window)
    for count in SET_ASIDE:
        rest = _without(window, pairs[:count])
        windows = split_into_windows(rest)
        largest = max((stop - start for start, stop in windows.spans), default=0)
        if largest <= min(RELATIONS_SIZE, window.size // 2):
            return _put_together(window, best, rest, windows, pairs[:count])
    return best.with_bound(best.bound.forced + count_squeezed(window, pairs))


def _put_together(
    window: Window, best: BestOrder, rest: Window, windows: Windows, aside: Sequence[tuple[int, int]]
) -> BestOrder:
    """Order the windows of ``rest``, and place what was set aside."""
    order = windows.order
    total = best.bound.forced + count_squeezed(window, aside)
    for start, stop in windows.spans:
        ops = order[start:stop]
        part = best_order(rest.restricted(ops))
        order[start:stop] = [ops[place] for place in part.order]
        if part.bound.forced_complete:
            total += part.bound.total - part.bound.forced
    order = place_best(window, order, [op for pair in aside for op in pair])
    inversions = window.inversions(order)
    best = best.with_bound(total)
    return best if inversions >= best.inversions else replace(best, order=order, inversions=inversions)


def _without(window: Window, pairs: Sequence[tuple[int, int]]) -> Window:
    """Return the window with the ends of ``pairs`` unindexed."""
    ends = {op for pair in pairs for op in pair}
    return block_of(
        [
            key if is_indexed and op not in ends else None
            for op, (key, is_indexed) in enumerate(zip(window.keys, window.indexed, strict=True))
        ],
        window.precedence,
    )


def _packed(window: Window, relations: Relations, best: BestOrder) -> tuple[BestOrder, Packing, list[int]]:
    """Let the order guide a packing, and the packing suggest an order, as long as that is a better one.

    Returns:
        The best order, the packing it guides, and the order by its cover, which is no better.
    """
    while True:
        packing = Packing(relations, best.order)
        best = best.with_bound(relations.forced + len(packing))
        if best.certified:
            return best, packing, best.order
        order = order_by_cover(relations, packing) or best.order
        better = _better(window, best, order)
        if better is None:
            packing.find_detours()
            return best.with_bound(relations.forced + len(packing)), packing, order
        best = better


def _improved(window: Window, best: BestOrder, by_cover: list[int]) -> BestOrder | None:
    """Return a better order that starts from one of two; None when there is none in reach."""
    for order in (by_cover, best.order):
        for improvement in (reorder_stretches, improve):
            better = _better(window, best, improvement(window, order))
            if better is not None:
                return better
    return None


def _better(window: Window, best: BestOrder, order: list[int]) -> BestOrder | None:
    """Return ``best`` with another order, if that has fewer inversions."""
    inversions = window.inversions(order)
    return replace(best, order=order, inversions=inversions) if inversions < best.inversions else None


def _searched(relations: Relations, packing: Packing, best: BestOrder, share: int) -> BestOrder:
    """Search with 1 / ``share`` of the full work; the packing estimates what is still to come."""
    found = search(
        relations, packing.cycles(), best.inversions, SEARCH_STATES // share, SEARCH_MOVES // share
    )
    best = best.with_bound(found.lower_bound)
    return best if found.order is None else replace(best, order=found.order, inversions=found.inversions)
