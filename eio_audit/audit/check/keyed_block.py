"""A block of a dump with the keys that its ops are ordered by."""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from eio_audit.audit.check.order_keys import OrderKeys
from eio_audit.audit.locations.original_index import OriginalIndices
from eio_audit.audit.op_label import OpLabel, label
from eio_audit.mlir.ir import IR

if TYPE_CHECKING:
    from eio_audit.audit.dependence import DependenceGraph


@dataclass(slots=True)
class KeyedBlock:
    """A block with its keys, and its dependences where they are of interest and it is in no graph region.

    Attributes:
        keys: by place in the block, None for an op without a say in inversions.
    """

    ir: IR
    order_keys: OrderKeys
    block: int
    graph: DependenceGraph | None = None
    keys: Sequence[int | None] = field(init=False)

    def __post_init__(self) -> None:
        self.keys = self.ir.of_block(self.block, self.order_keys.by_op)

    @property
    def indices(self) -> OriginalIndices:
        """The indices that the ops' locations carry."""
        return self.order_keys.indices

    @property
    def ops(self) -> array[int]:
        """Its ops in textual order."""
        return self.ir.block_ops[self.block]

    @property
    def counted_keys(self) -> list[int]:
        """The keys of the ops that have a say, in textual order."""
        return [key for key in self.keys if key is not None]

    @property
    def is_derived(self) -> Sequence[int]:
        """By place: 1 for an op that a pass made from another op and that carries its index."""
        return self.ir.of_block(self.block, self.indices.derived_by_op)

    @property
    def is_constant(self) -> Sequence[int]:
        """By place: 1 for an op without operands that the op table calls pure or constant."""
        return self.ir.of_block(self.block, self.order_keys.constants_by_op)

    @property
    def is_free(self) -> Sequence[int]:
        """By place: 1 for an op that only frees, by the op table."""
        return self.ir.of_block(self.block, self.order_keys.frees_by_op)

    @property
    def frees_that_follow(self) -> frozenset[int]:
        """The places of the ops that are to stand behind the last use of what they free."""
        return self.order_keys.frees_that_follow(self.block)

    @property
    def shape(self) -> Hashable:
        """The same for blocks that differ in nothing but names and the keys that their ranks stand for."""
        rank_of: dict[int | None, int] = dict(zip(sorted(set(self.counted_keys)), count()))
        ranks = tuple(map(rank_of.get, self.keys))
        edges = None if self.graph is None else self.graph.shape
        return ranks, bytes(self.is_derived), bytes(self.is_constant), bytes(self.is_free), edges

    @property
    def original_places(self) -> dict[int, int]:
        """By place of an op with a say, in textual order: its 0-based place among those in original order."""
        places = [place for place, key in enumerate(self.keys) if key is not None]
        ranked = sorted(places, key=self.key)
        rank_of = {place: rank for rank, place in enumerate(ranked)}
        return {place: rank_of[place] for place in places}

    def key(self, place: int) -> int:
        """The key of an op with a say."""
        key = self.keys[place]
        assert key is not None
        return key

    def label(self, place: int) -> OpLabel:
        """The op at a place."""
        return label(self.ir, self.indices, self.ops[place])
