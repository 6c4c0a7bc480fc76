"""Restoring the original order: a linear extension of a block with few inversions, and a lower bound.

A *linear extension* is an order that keeps every dependence. The block is cut into windows (windows.py). Each
window is ordered on its own, with a lower bound that holds for all its orders (search.py).

**Fewest moved.** A longest subsequence of the order that is still in textual order is *kept*. All other ops
are *moved*: moving them one by one turns the textual order into this one.

Several orders may have the fewest inversions (docs/internals/ordering.md). An order permutes some ranges of
places among themselves. In each range, two ops are *exchanged* if the implied order (see below) has them in
reverse textual order. A largest set of ops without an exchanged pair is a maximum antichain (wrong_labels.py;
Dilworth 1950): no minimal order of the range keeps more ops. Additional dependences keep the set in textual
order, and the range is ordered again. The result counts if it adds no inversion and moves fewer ops.

Moved ops without an index go to their consumers (precedence.py).

**The implied order** has the pairs of ops that are in the same order in every minimal order of a block. Let a
packing of cycles (windows.py) have as many cycles as an order has inversions that are not forced. Then
every minimal order breaks exactly one soft edge of each cycle, and no soft edge on no cycle: otherwise it
would have more inversions. So every minimal order

- follows a soft edge on no cycle, like a dependence;
- follows the other soft edges of a cycle if it must break one of them;
- has a before c if it has a before b and b before c.

(In linear programming, they are complementary slackness and its consequences.) Ops with equal keys, unindexed
ops and soft edges on cycles are undecided unless another conclusion implies their order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from itertools import accumulate, chain, pairwise
from operator import or_

from eio_audit.order.effort import STEPS_PER_OP, Effort, width
from eio_audit.order.permutation import (
    inverse,
    keyed_inversions,
    longest_in_place,
    moved_places,
    permuted_ranges,
)
from eio_audit.order.precedence import Precedence, attach_unindexed
from eio_audit.order.search import Order, order_windows
from eio_audit.order.windows import (
    CyclePacking,
    TransitiveClosure,
    Window,
    bits,
    block_of,
    lowest_bit,
    split_into_windows,
)
from eio_audit.order.wrong_labels import LargestFlow

Cycle = tuple[int, ...]  # y, x, p, q: its broken edge y -> x and its closing edge p -> q


def restore_order(
    keys: Sequence[int | None],
    precedence: Precedence,
    inversions: int | None = None,
    effort: Effort | None = None,
) -> Order:
    """Return a linear extension with few inversions, and a lower bound for all linear extensions.

    The result is the textual order unless another order has strictly fewer inversions. Of the orders found
    with the fewest inversions, it is one with few ops moved.

    The result is a fixed point: restoring the restored block changes nothing. The search does not depend on
    the textual order, except for equal keys. For these, passes are repeated until one improves nothing (in
    windows that are not too large). The same input gives the same output: ties go by textual order, and
    all limits count work, not time (effort.py).

    Args:
        keys: per op in textual order, its op index; None for an unindexed op (precedence.py).
        precedence: the dependences of the block.
        inversions: those of the textual order, if known.
        effort: the budget for all blocks of a dump. This block adds to it for each of its ops.

    Raises:
        ValueError: if the number of keys is not the number of ops.

    Complexity: O(n log n + m) for a block that is nearly in order, plus the work on its windows, which is
    capped for each (search.py).

    Take keys 5, 1, 3, where 1 depends on 5. That pair is forced. Wherever 3 goes, it adds an inversion.

    >>> found = restore_order([5, 1, 3], Precedence.from_edges(3, producers=[0], users=[1]))
    >>> found.order, found.inversions, found.forced, found.certified
    ([0, 1, 2], 2, 1, True)
    """
    if len(keys) != precedence.size:
        raise ValueError(f"{len(keys)} keys for {precedence.size} ops")
    effort = effort or Effort()
    order: Sequence[int] = range(precedence.size)
    if inversions is None:
        inversions = keyed_inversions(keys)
    if not inversions:
        return Order(list(order), inversions=0, forced=0, lower_bound=0)
    effort.left += STEPS_PER_OP * precedence.size
    textual_block = block = block_of(keys, precedence)
    windows = split_into_windows(block)
    found: list[Order] = []
    while True:
        order_within, found = order_windows(block, windows, found, effort)
        inversions_within = sum(window.inversions for window in found)
        lower_bound = sum(window.lower_bound for window in found)
        if inversions_within == inversions:
            break
        order = [order[place] for place in order_within]
        inversions = inversions_within
        if inversions == lower_bound:
            break
        repeated_size = effort.limits.repeated_size
        if effort.is_spent or all(stop - start > repeated_size for start, stop in windows.spans):
            break
        block = block_of([keys[op] for op in order], precedence.restricted(order))
        windows = split_into_windows(block)
    order = list(order)
    if inversions == lower_bound:
        order = few_moved(textual_block, order, effort)
    return Order(
        order=order,
        inversions=inversions,
        forced=sum(window.forced for window in found),
        lower_bound=lower_bound,
        moved=len(moved_places(order)),
    )


def is_minimal(
    keys: Sequence[int | None], precedence: Precedence, order: Sequence[int], inversions: int, effort: Effort
) -> bool:
    """Return whether packings prove at once that no order has fewer than the ``inversions`` of ``order``.

    The other arguments are as for ``restore_order``.
    """
    effort.left += STEPS_PER_OP * precedence.size
    block, place_of = block_of(keys, precedence), inverse(order)
    windows = split_into_windows(block)
    proven: dict[Hashable, int] = {}  # per shape of a window and its order, the lower bound
    for span in windows.spans:
        ops = windows.order[slice(*span)]
        window, places = block.restricted(ops), inverse([place_of[op] for op in ops])
        shape = window.shape, tuple(places)
        if shape not in proven:
            most = window.inversions(places)
            if window.size > effort.limits.closure_size or most > effort.limits.packed_inversions:
                return False
            closure = TransitiveClosure(window)
            proven[shape] = closure.forced + len(CyclePacking(closure, places, effort))
            if proven[shape] < most:
                return False
        inversions -= proven[shape]
    return inversions == 0


def implied_order(
    part: Window, order: Sequence[int], cycles: Sequence[Cycle], effort: Effort
) -> list[int] | None:
    """Return, per place of an order, the bitset of the places after it in the implied order.

    ``part`` is a block, or can be ordered on its own. ``order`` has as many inversions that are not forced as
    there are cycles. None if the budget is spent.

    Complexity: O(n * n) operations on bitsets of n bits per round of conclusions, in practice near O(n).

    Take keys 5, 1, 2 and 3, where 1 depends on 5. 2 and 3 may be after 1 or before 5. But 2 -> 3 is a soft
    edge on no cycle.

    >>> part = Window([5, 1, 2, 3], [True] * 4, Precedence.from_edges(4, [0], [1]))
    >>> cycles = [(2, 0, 1, 2), (3, 0, 1, 3)]
    >>> list(map(bin, implied_order(part, [0, 1, 2, 3], cycles, Effort())))
    ['0b10', '0b0', '0b1000', '0b0']
    """
    place_of, later, after = inverse(order), [0] * part.size, 0
    same = defaultdict[int, int](int)  # per key, the indexed ops with it that are after the op
    for place in range(part.size - 1, -1, -1):
        op = order[place]
        if part.indexed[op]:
            later[place] = after & ~same[part.keys[op]]
            same[part.keys[op]] |= 1 << place
            after |= 1 << place
    for producer, user in part.precedence.forwards():
        later[place_of[producer]] |= 1 << place_of[user]
    pairs = [((place_of[y], place_of[x]), (place_of[p], place_of[q])) for y, x, p, q in cycles]
    for start, end in chain.from_iterable(pairs):
        later[min(start, end)] &= ~(1 << max(start, end))  # undecided, until a conclusion below
    while not effort.is_spent:
        effort.left -= part.size * width(part.size) + 4 * len(pairs)
        implied = _transitive(later)
        concluded = [
            (start, end)
            for cycle in pairs
            if any(implied[end] >> start & 1 for start, end in cycle)
            for start, end in cycle
            if not (implied[start] >> end | implied[end] >> start) & 1
        ]
        if not concluded:
            return implied
        for start, end in concluded:
            later[start] |= 1 << end
    return None


def _transitive(later: Sequence[int]) -> list[int]:
    """Return, per place, all places after it; ``later`` has enough of them to imply the rest."""
    after = [0] * len(later)
    for place in range(len(later) - 1, -1, -1):
        found, rest = 0, later[place]
        # Most of the rest comes after its first op.
        while rest:
            found |= after[lowest_bit(rest)] | rest & -rest
            rest &= ~found
        after[place] = found
    return after


def few_moved(block: Window, order: Sequence[int], effort: Effort) -> list[int]:
    """Return an order with as many inversions as a minimal one, and few ops moved.

    A range that ``order`` permutes is minimal on its own: a better order of it would make the block better.

    Complexity: O(n log n), plus the work on the ranges, which is capped for each.
    """
    order = list(order)
    for places, _ in permuted_ranges(order):
        few = [op - places.start for op in order[places.start : places.stop]]
        order[places.start : places.stop] = [
            op + places.start for op in _with_fewer_moved(block.restricted(places), few, effort)
        ]
    return attach_unindexed(block.precedence, block.indexed, order, longest_in_place(order))


def _with_fewer_moved(part: Window, order: list[int], effort: Effort) -> list[int]:
    """Return a minimal order of a range with fewer ops moved than ``order`` moves, if one is found."""
    limits, moved = effort.limits, len(moved_places(order))
    if moved == 1:  # only the textual order moves fewer
        textual = list(range(part.size))
        return textual if part.inversions(textual) == part.inversions(order) else order
    if part.size > limits.moved_closure_size or effort.is_spent:
        return order
    effort.left -= part.size * width(part.size)
    closure = TransitiveClosure(part)
    if part.inversions(order) - closure.forced > limits.moved_inversions:
        return order
    packing = CyclePacking(closure, order, effort)
    if len(packing) < len(packing.broken):
        return order
    cycles = [*zip(*[map(closure.place_of.__getitem__, packing.cycles())] * 4, strict=True)]
    implied = implied_order(part, order, cycles, effort)
    if implied is None:
        return order
    place_of = inverse(order)
    before = accumulate((1 << place for place in place_of), or_, initial=0)  # in textual order
    rows = {place: row for place, ops in zip(place_of, before, strict=False) if (row := implied[place] & ops)}
    flow = LargestFlow(rows, [1] * part.size, [1] * part.size, effort)
    if moved == len(flow.links()):
        return order
    outside = rows.keys() - flow.reached | {*bits(flow.closed)}
    kept = [op for op, place in enumerate(place_of) if place not in outside]
    edges = chain(part.precedence.forwards(), pairwise(kept))
    keys = [key if own else None for key, own in zip(part.keys, part.indexed, strict=True)]
    chained = block_of(keys, Precedence.from_edges(part.size, *zip(*edges, strict=True)))
    better, _ = order_windows(chained, split_into_windows(chained), [], effort)
    is_better = part.inversions(better) == part.inversions(order) and len(moved_places(better)) < moved
    return better if is_better else order
