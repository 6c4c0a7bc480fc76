"""The best order of one window, and how much of its cost is proven.

A simple order starts (schedules.py). Often there is nothing but the forced inversions left, and that is it.
If not, the order and a packing of cycles improve each other (packed_order.py).

A window too large to look at all pairs, or too far out of order to look at all inversions, is divided. Often
it is a few inversions with many keys between that hold it together, and there would be many small windows
without them. So the ends of these inversions are set aside: they count as unindexed for a while. That leaves

- an order: that of the small windows, into which the ops set aside are then moved where they cost least;
- a bound: forced inversions, what the small windows cost beyond them, and what the inversions set aside
  squeeze (squeeze.py). The first are forced, the second have no end set aside and the third have one: none is
  counted twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from eio_audit.order.bounds.cycle_packing import CyclePacking
from eio_audit.order.bounds.forced import count_forced
from eio_audit.order.bounds.squeeze import disjoint_forced, squeeze_bound
from eio_audit.order.closure import TransitiveClosure
from eio_audit.order.effort import Effort
from eio_audit.order.inversions import dense_ranks
from eio_audit.order.search.local_search import place_best
from eio_audit.order.search.packed_order import BestOrder, LowerBound, better_order, packed_order
from eio_audit.order.search.schedules import pull_up, push_down
from eio_audit.order.windows import Window, Windows, block_of, split_into_windows

RELATIONS_SIZE = 10_000  # ops of the largest window whose pairs are all looked at
PACKED_INVERSIONS = 400_000  # the same for inversions that are not forced
EASY_INVERSIONS = 1_000  # an order with more that are not forced is not proven before others are tried
LOOK_STEPS = 6  # what it costs to look once at each op and each dependence
SET_ASIDE = (4, 16, 64, 256, 1024)  # inversions to set aside, so that a larger window falls apart


def best_order(window: Window, effort: Effort | None = None) -> BestOrder:
    """Return the best order found for a window, and a lower bound on the inversions of all orders.

    The search starts from simple orders, not from the textual one. So what it finds for a window does not
    depend on how the window is ordered, but for ops with equal keys, and finds nothing better in what it has
    found before. Only where the textual order is better than all that starts from it.

    Args:
        window: the ops to order.
        effort: how much may be done; then what has been found stands.

    Example:
        Keys 9, 5, 1, 3, where 1 depends on 5. 9 can go last, 3 is squeezed.

        >>> from eio_audit.order.precedence import Precedence
        >>> best_order(Window([9, 5, 1, 3], [True] * 4, Precedence.from_edges(4, [1], [2])))
        BestOrder(order=[1, 2, 3, 0], inversions=2, bound=LowerBound(forced=1, total=2, forced_complete=True))
    """
    effort = effort or Effort()
    text = list(range(window.size))
    relations = TransitiveClosure(window) if window.size <= RELATIONS_SIZE else None
    effort.left -= LOOK_STEPS * window.extent
    forced, is_complete = (relations.forced, True) if relations else count_forced(window, effort)
    bound = LowerBound(forced, forced, is_complete)
    textual = BestOrder(text, window.inversions(text), bound)
    if textual.certified:
        return textual
    found = _improved(window, relations, _best_candidate(window, bound, relations, effort), effort)
    textual = textual.with_bound(found.bound)
    if textual.inversions < found.inversions:
        return _improved(window, relations, textual, effort)
    return textual if textual.inversions == found.inversions else found


def _improved(
    window: Window, relations: TransitiveClosure | None, best: BestOrder, effort: Effort
) -> BestOrder:
    """Return the best order found from one to start from."""
    while not best.certified and not effort.is_spent:
        if relations is None or best.inversions - relations.forced > PACKED_INVERSIONS:
            return _divided(window, best, effort)
        better = packed_order(window, relations, best, effort)
        if better.inversions == best.inversions:
            return better
        best = better
    return best


def _best_candidate(
    window: Window, bound: LowerBound, relations: TransitiveClosure | None, effort: Effort
) -> BestOrder:
    """Return the best of the simple orders, among equals the first.

    With ``relations`` there are proofs at hand, and one order is not tried when another is proven minimal.
    """
    order = pull_up(window)
    best = BestOrder(order, window.inversions(order), bound)
    if relations is not None and not best.certified:
        best = _proven(relations, best, effort)
    if not best.certified:
        best = better_order(window, best, push_down(window)) or best
    return best


def _proven(relations: TransitiveClosure, best: BestOrder, effort: Effort) -> BestOrder:
    """Return the order with the bound that proves it minimal, if a packing it guides does so at once."""
    if effort.is_spent or best.inversions - relations.forced > EASY_INVERSIONS:
        return best
    if _could_exchange_neighbours(relations, best.order):
        return best
    proven = best.proven_by(CyclePacking(relations, best.order, effort))
    return proven if proven.certified else best


def _could_exchange_neighbours(relations: TransitiveClosure, order: Sequence[int]) -> bool:
    """Return whether two neighbours in an order are inverted and independent: then it is not minimal."""
    ops = [relations.number_of[place] for place in order]
    return any(relations.smaller_independent[op] >> following & 1 for op, following in pairwise(ops))


def _divided(window: Window, best: BestOrder, effort: Effort) -> BestOrder:
    """Set aside what holds a large window together, and order the rest window by window.

    Where a thousand inversions set aside are not enough, as with keys in random order, there is just a bound.
    """
    # The difference of ranks says how many keys lie between.
    window = replace(window, keys=dense_ranks(window.keys))
    pairs = disjoint_forced(window, effort)
    for count in SET_ASIDE:
        if effort.is_spent:
            break
        effort.left -= LOOK_STEPS * window.extent
        rest = _without(window, pairs[:count])
        windows = split_into_windows(rest)
        largest = max((stop - start for start, stop in windows.spans), default=0)
        if largest <= min(RELATIONS_SIZE, window.size // 2):
            return _put_together(window, best, rest, windows, pairs[:count], effort)
    return best.raised(best.bound.forced + squeeze_bound(window, pairs, effort))


def _put_together(
    window: Window,
    best: BestOrder,
    rest: Window,
    windows: Windows,
    aside: Sequence[tuple[int, int]],
    effort: Effort,
) -> BestOrder:
    """Order the windows of ``rest``, and place what was set aside."""
    order = windows.order
    total = best.bound.forced + squeeze_bound(window, aside, effort)
    for start, stop in windows.spans:
        if effort.is_spent:
            return best.raised(total)
        ops = order[start:stop]
        part = best_order(rest.restricted(ops), effort)
        order[start:stop] = [ops[place] for place in part.order]
        if part.bound.forced_complete:
            total += part.bound.total - part.bound.forced
    order = place_best(window, order, [op for pair in aside for op in pair], effort)
    inversions = window.inversions(order)
    best = best.raised(total)
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
