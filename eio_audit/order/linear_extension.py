"""Restoring the original order: a linear extension of a block with few inversions, and a lower bound.

A *linear extension* is an order that keeps every dependence. The block is cut into windows (windows.py). Each
window is ordered on its own, with a lower bound that holds for all its orders (search.py).

**Fewest moved.** A longest subsequence of the order that is still in textual order is *kept*. All other ops
are *moved*: moving them one by one turns the textual order into this one.

Several orders may have the fewest inversions (docs/internals/ordering.md). The block is cut into independent
ranges. In each range, the second step is taken only if the first leaves a gap between the number of moved ops
and its lower bound:

1. Two ops are *exchanged* if every minimal order has them in reverse textual order. Take pairs of exchanged
   ops in which each op is at most once the earlier and at most once the later one. They form chains. One op
   per chain can be kept, so at least as many ops are moved as there are pairs. Usually the bound is met here.
2. The implied order (see below) gives the exchanged ops. A largest set of ops without an exchanged pair is a
   maximum antichain (wrong_labels.py; Dilworth 1950): no minimal order keeps more ops. Additional dependences
   keep the set in textual order, and the range is ordered again. If that adds no inversion, the bound is met.

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

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Sequence
from itertools import accumulate, chain, compress, pairwise
from operator import and_, le, lt, or_

from eio_audit.order.effort import STEPS_PER_OP, Effort, width
from eio_audit.order.permutation import inverse, keyed_inversions, longest_in_place, moved_places
from eio_audit.order.precedence import Precedence, attach_unindexed
from eio_audit.order.search import Order, order_windows
from eio_audit.order.windows import (
    LARGEST_KEY,
    CyclePacking,
    TransitiveClosure,
    Window,
    Windows,
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
    textual_windows = windows = split_into_windows(block)
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
    order, fewest = list(order), 0
    if inversions == lower_bound:
        order, fewest = fewest_moved(textual_block, order, textual_windows, found, effort)
    return Order(
        order=order,
        inversions=inversions,
        forced=sum(window.forced for window in found),
        lower_bound=lower_bound,
        moved=len(moved_places(order)),
        moved_lower_bound=fewest,
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


def fewest_moved(
    block: Window, order: Sequence[int], windows: Windows, found: Sequence[Order], effort: Effort
) -> tuple[list[int], int]:
    """Return an order with at most the inversions of ``order`` and few ops moved, and a bound on these.

    The bound assumes that ``order`` has the fewest inversions. ``found`` has what is proven of each window.

    Complexity: O(n log n) if step 1 meets the bound. All other work is on single ranges, capped for each.
    """
    order, places, fewest = list(order), moved_places(order), 0
    window_of = [-1] * block.size  # per op of a window that is minimal because of cycles, its number
    for number, span in enumerate(windows.spans):
        for op in windows.order[slice(*span)] if found[number].lower_bound > found[number].forced else ():
            window_of[op] = number

    def cycles_in(ops: range) -> list[Cycle] | None:
        """Return the cycles in a range, with ops numbered as in the range; None if some are unknown."""
        cycles: list[Cycle] = []
        for number in sorted({*window_of[ops.start : ops.stop]} - {-1}):
            by_key = sorted(windows.order[slice(*windows.spans[number])], key=block.keys.__getitem__)
            if (edges := found[number].cycles) is None:
                return None
            cycles += zip(*[iter([by_key[end] - ops.start for end in edges])] * 4, strict=True)
        return [cycle for cycle in cycles if 0 <= cycle[0] < len(ops)]

    for ops in independent_ranges(block, order):
        inside = places[bisect_left(places, ops.start) : bisect_left(places, ops.stop)]
        if not inside:
            continue
        few, bound, cycles = [op - ops.start for op in order[ops.start : ops.stop]], 0, cycles_in(ops)
        if cycles is not None:
            bound = _exchanged_pairs(block, ops, few, [place - ops.start for place in inside], cycles, effort)
        if bound < len(inside):
            few, bound = _improved(block.restricted(ops), few, cycles, len(inside), bound, effort)
        placed = [op + ops.start for op in few]
        if not all(block.indexed[ops.start : ops.stop]):
            placed = attach_unindexed(block.precedence, block.indexed, placed, longest_in_place(placed))
        order[ops.start : ops.stop] = placed
        fewest += bound
    return order, fewest


def independent_ranges(block: Window, order: Sequence[int]) -> list[range]:
    """Return the ranges of several ops whose moved ops can be counted independently.

    A block can be cut where no key before the cut is larger than a key after it. Any order can then place the
    ops before the cut first, with both sides in their own order. No dependence breaks, no inversion is added,
    and ops in textual order stay so. So the fewest moved ops of the ranges add up. The block is cut only
    where ``order`` keeps the cut: each range has the same ops in the text and in ``order``.

    Complexity: O(n).

    >>> block = Window([0, 2, 1, 1, 3, 5, 4], [True] * 7, Precedence.from_edges(7, [], []))
    >>> independent_ranges(block, [0, 2, 3, 1, 4, 6, 5])
    [range(1, 4), range(5, 7)]
    """
    places = range(1, block.size)
    largest = accumulate(_keys_or(-1, block), max)
    smallest = list(accumulate(reversed(_keys_or(LARGEST_KEY, block)), min))
    is_rising = map(le, largest, smallest[-2::-1])
    is_kept = map(lt, accumulate(order, max), places)
    cuts = compress(places, map(and_, is_rising, is_kept))
    return [range(start, stop) for start, stop in pairwise([0, *cuts, block.size]) if stop - start > 1]


def _keys_or(other: int, block: Window) -> Sequence[int]:
    """Return the keys of the indexed ops, and ``other`` for the rest."""
    if all(block.indexed):
        return block.keys
    return [key if own else other for key, own in zip(block.keys, block.indexed, strict=True)]


def _exchanged_pairs(
    block: Window, ops: range, order: list[int], moved: list[int], cycles: list[Cycle], effort: Effort
) -> int:
    """Return how many moved ops of a range can be paired with an exchanged op, nearest first."""
    keys, indexed = block.keys[ops.start : ops.stop], block.indexed[ops.start : ops.stop]
    undecided = {edge for y, x, p, q in cycles for edge in ((y, x), (p, q))}
    distance = effort.limits.pair_distance
    is_late = {order[place]: order[place] < place for place in moved}
    paired: set[tuple[int, bool]] = set()
    for place in moved:
        op = order[place]
        late = is_late[op]  # if so, the ops that it has passed are before it
        if not indexed[op] or effort.is_spent:
            continue
        before = range(place - 1, max(-1, place - distance), -1)
        after = range(place + 1, min(len(ops), place + distance))
        for at in before if late else after:
            effort.left -= 2
            other = order[at]
            earlier, later = (op, other) if late else (other, op)
            if (
                earlier < later
                and keys[earlier] > keys[later]
                and indexed[other]
                and (other, late) not in paired
                and is_late.get(other, late) == late
                and (later, earlier) not in undecided
            ):
                paired.add((other, late))
                break
    return len(paired)


def _improved(
    part: Window, order: list[int], cycles: Sequence[Cycle] | None, moved: int, fewest: int, effort: Effort
) -> tuple[list[int], int]:
    """Return an order of a range with fewer ops ``moved``, or a larger lower bound, if one is found.

    Without the ``cycles`` of its windows, a packing of the range finds some.
    """
    limits = effort.limits
    if part.size > limits.moved_closure_size or len(cycles or ()) > limits.moved_inversions:
        return order, fewest
    if cycles is None:
        effort.left -= part.size * width(part.size)
        closure = TransitiveClosure(part)
        if part.inversions(order) - closure.forced > limits.moved_inversions:
            return order, fewest
        packing = CyclePacking(closure, order, effort)
        if len(packing) < len(packing.broken):
            return order, fewest
        cycles = [*zip(*[map(closure.place_of.__getitem__, packing.cycles())] * 4, strict=True)]
    implied = implied_order(part, order, cycles, effort)
    if implied is None:
        return order, fewest
    place_of = inverse(order)
    before = accumulate((1 << place for place in place_of), or_, initial=0)  # in textual order
    rows = {place: row for place, ops in zip(place_of, before, strict=False) if (row := implied[place] & ops)}
    flow = LargestFlow(rows, [1] * part.size, [1] * part.size, effort)
    fewest = max(fewest, len(flow.links()))
    if moved > fewest:
        outside = rows.keys() - flow.reached | {*bits(flow.closed)}
        kept = [op for op, place in enumerate(place_of) if place not in outside]
        edges = chain(part.precedence.forwards(), pairwise(kept))
        keys = [key if own else None for key, own in zip(part.keys, part.indexed, strict=True)]
        block = block_of(keys, Precedence.from_edges(part.size, *zip(*edges, strict=True)))
        windows = split_into_windows(block)
        better, _ = order_windows(block, windows, [], effort)
        if part.inversions(better) == part.inversions(order) and len(moved_places(better)) < moved:
            return better, fewest
    return order, fewest
