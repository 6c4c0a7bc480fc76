"""Restoring the original order: a linear extension of a block with few inversions, and a lower bound.

A *linear extension* is an order that keeps every dependence. The block is cut into windows (windows.py). Each
window is ordered on its own, with a lower bound that holds for all its orders (search.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from eio_audit.order.effort import STEPS_PER_OP, Effort
from eio_audit.order.flow.fewest_moved import fewest_moved
from eio_audit.order.inversions import count_inversions
from eio_audit.order.permutation import moved_places
from eio_audit.order.precedence import Precedence
from eio_audit.order.search import Order, order_windows
from eio_audit.order.windows import Windows, block_of, split_into_windows


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

    Example:
        Keys 5, 1, 3, where 1 depends on 5. That pair is forced. Wherever 3 goes, there is one more inversion.

        >>> found = restore_order([5, 1, 3], Precedence.from_edges(3, producers=[0], users=[1]))
        >>> found.order, found.inversions, found.forced, found.certified
        ([0, 1, 2], 2, 1, True)
    """
    if len(keys) != precedence.size:
        raise ValueError(f"{len(keys)} keys for {precedence.size} ops")
    effort = effort or Effort()
    order: Sequence[int] = range(precedence.size)
    if inversions is None:
        inversions = count_inversions([key for key in keys if key is not None])
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
        order, fewest = fewest_moved(textual_block, order, _undecided(textual_windows, found), effort)
    return Order(
        order=order,
        inversions=inversions,
        forced=sum(window.forced for window in found),
        lower_bound=lower_bound,
        moved=len(moved_places(order)),
        moved_lower_bound=fewest,
    )


def _undecided(windows: Windows, found: Sequence[Order]) -> Callable[[int, int], bool]:
    """Return a predicate: may minimal orders have two independent ops, smaller key first, in either order."""
    window_of, place_in = [-1] * len(windows.order), [0] * len(windows.order)
    for number, (start, stop) in enumerate(windows.spans):
        if found[number].lower_bound > found[number].forced:
            for place, op in enumerate(windows.order[start:stop]):
                window_of[op], place_in[op] = number, place

    def is_undecided(smaller: int, larger: int) -> bool:
        window = window_of[smaller]
        if window < 0 or window != window_of[larger]:
            return False
        rows = found[window].open_pairs
        return rows is None or rows[place_in[smaller]] >> place_in[larger] & 1 > 0

    return is_undecided
