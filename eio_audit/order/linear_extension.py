"""Restoring the original order: a linear extension of a block with few inversions, and how good it is.

A *linear extension* is an order that keeps every dependence. The block is cut into windows (windows.py). In
each, several simple orders compete, the textual order among them, and a lower bound that holds for every
order (bounds.py) tells when the best of them is the minimum.

Why not simply Kahn's algorithm with a heap on the key? A producer that carries a late key is placed late, and
holds back all its users, however early their keys. With k such users and m other ops between, that makes
k * m inversions where k + m are needed. The mirror of it, which fills the last place first, fails on the
mirrored case. So there are candidates that *pull up* a producer to the earliest op that needs it, and
candidates that *push down* a user to the latest op it waits for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from eio_audit.order.bounds import LowerBound, lower_bound
from eio_audit.order.effective_keys import effective_keys
from eio_audit.order.exact import SEARCH_SIZE, search
from eio_audit.order.inversions import count_inversions, dense_ranks
from eio_audit.order.precedence import Precedence
from eio_audit.order.windows import Window, split_into_windows


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
    """

    order: list[int]
    inversions: int
    forced: int
    lower_bound: int
    forced_complete: bool = True

    @property
    def certified(self) -> bool:
        """Whether the order is proven minimal."""
        return self.inversions == self.lower_bound


def restore_order(keys: Sequence[int | None], precedence: Precedence) -> Restoration:
    """Return a linear extension with as few inversions as found, and a lower bound on all of them.

    The result is the textual order itself unless another has strictly fewer inversions. It is also a fixed
    point: restoring the restored block changes nothing, because passes are repeated until one finds nothing
    to improve. The same input gives the same output: ties go by textual order, and all limits count work,
    not time.

    Args:
        keys: the op index of each op, in textual order; None for an unindexed op, which has no part in any
            inversion and travels with its consumer (see effective_keys.py).
        precedence: the dependences of the block.

    Raises:
        ValueError: when there are not as many keys as ops.

    Complexity: O(n log n + m) per pass for the orders; the bounds have limits of their own (bounds.py).

    Example:
        Ops with keys 5, 1, 3, where 1 depends on 5. That pair is forced, and 3 has to go before 5, after 1 or
        between them: one inversion more, wherever it goes.

        >>> restoration = restore_order([5, 1, 3], Precedence.from_edges(3, producers=[0], users=[1]))
        >>> restoration.order, restoration.inversions, restoration.forced, restoration.certified
        ([0, 1, 2], 2, 1, True)
    """
    if len(keys) != precedence.size:
        raise ValueError(f"{len(keys)} keys for {precedence.size} ops")
    order = list(range(precedence.size))
    inversions = count_inversions([key for key in keys if key is not None])
    if not inversions:
        return Restoration(order, inversions=0, forced=0, lower_bound=0)
    block = block_of(keys, precedence)
    bounds: list[LowerBound] = []
    while True:
        order_within, inversions_within = _restore_once(block, bounds)
        if inversions_within == inversions:
            break
        order = [order[place] for place in order_within]
        inversions = inversions_within
        if inversions == sum(bound.total for bound in bounds):
            break  # certified: another pass could not find anything better
        block = block_of([keys[op] for op in order], precedence.restricted(order))
    return Restoration(
        order=order,
        inversions=inversions,
        forced=sum(bound.forced for bound in bounds),
        lower_bound=sum(bound.total for bound in bounds),
        forced_complete=all(bound.forced_complete for bound in bounds),
    )


def block_of(keys: Sequence[int | None], precedence: Precedence) -> Window:
    """Return the whole block as one window, its keys made effective and small."""
    return Window(
        keys=dense_ranks(effective_keys(keys, precedence)),
        indexed=[key is not None for key in keys],
        precedence=precedence,
    )


def _restore_once(block: Window, bounds: list[LowerBound]) -> tuple[list[int], int]:
    """Restore every window of the block once.

    The windows of a block are intervals of keys, so they are the same in every pass, in the same sequence,
    and so are their lower bounds.

    Args:
        block: the block as it is ordered now.
        bounds: the lower bounds of its windows, filled in by the first pass.

    Returns:
        The order found and its inversions, never more than before: the windows in sequence have no inversion
        across, and each is left in textual order unless there is something better.
    """
    windows = split_into_windows(block)
    order = windows.order
    inversions = 0
    for number, (start, stop) in enumerate(windows.spans):
        ops = order[start:stop]
        window = block.restricted(ops)
        if number == len(bounds):
            bounds.append(lower_bound(window))
        order_within, inversions_within, bound = restore_window(window, bounds[number].total)
        order[start:stop] = [ops[place] for place in order_within]
        inversions += inversions_within
        bounds[number] = bounds[number].raised(bound)
    return order, inversions


def restore_window(window: Window, bound: int) -> tuple[list[int], int, int]:
    """Return the best order found for one window, its inversions, and the lower bound as far as raised.

    The textual order wins ties, then the candidates in their sequence. The search ends as soon as an order
    meets ``bound``, the lower bound.
    """
    best = list(range(window.size))
    fewest = window.inversions(best)
    for candidate in CANDIDATES:
        if fewest == bound:
            break
        order = candidate(window)
        inversions = window.inversions(order)
        if inversions < fewest:
            best, fewest = order, inversions
    if fewest > bound and window.size <= SEARCH_SIZE:
        result = search(window, fewest)
        best, fewest = result.order or best, result.inversions
        bound = max(bound, result.lower_bound)
    return best, fewest, bound


# --- candidate orders -------------------------------------------------------------------------------------


def extend_by(urgency: Sequence[int], window: Window) -> list[int]:
    """Return the linear extension that always places the available op with the smallest urgency.

    Kahn's algorithm with a heap: an op is available once all its producers are placed. Ties go by key,
    then by textual order; O((n + m) log n).
    """
    size = window.size
    largest_key = max(window.keys, default=0)
    # Urgency, key and textual index in one integer, which compares faster than a tuple.
    rank = [
        (urgent * (largest_key + 1) + key) * size + op
        for op, (urgent, key) in enumerate(zip(urgency, window.keys, strict=True))
    ]
    missing = [len(window.precedence.predecessors(op)) for op in range(size)]
    available = [rank[op] for op in range(size) if not missing[op]]
    heapify(available)
    order = []
    while available:
        op = heappop(available) % size
        order.append(op)
        for user in window.precedence.successors(op):
            missing[user] -= 1
            if not missing[user]:
                heappush(available, rank[user])
    return order


def by_key(window: Window) -> list[int]:
    """Kahn's algorithm by key: best where nothing early waits for something late."""
    return extend_by(window.keys, window)


def pull_up(window: Window) -> list[int]:
    """An op is as urgent as the smallest key that waits for it: producers are pulled up to early users."""
    return extend_by(window.smallest_keys_below(), window)


def from_the_end(candidate: Callable[[Window], list[int]], window: Window) -> list[int]:
    """Apply ``candidate`` to the mirrored window: the last place is filled first."""
    last = window.size - 1
    order = [last - op for op in candidate(window.mirrored())]
    order.reverse()
    return order


def push_down(window: Window) -> list[int]:
    """The mirror of ``pull_up``: users are pushed down to the largest key they wait for."""
    return from_the_end(pull_up, window)


def by_key_from_the_end(window: Window) -> list[int]:
    """The mirror of ``by_key``."""
    return from_the_end(by_key, window)


CANDIDATES: tuple[Callable[[Window], list[int]], ...] = (pull_up, push_down, by_key_from_the_end, by_key)
