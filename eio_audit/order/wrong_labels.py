"""The fewest labels that must change, and the new labels.

A label is the key of an op. If v depends on u, directly or not, and has the smaller key, the two labels
contradict the dependence: no order agrees with both. Both conditions of this relation, *u over v*, are
transitive, and no op is over itself, so it is a strict partial order. Labels that can all be right are an
antichain of it.

The least weight of labels to change is the total weight minus the weight of a heaviest antichain, and a
maximum flow proves it. docs/internals/ordering.md, *Wrong labels*, says why the new labels are enough. If u
is over v, both are in one window, and so are all ops on paths between them (windows.py). So each window is
solved on its own.

**A flow.** Each op can give to the ops that it is over and take from the ops over it, both up to its weight.
This is a *flow*, stored as links: a link (u, v, amount) means that u gives ``amount`` to v.

**No antichain is heavier than the total weight minus the flow.** Split each op into units of weight, and link
each unit it gives to the unit that takes it. The units form as many chains as there are units minus links. Of
two ops of a chain, one is over the other, so an antichain has at most one unit of each chain.

**If the flow is largest, an antichain has exactly that weight** (Dilworth 1950, by König 1931). One giver
after the other gives all it can (Ford and Fulkerson 1956). If its takers are full, another giver of one of
them gives elsewhere, and so on: an augmenting path. A search without such a path *closes* the takers that it
reaches. All of them are full, and their givers, which are reached as well, are over closed takers only. So no
later path leads through them. In the end,

- a closed taker takes its whole weight, and from givers that were reached only;
- a giver that was not reached gives its whole weight, and to takers that are not closed only.

These ops are *outside*. No op is outside as both, because all ops under a closed taker are closed, too: the
giver that reached it is over them. So the ops outside weigh as much as the flow. All others are an antichain.
If u is over v, u is a giver: if it was not reached, it is outside, and if it was, v is closed and outside.

If the budget is spent, the givers that have not had their turn count as not reached. All that is outside may
weigh more than the flow then. But the rest is an antichain, and the flow still proves a bound.

References:
    Dilworth, "A decomposition theorem for partially ordered sets", Annals of Mathematics 51, 1950.
    König, "Gráfok és mátrixok", Matematikai és Fizikai Lapok 38, 1931.
    Möhring, "Algorithmic aspects of comparability graphs and interval graphs", Graphs and Order, 1985.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count, pairwise
from typing import NamedTuple

from eio_audit.order.effort import LABEL_STEPS, LABEL_STEPS_PER_OP, Effort, width
from eio_audit.order.permutation import sorted_runs
from eio_audit.order.precedence import Precedence
from eio_audit.order.windows import (
    LARGEST_KEY,
    Window,
    bits,
    block_of,
    early_ops,
    late_ops,
    lowest_bit,
    rows_over,
    split_into_windows,
)

Link = tuple[int, int, int]


def outside_antichain(window: Window, weights: Sequence[int], effort: Effort) -> tuple[set[int], list[Link]]:
    """Return the indexed ops outside a heaviest antichain, and the links that prove it.

    Of several such sets, it is the one with the most givers. Per op, ``weights`` has at least 1. A link is
    (u, v, amount) with u over v. If the budget is spent, or the window is too large, the links may amount to
    less than the weight of the ops.

    >>> chain = Window([3, 2, 1], [True] * 3, Precedence.from_edges(3, [0, 1], [1, 2]))
    >>> outside, links = outside_antichain(chain, weights=[1, 2, 1], effort=Effort())
    >>> outside, sorted(links)
    ({0, 2}, [(0, 1, 1), (1, 2, 1)])
    """
    largest_above = window.precedence.largest_above(window.keys)
    givers = early_ops(window)
    takers = sorted(late_ops(window, largest_above), key=window.keys.__getitem__)
    if not givers or len(givers) * len(takers) > effort.limits.flow_pairs:
        return set(givers), []
    rows = dict(rows_over(window, takers, largest_above, effort))
    flow = LargestFlow(rows, weights, [weights[op] for op in takers], effort)
    outside = set(givers) - flow.reached | {takers[taker] for taker in bits(flow.closed)}
    return outside, [(giver, takers[taker], amount) for giver, taker, amount in flow.links()]


class LargestFlow:
    """A flow from givers, which give up to their ``supplies``, to takers, which are numbered."""

    def __init__(
        self, rows: Mapping[int, int], supplies: Sequence[int], rooms: Sequence[int], effort: Effort
    ) -> None:
        self.reached: set[int] = set()  # the givers that these searches have reached
        self.closed = 0  # the bitset of the takers that searches without a path have reached
        self._rows = rows  # per giver, the bitset of the takers that it is over
        self._rooms = list(rooms)  # per taker, the most that it can take
        self._open = (1 << len(rooms)) - 1  # the takers with room
        self._taken: list[dict[int, int]] = [{} for _ in rooms]  # per taker, the amount by giver
        self._effort = effort
        self._width = width(len(rooms))
        for giver in sorted(rows):
            self._give(giver, supplies[giver])

    def links(self) -> list[Link]:
        """Return its links; takers are numbered."""
        return [
            (giver, taker, amount) for taker, by in enumerate(self._taken) for giver, amount in by.items()
        ]

    def _give(self, giver: int, supply: int) -> None:
        """Let a giver give as much as it can, up to ``supply``."""
        while supply:
            with_room = self._rows[giver] & self._open
            path, reached = ([(giver, lowest_bit(with_room))], set()) if with_room else self._search(giver)
            self.reached |= reached
            if not path:
                return
            supply -= self._push(path, supply)

    def _search(self, root: int) -> tuple[list[tuple[int, int]], set[int]]:
        """Return a path as (giver, taker), last first, or the givers that a search without a path reaches."""
        giver_of: dict[int, int] = {}  # per taker reached, the giver before it on the path
        taker_of = {root: -1}  # per giver reached, the taker before it
        seen = self.closed
        pending = [root]
        while pending:
            if self._effort.is_spent:
                return [], set()
            self._effort.left -= self._width
            giver = pending.pop()
            fresh = self._rows[giver] & ~seen
            seen |= fresh
            with_room = fresh & self._open
            if with_room:
                taker = lowest_bit(with_room)
                path = [(giver, taker)]
                while giver != root:
                    taker = taker_of[giver]
                    giver = giver_of[taker]
                    path.append((giver, taker))
                return path, set()
            for taker in bits(fresh):
                giver_of[taker] = giver
                self._effort.left -= 1 + len(self._taken[taker])
                others = [other for other in self._taken[taker] if other not in taker_of]
                taker_of.update(dict.fromkeys(others, taker))
                pending += others
        self.closed = seen
        return [], set(taker_of)

    def _push(self, path: Sequence[tuple[int, int]], supply: int) -> int:
        """Push as much as possible along a path; return the amount, at most ``supply``."""
        end = path[0][1]
        # A taker takes from another giver what the giver after it on the path gives elsewhere.
        released = [(giver, taker) for (giver, _), (_, taker) in pairwise(path)]
        amount = min([supply, self._rooms[end], *(self._taken[taker][giver] for giver, taker in released)])
        for giver, taker in path:
            self._taken[taker][giver] = self._taken[taker].get(giver, 0) + amount
        for giver, taker in released:
            self._taken[taker][giver] -= amount
            if not self._taken[taker][giver]:
                del self._taken[taker][giver]
        self._rooms[end] -= amount
        if not self._rooms[end]:
            self._open ^= 1 << end
        return amount


class Relabelling(NamedTuple):
    """Labels to change so that no label contradicts a dependence."""

    donor_of: dict[int, int]  # per op whose label changes, the op whose label it takes, which keeps its own
    weight: int  # total weight of the changed labels
    lower_bound: int  # no set of labels that removes all contradictions weighs less

    @property
    def certified(self) -> bool:
        """Whether it is proven that no set of less weight is enough."""
        return self.weight == self.lower_bound


def fewest_wrong_labels(
    keys: Sequence[int | None],
    weights: Sequence[int],
    precedence: Precedence,
    effort: Effort | None = None,
    inversions_of: Sequence[int] | None = None,
) -> Relabelling:
    """Return a set of labels of least weight to change, and their new labels.

    Of several sets of least weight, the result has the fewest ops. Of these, it is the one with the most
    inversions. Of these, it is the one that changes producers rather than the ops that depend on them.

    Args:
        keys: per op, its label; None for an op without a label, which is not changed.
        weights: per op, the cost of changing its label, at least 1.
        precedence: the dependences.
        effort: the budget. If it is spent, the result still removes all contradictions. But it may weigh more
            than ``lower_bound``, or it is certified and may have more ops than necessary.
        inversions_of: per op, how many inversions it is in, if known.

    Complexity: O(n + m) if no label contradicts a dependence; otherwise near that in practice.

    Here 23 feeds 18: one of the two is wrong.

    >>> chain = Precedence.from_edges(3, producers=[0, 1], users=[1, 2])
    >>> found = fewest_wrong_labels([15, 23, 18], [1, 1, 1], chain)
    >>> found
    Relabelling(donor_of={1: 2}, weight=1, lower_bound=1)
    >>> relabelled([15, 23, 18], found.donor_of)
    [15, 18, 18]
    """
    block = block_of(keys, precedence)
    windows = split_into_windows(block)
    if inversions_of is None:
        own = [key for key in keys if key is not None] if windows.spans else []
        counts = iter(sorted_runs(own).inversions_by_position())
        inversions_of = [next(counts, 0) if key is not None else 0 for key in keys]
    effort = effort or Effort()
    effort.left += LABEL_STEPS_PER_OP * block.size
    wrong: set[int] = set()
    lower_bound = 0
    with effort.part(LABEL_STEPS + LABEL_STEPS_PER_OP * block.size) as part:
        for start, stop in windows.spans:
            ops = windows.order[start:stop]
            ends = [inversions_of[op] for op in ops]
            outside, least = _outside(block.restricted(ops), [weights[op] for op in ops], ends, part)
            wrong |= {ops[place] for place in outside}
            lower_bound += least
    donor_of = _new_labels(block, wrong)
    return Relabelling(donor_of, sum(weights[op] for op in donor_of), lower_bound)


def relabelled(keys: Sequence[int | None], donor_of: Mapping[int, int]) -> list[int | None]:
    """Return the keys, with each changed key replaced by its donor's."""
    new = list(keys)
    for op, donor in donor_of.items():
        new[op] = keys[donor]
    return new


def _outside(
    window: Window, weights: Sequence[int], inversions_of: Sequence[int], effort: Effort
) -> tuple[set[int], int]:
    """Return the ops of a window to change, and a lower bound on their weight."""
    # One op counts more than all inversions, and one unit of weight more than all ops.
    per_op = 1 + sum(inversions_of)
    per_unit = per_op * (1 + window.size)
    costs = [weight * per_unit + per_op - ends for weight, ends in zip(weights, inversions_of, strict=True)]
    outside, links = outside_antichain(window, costs, effort)
    return outside, sum(amount for *_, amount in links) // per_unit


def _new_labels(block: Window, wrong: set[int]) -> dict[int, int]:
    """Return, per op whose label changes, its donor, which keeps its own label.

    The donor is the first descendant in the text with the smallest kept label. If no descendant keeps its
    label, it is the last op in the text with the largest label that an ancestor has after the change. An op
    with neither, and with no such ancestor, keeps its label.
    """
    if not wrong:
        return {}
    size, keys = block.size, block.keys
    none = (LARGEST_KEY + 1) * size
    # A label is one number, made from its key and the op that keeps it.
    kept = [key * size + op if own else none for op, key, own in zip(count(), keys, block.indexed)]
    for op in wrong:
        kept[op] = none
    smallest = block.precedence.smallest_below(kept)
    largest = [-1 if label == none else label for label in kept]
    for op in wrong:
        if smallest[op] < none:
            largest[op] = smallest[op]
    largest = block.precedence.largest_above(largest)
    labels = {op: smallest[op] if smallest[op] < none else largest[op] for op in sorted(wrong)}
    if orphans := {op for op, label in labels.items() if label < 0}:  # more than needed are in ``wrong``
        first = block.precedence.largest_above([size - op if op in orphans else 0 for op in range(size)])
        return _new_labels(block, wrong - {op for op in orphans if first[op] == size - op})
    return {op: label % size for op, label in labels.items() if label // size != keys[op]}
