"""The wrong labels of one tangle (contradictions.py), and the links that prove that they are the fewest.

Ops are linked with ops that they are over, as many as can be: by sweeps (links.py), and where these do not
come to an end, with bitsets (antichain.py). The links prove how much is wrong at least, and the same search
says what may be kept. A tangle that is too large for it gets an answer that is quickly found, and a bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import compress

from eio_audit.order.bounds.forced import by_falling_key, early_ops, forced_with
from eio_audit.order.effort import Effort
from eio_audit.order.search.schedules import CANDIDATES
from eio_audit.order.windows import Window
from eio_audit.order.wrong_labels.antichain import Flow
from eio_audit.order.wrong_labels.contradictions import with_what_fits
from eio_audit.order.wrong_labels.links import Link, Links, first_links
from eio_audit.order.wrong_labels.rising import heaviest_rising

BITSET_OPS = 1 << 14  # in a tangle that bitsets are used for, one for each op
ROUNDS = 4  # of sweeps, where bitsets can be used instead
ROUNDS_ALONE = 24  # where they cannot
GLANCE_STEPS = 8  # what may be done for each op and dependence where the effort is spent


def wrong_labels_of(
    window: Window, weights: Sequence[int], carried: Sequence[int], effort: Effort
) -> tuple[set[int], list[Link]]:
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
    search = _Search(window, effort)
    wrong, links = search.run(weights, [])
    if wrong is None:
        return _wrong_at_a_glance(window, weights, links), links
    # Once more, so that sets of one weight differ by how many ops they have and what these carry.
    per_op = 1 + sum(carried)
    per_unit = per_op * (1 + window.size)
    costs = [weight * per_unit + per_op - ends for weight, ends in zip(weights, carried, strict=True)]
    finer, _ = search.run(costs, [(u, v, amount * per_unit) for u, v, amount in links])
    return wrong if finer is None else finer, links


class _Search:
    """Searches of a window for the least that is wrong, by the weights that ops are given."""

    def __init__(self, window: Window, effort: Effort) -> None:
        self._window = window
        self._effort = effort

    def run(self, weights: Sequence[int], links: Sequence[Link]) -> tuple[set[int] | None, list[Link]]:
        """Return the ops to change, None where the effort does not suffice, and all links."""
        by_sweeps = Links(self._window, weights, [*links, *first_links(self._window, weights, links)])
        fits = self._window.size <= BITSET_OPS
        is_largest = by_sweeps.grow(self._effort, ROUNDS if fits else ROUNDS_ALONE)
        grown = list(by_sweeps)
        if is_largest:
            return by_sweeps.wrong(), grown
        pairs = self._pairs if fits and not self._effort.is_spent else None
        if pairs is None:
            return None, grown
        flow = pairs.flow(weights, grown)
        is_largest = flow.grow(self._effort)
        return pairs.wrong(flow) if is_largest else None, pairs.links(flow)

    @cached_property
    def _pairs(self) -> _Pairs | None:
        """All pairs of the window, None where the effort does not suffice."""
        window, last = self._window, self._window.size - 1
        mirror = window.mirrored()  # givers are to be above, as they are for the sweeps
        smallest_below = mirror.smallest_keys_below()
        late = early_ops(mirror, smallest_below)
        over = {last - op: row for op, row in forced_with(mirror, late, smallest_below, self._effort)}
        if self._effort.is_spent:
            return None
        return _Pairs(over, [last - op for op in by_falling_key(mirror, late)])


class _Pairs:
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

    def flow(self, weights: Sequence[int], links: Iterable[Link]) -> Flow:
        """Return a flow to grow, where no op gives or takes more than its weight."""
        flow = Flow(self._rows, [weights[op] for op in self._givers], [weights[op] for op in self._takers])
        for u, v, amount in links:
            flow.give(self._giver_of[u], self._taker_of[v], amount)
        return flow

    def links(self, flow: Flow) -> list[Link]:
        """Return what flows."""
        return sorted(
            (self._givers[giver], self._takers[taker], amount) for giver, taker, amount in flow.links
        )

    def wrong(self, flow: Flow) -> set[int]:
        """Return the ops that are not in the antichain that a flow has found."""
        reached, unreached = flow.reached()
        wrong = {op for op, is_right in zip(self._givers, reached, strict=True) if not is_right}
        return wrong | {op for taker, op in enumerate(self._takers) if not unreached >> taker & 1}


def _wrong_at_a_glance(window: Window, weights: Sequence[int], links: Iterable[Link]) -> set[int]:
    """Return ops to change that are quickly found: the lightest of four sets.

    Two come from what the links reach, down and up; two are all but ops whose keys rise along an order: none
    that rise contradict each other.
    """
    indexed = set(compress(range(window.size), window.indexed))
    down = Links(window, weights, links)
    up = down.mirrored()
    wrong = [indexed - _heaviest_rising_along(order(window), window, weights) for order in CANDIDATES]
    if down.spread(Effort(GLANCE_STEPS * window.extent)):
        wrong.append(down.wrong())
    if up.spread(Effort(GLANCE_STEPS * window.extent)):
        wrong.append({window.size - 1 - op for op in up.wrong()})
    lightest = min(wrong, key=lambda ops: sum(map(weights.__getitem__, ops)))
    return indexed - with_what_fits(window, indexed - lightest)


def _heaviest_rising_along(order: Sequence[int], window: Window, weights: Sequence[int]) -> set[int]:
    """Return the heaviest set of ops whose keys never fall along an order of the window."""
    ops = [op for op in order if window.indexed[op]]
    by_key = sorted(range(len(ops)), key=lambda place: window.keys[ops[place]])
    rank_of = [0] * len(ops)
    for rank, place in enumerate(by_key):
        rank_of[place] = rank
    return {ops[place] for place in heaviest_rising(rank_of, [weights[op] for op in ops])}
