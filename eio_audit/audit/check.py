"""Audits the order of every block of a dump."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from eio_audit.audit.dependence import DependenceGraph, DependenceKind, Dependences
from eio_audit.audit.functions import functions_around
from eio_audit.audit.holds import find_holds
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.audit.order_keys import OrderKeys
from eio_audit.audit.original_index import OriginalIndices
from eio_audit.mlir.dumps import Dump
from eio_audit.mlir.effects import patterns_without_op
from eio_audit.mlir.ir import IR
from eio_audit.mlir.reader import read_ir
from eio_audit.mlir.source import InputError
from eio_audit.order.displaced import displaced_in
from eio_audit.order.inversions import count_descents, inversions_carried
from eio_audit.order.profile import order_profile
from eio_audit.order.runs import split_into_runs

if TYPE_CHECKING:
    from eio_audit.order.linear_extension import Restoration

NAMED_OPS = 10
"""How many displaced ops of a block an audit describes, worst first."""

PROFILE_PARTS = 40
"""In how many parts an audit profiles the order of a block."""


@dataclass(frozen=True, slots=True)
class OpLabel:
    """An op as a person recognizes it.

    Attributes:
        name: ``ttir.permute``.
        result: the first result's name, ``%12``; None for an op without results.
        index: its original position; None when unindexed.
        line: where it stands in the file, 1-based.
        module: the innermost module its location names (``BatchNorm2d[net.norm0]``), or None.
    """

    name: str
    result: str | None
    index: int | None
    line: int
    module: str | None


@dataclass(frozen=True, slots=True)
class Hold:
    """The dependence that keeps a displaced op where it stands."""

    op: OpLabel
    kind: DependenceKind


@dataclass(frozen=True, slots=True)
class DisplacedOp:
    """A member of a smallest set of ops whose removal leaves the block in order.

    Attributes:
        op: which.
        inversions: how many inversions it is an end of.
        early: it stands before ops of smaller index; otherwise it stands behind ops of larger index.
        derived: a pass made it from the op whose index it carries.
        hold: the direct user that needs it early, or the direct producer that keeps it late; None
            where nothing does, so that a fix can move it.
    """

    op: OpLabel
    inversions: int
    early: bool
    derived: bool
    hold: Hold | None


@dataclass(frozen=True, slots=True)
class BlockAudit:
    """The order of one block.

    Attributes:
        function: symbol of the function around it, or None.
        block: its label, ``^bb0`` for an entry block printed without one.
        line: 1-based line of the label, or of the first op.
        ops: ops that stand in it, the terminator included, nested ones not.
        indexed: how many of them carry an op index.
        inversions: pairs of indexed ops, the earlier with the larger index.
        descents: inversions between neighbours among the indexed ops.
        forced: inversions where one op depends on the other; None for a graph region, which has no order.
        minimum: inversions of the best order found; the true minimum where ``certified``.
        lower_bound: no legal order has fewer.
        displaced: size of a smallest set of ops whose removal leaves the block in order.
        derived: indexed ops that a pass made from another op and that carry its index.
        inherited: inversions with a derived op at an end.
        worst: the displaced ops that carry most inversions, worst first, at most NAMED_OPS.
        constants: indexed ops without operands that the op table calls pure or constant.
        at_constants: inversions with a constant at an end.
        followed: ops that carry an index and are not among ``indexed``, because they follow their consumer.
        moved: ops that a fix moves.
        moved_lower_bound: no order with the minimum of inversions moves fewer.
        profile: from the first op to the last, in PROFILE_PARTS parts: where in the original order (0 its
            start, 1 its end) the op of the part belongs that is farthest off; empty without inversions.
    """

    function: str | None
    block: str
    line: int
    ops: int
    indexed: int
    inversions: int
    descents: int
    forced: int | None
    minimum: int
    lower_bound: int
    displaced: int
    derived: int
    inherited: int
    worst: tuple[DisplacedOp, ...] = ()
    constants: int = 0
    at_constants: int = 0
    followed: int = 0
    moved: int = 0
    moved_lower_bound: int = 0
    profile: tuple[float, ...] = ()

    @property
    def certified(self) -> bool:
        """Whether the minimum is proven."""
        return self.minimum == self.lower_bound

    @property
    def moved_certified(self) -> bool:
        """Whether it is also proven that no order with as few inversions moves fewer ops."""
        return self.certified and self.moved == self.moved_lower_bound

    @property
    def avoidable(self) -> int:
        """Inversions that a fix removes."""
        return self.inversions - self.minimum

    @property
    def knock_on(self) -> int:
        """Inversions of the best order found that no single dependence forces."""
        return self.minimum - self.forced if self.forced is not None else 0


@dataclass(frozen=True, slots=True)
class Summary:
    """Figures added up over blocks; graph regions count with ``forced`` 0."""

    dumps: int
    blocks: int
    ops: int
    indexed: int
    inversions: int
    forced: int
    minimum: int
    lower_bound: int
    avoidable: int
    knock_on: int
    displaced: int
    derived: int
    inherited: int
    constants: int
    at_constants: int
    followed: int
    certified: bool

    @property
    def has_indices(self) -> bool:
        """Whether any op carries an index, be it one that follows its consumer."""
        return self.indexed + self.followed > 0


@dataclass(frozen=True, slots=True)
class DumpAudit:
    """The order of one dump.

    Attributes:
        source: file name, ``<stdin>`` for standard input.
        line: 1-based line of the dump's marker, or of its first line.
        pass_name: from the marker; None without one.
        when: ``"before"`` or ``"after"`` that pass; None without a marker.
        blocks: the blocks that hold an op with an index, in textual order.
        unknown_ops: how many ops there are, by name, that may do anything to memory because the op table
            does not say; counted only where a block has inversions.
        assumed_pure: how many ops are taken to have no effects that otherwise would have some, by the pattern
            that says so; counted only where a block has inversions.
        unmatched: the patterns of ops to be taken as pure that match no op of the dump.
    """

    source: str
    line: int
    pass_name: str | None
    when: str | None
    blocks: tuple[BlockAudit, ...]
    unknown_ops: Counter[str]
    assumed_pure: Counter[str] = field(default_factory=Counter)
    unmatched: tuple[str, ...] = ()

    @property
    def summary(self) -> Summary:
        """The dump's figures added up."""
        return summarize([self])


def summarize(dumps: Sequence[DumpAudit]) -> Summary:
    """Adds up the figures of several dumps."""
    return summarize_blocks([block for dump in dumps for block in dump.blocks], len(dumps))


def summarize_blocks(blocks: Sequence[BlockAudit], dumps: int = 1) -> Summary:
    """Adds up the figures of the blocks of so many dumps."""
    return Summary(
        dumps=dumps,
        blocks=len(blocks),
        ops=sum(b.ops for b in blocks),
        indexed=sum(b.indexed for b in blocks),
        inversions=sum(b.inversions for b in blocks),
        forced=sum(b.forced or 0 for b in blocks),
        minimum=sum(b.minimum for b in blocks),
        lower_bound=sum(b.lower_bound for b in blocks),
        avoidable=sum(b.avoidable for b in blocks),
        knock_on=sum(b.knock_on for b in blocks),
        displaced=sum(b.displaced for b in blocks),
        derived=sum(b.derived for b in blocks),
        inherited=sum(b.inherited for b in blocks),
        constants=sum(b.constants for b in blocks),
        at_constants=sum(b.at_constants for b in blocks),
        followed=sum(b.followed for b in blocks),
        certified=all(b.certified for b in blocks),
    )


def unmatched_patterns(dumps: Sequence[DumpAudit]) -> list[str]:
    """The patterns of ops to be taken as pure that match no op of any dump."""
    first = dumps[0].unmatched if dumps else ()
    return [pattern for pattern in first if all(pattern in dump.unmatched for dump in dumps)]


@dataclass(frozen=True)
class Check:
    """The audits of all dumps that could be read, and the errors of the others."""

    dumps: tuple[DumpAudit, ...]
    errors: tuple[InputError, ...]

    @cached_property
    def summary(self) -> Summary:
        """All figures added up."""
        return summarize(self.dumps)


@dataclass(frozen=True, slots=True)
class AuditedDump:
    """An audit with what it was made from: the dump's structure and the orders found for its blocks.

    Attributes:
        keys: what its ops are ordered by.
        dependences: of its blocks, for those that are asked for.
        blocks: the blocks of ``audit.blocks``.
        functions: by block, the symbol of the function around it, or None.
        orders: by block that can be improved; ``order[k]`` is the textual index of the op placed k-th.
        moved: how many ops stand elsewhere in these orders, the fewest that explain them.
    """

    dump: Dump
    options: AuditOptions
    ir: IR
    keys: OrderKeys
    dependences: Dependences
    audit: DumpAudit
    blocks: tuple[int, ...]
    functions: list[str | None]
    orders: dict[int, list[int]]
    moved: int

    @property
    def indices(self) -> OriginalIndices:
        """The indices that the ops' locations carry."""
        return self.keys.indices

    def keyed_block(self, block: int) -> KeyedBlock:
        """A block with its keys, and with its dependences unless it is in a graph region."""
        ops = self.ir.block_ops[block]
        is_graph = self.ir.region_is_graph[self.ir.block_region[block]]
        graph = None if is_graph else self.dependences.of([block])[block]
        return KeyedBlock(self.ir, self.keys, block, self.keys.of(ops), self.keys.count_followed(ops), graph)


def check(
    dumps: Iterable[Dump],
    options: AuditOptions = DEFAULT_OPTIONS,
    look_into: Callable[[AuditedDump], None] | None = None,
) -> Check:
    """Audits every dump; one that cannot be read does not hide the others.

    Args:
        dumps: what to audit.
        options: what counts.
        look_into: called with each audited dump while its structure is still there.
    """
    audits, errors = [], []
    for dump in dumps:
        try:
            audited = audit_dump(dump, options)
            if look_into is not None:
                look_into(audited)
            audits.append(audited.audit)
        except InputError as error:
            errors.append(error)
    return Check(tuple(audits), tuple(errors))


def audit_dump(
    dump: Dump, options: AuditOptions = DEFAULT_OPTIONS, *, describes_worst: bool = True
) -> AuditedDump:
    """Reads one dump and audits its order.

    Args:
        dump: which.
        options: the choices that change the figures.
        describes_worst: whether the displaced ops are described that carry most inversions.

    Raises:
        InputError: the dump cannot be read.
    """
    ir = read_ir(dump.source, dump.span, options.op_table)
    keys = OrderKeys(ir, options)
    blocks = list(_blocks_with_indices(ir, keys))
    inverted = [block.block for block in blocks if _has_inversion(block.keys)]
    dependences = Dependences(ir, options.assume_pure)
    graphs = dependences.of([b for b in inverted if not ir.region_is_graph[ir.block_region[b]]])
    restored: dict[int, Restoration] = {}
    functions = functions_around(ir)
    audit = DumpAudit(
        source=dump.source.name,
        line=dump.line,
        pass_name=dump.marker.pass_name if dump.marker else None,
        when=dump.marker.when if dump.marker else None,
        blocks=tuple(
            _audit_block(
                replace(block, graph=graphs[block.block]) if block.block in graphs else block,
                functions[block.block],
                restored,
                describes_worst=describes_worst,
            )
            for block in blocks
        ),
        unknown_ops=dependences.effects.unknown_ops if graphs else Counter(),
        assumed_pure=dependences.effects.assumed_pure if graphs else Counter(),
        unmatched=patterns_without_op(ir, options.assume_pure),
    )
    orders = {block: restoration.order for block, restoration in restored.items()}
    moved = sum(restoration.moved for restoration in restored.values())
    numbers = tuple(block.block for block in blocks)
    return AuditedDump(dump, options, ir, keys, dependences, audit, numbers, functions, orders, moved)


def _blocks_with_indices(ir: IR, keys: OrderKeys) -> Iterator[KeyedBlock]:
    """The blocks that hold an op with an index, be it one that follows its consumer."""
    for block in range(ir.block_count):
        ops = ir.block_ops[block]
        block_keys = keys.of(ops)
        followed = keys.count_followed(ops)
        if followed or any(key is not None for key in block_keys):
            yield KeyedBlock(ir, keys, block, block_keys, followed)


def _has_inversion(keys: Sequence[int | None]) -> bool:
    highest = -1
    for key in keys:
        if key is not None:
            if key < highest:
                return True
            highest = key
    return False


@dataclass(frozen=True, slots=True)
class KeyedBlock:
    """A block with its keys, and its dependences where they are of interest and it is in no graph region.

    Attributes:
        keys: by place in the block, None for an op without a say in inversions.
        followed: how many ops carry an index that does not count.
    """

    ir: IR
    order_keys: OrderKeys
    block: int
    keys: list[int | None]
    followed: int
    graph: DependenceGraph | None = None

    @property
    def indices(self) -> OriginalIndices:
        """The indices that the ops' locations carry."""
        return self.order_keys.indices

    @property
    def ops(self) -> array[int]:
        """Its ops in textual order."""
        return self.ir.block_ops[self.block]

    @property
    def original_places(self) -> dict[int, int]:
        """By place of an op with a say, in textual order: its 0-based place among those in original order."""
        places = [place for place, key in enumerate(self.keys) if key is not None]
        ranked = sorted(places, key=self.key)
        rank_of = {place: rank for rank, place in enumerate(ranked)}
        return {place: rank_of[place] for place in places}

    def key(self, place: int) -> int:
        """The key of an op with a say."""
        key = self.keys[place]
        assert key is not None
        return key

    def label(self, place: int) -> OpLabel:
        """The op at a place."""
        return label(self.ir, self.indices, self.ops[place])


def _audit_block(
    block: KeyedBlock, function: str | None, restored: dict[int, Restoration], *, describes_worst: bool
) -> BlockAudit:
    """Audits one block; an order better than the textual one goes into ``restored``."""
    ir, ops = block.ir, block.ops
    places = [k for k, key in enumerate(block.keys) if key is not None]
    with_index = [ops[k] for k in places]
    derived = block.indices.derived(with_index)
    constants = block.order_keys.constants(with_index)
    in_order = BlockAudit(
        function=function,
        block=ir.block_name(block.block),
        line=ir.source.line_at(ir.block_offset(block.block)),
        ops=len(ops),
        indexed=len(places),
        inversions=0,
        descents=0,
        forced=None if ir.region_is_graph[ir.block_region[block.block]] else 0,
        minimum=0,
        lower_bound=0,
        displaced=0,
        derived=sum(derived),
        inherited=0,
        constants=sum(constants),
        followed=block.followed,
    )
    keys = [block.keys[k] or 0 for k in places]
    if not _has_inversion(keys):
        return in_order
    runs = split_into_runs(keys)
    inversions, out_of_place = runs.inversions, displaced_in(runs)
    described = [places[p] for p in out_of_place] if describes_worst else []
    disordered = replace(
        in_order,
        inversions=inversions,
        descents=count_descents(keys),
        minimum=inversions,
        lower_bound=inversions,
        displaced=len(out_of_place),
        inherited=runs.inversions_with(derived),
        worst=tuple(describe_displaced(block, described, NAMED_OPS).values()),
        at_constants=runs.inversions_with(constants),
        profile=order_profile(keys, PROFILE_PARTS) if describes_worst else (),
    )
    if block.graph is None:
        return disordered
    from eio_audit.order.linear_extension import restore_order  # noqa: PLC0415  (not for clean dumps)

    restoration = restore_order(block.keys, block.graph.precedence, inversions)
    if restoration.inversions < inversions:
        restored[block.block] = restoration
    return replace(
        disordered,
        forced=restoration.forced,
        minimum=restoration.inversions,
        lower_bound=restoration.lower_bound,
        moved=restoration.moved,
        moved_lower_bound=restoration.moved_lower_bound,
    )


def describe_displaced(
    block: KeyedBlock, places: Sequence[int], limit: int | None = None
) -> dict[int, DisplacedOp]:
    """Describes displaced ops, by their place in the block, those that carry most inversions first.

    Args:
        block: where they stand.
        places: of the displaced ops, among all ops of the block.
        limit: how many to describe; None for all.

    Complexity: near linear in the ops and dependences of the block.
    """
    if not places:
        return {}
    standing = block.original_places
    carried = dict(zip(standing, inversions_carried([block.key(k) for k in standing]), strict=True))
    chosen = sorted(places, key=lambda k: (-carried[k], k))[:limit]
    textual = {k: rank for rank, k in enumerate(standing)}
    early = {k: standing[k] >= textual[k] for k in chosen}
    holds = find_holds(block.keys, block.graph, early) if block.graph is not None else {}
    return {
        k: DisplacedOp(
            op=block.label(k),
            inversions=carried[k],
            early=early[k],
            derived=block.indices.is_derived(block.ops[k]),
            hold=Hold(block.label(holds[k][0]), holds[k][1]) if k in holds else None,
        )
        for k in chosen
    }


def label(ir: IR, indices: OriginalIndices, op: int) -> OpLabel:
    """The op as a person recognizes it."""
    results = ir.results(op)
    origin = indices.origin(op)
    return OpLabel(
        name=ir.name(op),
        result=results[0] if results else None,
        index=indices.index(op),
        line=ir.source.line_at(ir.op_start[op]),
        module=origin.modules[-1] if origin and origin.modules else None,
    )
