"""A dump with its audit, and the work that the audits of several dumps share."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eio_audit.audit.check.figures import DumpAudit
from eio_audit.audit.check.keyed_dump import KeyedDump
from eio_audit.order.effort import Effort

DESCRIBED_OPS = 10
"""How many displaced ops of a block an audit describes, those in the most inversions."""


class SharedWork:
    """The work that the audits of several dumps share. It saves time and changes no result.

    Attributes:
        described_ops: how many displaced ops of a block to describe, those in the most inversions.
        finds_wrong_labels: whether to find the indices that contradict the dependences.
        finds_hoisted: whether to find how many avoidable inversions hoisted constants cause.
        effort: the budget left to find orders in the current dump.
        others_effort: the budget left to find orders in which constants follow.
        label_effort: the budget left to find its wrong labels.
        known_here: per shape, the result for small blocks of the current dump. Layers repeat.
        known: per shape and budget left, the result for small blocks of all dumps, and the budget left after
            it. So the figures of a dump do not depend on the dumps before it.
    """

    def __init__(
        self,
        described_ops: int = DESCRIBED_OPS,
        *,
        finds_wrong_labels: bool = True,
        finds_hoisted: bool = True,
    ) -> None:
        self.described_ops = described_ops
        self.finds_wrong_labels = finds_wrong_labels
        self.finds_hoisted = finds_hoisted
        self.known: dict[Hashable, Any] = {}
        self.begin_dump()

    def begin_dump(self) -> None:
        """Give the next dump its own budgets."""
        self.effort, self.others_effort, self.label_effort = Effort(), Effort(), Effort()
        self.known_here: dict[Hashable, Any] = {}


@dataclass(frozen=True, slots=True)
class AuditedDump(KeyedDump):
    """A dump with its audit and the orders found for its blocks.

    Attributes:
        audit: the figures.
        blocks: the numbers of the blocks of ``audit.blocks``.
        orders: per block to improve, its order: ``order[k]`` is the textual index of the op placed k-th.
        orders_of_others: per block in which both constants and other ops have avoidable inversions, the order
            found if constants follow their consumers.
        donors: per op with a wrong label, the op whose label it should carry. The wrong labels are a set of
            least weight.
    """

    audit: DumpAudit
    blocks: Sequence[int]
    orders: dict[int, Sequence[int]]
    orders_of_others: dict[int, Sequence[int]]
    donors: Mapping[int, int]
