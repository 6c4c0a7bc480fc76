"""What keeps its order although no dependence says so.

A graph region has no order for SSA values. For anything else its order may have a meaning: initializers run
in it, the last of two connections counts, members are laid out in it. So only symbols that the op table lists
may change places there, with each other. A region of an op that the table does not list may be a symbol table
in which order counts: its symbols keep their order among each other and among ops with effects.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from eio_audit.audit.dependence import Dependences
from eio_audit.audit.diff.compared_dump import ComparedOps

_SECTION = re.compile(rb'\bsection"?\s*+=')
"""A symbol in a section of its own. A linker puts what is in a section one after the other."""


class KeptOrder:
    """The ops of one dump that keep their order for another reason than a dependence."""

    def __init__(self, ops: ComparedOps, dependences: Dependences) -> None:
        self._ops = ops
        self._ir = ops.ir
        self._dependences = dependences

    def pairs(self, block: int) -> Iterator[tuple[int, int]]:
        """Yield pairs of places in a block, the earlier first, that keep their order.

        Pairs that follow from others are left out, so there are at most two for each op.
        """
        ir = self._ir
        holder = ir.parent_op(block)
        is_listed = holder < 0 or ir.name(holder) in ir.op_table.rows
        ops = list(enumerate(ir.block_ops[block]))
        if ir.region_is_graph[ir.block_region[block]]:
            free = self._free_symbols(block) if is_listed else set()
            yield from _pairs([(place, op not in free) for place, op in ops])
        elif not is_listed:
            symbols = {place for place, op in ops if self._is_declaration(op)}
            if symbols:
                acting = symbols | {place for place, op in ops if self._acts(op)}
                yield from _pairs([(place, place in symbols) for place in sorted(acting)])

    def _is_declaration(self, op: int) -> bool:
        row = self._ir.op_table.rows.get(self._ir.name(op))
        return row is not None and row.is_declaration

    @cached_property
    def _touching(self) -> list[int]:
        return self._dependences.effects.touching_ops()

    def _acts(self, op: int) -> bool:
        """Whether an op, or one nested in it, has effects or no row."""
        place = bisect_left(self._touching, op)
        return place < len(self._touching) and self._touching[place] < self._ir.subtree_end[op]

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


def _pairs(places: list[tuple[int, bool]]) -> Iterator[tuple[int, int]]:
    """Yield the pairs that keep each marked place on its side of all others."""
    marked: int | None = None
    since: list[int] = []
    for place, is_marked in places:
        if marked is not None:
            yield marked, place
        if is_marked:
            yield from ((earlier, place) for earlier in since)
            marked, since = place, []
        else:
            since.append(place)
