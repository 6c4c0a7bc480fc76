"""Weights of op labels: a label that is more likely to be wrong weighs less."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import compress

from eio_audit.audit.check.keyed_block import KeyedBlock
from eio_audit.audit.options import Follow
from eio_audit.mlir.ir import IR

DERIVED = 2
"""A derived op: a pass gave it a name that extends the name of another op (``"X_tm0"("X")``)."""
INHERITED = 3
"""A layout op or a free with the location of another op: most likely a pass copied it."""
LAYOUT = 4
"""Another layout op, constant or free: passes move these, and make them where they are needed."""
OTHER = 12
"""Any other op: passes do not change the labels of the ops that compute the model."""

PERMUTES = frozenset({"permute", "transpose"})
RESHAPES = frozenset(
    ("reshape", "squeeze", "unsqueeze", "flatten", "expand_shape", "collapse_shape", "view", "shape_cast")
)
"""The last part of the names of ops that only rearrange a tensor (``ttir.permute``)."""

LAYOUT_OPS = (
    PERMUTES
    | RESHAPES
    | {"broadcast", "from_device", "to_device", "to_dtype", "to_layout", "to_memory_config", "typecast"}
)
"""The last parts of the names of ops that change the layout of a tensor, not its content."""


class LabelWeights:
    """The weights of the labels of one dump's ops."""

    def __init__(self, ir: IR) -> None:
        self._ir = ir
        self._by_name = [
            LAYOUT if name.rpartition(".")[2] in LAYOUT_OPS or ir.op_table.of(name).only_frees else OTHER
            for name in ir.names
        ]

    def of(self, block: KeyedBlock) -> bytes:
        """Return, per place in a block, the weight of the op's label, one byte each."""
        names = self._ir.of_block(block.number, self._ir.op_name)
        weights = bytearray(map(self._by_name.__getitem__, names))
        for place in compress(range(len(weights)), block.flags(Follow.CONSTANTS)):
            weights[place] = LAYOUT
        for place in self._inherited(block, weights):
            weights[place] = INHERITED
        for place in compress(range(len(weights)), block.flags(Follow.DERIVED)):
            weights[place] = DERIVED
        return bytes(weights)

    def _inherited(self, block: KeyedBlock, weights: Sequence[int]) -> list[int]:
        """Return the places of light ops with the location of another op of the block."""
        times = Counter(block.keys)
        repeated = [place for place in block.indexed if times[block.keys[place]] > 1]
        texts = {place: self._ir.location_text(block.ops[place]) for place in repeated}
        shared = Counter(texts.values())
        return [place for place, text in texts.items() if weights[place] < OTHER and shared[text] > 1]
