"""The fewest labels that must be wrong, and what they have to be instead.

A label is the key of an op. Where v depends on u, directly or not, and has the smaller key, the two labels
contradict the dependence: no order puts both ops where their labels say. Write *u over v* for that
(contradictions.py): a strict partial order. Labels that can all be right are an antichain of it.

**Fewest.** The least weight of labels to change is the total weight less that of the heaviest antichain, and
a maximum flow proves it (antichain.py).

**Enough.** A changed op takes the smallest kept label among its descendants, or where there is none the
largest label among its ancestors. Then no label falls along a dependence, and a stable topological order by
label has no inversion. docs/ordering.md, *Wrong labels*, has the proof.

This is polynomial and exact, where to find the fewest inversions of any order is NP-hard (Brandenburg,
Gleissner and Hofmeier 2013).

References:
    Brandenburg, Gleissner, Hofmeier, "Comparing and aggregating partial orders with Kendall tau distances",
    Discrete Mathematics, Algorithms and Applications 5, 2013.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from eio_audit.order.effort import Effort
from eio_audit.order.inversions import inversions_carried
from eio_audit.order.precedence import Precedence
from eio_audit.order.windows import LARGEST_KEY, Window, block_of
from eio_audit.order.wrong_labels.antichain import outside_antichain
from eio_audit.order.wrong_labels.contradictions import tangles
from eio_audit.order.wrong_labels.links import Link, Links

LABEL_STEPS = 4_000_000  # what may be done to find the labels of one block
LABEL_STEPS_PER_OP = 12  # and for each of its ops
TOGETHER = 512  # ops of small tangles that are looked at as one


@dataclass(frozen=True, slots=True)
class Relabelling:
    """Labels to change so that no label contradicts a dependence any more.

    Attributes:
        changed: the ops whose labels change, ascending.
        donors: in parallel, the op whose label each takes; that one keeps its own.
        weight: total weight of the changed labels.
        lower_bound: no set of labels whose change leaves the rest free of contradiction weighs less.
        links: the proof of the bound (antichain.py): their amounts add up to it.
    """

    changed: tuple[int, ...]
    donors: tuple[int, ...]
    weight: int
    lower_bound: int
    links: tuple[Link, ...] = field(default=(), repr=False)

    @property
    def donor_of(self) -> dict[int, int]:
        """By op whose label changes, its donor."""
        return dict(zip(self.changed, self.donors, strict=True))

    @property
    def certified(self) -> bool:
        """Whether no labels of less weight do."""
        return self.weight == self.lower_bound


def fewest_wrong_labels(
    keys: Sequence[int | None],
    weights: Sequence[int],
    precedence: Precedence,
    effort: Effort | None = None,
    carried: Sequence[int] | None = None,
) -> Relabelling:
    """Return labels of the least weight to change, and the labels that they take.

    Among the sets of the least weight it takes one of the fewest ops, of these one whose ops are ends of the
    most inversions, and of these the one that changes producers rather than what depends on them.

    Args:
        keys: per op, its label; None for an op without one, which is not changed.
        weights: per op, what it costs to change its label, at least 1.
        precedence: the dependences.
        effort: how much may be done. Where it does not suffice, the result is still free of contradiction,
            but may weigh more than ``lower_bound``, or be certified and not of the fewest ops.
        carried: per op, how many inversions it is an end of, if that is known.

    Complexity: O(n + m) where no label contradicts a dependence, and in practice near that otherwise.

    Example:
        23 feeds 18, after 15: one of the two is wrong.

        >>> chain = Precedence.from_edges(3, producers=[0, 1], users=[1, 2])
        >>> found = fewest_wrong_labels([15, 23, 18], [1, 1, 1], chain)
        >>> found
        Relabelling(changed=(1,), donors=(2,), weight=1, lower_bound=1)
        >>> relabelled([15, 23, 18], found.donor_of)
        [15, 18, 18]
    """
    block = block_of(keys, precedence)
    wrong: set[int] = set()
    links: list[Link] = []
    parts = list(tangles(block, TOGETHER))
    if parts and len(parts[-1]) > block.size // 2:
        parts = [list(range(block.size))]  # the block itself, which needs no copy
    if carried is None:
        counts = iter(inversions_carried([key for key in keys if key is not None])) if parts else iter(())
        carried = [next(counts, 0) if key is not None else 0 for key in keys]
    effort = effort or Effort()
    effort.left += LABEL_STEPS_PER_OP * block.size
    with effort.part(LABEL_STEPS + LABEL_STEPS_PER_OP * block.size) as part:
        for ops in parts:
            found, proof = _wrong_labels_of(
                block.restricted(ops), [weights[op] for op in ops], [carried[op] for op in ops], part
            )
            wrong |= {ops[op] for op in found}
            links += [(ops[u], ops[v], amount) for u, v, amount in proof]
    donor_of = _new_labels(block, wrong)
    return Relabelling(
        changed=tuple(donor_of),
        donors=tuple(donor_of.values()),
        weight=sum(weights[op] for op in donor_of),
        lower_bound=sum(amount for *_, amount in links),
        links=tuple(links),
    )


def relabelled(keys: Sequence[int | None], donor_of: Mapping[int, int]) -> list[int | None]:
    """Return the keys with each that changes replaced by that of its donor."""
    new = list(keys)
    for op, donor in donor_of.items():
        new[op] = keys[donor]
    return new


def _wrong_labels_of(
    tangle: Window, weights: Sequence[int], carried: Sequence[int], effort: Effort
) -> tuple[set[int], list[Link]]:
    """Return the ops of a tangle to change and the proof, as ``outside_antichain`` does."""
    left = effort.left
    wrong, links = outside_antichain(tangle, weights, effort)
    if effort.left < left // 2:
        return wrong, links
    # Once more with finer weights: sets of one weight differ by how many ops they have and what these carry.
    per_op = 1 + sum(carried)
    per_unit = per_op * (1 + tangle.size)
    costs = [weight * per_unit + per_op - ends for weight, ends in zip(weights, carried, strict=True)]
    finer = Links(tangle, costs, [(u, v, amount * per_unit) for u, v, amount in links])
    finer.fill()
    return finer.outside() if finer.grow(effort) else wrong, links


def _new_labels(block: Window, wrong: set[int]) -> dict[int, int]:
    """Return, for each op to change, the one whose label it takes: one of those that keep theirs.

    That is the first in the text of the descendants with the smallest label, or else the last of those with
    the largest label that the ancestors have now.
    """
    if not wrong:
        return {}
    size, keys = block.size, block.keys
    none = (LARGEST_KEY + 1) * size
    # A label as one number: its key, and the op that keeps it.
    kept = {op: keys[op] * size + op for op in range(size) if block.indexed[op] and op not in wrong}
    smallest = block.precedence.smallest_below([kept.get(op, none) for op in range(size)])
    largest = [kept.get(op, -1) for op in range(size)]
    for op in wrong:
        if smallest[op] < none:
            largest[op] = smallest[op]
    largest = block.precedence.largest_above(largest)
    return {op: (smallest[op] if smallest[op] < none else largest[op]) % size for op in sorted(wrong)}
