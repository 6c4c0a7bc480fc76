"""The wrong labels of one tangle (contradictions.py), and the links that prove that they are the fewest.

First every op gives what it can to those below it, taking the best that is near at hand: *links*, which
prove a bound. Where the tangle is small enough, they are made as many as can be (antichain.py), and the
labels that are then kept are as many as can be, too. Otherwise the labels to keep are the heaviest that rise
along an order of the ops: none that rise contradict each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress

from eio_audit.order.antichain import Flow
from eio_audit.order.candidates import pull_up, push_down
from eio_audit.order.contradictions import with_what_fits
from eio_audit.order.effort import Effort
from eio_audit.order.forced import by_falling_key, early_ops, forced_with
from eio_audit.order.rising import heaviest_rising
from eio_audit.order.windows import Window

PASSED_ON = 8  # ops above that an op knows of when first links are made
TANGLE_BITS = 1 << 30  # what the bitsets of a tangle may hold together

Links = list[tuple[int, int, int]]


def wrong_labels_of(
    window: Window, weights: Sequence[int], carried: Sequence[int], effort: Effort
) -> tuple[set[int], Links]:
    """Return the ops whose labels are wrong, and links as (u, v, amount) with u over v.

    Args:
        window: the tangle; it has ops of which one is over the other.
        weights: per op, what it costs to change its label.
        carried: per op, how many inversions it is an end of: among sets of the least weight and the fewest
            ops, one that carries the most is taken.
        effort: how much may be done. Where it does not suffice, the links may amount to less than the labels
            weigh.

    Example:
        >>> from eio_audit.order.precedence import Precedence
        >>> chain = Window([3, 2, 1], [True] * 3, Precedence.from_edges(3, [0, 1], [1, 2]))
        >>> wrong_labels_of(chain, weights=[1, 2, 1], carried=[2, 2, 2], effort=Effort())
        ({0, 2}, [(0, 1, 1), (1, 2, 1)])
    """
    first = list(first_links(window, weights))
    mirror = window.mirrored()  # early ops give: where nothing else decides, it is their labels that change
    smallest_below = mirror.smallest_keys_below()
    late = early_ops(mirror, smallest_below)
    early_count = len(early_ops(window, window.smallest_keys_below()))
    if early_count * len(late) > TANGLE_BITS or effort.is_spent:
        return _wrong_without_search(window, weights), first
    last = window.size - 1
    rows = {last - op: over for op, over in forced_with(mirror, late, smallest_below, effort)}
    if effort.is_spent:
        return _wrong_without_search(window, weights), first
    graph = _Contradictions(rows, [last - op for op in by_falling_key(mirror, late)])
    flow = graph.flow(weights, first)
    is_largest = flow.grow(effort)
    links = graph.links(flow)
    if not is_largest:
        return _wrong_without_search(window, weights), links
    wrong = graph.wrong(flow)
    # Once more, so that sets of one weight differ by how many ops they have and what these carry.
    per_op = 1 + sum(map(carried.__getitem__, graph.ops))
    per_unit = per_op * (1 + len(graph.ops))
    costs = [weight * per_unit + per_op - ends for weight, ends in zip(weights, carried, strict=True)]
    flow = graph.flow(costs, [(u, v, amount * per_unit) for u, v, amount in links])
    return graph.wrong(flow) if flow.grow(effort) else wrong, links


class _Contradictions:
    """All pairs of a tangle: givers are over takers.

    Args:
        rows: per giver, the bitset of the takers, by their place in ``takers``.
        takers: the ops that one is over.
    """

    def __init__(self, rows: dict[int, int], takers: Sequence[int]) -> None:
        self._givers, self._rows = list(rows), list(rows.values())
        self._takers = takers
        self._giver_of = {op: giver for giver, op in enumerate(self._givers)}
        self._taker_of = {op: taker for taker, op in enumerate(takers)}
        self.ops = sorted({*self._givers, *takers})

    def flow(self, weights: Sequence[int], links: Links) -> Flow:
        """Return a flow to grow, where no op gives or takes more than its weight."""
        flow = Flow(self._rows, [weights[op] for op in self._givers], [weights[op] for op in self._takers])
        for u, v, amount in links:
            flow.give(self._giver_of[u], self._taker_of[v], amount)
        return flow

    def links(self, flow: Flow) -> Links:
        """Return what flows."""
        return sorted(
            (self._givers[giver], self._takers[taker], amount) for giver, taker, amount in flow.links
        )

    def wrong(self, flow: Flow) -> set[int]:
        """Return the ops that are not in the antichain that a flow has found."""
        reached, unreached = flow.reached()
        wrong = {op for op, is_right in zip(self._givers, reached, strict=True) if not is_right}
        return wrong | {op for taker, op in enumerate(self._takers) if not unreached >> taker & 1}


def first_links(window: Window, weights: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield links that are found in one sweep, as (u, v, amount).

    Each op takes from those above it, smallest key first, and passes on to its users the few with the largest
    keys that have something left, itself among them.

    Complexity: O(n + m), times the few.

    Example:
        >>> from eio_audit.order.precedence import Precedence
        >>> chain = Window([3, 2, 1], [True] * 3, Precedence.from_edges(3, [0, 1], [1, 2]))
        >>> list(first_links(chain, [1, 2, 1]))
        [(0, 1, 1), (1, 2, 1)]
    """
    keys, supplies = window.keys, list(weights)
    smallest_below = window.smallest_keys_below()
    passed_on: list[list[int]] = []
    for op in range(window.size):
        key, room = keys[op], weights[op] if window.indexed[op] else 0
        known = {u for producer in window.precedence.predecessors(op) for u in passed_on[producer]}
        above = sorted((u for u in known if supplies[u]), key=lambda u: (keys[u], u))
        for u in above:
            amount = min(supplies[u], room)
            if amount and keys[u] > key:
                supplies[u] -= amount
                room -= amount
                yield u, op, amount
        if window.indexed[op]:
            above.append(op)
            above.sort(key=lambda u: (keys[u], u))
        passed_on.append([u for u in above if supplies[u] and keys[u] > smallest_below[op]][-PASSED_ON:])


def _wrong_without_search(window: Window, weights: Sequence[int]) -> set[int]:
    """Return ops to change that are quickly found: all but some whose keys rise along an order."""
    indexed = set(compress(range(window.size), window.indexed))
    found = (
        indexed - with_what_fits(window, _heaviest_rising_along(order, window, weights))
        for order in (range(window.size), pull_up(window), push_down(window))
    )
    return min(found, key=lambda wrong: sum(map(weights.__getitem__, wrong)))


def _heaviest_rising_along(order: Sequence[int], window: Window, weights: Sequence[int]) -> set[int]:
    """Return the heaviest set of ops whose keys never fall along an order of the window."""
    ops = [op for op in order if window.indexed[op]]
    by_key = sorted(range(len(ops)), key=lambda place: window.keys[ops[place]])
    rank_of = [0] * len(ops)
    for rank, place in enumerate(by_key):
        rank_of[place] = rank
    return {ops[place] for place in heaviest_rising(rank_of, [weights[op] for op in ops])}
