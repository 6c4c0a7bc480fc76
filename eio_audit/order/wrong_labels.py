"""The fewest labels that must change, and the new labels.

A label is the key of an op. If v depends on u, directly or not, and has the smaller key, the two labels
contradict the dependence: no order agrees with both. This relation, *u over v* (bounds/antichain.py), is a
strict partial order. Labels that can all be right are an antichain of it.

**Fewest.** The least weight of labels to change is the total weight minus the weight of a heaviest antichain.
A maximum flow proves it.

Only ops on a path from some u to some v with u over v matter. These are the ops for which the largest key of
the op and its ancestors is above the smallest key of the op and its descendants. They are nearly always few.
They fall into *tangles*, which no such path connects. Two ops of one tangle need not contradict each other.

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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from eio_audit.order.bounds.antichain import Link, Links, outside_antichain
from eio_audit.order.effort import Effort
from eio_audit.order.inversions import inversions_at
from eio_audit.order.precedence import Precedence
from eio_audit.order.windows import LARGEST_KEY, Window, block_of

LABEL_STEPS = 4_000_000  # budget for one block
LABEL_STEPS_PER_OP = 12  # added for each of its ops
TOGETHER = 512  # most ops of small tangles that are solved together


@dataclass(frozen=True, slots=True)
class Relabelling:
    """Labels to change so that no label contradicts a dependence.

    Attributes:
        changed: the ops whose labels change, ascending.
        donors: per changed op, the op whose label it takes; a donor keeps its own label.
        weight: total weight of the changed labels.
        lower_bound: no set of labels that removes all contradictions weighs less.
        links: the proof of the bound (bounds/antichain.py): their amounts add up to it.
    """

    changed: tuple[int, ...]
    donors: tuple[int, ...]
    weight: int
    lower_bound: int
    links: tuple[Link, ...] = field(default=(), repr=False)

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
    wrong: set[int] = set()
    links: list[Link] = []
    parts = list(tangles(block, TOGETHER))
    if parts and len(parts[-1]) > block.size // 2:
        parts = [list(range(block.size))]  # the block itself, which needs no copy
    if inversions_of is None:
        counts = iter(inversions_at([key for key in keys if key is not None])) if parts else iter(())
        inversions_of = [next(counts, 0) if key is not None else 0 for key in keys]
    effort = effort or Effort()
    effort.left += LABEL_STEPS_PER_OP * block.size
    with effort.part(LABEL_STEPS + LABEL_STEPS_PER_OP * block.size) as part:
        for ops in parts:
            found, proof = _wrong_labels_of(
                block.restricted(ops), [weights[op] for op in ops], [inversions_of[op] for op in ops], part
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
    """Return the keys, with each changed key replaced by its donor's."""
    new = list(keys)
    for op, donor in donor_of.items():
        new[op] = keys[donor]
    return new


def _wrong_labels_of(
    tangle: Window, weights: Sequence[int], inversions_of: Sequence[int], effort: Effort
) -> tuple[set[int], list[Link]]:
    """Return the ops of a tangle to change, and the links that prove it."""
    left = effort.left
    wrong, links = outside_antichain(tangle, weights, effort)
    if effort.left < left // 2:
        return wrong, links
    # Repeat with finer weights, which compare sets of equal weight by their ops and inversions: one op counts
    # more than all inversions, and one unit of weight more than all ops.
    per_op = 1 + sum(inversions_of)
    per_unit = per_op * (1 + tangle.size)
    costs = [weight * per_unit + per_op - ends for weight, ends in zip(weights, inversions_of, strict=True)]
    finer = Links(tangle, costs, [(u, v, amount * per_unit) for u, v, amount in links])
    finer.fill()
    return finer.outside() if finer.grow(effort) else wrong, links


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


def tangles(block: Window, most: int) -> Iterator[list[int]]:
    """Yield the ops on paths between ops of which one is over the other, tangle by tangle.

    Small tangles come first. The ops of each are in textual order.

    Args:
        block: the ops and their keys.
        most: small tangles are joined up to this number of ops.

    Complexity: nearly O(n + m).

    Example:
        2 is over 1, and 4 is over 3. Nothing connects the two pairs.

        >>> from eio_audit.order.precedence import Precedence
        >>> block = Window([2, 1, 4, 3, 5], [True] * 5, Precedence.from_edges(5, [0, 2, 3], [1, 3, 4]))
        >>> list(tangles(block, most=2)), list(tangles(block, most=4))
        ([[0, 1], [2, 3]], [[0, 1, 2, 3]])
    """
    if not block.precedence.inverted(block.keys):
        return
    together: list[int] = []
    for tangle in sorted(_single_tangles(block), key=len):
        if together and len(together) + len(tangle) > most:
            yield sorted(together)
            together = []
        together += tangle
    if together:
        yield sorted(together)


def _single_tangles(block: Window) -> list[list[int]]:
    indexed = [key if own else -1 for key, own in zip(block.keys, block.indexed, strict=True)]
    largest, smallest = block.precedence.largest_above(indexed), block.smallest_keys_below()
    parent = list(range(block.size))  # disjoint sets: an earlier op of the same tangle

    def find(op: int) -> int:
        while parent[op] != op:
            parent[op] = op = parent[parent[op]]
        return op

    for producer, user in block.precedence.forwards():
        if largest[producer] > smallest[user]:
            one, other = find(producer), find(user)
            parent[max(one, other)] = min(one, other)
    found: dict[int, list[int]] = {}
    for op in range(block.size):
        if largest[op] > smallest[op]:
            found.setdefault(find(op), []).append(op)
    return list(found.values())
