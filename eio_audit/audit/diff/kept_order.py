"""What keeps its order in a graph region although no dependence says so.

A graph region has no order for SSA values. For anything else its order may have a meaning: initializers run
in it, the last of two connections counts, members are laid out in it. So only symbols that the op table lists
may change places there, with each other, and none in a region of an op that the table does not list. In its
other regions the effects keep symbols in order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from eio_audit.audit.diff.compared_dump import ComparedOps

_SECTION = re.compile(rb'\bsection"?\s*+=')
"""A symbol in a section of its own. A linker puts what is in a section one after the other."""


class KeptOrder:
    """The ops in graph regions of one dump that keep their order."""

    def __init__(self, ops: ComparedOps) -> None:
        self._ops = ops
        self._ir = ops.ir

    def pairs(self, block: int) -> Iterator[tuple[int, int]]:
        """Yield pairs of places in a block, the earlier first, that keep their order. None if it is no graph.

        Pairs that follow from others are left out, so there are at most two for each op.
        """
        ir, holder = self._ir, self._ir.parent_op(block)
        if not ir.region_is_graph[ir.block_region[block]]:
            return
        is_listed = holder < 0 or ir.name(holder) in ir.op_table.rows
        free = self._free_symbols(block) if is_listed else set()
        marked: int | None = None
        since: list[int] = []
        for place, op in enumerate(ir.block_ops[block]):
            if marked is not None:
                yield marked, place
            if op in free:
                since.append(place)
            else:  # stays on its side of all others
                yield from ((earlier, place) for earlier in since)
                marked, since = place, []

    def _free_symbols(self, block: int) -> set[int]:
        """Return the ops of a block that may change places with each other."""
        ops, symbols = self._ir.block_ops[block], self._ops.symbols
        times = Counter(symbols[op] for op in ops)
        return {op for op in ops if symbols[op] is not None and times[symbols[op]] == 1 and self._is_free(op)}

    def _is_free(self, symbol: int) -> bool:
        """Whether the table lists an op as a symbol whose place among the others has no meaning."""
        ir, pending = self._ir, [symbol]
        while pending:
            op = pending.pop()
            row = ir.op_table.rows.get(ir.name(op))
            if row is None or "placed" in row.flags or not (row.is_declaration or row.is_harmless):
                return False
            if row.is_declaration and _SECTION.search(ir.own_text(op)):
                return False
            if "function" not in row.flags:
                pending += [
                    inner for block in self._ops.blocks_of.get(op, ()) for inner in ir.block_ops[block]
                ]
        return True
