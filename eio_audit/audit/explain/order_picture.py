"""What is drawn of a block, as plain data: its dataflow DAG, and its order op by op; and of which blocks."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict
from enum import StrEnum
from functools import cached_property, partial
from itertools import repeat
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from eio_audit.audit.check.check import audit_dump
from eio_audit.audit.check.disorder import describe_displaced
from eio_audit.audit.check.figures import BlockAudit, DisplacedOp, DumpAudit, summarize_blocks
from eio_audit.audit.check.keyed_block import UNCOUNTED, FixedBlock
from eio_audit.audit.check.keyed_dump import AuditedDump
from eio_audit.audit.dependence import DependenceKind
from eio_audit.audit.explain.op_choice import choose_dump, find_ops
from eio_audit.audit.locations.original_index import OpLabel, labels
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.source import InputError, decoded
from eio_audit.order.permutation import displaced

if TYPE_CHECKING:
    import networkx as nx

NAMED_BLOCKS = 8  # the most blocks that an error names
DRAWN_RADIUS = 2  # of the dataflow drawn around an op
DRAWN_NEIGHBOURS = 30  # the most ops of it
DRAWN_MOVED = 10  # the most ops with dataflow drawn around them that a fix moves
DRAWN_UNMOVED = 5  # the most other displaced ops
ALL_TEXTS = 2_000  # the most ops of a picture with all texts; others have texts around displaced ops only
TEXTS_AROUND = 2  # the number of ops with a text on each side of such an op
SHOWN_TEXT = 240  # the most characters of a text
PICTURED_BLOCKS = 6  # the most blocks that a report draws
PICTURED_BLOCKS_OF_MODEL = 3  # the most blocks that the page of a model draws
_Edge = tuple[int, int, DependenceKind]
Audited = Callable[[], AuditedDump | None]  # returns a dump with its IR; None if it cannot be read any more


class DataflowOp(NamedTuple):
    """An op of a dataflow DAG."""

    place: int  # 0-based place among the ops of its block
    op: OpLabel
    inversions: int  # how many inversions of the block it is in
    displaced: bool  # whether it is in a smallest set of ops whose removal leaves the block in order
    derived: bool  # whether a pass made it from the op whose index it carries


class DataflowEdge(NamedTuple):
    """A direct dependence: ``user`` must stay after ``producer``; both are places in the block."""

    producer: int
    user: int
    kind: DependenceKind  # the kind of the dependence
    # Whether it runs against the original order: the producer has a larger index than the user, so it
    # forces an inversion. An unindexed end counts as the indexed ops that reach it through unindexed
    # ops only.
    inverting: bool


class Dataflow(NamedTuple):
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
    """The dataflow DAG of a block, and its parts; an InputError for a graph region, which has no order."""

    def __init__(self, block: FixedBlock) -> None:
        if block.graph is None:
            line = block.dump.line_of(block.number)
            raise _error(block.dump, f"the block at line {line} is in a graph region: its ops have no order")
        self._block = block
        self._graph = block.graph
        self._displaced = frozenset(block.displaced)

    def around(self, places: Sequence[int], radius: int, limit: int | None = None) -> Dataflow:
        """Return up to ``limit`` ops that are at most ``radius`` dependences away from the ops at ``places``.

        Complexity: linear in the dependences of the block at the first call, then in those that are followed.
        """
        found = dict.fromkeys(places)
        frontier = list(places)
        for _ in range(radius):
            reached = dict.fromkeys(near for place in frontier for near in self._neighbours.get(place, ()))
            frontier = [place for place in reached if place not in found]
            found |= dict.fromkeys(frontier)
        return self.part(sorted(list(found)[:limit]), tuple(sorted(places)))

    def part(self, places: Sequence[int], around: tuple[int, ...] = ()) -> Dataflow:
        """Return the ops at some places, and the dependences between them."""
        block, dump, shown = self._block, self._block.dump, frozenset(places)
        edges = dict.fromkeys(edge for k in places for edge in self._edges_from[k] if edge[1] in shown)
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

    @cached_property
    def _edges_from(self) -> Mapping[int, Sequence[_Edge]]:
        edges = defaultdict[int, list[_Edge]](list)
        for edge in self._graph.edges():
            edges[edge[0]].append(edge)
        return edges

    @cached_property
    def _neighbours(self) -> Mapping[int, Sequence[int]]:
        """Per place, the neighbours of the op; those with a dependence against the order are first.

        A terminator is not near all ops before it.
        """
        near = defaultdict[int, list[tuple[bool, int]]](list)
        for producer, user, kind in self._graph.edges():
            is_inverting = self._is_inverting(producer, user)
            if is_inverting or kind is not DependenceKind.TERMINATOR:
                near[producer].append((not is_inverting, user))
                near[user].append((not is_inverting, producer))
        return {place: [other for _, other in sorted(others)] for place, others in near.items()}


def _find_block(dump: AuditedDump, wanted: str | None) -> int:
    """Return the block that ``wanted`` names; without a name, the block with the most inversions."""
    ir = dump.ir
    blocks = [block for block, ops in enumerate(ir.block_ops) if ops and ir.has_order(block)]
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


class Disorder(StrEnum):
    """Why an op is out of order: the first reason that holds."""

    WRONG_INDEX = "wrong index"
    """Its index contradicts the dependences."""
    AVOIDABLE = "avoidable"
    """A fix moves it."""
    MADE = "made by a pass"
    """A pass made it from the op whose index it carries: it was never there."""
    BLOCKED = "blocked"
    """A dependence keeps it where it is."""
    STAYS = "stays"
    """No dependence keeps it where it is, but it is displaced in the best order found, too."""
    REVERSED = "reversed dependence"
    """It stands before an op that touches the same resource, and by its index belongs after it."""
    NOT_COMPARABLE = "not comparable"
    """The original order does not compare it with the ops that it is inverted with."""
    UNORDERED = "unordered"
    """It is in a graph region, which has no order."""


class OrderPicture(NamedTuple):
    """The order of one block, op by op. What is "by place" has an entry for each op, in textual order."""

    dump: DumpAudit  # the audit of the dump
    block: BlockAudit  # the audit of the block
    labels: Sequence[OpLabel]  # by place, the op
    # By place, the 0-based place among the ops that count in inversions, in the text and in the original
    # order, where ties are in textual order. UNCOUNTED for other ops.
    textual_ranks: Sequence[int]
    originals: Sequence[int]
    inversions: Sequence[int]  # by place, how many inversions the op is in
    inversions_fixed: Sequence[int]  # by place, how many it is in after a fix
    # By place, why an op is out of order, if its index is wrong, a fix moves it, or it is displaced even
    # after a fix.
    disorders: Mapping[int, Disorder]
    displaced: dict[int, DisplacedOp]  # per place, an op out of order; those in the most inversions first
    # The neighbourhoods of some ops that a fix moves, then of some other ops out of order; empty in a
    # graph region.
    dataflow: tuple[Dataflow, ...]
    texts: dict[int, str]  # per place, an op's own text, shortened


def picture_of(dump: AuditedDump, dump_audit: DumpAudit, number: int) -> OrderPicture:
    """Return the picture of the ``number``-th block of an audit."""
    block, audit = FixedBlock(dump, dump.blocks[number]), dump_audit.blocks[number]
    original = block.original_places
    textual_ranks = array("i", [UNCOUNTED]) * len(block.ops)
    for rank, place in enumerate(block.indexed):
        textual_ranks[place] = rank
    order = block.indexed_order
    moved = {order[k] for k in displaced(order)}
    remaining = {order[k] for k in displaced([block.key(place) for place in order])}
    compared = block.comparable.without_handles().indexed_order
    judged = {compared[k] for k in displaced([block.comparable.key(place) for place in compared])}
    names = labels(dump.ir, dump.indices, block.ops)
    displaced_ops = describe_displaced(block, sorted(moved | remaining), names.__getitem__)
    moved_first = sorted(displaced_ops, key=lambda place: place not in moved)
    drawn = [*moved_first[: min(len(moved), DRAWN_MOVED)], *moved_first[len(moved) :][:DRAWN_UNMOVED]]
    disorder = {place: _disorder(op, audit) for place, op in displaced_ops.items()}
    if block.has_order:
        disorder |= dict.fromkeys(remaining - judged, Disorder.NOT_COMPARABLE)
    disorder |= dict.fromkeys(moved, Disorder.AVOIDABLE)
    wrong = (place for place, op in enumerate(block.ops) if op in dump.donors)
    disorder |= dict.fromkeys(wrong, Disorder.WRONG_INDEX)
    reversals = dump.reversed_pairs.get(block.number, ())
    disorder |= {early: Disorder.REVERSED for early, _ in reversals if early in disorder}
    dataflow = BlockDataflow(block) if block.has_order else None
    places = range(len(block.ops))
    return OrderPicture(
        dump=dump_audit,
        block=audit,
        labels=names,
        textual_ranks=textual_ranks,
        originals=array("i", map(original.get, places, repeat(UNCOUNTED))),
        inversions=array("i", map(block.inversions_at.get, places, repeat(0))),
        inversions_fixed=array("i", map(block.inversions_at_fixed.get, places, repeat(0))),
        disorders=disorder,
        displaced=displaced_ops,
        dataflow=tuple(dataflow.around([k], DRAWN_RADIUS, DRAWN_NEIGHBOURS) for k in drawn if dataflow),
        texts=_texts(block, moved_first),
    )


def _disorder(op: DisplacedOp, block: BlockAudit) -> Disorder:
    if block.forced is None:
        return Disorder.UNORDERED
    if op.derived:
        return Disorder.MADE
    return Disorder.STAYS if op.blocker is None else Disorder.BLOCKED


def _texts(block: FixedBlock, worst: Sequence[int]) -> dict[int, str]:
    """Return the texts of all ops of a small block, or of the worst ops of a large one and around them."""
    last = len(block.ops) - 1
    places: Iterable[int] = range(last + 1)
    if last >= ALL_TEXTS:
        size = ALL_TEXTS // (2 * TEXTS_AROUND + 1)
        around = range(-TEXTS_AROUND, TEXTS_AROUND + 1)
        places = sorted({min(max(place + k, 0), last) for place in worst[:size] for k in around})
    texts = {}
    for place in places:
        start = block.dump.ir.own_text(block.ops[place])[: 4 * SHOWN_TEXT]
        shown = " ".join(decoded(start).split())
        texts[place] = shown if len(shown) <= SHOWN_TEXT else f"{shown[:SHOWN_TEXT]} ..."
    return texts


class WorstBlocks:
    """The blocks to draw, up to a limit. They are chosen while dumps are visited, and drawn afterwards.

    If several dumps show a block, told by its function and label, and by its file if the class tells files
    apart, the first of its worst states is drawn. Blocks without inversions are not drawn.
    """

    def __init__(self, limit: int = PICTURED_BLOCKS, *, tells_files_apart: bool = True) -> None:
        self._limit = limit
        self._tells_files_apart = tells_files_apart
        self._seen_blocks = 0
        self._chosen: dict[Hashable, _ChosenBlock] = {}
        self._kept: AuditedDump | None = None

    def visit(self, dump: AuditedDump) -> None:
        """Choose among the blocks of a dump, whose IR stays in memory while one of them is chosen."""
        self.choose(dump.audit, lambda: dump)

    def keep(self, dump: AuditedDump) -> None:
        """Keep a dump for ``visit_audit``, so that it need not be audited again."""
        self._kept = dump

    def visit_audit(self, dump: Dump, audit: DumpAudit) -> None:
        """Choose among the blocks of a dump. It is audited again to draw them, unless it was just kept."""
        kept, self._kept = self._kept, None
        is_kept = kept is not None and kept.dump is dump
        self.choose(audit, (lambda: kept) if is_kept else partial(audit_dump, dump, audit.options))

    def choose(self, audit: DumpAudit, audited: Audited) -> None:
        """Choose among the blocks of a dump. ``audited`` is called to draw them."""
        file = audit.source if self._tells_files_apart else None
        times: Counter[Hashable] = Counter()
        for place, block in enumerate(audit.blocks):
            label = file, block.function, block.block
            times[label] += 1
            self._seen_blocks += 1
            rank = block.avoidable, block.inversions, -self._seen_blocks
            if block.inversions and self._makes_room_for((label, times[label]), rank):
                self._chosen[label, times[label]] = _ChosenBlock(rank, audit, place, audited)

    def _makes_room_for(self, name: Hashable, rank: tuple[int, int, int]) -> bool:
        """Return whether to draw a block; drop the block that it replaces."""
        if name not in self._chosen and len(self._chosen) < self._limit:
            return True
        ranks = {other: one.rank for other, one in self._chosen.items()}
        rival = name if name in ranks else min(ranks, key=ranks.__getitem__)
        if ranks[rival] > rank:
            return False
        del self._chosen[rival]
        return True

    def pictures(self, *, worst_first: bool = False) -> list[OrderPicture]:
        """Return the pictures, in the order in which the blocks were visited, or the worst block first.

        A block is left out if its dump cannot be read any more or shows another state of it by now. Then the
        blocks are forgotten, so that their dumps need no more memory.
        """
        chosen = sorted(self._chosen.values(), key=lambda one: one.rank if worst_first else one.rank[2])
        self._chosen.clear()
        dumps: dict[int, AuditedDump | None] = {}
        pictures = []
        for one in reversed(chosen):
            if id(one.audit) not in dumps:
                dumps[id(one.audit)] = one.audited()
            dump, was = dumps[id(one.audit)], one.audit.blocks
            if dump is None or len(was) != len(now := dump.audit.blocks):
                continue
            old, new = was[one.place], now[one.place]
            if old.line == new.line and summarize_blocks([old]) == summarize_blocks([new]):
                pictures.append(picture_of(dump, one.audit, one.place))
        return pictures


class _ChosenBlock(NamedTuple):
    """The ``place``-th block of an audit. The last number of its ``rank`` is the earlier, the larger."""

    rank: tuple[int, int, int]
    audit: DumpAudit
    place: int
    audited: Audited


def pictures_of_model(
    audits: Iterable[DumpAudit],
    read_dumps: Callable[[str], Sequence[Dump]],
    limit: int = PICTURED_BLOCKS_OF_MODEL,
) -> list[OrderPicture]:
    """Draw the worst blocks of a model, the worst first. ``read_dumps`` reads a file once more."""
    worst = WorstBlocks(limit, tells_files_apart=False)
    for audit in audits:
        worst.choose(audit, partial(_audited_again, audit, read_dumps))
    return worst.pictures(worst_first=True)


def _audited_again(audit: DumpAudit, read_dumps: Callable[[str], Sequence[Dump]]) -> AuditedDump | None:
    try:
        dump = next((one for one in read_dumps(audit.source) if one.line == audit.line), None)
        return None if dump is None else audit_dump(dump, audit.options)
    except InputError:
        return None
