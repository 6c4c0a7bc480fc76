"""Restoring the original order: a linear extension of a block with few inversions, and how good it is.

A *linear extension* is an order that keeps every dependence. The block is cut into windows (windows.py), and
for each window orders are searched for, and a lower bound that holds for all of them (solve_window.py).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from eio_audit.order.bounds.lower_bound import LowerBound
from eio_audit.order.effort import STEPS_PER_OP, Effort
from eio_audit.order.fewest_moved.fewest_moved import FewMoved, fewest_moved
from eio_audit.order.fewest_moved.restore_positions import moved_places, restore_positions
from eio_audit.order.inversions import count_inversions
from eio_audit.order.precedence import Precedence
from eio_audit.order.search.packed_order import BestOrder
from eio_audit.order.search.solve_window import best_order
from eio_audit.order.windows import Window, Windows, block_of, split_into_windows

REPEATED_SIZE = 100_000  # ops of the largest window that is ordered again


@dataclass(frozen=True, slots=True)
class Restoration:
    """A linear extension of a block, and what is proven about it.

    Attributes:
        order: ``order[k]`` is the textual index of the op placed k-th.
        inversions: the inversions of this order; never more than those of the textual order.
        forced: the inverted pairs where one op depends on the other. They are in every order.
        lower_bound: no linear extension has fewer inversions than this.
        forced_complete: False when the block was too large to count all forced inversions; ``forced`` is
            then a lower bound too.
        moved: the ops that are not in their place any more: the order without them is a longest subsequence
            that is in textual order. Few, but not always the fewest (fewest_moved.py).
        moved_lower_bound: no minimal order moves fewer ops; 0 where ``order`` is not certified.
    """

    order: list[int]
    inversions: int
    forced: int
    lower_bound: int
    forced_complete: bool = True
    moved: int = 0
    moved_lower_bound: int = 0

    @property
    def certified(self) -> bool:
        """Whether the order is proven minimal."""
        return self.inversions == self.lower_bound

    @property
    def moved_certified(self) -> bool:
        """Whether it is also proven that no minimal order moves fewer ops."""
        return self.certified and self.moved == self.moved_lower_bound


def restore_order(
    keys: Sequence[int | None],
    precedence: Precedence,
    inversions: int | None = None,
    effort: Effort | None = None,
) -> Restoration:
    """Return a linear extension with as few inversions as found, and a lower bound on all of them.

    The result is the textual order unless another has strictly fewer inversions; of these one with few ops
    moved. It is a fixed point: restoring the restored block changes nothing, because what is found does not
    depend on the textual order, and where keys are equal, passes are repeated until one finds nothing to
    improve (in windows of up to REPEATED_SIZE ops). The same input gives the same output: ties go by textual
    order, and all limits count work, not time (effort.py).

    Args:
        keys: the op index of each op, in textual order; None for an unindexed op (unindexed.py).
        precedence: the dependences of the block.
        inversions: those of the textual order, if they are known.
        effort: what may be done for all blocks of a dump; this one adds to it for each of its ops.

    Raises:
        ValueError: when there are not as many keys as ops.

    Complexity: O(n log n + m) for a block that is nearly in order. The rest is work on windows, linear in
    their number, and capped for each (solve_window.py).

    Example:
        Ops with keys 5, 1, 3, where 1 depends on 5. That pair is forced, and 3 has to go before 5, after 1 or
        between them: one inversion more, wherever it goes.

        >>> restoration = restore_order([5, 1, 3], Precedence.from_edges(3, producers=[0], users=[1]))
        >>> restoration.order, restoration.inversions, restoration.forced, restoration.certified
        ([0, 1, 2], 2, 1, True)
    """
    if len(keys) != precedence.size:
        raise ValueError(f"{len(keys)} keys for {precedence.size} ops")
    effort = effort or Effort()
    order: Sequence[int] = range(precedence.size)
    if inversions is None:
        inversions = count_inversions([key for key in keys if key is not None])
    if not inversions:
        return Restoration(list(order), inversions=0, forced=0, lower_bound=0)
    effort.left += STEPS_PER_OP * precedence.size
    textual_block = block = block_of(keys, precedence)
    textual_windows = windows = split_into_windows(block)
    bounds: list[LowerBound] = []
    while True:
        order_within, inversions_within, bounds = _restore_once(block, windows, bounds, effort)
        lower_bound = sum(bound.total for bound in bounds)
        if inversions_within == inversions:
            break
        order = [order[place] for place in order_within]
        inversions = inversions_within
        if inversions == lower_bound:
            break
        order = restore_positions(textual_block, order, effort)
        inversions = textual_block.inversions(order)
        if effort.is_spent or all(stop - start > REPEATED_SIZE for start, stop in windows.spans):
            break
        block = block_of([keys[op] for op in order], precedence.restricted(order))
        windows = split_into_windows(block)
    if inversions == lower_bound:
        few = fewest_moved(textual_block, order, _undecided(textual_windows, bounds), effort)
    else:
        few = FewMoved(list(order), len(moved_places(order)))
    return Restoration(
        order=few.order,
        inversions=inversions,
        forced=sum(bound.forced for bound in bounds),
        lower_bound=lower_bound,
        forced_complete=all(bound.forced_complete for bound in bounds),
        moved=few.moved,
        moved_lower_bound=few.lower_bound,
    )


def _undecided(windows: Windows, bounds: Sequence[LowerBound]) -> Callable[[int, int], bool]:
    """Return whether minimal orders may place two independent ops, the smaller key given first, both ways."""
    window_of, place_in = [-1] * len(windows.order), [0] * len(windows.order)
    for number, (start, stop) in enumerate(windows.spans):
        if bounds[number].total > bounds[number].forced:
            for place, op in enumerate(windows.order[start:stop]):
                window_of[op], place_in[op] = number, place

    def is_undecided(smaller: int, larger: int) -> bool:
        window = window_of[smaller]
        if window < 0 or window != window_of[larger]:
            return False
        rows = bounds[window].open_pairs
        return rows is None or rows[place_in[smaller]] >> place_in[larger] & 1 > 0

    return is_undecided


def _restore_once(
    block: Window, windows: Windows, bounds: Sequence[LowerBound], effort: Effort
) -> tuple[list[int], int, list[LowerBound]]:
    """Restore every window of the block once.

    Args:
        block: the block as it is ordered now.
        windows: its windows: intervals of keys, so they are the same in every pass, in the same sequence.
        bounds: their lower bounds; none in the first pass.
        effort: what may be done.

    Returns:
        The order found, its inversions, never more than before, and the bounds. No inversion is across
        windows.
    """
    order = windows.order[:]
    inversions = 0
    parts = [order[start:stop] for start, stop in windows.spans]
    found: list[LowerBound] = []
    best_of: dict[Hashable, BestOrder] = {}  # by shape: the layers of a model often repeat
    for number, window in enumerate(map(block.restricted, parts)):
        if bounds:
            known = window.inversions(range(window.size))
            if known == bounds[number].total or window.size > REPEATED_SIZE:
                inversions += known
                found.append(bounds[number])
                continue
        shape = window.shape
        if shape not in best_of:
            best_of[shape] = best_order(window, effort)
        best = best_of[shape]
        found.append(bounds[number].raised(best.bound.total) if bounds else best.bound)
        order[slice(*windows.spans[number])] = [parts[number][place] for place in best.order]
        inversions += best.inversions
    return order, inversions, found
