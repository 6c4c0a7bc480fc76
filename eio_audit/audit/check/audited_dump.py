"""A dump with its audit, and what the audits of several dumps share."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eio_audit.audit.check.figures import DumpAudit
from eio_audit.audit.check.keyed_dump import KeyedDump
from eio_audit.order.effort import Effort

DESCRIBED_OPS = 10
"""How many ops out of place an audit describes, of those in most inversions in a block."""


class SharedWork:
    """What the audits of several dumps share. It saves work and changes no result.

    Attributes:
        described_ops: how many ops out of place to describe in a block, those in most inversions.
        finds_wrong_labels: find the indices that contradict the dependences.
        effort: what may still be done to find orders in the current dump.
        label_effort: what may still be done to find its wrong labels.
        known_here: what is known of small blocks of the current dump, by shape: layers repeat.
        known: what is known of small blocks of all dumps, by shape and the effort that was left, with the
            effort that was left then. So a dump has the same figures whatever was audited before it.
    """

    def __init__(self, described_ops: int = DESCRIBED_OPS, *, finds_wrong_labels: bool = True) -> None:
        self.described_ops = described_ops
        self.finds_wrong_labels = finds_wrong_labels
        self.known: dict[Hashable, Any] = {}
        self.begin_dump()

    def begin_dump(self) -> None:
        """Gives the next dump its own effort."""
        self.effort, self.label_effort = Effort(), Effort()
        self.known_here: dict[Hashable, Any] = {}


@dataclass(frozen=True, slots=True)
class AuditedDump(KeyedDump):
    """A dump with its audit and the orders found for its blocks.

    Attributes:
        audit: the figures.
        blocks: the blocks of ``audit.blocks``.
        orders: by block that can be improved; ``order[k]`` is the textual index of the op placed k-th.
        donors: by op whose label is wrong, the op whose label it should carry: a set of least weight that
            contradicts the dependences.
    """

    audit: DumpAudit
    blocks: Sequence[int]
    orders: dict[int, Sequence[int]]
    donors: Mapping[int, int]

    @property
    def moved(self) -> int:
        """How many ops have another place in these orders, the fewest that explain them."""
        return sum(block.moved for block in self.audit.blocks)
