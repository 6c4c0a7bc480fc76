"""The dataflow DAG of a block: which ops must stay after which, and why.

An edge goes from a producer to a later op of the same block that must stay after it. The ops nested in an op
count as part of it.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cached_property
from itertools import chain, compress, islice, repeat
from operator import eq, mul, sub
from typing import TYPE_CHECKING

from eio_audit.mlir.ir import IR, packed

if TYPE_CHECKING:
    from eio_audit.mlir.semantics.effects import EffectTable
    from eio_audit.order.precedence import Precedence


class DependenceKind(StrEnum):
    """Why an op must stay after another."""

    VALUE = "value"  # it uses a result of the other op
    CAPTURE = "capture"  # an op nested in its regions uses a result of the other op
    EFFECT = "effect"  # one of the two writes or frees what the other may read, write or free
    TERMINATOR = "terminator"  # it ends the block


VALUES = frozenset({DependenceKind.VALUE, DependenceKind.CAPTURE})
"""The kinds of dependences that a value makes."""

_KINDS = list(DependenceKind)
_ARE_VALUES = bytes(kind in VALUES for kind in _KINDS).ljust(256)


class DependenceGraph:
    """The direct dependences of one block, numbered by place: op k of the block is ``ops[k]``."""

    def __init__(self, ops: array[int]) -> None:
        self.ops = ops  # the block's ops in textual order
        self._producers = array("i")
        self._users = array("i")
        self._kinds = bytearray()  # by edge, the number of its kind
        self._is_by_user = True

    def add(self, producer: int, user: int, kind: DependenceKind) -> None:
        """Add an edge between two places of the block."""
        if self._users and user < self._users[-1]:
            self._is_by_user = False
        self._producers.append(producer)
        self._users.append(user)
        self._kinds.append(_KINDS.index(kind))

    def add_values(self, producers: Iterable[int], users: Iterable[int]) -> None:
        """Add an edge for each use of a result. The columns are parallel and sorted by user."""
        self._producers.extend(packed("i", [*producers]))
        self._users.extend(packed("i", [*users]))
        self._kinds.extend(repeat(_KINDS.index(DependenceKind.VALUE), len(self._users) - len(self._kinds)))

    def edges(self) -> Iterator[tuple[int, int, DependenceKind]]:
        """Yield (producer, user, kind) by place in the block. A pair may occur with several kinds."""
        return zip(self._producers, self._users, map(_KINDS.__getitem__, self._kinds), strict=True)

    def kinds(
        self, wanted: Collection[tuple[int, int]] | None = None
    ) -> dict[tuple[int, int], DependenceKind]:
        """Return the first kind of each (producer, user) edge, of all edges or of the ``wanted`` ones."""
        rank = _KINDS.index
        kinds: dict[tuple[int, int], DependenceKind] = {}
        for producer, user, kind in self.edges():
            edge = producer, user
            if (wanted is None or edge in wanted) and (edge not in kinds or rank(kind) < rank(kinds[edge])):
                kinds[edge] = kind
        return kinds

    def by_kind(self, kind: DependenceKind) -> Iterator[tuple[int, int]]:
        """Yield the edges of one kind, as (producer, user) by place in the block."""
        number = _KINDS.index(kind)
        is_wanted = map(eq, self._kinds, repeat(number)) if number in self._kinds else ()
        return compress(zip(self._producers, self._users, strict=True), is_wanted)

    def violated_by(self, place: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield the edges that are violated if op k is at ``place[k]``."""
        return ((a, b) for a, b, _ in self.edges() if place[a] > place[b])

    def same_effect_order(self, placed: DependenceGraph, place: Sequence[int]) -> bool:
        """Whether effects keep the same ops in order as in ``placed``, the block with op k at ``place[k]``.

        A new last op may look like a terminator. The effects of terminators do not count.
        """
        kept = {(place[producer], place[user]) for producer, user in self.by_kind(DependenceKind.EFFECT)}
        seen = set(placed.by_kind(DependenceKind.EFFECT))
        return all(user == len(place) - 1 for _, user in kept ^ seen)

    @property
    def shape(self) -> Hashable:
        """A key that is equal for graphs with the same edges, found in the same sequence."""
        return self._producers.tobytes(), self._users.tobytes(), bytes(self._kinds)

    @cached_property
    def precedence(self) -> Precedence:
        """Return the edges in the form that ``order`` needs: forward, and sorted by user."""
        from eio_audit.order.precedence import Precedence, ordered_by_user

        edges = self._producers, self._users
        return Precedence(len(self.ops), *(edges if self._is_by_user else ordered_by_user(*edges)))

    @cached_property
    def values(self) -> Precedence:
        """Return the edges that values make, as ``precedence`` does."""
        from eio_audit.order.precedence import Precedence

        are_values = self._kinds.translate(_ARE_VALUES)
        if 0 not in are_values:
            return self.precedence
        edges = (compress(ends, are_values) for ends in (self._producers, self._users))
        return Precedence.from_edges(len(self.ops), *edges)

    def precedence_without(self, pairs: Collection[tuple[int, int]]) -> Precedence:
        """Return the edges as ``precedence`` does, but those between some (producer, user) pairs."""
        if not pairs:
            return self.precedence
        return self._precedence_of((a, b) for a, b, _ in self.edges() if (a, b) not in pairs)

    def _precedence_of(self, edges: Iterable[tuple[int, int]]) -> Precedence:
        from eio_audit.order.precedence import Precedence

        producers, users = array("i"), array("i")
        for producer, user in edges:
            producers.append(producer)
            users.append(user)
        return Precedence.from_edges(len(self.ops), producers, users)


class Dependences:
    """The dependence graphs of one dump, made on request."""

    def __init__(self, ir: IR, assume_pure: Sequence[str] = ()) -> None:
        self._ir = ir
        self.assume_pure = assume_pure  # shell patterns: ops whose full name matches have no effects
        self._graphs: dict[int, DependenceGraph] = {}
        self._by_value: dict[int, Precedence] = {}  # of blocks without a graph

    @cached_property
    def effects(self) -> EffectTable:
        """The effects of the dump's ops."""
        from eio_audit.mlir.semantics.effects import EffectTable

        return EffectTable(self._ir, self.assume_pure)

    def of(self, blocks: Collection[int]) -> dict[int, DependenceGraph]:
        """Return the graphs of several blocks, in one pass over the dump.

        Do not ask for blocks of graph regions: these have no order to keep.

        Complexity: linear in ops and operands, O(n log n) in what they touch.
        """
        new = {b: DependenceGraph(self._ir.block_ops[b]) for b in blocks if b not in self._graphs}
        if new:
            self._add_uses(new)
            self._add_effects(new)
        for graph in new.values():
            self._add_terminator(graph)
        self._graphs.update(new)
        return {block: self._graphs[block] for block in blocks}

    def by_value(self, block: int) -> Precedence:
        """Return only the dependences of a block that values make. It may be one of a graph region."""
        if block in self._graphs:
            return self._graphs[block].values
        if block not in self._by_value:
            graph = DependenceGraph(self._ir.block_ops[block])
            self._add_uses({block: graph})
            self._by_value[block] = graph.precedence
        return self._by_value[block]

    def by_effect(self, blocks: Collection[int]) -> dict[int, DependenceGraph]:
        """Return only the effect dependences of several blocks."""
        graphs = {block: DependenceGraph(self._ir.block_ops[block]) for block in blocks}
        self._add_effects(graphs)
        return graphs

    def _add_effects(self, graphs: dict[int, DependenceGraph]) -> None:
        from eio_audit.mlir.semantics.resources import conflicts

        place: dict[int, dict[int, int]] = {}
        table = self.effects
        found = conflicts(self._ir, table.touching_ops(), table.touches, table.fences, graphs)
        for block, earlier, later in found:
            graph = graphs[block]
            if block not in place:
                place[block] = {op: k for k, op in enumerate(graph.ops)}
            graph.add(place[block][earlier], place[block][later], DependenceKind.EFFECT)

    def _add_uses(self, graphs: dict[int, DependenceGraph]) -> None:
        """Add SSA def-use edges. Ops are numbered consecutively in a block without nested ops."""
        end, late = self._ir.subtree_end, self._ir.late_operands
        nested = {b: g for b, g in graphs.items() if late or end[g.ops[-1]] != g.ops[0] + len(g.ops)}
        if nested:
            self._add_nested_uses(nested)
        if len(nested) < len(graphs):
            owner_of = self._ir.value_owner.tolist()
            for block in graphs.keys() - nested.keys():
                self._add_flat_uses(graphs[block], owner_of)

    def _add_flat_uses(self, graph: DependenceGraph, owner_of: Sequence[int]) -> None:
        """Add the uses in a block without nested ops, by column. ``owner_of`` is ``IR.value_owner``."""
        ir, first, stop = self._ir, graph.ops[0], graph.ops[-1] + 1
        starts = ir.operand_start[first : stop + 1].tolist()
        size = stop - first
        producers = [owner_of[value] - first for value in ir.operands[starts[0] : starts[-1]]]
        counts = map(sub, islice(starts, 1, None), starts)
        users = chain.from_iterable(map(mul, zip(range(size)), counts))  # each op once per operand
        is_inside = [0 <= producer < size for producer in producers]
        graph.add_values(compress(producers, is_inside), compress(users, is_inside))

    def _add_nested_uses(self, graphs: dict[int, DependenceGraph]) -> None:
        """Add the uses in blocks and their nested ops, in one walk that tracks the enclosing ops."""
        ir, depth_of, block_of = self._ir, self._ir.block_depth, self._ir.op_block
        place = {op: k for graph in graphs.values() for k, op in enumerate(graph.ops)}
        producers = list(map(ir.value_owner.__getitem__, ir.operands))  # negative for block arguments
        starts, late = ir.operand_start, ir.late_operands
        path: list[int] = []
        for op in range(len(ir)):
            depth = depth_of[block_of[op]]
            del path[depth:]
            path.append(op)
            own = producers[starts[op] : starts[op + 1]]
            if op in late:
                own += map(ir.value_owner.__getitem__, late[op])
            for producer in own:
                if producer < 0 or (graph := graphs.get(block_of[producer])) is None:
                    continue
                user = path[depth_of[block_of[producer]]]
                if user != producer and block_of[user] == block_of[producer]:
                    kind = DependenceKind.VALUE if user == op else DependenceKind.CAPTURE
                    graph.add(place[producer], place[user], kind)

    def _add_terminator(self, graph: DependenceGraph) -> None:
        """Keep the terminator, which custom assembly often omits, after ops without other users."""
        ir, op = self._ir, graph.ops[-1]
        if ir.parent_op(ir.op_block[op]) < 0 or not ir.op_table.may_be_terminator(ir.name(op)):
            return
        last = len(graph.ops) - 1
        has_no_user = bytearray(b"\x01") * last
        for producer, _, _ in graph.edges():
            has_no_user[producer] = 0
        for k in compress(range(last), has_no_user):
            graph.add(k, last, DependenceKind.TERMINATOR)
