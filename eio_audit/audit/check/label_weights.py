"""Weights of op labels: a label that is more likely to be wrong weighs less."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import compress

from eio_audit.audit.check.keyed_block import KeyedBlock
from eio_audit.audit.diff.layout import PERMUTES, RESHAPES
from eio_audit.mlir.ir import IR

DERIVED = 2
"""A pass made the op from another one and gave it a name that extends the other's (``"X_tm0"("X")``)."""
INHERITED = 3
"""A layout op or a free has the location of another op: the pass that made it took it over."""
LAYOUT = 4
"""A layout op, a constant or a free: passes move these, and make them where they are needed."""
OTHER = 12
"""Any other op: passes leave the labels of what computes the model as they are."""

LAYOUT_OPS = (
    PERMUTES
    | RESHAPES
    | {"broadcast", "from_device", "to_device", "to_dtype", "to_layout", "to_memory_config", "typecast"}
)
"""Last parts of the names of ops that change how a tensor is laid out, not what is in it."""


class LabelWeights:
    """The weights of the labels of one dump's ops."""

    def __init__(self, ir: IR) -> None:
        self._ir = ir
        self._by_name = [
            LAYOUT if name.rpartition(".")[2] in LAYOUT_OPS or ir.op_table.of(name).only_frees else OTHER
            for name in ir.names
        ]

    def of(self, block: KeyedBlock) -> bytes:
        """By place in a block, the weight of the op's label: a byte each."""
        names = self._ir.of_block(block.number, self._ir.op_name)
        weights = bytearray(map(self._by_name.__getitem__, names))
        for place in compress(range(len(weights)), block.is_constant):
            weights[place] = LAYOUT
        for place in self._inherited(block, weights):
            weights[place] = INHERITED
        for place in compress(range(len(weights)), block.is_derived):
            weights[place] = DERIVED
        return bytes(weights)

    def _inherited(self, block: KeyedBlock, weights: Sequence[int]) -> list[int]:
        """The places of light ops with the location of another op of the block."""
        times = Counter(block.keys)
        repeated = [place for place in block.indexed if times[block.keys[place]] > 1]
        texts = {place: self._ir.location_text(block.ops[place]) for place in repeated}
        shared = Counter(texts.values())
        return [place for place, text in texts.items() if weights[place] < OTHER and shared[text] > 1]
