"""A block of an audited dump, and what a fix makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from eio_audit.audit.check.check import AuditedDump
from eio_audit.audit.check.keyed_block import KeyedBlock
from eio_audit.order.displaced import displaced


class FixedBlock(KeyedBlock):
    """A block, and the order that a fix gives it.

    Attributes:
        order: ``order[k]`` is the place of the op that a fix puts k-th.
    """

    dump: AuditedDump

    def __init__(self, dump: AuditedDump, number: int) -> None:
        super().__init__(dump, number)
        self.order: Sequence[int] = dump.orders.get(number) or range(len(self.ops))

    @cached_property
    def new_place(self) -> list[int]:
        """By place, that which a fix gives the op."""
        return sorted(range(len(self.order)), key=self.order.__getitem__)

    @cached_property
    def moved(self) -> frozenset[int]:
        """The places whose ops a fix moves: the fewest that explain the new order."""
        return frozenset(self.order[k] for k in displaced(self.order))

    @property
    def indexed_order(self) -> list[int]:
        """The places of the ops that count in inversions, as a fix orders them."""
        return [place for place in self.order if self.keys[place] is not None]

    @cached_property
    def carried_fixed(self) -> dict[int, int]:
        """By place of an op that counts in inversions: how many it is an end of after a fix."""
        return self.carried_in(self.indexed_order)
