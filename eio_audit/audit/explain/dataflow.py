"""The dataflow DAG of a block, or the neighbourhood of an op in it, as plain data for pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

from eio_audit.audit.check.check import audit_dump
from eio_audit.audit.check.figures import DumpAudit
from eio_audit.audit.check.keyed_block import FixedBlock
from eio_audit.audit.check.keyed_dump import AuditedDump
from eio_audit.audit.dependence import DependenceKind
from eio_audit.audit.explain.op_choice import choose_dump, find_ops
from eio_audit.audit.op_label import OpLabel
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.source import InputError

if TYPE_CHECKING:
    import networkx as nx

NAMED_BLOCKS = 8  # the most blocks that an error names


@dataclass(frozen=True, slots=True)
class DataflowOp:
    """An op of a dataflow DAG."""

    place: int  # 0-based place among the ops of its block
    op: OpLabel
    inversions: int  # how many inversions of the block it is in
    displaced: bool  # whether it is in a smallest set of ops whose removal leaves the block in order
    derived: bool  # whether a pass made it from the op whose index it carries


@dataclass(frozen=True, slots=True)
class DataflowEdge:
    """A direct dependence: ``user`` must stay after ``producer``; both are places in the block."""

    producer: int
    user: int
    kind: DependenceKind  # the kind of the dependence
    # Whether it runs against the original order: the producer has a larger index than the user, so it
    # forces an inversion. An unindexed end counts as the indexed ops that reach it through unindexed
    # ops only.
    inverting: bool


@dataclass(frozen=True, slots=True)
class Dataflow:
    """The dataflow DAG of a block, or a part of it."""

    dump: DumpAudit  # the audit of the dump
    function: str | None  # symbol of the function around the block, or None
    block: str  # label of the block
    block_line: int  # 1-based line of the label
    block_ops: int  # number of ops of the block; for a part, more than `ops` has
    around: tuple[int, ...]  # for a neighbourhood, the places of its centre; empty for a whole block
    ops: tuple[DataflowOp, ...]  # by rising place
    edges: tuple[DataflowEdge, ...]  # all direct dependences between them


def dataflow(
    dumps: Sequence[Dump], block: str | None = None, options: AuditOptions = DEFAULT_OPTIONS
) -> Dataflow:
    """Return the dataflow DAG of a whole block.

    Args:
        dumps: the dumps of one source, at least one; a line chooses among them.
        block: the block's line in reports (of its label, or of its first op), or its function (``@main``).
            By default, the block with the most inversions; of equals, the one with the most ops.
        options: as for ``check``.

    Raises:
        InputError: the dump cannot be read, no block or several match, or the block has no order.
    """
    dump = audit_dump(choose_dump(dumps, block or ""), options)
    fixed = FixedBlock(dump, _find_block(dump, block))
    return BlockDataflow(fixed).part(range(len(fixed.ops)))


def neighbourhood(
    dumps: Sequence[Dump], around: str, radius: int, options: AuditOptions = DEFAULT_OPTIONS
) -> Dataflow:
    """Return the ops that are at most ``radius`` dependences away from an op, in either direction.

    Args:
        dumps: the dumps of one source, at least one; a line chooses among them.
        around: ``%name``, ``#index``, a line of the source, or a full name that only one op has. All ops with
            the index are at the centre.
        radius: the most dependences between an op and the centre. Dependences of kind ``terminator`` count
            only if they run against the order, because they connect all ops.
        options: as for ``check``.

    Raises:
        InputError: the dump cannot be read, ``around`` names no op or ops of several blocks, or the block has
            no order.
    """
    dump = audit_dump(choose_dump(dumps, around), options)
    ops = find_ops(dump, around)
    blocks = {dump.ir.op_block[op] for op in ops}
    if len(blocks) > 1:
        lines = ", ".join(str(dump.ir.source.line_at(dump.ir.op_start[op])) for op in ops[:NAMED_BLOCKS])
        raise _error(dump, f"{len(ops)} ops in {len(blocks)} blocks match: name one by its line: {lines}")
    block = FixedBlock(dump, blocks.pop())
    return BlockDataflow(block).around([block.ops.index(op) for op in ops], radius)


def dataflow_graph(dataflow: Dataflow) -> nx.MultiDiGraph[int]:
    """Return the dataflow DAG as a networkx graph.

    Nodes are places in the block, in textual order. Their attributes are ``op`` (its name), ``result``,
    ``index``, ``line``, ``module``, ``inversions``, ``displaced`` and ``derived``; None if the op has none.
    Edges run from producer to user. Their key and attribute ``kind`` is a ``DependenceKind``. Their attribute
    ``inverting`` is true if they run against the original order. The graph's attributes identify the block.
    """
    import networkx as nx

    dump = dataflow.dump
    graph: nx.MultiDiGraph[int] = nx.MultiDiGraph()
    graph.graph |= {
        "source": dump.source,
        "line": dump.line,
        "pass": dump.pass_name,
        "when": dump.when,
        "function": dataflow.function,
        "block": dataflow.block,
        "block_line": dataflow.block_line,
        "block_ops": dataflow.block_ops,
    }
    for op in dataflow.ops:
        label = asdict(op.op)
        figures = {"inversions": op.inversions, "displaced": op.displaced, "derived": op.derived}
        graph.add_node(op.place, op=label.pop("name"), **label, **figures)
    for edge in dataflow.edges:
        kind = edge.kind.value
        graph.add_edge(edge.producer, edge.user, key=kind, kind=kind, inverting=edge.inverting)
    return graph


class BlockDataflow:
    """The dataflow DAG of a block, and its parts.

    Raises:
        InputError: the block is in a graph region, which has no order.
    """

    def __init__(self, block: FixedBlock) -> None:
        if block.graph is None:
            line = block.dump.line_of(block.number)
            raise _error(block.dump, f"the block at line {line} is in a graph region: its ops have no order")
        self._block = block
        self._graph = block.graph
        self._displaced = frozenset(block.displaced)
        self._known_neighbours: dict[int, list[int]] = {}

    def around(self, places: Sequence[int], radius: int, limit: int | None = None) -> Dataflow:
        """Return up to ``limit`` ops that are at most ``radius`` dependences away from the ops at ``places``.

        Complexity: linear in the dependences of the block at the first call, then in those that are followed.
        """
        found = dict.fromkeys(places)
        frontier = list(places)
        for _ in range(radius):
            reached = dict.fromkeys(near for place in frontier for near in self._neighbours(place))
            frontier = [place for place in reached if place not in found]
            found |= dict.fromkeys(frontier)
        return self.part(sorted(list(found)[:limit]), tuple(sorted(places)))

    def part(self, places: Sequence[int], around: tuple[int, ...] = ()) -> Dataflow:
        """Return the ops at some places, and the dependences between them."""
        block, dump, shown = self._block, self._block.dump, frozenset(places)
        found = ((k, user, kind) for k in places for user, kind in self._graph.users_of(k) if user in shown)
        edges = dict.fromkeys(found)
        return Dataflow(
            dump=dump.audit,
            function=dump.functions[block.number],
            block=dump.ir.block_name(block.number),
            block_line=dump.line_of(block.number),
            block_ops=len(block.ops),
            around=around,
            ops=tuple(
                DataflowOp(
                    place=place,
                    op=block.label(place),
                    inversions=block.inversions_at.get(place, 0),
                    displaced=place in self._displaced,
                    derived=bool(dump.indices.derived_by_op[block.ops[place]]),
                )
                for place in places
            ),
            edges=tuple(DataflowEdge(*edge, self._is_inverting(*edge[:2])) for edge in edges),
        )

    @cached_property
    def _extremes(self) -> tuple[list[float], list[float]]:
        """Per place, the largest key of the op and what is above it, and the smallest of it and below it."""
        keys, precedence = self._block.keys, self._graph.precedence
        # An op with a key counts with that key only. Keys pass through ops without a key.
        above = [-inf if key is None else key for key in keys]
        below = [inf if key is None else key for key in keys]
        for producer, user in precedence.forwards():
            if keys[user] is None:
                above[user] = max(above[user], above[producer])
        for producer, user in precedence.backwards():
            if keys[producer] is None:
                below[producer] = min(below[producer], below[user])
        return above, below

    def _is_inverting(self, producer: int, user: int) -> bool:
        above, below = self._extremes
        return above[producer] > below[user]

    def _leads_on(self, producer: int, user: int, kind: DependenceKind) -> bool:
        """Whether a dependence makes two ops neighbours. A terminator is not near all ops before it."""
        return kind is not DependenceKind.TERMINATOR or self._is_inverting(producer, user)

    def _neighbours(self, place: int) -> list[int]:
        """Return the neighbours of an op; those with a dependence against the order are first."""
        if place not in self._known_neighbours:
            users = [user for user, kind in self._graph.users_of(place) if self._leads_on(place, user, kind)]
            near = [(not self._is_inverting(place, user), user) for user in users]
            near += [
                (not self._is_inverting(producer, place), producer)
                for producer, kind in self._graph.producers_of(place)
                if self._leads_on(producer, place, kind)
            ]
            self._known_neighbours[place] = [other for _, other in sorted(near)]
        return self._known_neighbours[place]


def _find_block(dump: AuditedDump, wanted: str | None) -> int:
    """Return the block that ``wanted`` names; without a name, the block with the most inversions."""
    ir = dump.ir
    blocks = [block for block, ops in enumerate(ir.block_ops) if ops and dump.has_order(block)]
    if not blocks:
        raise _error(dump, "no block has an order: all of them are empty or in graph regions")
    if wanted is None:
        inversions = dict(zip(dump.blocks, (audit.inversions for audit in dump.audit.blocks), strict=True))
        return max(blocks, key=lambda block: (inversions.get(block, 0), len(ir.block_ops[block]), -block))
    named = [block for block in blocks if wanted in (str(dump.line_of(block)), dump.functions[block])]
    if len(named) == 1:
        return named[0]
    candidates = ", ".join(_described(dump, block) for block in (named or blocks)[:NAMED_BLOCKS])
    how_many = f"{len(named)} blocks are" if named else "no block with an order is"
    raise _error(dump, f"{how_many} called '{wanted}': name one by its line: {candidates}")


def _described(dump: AuditedDump, block: int) -> str:
    ops = dump.ir.block_ops[block]
    where = " ".join(filter(None, (dump.functions[block], dump.ir.block_name(block))))
    return f"{dump.line_of(block)} ({where}, {len(ops):,} ops)"


def _error(dump: AuditedDump, message: str) -> InputError:
    return InputError(dump.ir.source.name, None, message)
