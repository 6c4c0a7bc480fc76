"""The ops of a block that keep their order because of their effects.

Two ops conflict if they touch one place and one of them writes or frees it. ``EVERYTHING`` is all memory and
all buffers. The effects of nested ops count as those of the op. ``conflicts`` yields enough pairs: if two ops
of a block conflict, a chain of pairs connects them.

The walk visits the ops in textual order, nested ops included. For each place it remembers the last op that
changed it and the ops that read it since. So there are at most about two pairs per touch.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator

from eio_audit.mlir.ir import IR
from eio_audit.mlir.semantics.buffers import MEMORY
from eio_audit.mlir.semantics.effects import CHANGES, EffectTable, Place
from eio_audit.mlir.traits import EVERYTHING

MANY = 8
"""Up to this many ops, each op waits for every earlier one; see ``_Alternation``."""


def conflicts(ir: IR, effects: EffectTable, blocks: Collection[int]) -> Iterator[tuple[int, int, int]]:
    """Yield (block, earlier op, later op) for ops of ``blocks`` that keep their order. Pairs may repeat.

    Complexity: O(n log n) for n touches.
    """
    touching = effects.touching_ops()
    walked = -1
    for block in sorted(blocks, key=lambda block: ir.block_ops[block][0]):
        first, end = ir.block_ops[block][0], ir.subtree_end[ir.block_ops[block][-1]]
        if first < walked:
            continue  # a block nested in a block that has been walked
        walked = end
        walk = _Walk(ir, block)
        for op in touching[bisect_left(touching, first) : bisect_left(touching, end)]:
            for pair in walk.visit(op, effects):
                if pair[0] in blocks:
                    yield pair
    yield from _fenced(ir, effects, blocks)


def _fenced(ir: IR, effects: EffectTable, blocks: Collection[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the pairs that keep every op on its side of a fence, or of an op with a fence inside."""
    fences = sorted(effects.fences)
    for block in blocks if fences else ():
        last, since = -1, list[int]()
        for op in ir.block_ops[block]:
            if last >= 0:
                yield block, last, op
            since.append(op)
            nearest = bisect_left(fences, op)
            if nearest < len(fences) and fences[nearest] < ir.subtree_end[op]:
                yield from ((block, earlier, op) for earlier in since[:-1])
                last, since = op, []


class _Chain:
    """Reads and changes of one place. Every change separates the reads before it from those after it."""

    __slots__ = ("last_change", "reads")

    def __init__(self) -> None:
        self.last_change = -1
        self.reads: list[int] = []

    def add(self, op: int, *, changes: bool) -> list[int]:
        """Return the earlier ops that the op must stay after."""
        before = [self.last_change] if self.last_change >= 0 else []
        if changes:
            before += self.reads
            self.last_change, self.reads = op, []
        else:
            self.reads.append(op)
        return before


class _Alternation:
    """Ops that read everything, and ops that change one buffer each. Each kind conflicts with the other.

    If many ops of one kind precede many of the other, the first of the other waits for all of them, and the
    rest wait for that first one. This is stricter than necessary, but n ops make O(n) pairs, not O(n^2).
    """

    def __init__(self) -> None:
        self._reads = False
        self._current: list[int] = []
        self._previous: list[int] = []

    def add(self, op: int, *, reads: bool) -> list[int]:
        """Return the earlier ops that the op must stay after."""
        if reads != self._reads:
            self._reads, self._previous, self._current = reads, self._current, []
        self._current.append(op)
        is_first = len(self._current) == 1
        return self._previous if is_first or len(self._previous) <= MANY else self._current[:1]


class _Walk:
    def __init__(self, ir: IR, block: int) -> None:
        self._ir = ir
        self._block = block
        self._path: list[int] = []  # the current op and the ops around it, outermost first, from ``block`` on
        self._starts: list[int] = []  # by op of the path, the first op of its block
        self._chains: dict[Place, _Chain] = {}
        self._last_barrier = -1  # the last op that changed everything
        self._touched: list[int] = []  # the ops that touched a buffer since then
        self._readers = _Alternation()  # since then: ops that read everything, and ops that change a buffer

    def visit(self, op: int, effects: EffectTable) -> Iterator[tuple[int, int, int]]:
        """Yield the pairs of the next op with earlier ones."""
        self._enter(op)
        for place, kinds in effects.touches(op).items():
            changes = not kinds.isdisjoint(CHANGES)
            for earlier in self._before(op, place, changes=changes):
                if (pair := self._in_one_block(earlier, op)) is not None:
                    yield pair

    def _before(self, op: int, place: Place, *, changes: bool) -> list[int]:
        chain = self._chains.setdefault(MEMORY if place == EVERYTHING else place, _Chain())
        before = chain.add(op, changes=changes)
        if place == EVERYTHING:
            return before + self._everything(op, changes=changes)
        if isinstance(place, int):
            if self._last_barrier >= 0:
                before.append(self._last_barrier)
            self._touched.append(op)
            if changes:
                before += self._readers.add(op, reads=False)
        return before

    def _everything(self, op: int, *, changes: bool) -> list[int]:
        if not changes:
            return self._readers.add(op, reads=True)
        before, self._touched = self._touched, []
        for place in [place for place in self._chains if isinstance(place, int)]:
            del self._chains[place]
        self._last_barrier, self._readers = op, _Alternation()
        return before

    def _enter(self, op: int) -> None:
        ir, path = self._ir, self._path
        while path and op >= ir.subtree_end[path[-1]]:
            path.pop()
            self._starts.pop()
        inner, added = op, [op]
        while (
            ir.op_block[inner] != self._block
            and (holder := ir.parent_op(ir.op_block[inner])) not in path[-1:]
        ):
            inner = holder
            added.append(inner)
        for inner in reversed(added):
            path.append(inner)
            self._starts.append(ir.block_ops[ir.op_block[inner]][0])

    def _in_one_block(self, earlier: int, op: int) -> tuple[int, int, int] | None:
        """Return the innermost common block and its ops around both. None if one op contains the other."""
        depth = bisect_right(self._starts, earlier) - 1
        later = self._path[depth]
        block = self._ir.op_block[later]
        ops = self._ir.block_ops[block]
        holder = ops[bisect_right(ops, earlier) - 1]
        return (block, holder, later) if holder != later else None
