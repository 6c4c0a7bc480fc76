"""The ops of a block that keep their order because of their effects.

Two ops conflict if they touch one resource and one of them writes or frees it. A resource and a part of it
are one resource here: ``EVERYTHING`` is all memory and all buffers, ``MEMORY`` has the allocations as parts,
and these have their elements. The effects of nested ops count as those of the op. ``conflicts`` yields enough
pairs: if two ops of a block conflict, a chain of pairs connects them.

The walk visits the ops in textual order, nested ops included. For each resource it remembers the last op that
changed it and the ops that read it since. So there are a few pairs per touch, and at most ``MANY``.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence

from eio_audit.mlir.ir import IR
from eio_audit.mlir.semantics import forms
from eio_audit.mlir.semantics.buffers import MEMORY
from eio_audit.mlir.semantics.effects import CHANGES, EffectTable, Resource
from eio_audit.mlir.traits import EVERYTHING

MANY = 8  # up to this many ops, each op waits for every earlier one; see ``_Alternation``


def conflicts(ir: IR, effects: EffectTable, blocks: Collection[int]) -> Iterator[tuple[int, int, int]]:
    """Yield (block, earlier op, later op) for ops of ``blocks`` that keep their order. Pairs may repeat.

    Complexity: O(n log n) for n touches.
    """
    touching = effects.touching_ops()
    walked = -1
    for block in sorted(blocks, key=lambda block: ir.block_ops[block][0]):
        first, end = ir.block_ops[block][0], ir.subtree_end[ir.block_ops[block][-1]]
        if first < walked:
            continue  # a block nested in a block that has been walked, which yielded its pairs
        walked = end
        walk = _Walk(ir, block)
        for op in touching[bisect_left(touching, first) : bisect_left(touching, end)]:
            for pair in walk.visit(op, effects):
                if pair[0] in blocks:
                    yield pair
    yield from _fenced(ir, effects, blocks)
    yield from _in_place(ir, blocks)


def _in_place(ir: IR, blocks: Collection[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the pairs that keep ops on their side of one that has a place among them."""
    for op in forms.ops_with_places(ir):
        block = ir.op_block[op]
        others: Sequence[int] = ()
        if forms.must_be_first(ir, op) or forms.must_precede_terminator(ir, op):
            others = ir.block_ops[block]
        elif ir.name(op) == forms.COUNTED:
            others = [other for other in ir.block_ops[block] if ir.name(other) == forms.COUNTED]
        if block in blocks:
            yield from ((block, min(op, other), max(op, other)) for other in others if other != op)


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


class _Node:
    """A resource, with what has touched it and its parts since the last change of the whole.

    Every change of a resource separates the touches before it from those after it.
    """

    __slots__ = ("changes_of_parts", "last_change", "reads", "touches_of_parts")

    def __init__(self) -> None:
        self.last_change = -1
        self.reads: list[int] = []
        self.touches_of_parts: list[int] = []
        self.changes_of_parts = _Alternation()

    def add(self, op: int, *, changes: bool) -> list[int]:
        """Return the earlier ops that an op must stay after if it touches the resource itself."""
        before = [self.last_change] if self.last_change >= 0 else []
        if not changes:
            self.reads.append(op)
            return before + self.changes_of_parts.add(op, op, is_read=True)
        before += self.reads + self.touches_of_parts
        self.last_change, self.reads, self.touches_of_parts = op, [], []
        self.changes_of_parts = _Alternation()
        return before

    def add_part(self, op: int, part: Resource, *, changes: bool) -> list[int]:
        """Return the same for an op that touches a part of the resource, as far as the whole is concerned."""
        self.touches_of_parts.append(op)
        before = [self.last_change] if self.last_change >= 0 else []
        return before + self.changes_of_parts.add(op, part, is_read=False) if changes else before


class _Alternation:
    """Ops that read a resource, and ops that change a part of it. Each kind conflicts with the other.

    If many ops of one kind precede many of the other, the first of the other waits for all of them, and the
    rest wait for that first one. This is stricter than necessary, but n ops make O(n) pairs, not O(n^2). Of
    the changes of one part only the last counts, since it waits for the others.
    """

    def __init__(self) -> None:
        self._are_reads = False  # what ``_current`` has; ``_previous`` has the other kind
        self._current: dict[Resource, int] = {}
        self._first = -1
        self._previous: list[int] = []

    def add(self, op: int, key: Resource, *, is_read: bool) -> list[int]:
        """Return the ops of the other kind that an op must stay after.

        ``key`` is the part that it changes. A read has a key of its own, since every read counts.
        """
        if is_read != self._are_reads:
            self._are_reads, self._previous, self._current = is_read, [*self._current.values()], {}
        if not self._current:
            self._first = op
        self._current[key] = op
        return self._previous if self._first == op or len(self._previous) <= MANY else [self._first]


def _wholes(resource: Resource) -> tuple[Resource, ...]:
    if isinstance(resource, int):
        return (EVERYTHING,)
    if isinstance(resource, tuple):
        return (resource[:1], MEMORY) if len(resource) > 1 else (MEMORY,)
    return ()


class _Walk:
    def __init__(self, ir: IR, block: int) -> None:
        self._ir = ir
        self._block = block
        self._path: list[int] = []  # the current op and the ops around it, outermost first, from ``block`` on
        self._starts: list[int] = []  # by op of the path, the first op of its block
        self._nodes: dict[Resource, _Node] = {}
        self._parts: dict[Resource, list[Resource]] = {}  # by resource, its parts that have a node

    def visit(self, op: int, effects: EffectTable) -> Iterator[tuple[int, int, int]]:
        """Yield the pairs of the next op with earlier ones."""
        self._enter(op)
        for resource, kinds in effects.touches(op).items():
            changes = not kinds.isdisjoint(CHANGES)
            before = self._before(op, resource, changes=changes)
            if resource == EVERYTHING:  # only buffers are its parts; what is in memory is a part of MEMORY
                before += self._before(op, MEMORY, changes=changes)
            for earlier in before:
                if (pair := self._in_one_block(earlier, op)) is not None:
                    yield pair

    def _before(self, op: int, resource: Resource, *, changes: bool) -> list[int]:
        before = list[int]()
        for whole in _wholes(resource):
            before += self._node(whole).add_part(op, resource, changes=changes)
        if changes:  # later touches of its parts wait for the change of the whole, which separates them
            for part in self._parts.pop(resource, ()):
                self._nodes.pop(part, None)
        return before + self._node(resource).add(op, changes=changes)

    def _node(self, resource: Resource) -> _Node:
        if resource not in self._nodes:
            self._nodes[resource] = _Node()
            for whole in _wholes(resource):
                self._parts.setdefault(whole, []).append(resource)
        return self._nodes[resource]

    def _enter(self, op: int) -> None:
        ir, path = self._ir, self._path
        while path and op >= ir.subtree_end[path[-1]]:
            path.pop()
            self._starts.pop()
        inner, added = op, [op]
        while (
            ir.op_block[inner] != self._block
            and (parent := ir.parent_op(ir.op_block[inner])) not in path[-1:]
        ):
            inner = parent
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
        before = ops[bisect_right(ops, earlier) - 1]
        return (block, before, later) if before != later else None
