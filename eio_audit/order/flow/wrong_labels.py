"""The fewest labels that must change, and the new labels.

A label is the key of an op. If v depends on u, directly or not, and has the smaller key, the two labels
contradict the dependence: no order agrees with both. This relation, *u over v* (antichain.py), is a strict
partial order. Labels that can all be right are an antichain of it.

**Fewest.** The least weight of labels to change is the total weight minus the weight of a heaviest antichain.
A maximum flow proves it.

If u is over v, both are in one window, and so are all ops on paths between them (windows.py). So each window
is solved on its own.

**Enough.** A changed op takes the smallest kept label among its descendants. If there is none, it takes the
largest label among its ancestors. Then no label falls along a dependence, and a stable topological order by
label has no inversion. docs/ordering.md, *Wrong labels*, has the proof.

This is polynomial and exact. Finding the fewest inversions of any order is NP-hard (Brandenburg, Gleissner
and Hofmeier 2013).

References:
    Brandenburg, Gleissner, Hofmeier, "Comparing and aggregating partial orders with Kendall tau distances",
    Discrete Mathematics, Algorithms and Applications 5, 2013.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eio_audit.order.effort import Effort
from eio_audit.order.flow.antichain import outside_antichain
from eio_audit.order.inversions import inversions_at
from eio_audit.order.precedence import Precedence
from eio_audit.order.windows import LARGEST_KEY, Window, block_of, split_into_windows

LABEL_STEPS = 4_000_000  # budget for one block
LABEL_STEPS_PER_OP = 12  # added for each of its ops


@dataclass(frozen=True, slots=True)
class Relabelling:
    """Labels to change so that no label contradicts a dependence.

    Attributes:
        changed: the ops whose labels change, ascending.
        donors: per changed op, the op whose label it takes; a donor keeps its own label.
        weight: total weight of the changed labels.
        lower_bound: no set of labels that removes all contradictions weighs less.
    """

    changed: tuple[int, ...]
    donors: tuple[int, ...]
    weight: int
    lower_bound: int

    @property
    def donor_of(self) -> dict[int, int]:
        """Per changed op, its donor."""
        return dict(zip(self.changed, self.donors, strict=True))

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

    Example:
        23 feeds 18: one of the two is wrong.

        >>> chain = Precedence.from_edges(3, producers=[0, 1], users=[1, 2])
        >>> found = fewest_wrong_labels([15, 23, 18], [1, 1, 1], chain)
        >>> found
        Relabelling(changed=(1,), donors=(2,), weight=1, lower_bound=1)
        >>> relabelled([15, 23, 18], found.donor_of)
        [15, 18, 18]
    """
    block = block_of(keys, precedence)
    windows = split_into_windows(block)
    if inversions_of is None:
        counts = iter(inversions_at([key for key in keys if key is not None]) if windows.spans else ())
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
    return Relabelling(
        changed=tuple(donor_of),
        donors=tuple(donor_of.values()),
        weight=sum(weights[op] for op in donor_of),
        lower_bound=lower_bound,
    )


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
    """Return, per op to change, its donor, which keeps its own label.

    The donor is the first descendant in the text with the smallest kept label. If no descendant keeps its
    label, it is the last op in the text with the largest label that an ancestor has after the change.
    """
    if not wrong:
        return {}
    size, keys = block.size, block.keys
    none = (LARGEST_KEY + 1) * size
    # A label is one number, made from its key and the op that keeps it.
    kept = {op: keys[op] * size + op for op in range(size) if block.indexed[op] and op not in wrong}
    smallest = block.precedence.smallest_below([kept.get(op, none) for op in range(size)])
    largest = [kept.get(op, -1) for op in range(size)]
    for op in wrong:
        if smallest[op] < none:
            largest[op] = smallest[op]
    largest = block.precedence.largest_above(largest)
    return {op: (smallest[op] if smallest[op] < none else largest[op]) % size for op in sorted(wrong)}
