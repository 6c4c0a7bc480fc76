"""The best order of one window, and how much of its cost is proven.

A simple order starts (candidates.py). Often there is nothing but the forced inversions left, and that is it.
If not, the order and a packing of cycles improve each other (packed_order.py).

A window too large to look at all pairs, or too far out of order to look at all inversions, is divided. Often
it is a few inversions with many keys between that hold it together, and there would be many small windows
without them. So the ends of these inversions are set aside: they count as unindexed for a while. That leaves

- an order: that of the small windows, into which the ops set aside are then moved where they cost least;
- a bound: forced inversions, what the small windows cost beyond them, and what the inversions set aside
  squeeze (pairs.py). The first are forced, the second have no end set aside and the third have one: none is
  counted twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from eio_audit.order.candidates import pull_up, push_down
from eio_audit.order.cycles import Packing
from eio_audit.order.forced import count_forced
from eio_audit.order.inversions import dense_ranks
from eio_audit.order.local_search import place_best
from eio_audit.order.packed_order import BestOrder, LowerBound, better_order, packed_order
from eio_audit.order.pairs import count_squeezed, disjoint_forced
from eio_audit.order.relations import Relations
from eio_audit.order.windows import Window, Windows, block_of, split_into_windows

RELATIONS_SIZE = 10_000  # ops of the largest window whose pairs are all looked at
PACKED_INVERSIONS = 400_000  # the same for inversions that are not forced
EASY_INVERSIONS = 1_000  # an order with more that are not forced is not proven before others are tried
SET_ASIDE = (4, 16, 64, 256, 1024)  # inversions to set aside, so that a larger window falls apart


def best_order(window: Window) -> BestOrder:
    """Return the best order found for a window, and a lower bound on the inversions of all orders.

    Example:
        Keys 9, 5, 1, 3, where 1 depends on 5. 9 can go last, 3 is squeezed.

        >>> from eio_audit.order.precedence import Precedence
        >>> best_order(Window([9, 5, 1, 3], [True] * 4, Precedence.from_edges(4, [1], [2])))
        BestOrder(order=[1, 2, 3, 0], inversions=2, bound=LowerBound(forced=1, total=2, forced_complete=True))
    """
    if window.size > RELATIONS_SIZE:
        forced, is_complete = count_forced(window)
        best = _best_candidate(window, LowerBound(forced, forced, is_complete))
        return best if best.certified else _divided(window, best)
    relations = Relations(window)
    best = _best_candidate(window, LowerBound(relations.forced, relations.forced, True), relations)
    if best.certified:
        return best
    if best.inversions - relations.forced > PACKED_INVERSIONS:
        return _divided(window, best)
    return packed_order(window, relations, best)


def _best_candidate(window: Window, bound: LowerBound, relations: Relations | None = None) -> BestOrder:
    """Return the best of the simple orders; among equals the first, and the textual order before all.

    With ``relations`` there are proofs at hand, and one order is not tried when another is proven minimal.
    """
    textual = range(window.size)
    best = BestOrder(list(textual), window.inversions(textual), bound)
    if not best.certified:
        best = better_order(window, best, pull_up(window)) or best
    if relations is not None and not best.certified:
        best = _proven(relations, best)
    if not best.certified:
        best = better_order(window, best, push_down(window)) or best
    return best


def _proven(relations: Relations, best: BestOrder) -> BestOrder:
    """Return the order with the bound that proves it minimal, if a packing it guides does so at once."""
    forced = relations.forced
    if best.inversions - forced > EASY_INVERSIONS or _could_exchange_neighbours(relations, best.order):
        return best
    proven = best.proven_by(Packing(relations, best.order))
    return proven if proven.certified else best


def _could_exchange_neighbours(relations: Relations, order: Sequence[int]) -> bool:
    """Return whether two neighbours in an order are inverted and independent: then it is not minimal."""
    ops = [relations.number_of[place] for place in order]
    return any(relations.soft[op] >> following & 1 for op, following in pairwise(ops))


def _divided(window: Window, best: BestOrder) -> BestOrder:
    """Set aside what holds a large window together, and order the rest window by window.

    Where a thousand inversions set aside are not enough, as with keys in random order, there is just a bound.
    """
    # The difference of ranks says how many keys lie between.
    window = replace(window, keys=dense_ranks(window.keys))
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
