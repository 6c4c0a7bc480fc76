"""Which ops have a shape that is known only when the program runs (``?``).

For an elementwise op, "shape may be dynamic in which case the op's behaviour is undefined" if extents do not
match (OpDefinition.h), and most other ops promise something about the shapes of their operands too.

Custom assembly shows as many types as the parser needs to know those of all operands. So an op's own text
tells its shapes, unless it shows no type at all; then the definitions of its operands do.
"""

from __future__ import annotations

import re

from eio_audit.mlir.aliases import AliasTexts
from eio_audit.mlir.ir import IR
from eio_audit.mlir.semantics.value_types import block_header_text
from eio_audit.mlir.tokens import STRING_OR_COMMENT

_TYPE = re.compile(
    rb"(?<![\w$.@#%^])(?:!|(?:tensor|memref|vector|tuple|complex)<|(?:[su]?i[0-9]+|index|none|b?f[0-9]\w*|tf32)(?![\w$.]))"
)
_UNKNOWN_EXTENT = re.compile(rb"\?|<\s*\*\s*x")
_UNKNOWN_ALIAS = re.compile(rb"![\w$-]+(?![\w$.<-])")


class DynamicShapes:
    """The shapes of one dump.

    Complexity: linear in the texts of the ops that are asked for and of the definitions of their operands.
    """

    def __init__(self, ir: IR) -> None:
        self._ir = ir
        self._aliases = AliasTexts(ir.definition)
        self._may_be = _is_dynamic(ir.dump_text)
        self._of_owner: dict[int, bool] = {}

    def shown_by(self, op: int) -> bool:
        """Whether the op's operands or results may have a dynamic shape."""
        if not self._may_be:
            return False  # an alias that the dump defines is defined with its extents
        text = self._bare(self._ir.bare_text(op))
        if _is_dynamic(text):
            return True
        if self._ir.op_is_generic[op] or _TYPE.search(text):
            return False
        return any(map(self._is_defined_dynamic, self._ir.operands_of(op)))

    def _is_defined_dynamic(self, value: int) -> bool:
        owner = self._ir.value_owner[value]
        if owner not in self._of_owner:
            ir = self._ir
            text = ir.bare_text(owner) if owner >= 0 else block_header_text(ir, -1 - owner)
            self._of_owner[owner] = _is_dynamic(self._bare(text))
        return self._of_owner[owner]

    def _bare(self, text: bytes) -> bytes:
        return STRING_OR_COMMENT.sub(b'""', self._aliases.expanded(text))


def _is_dynamic(text: bytes) -> bool:
    """Whether a text shows an unknown extent or rank, or an alias of a type that the dump does not define."""
    return _UNKNOWN_EXTENT.search(text) is not None or _UNKNOWN_ALIAS.search(text) is not None
