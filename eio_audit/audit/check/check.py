"""Audits the order of every block of a dump."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import compress
from operator import or_
from typing import TYPE_CHECKING

from eio_audit.audit.check.figures import BlockAudit, DumpAudit, Summary, summarize
from eio_audit.audit.check.order_keys import OrderKeys
from eio_audit.audit.dependence import Dependences
from eio_audit.audit.functions import functions_around
from eio_audit.audit.locations.original_index import OriginalIndices
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.source import InputError
from eio_audit.order.effort import Effort

if TYPE_CHECKING:
    from eio_audit.audit.check.disorder import ShapeDisorder
    from eio_audit.audit.check.keyed_block import KeyedBlock
    from eio_audit.mlir.rewriting.pieces import BlockOrder


@dataclass(frozen=True)
class Check:
    """The audits of all dumps that could be read, and the errors of the others."""

    dumps: tuple[DumpAudit, ...]
    errors: tuple[InputError, ...]

    @cached_property
    def summary(self) -> Summary:
        """All figures added up."""
        return summarize(self.dumps)


@dataclass(slots=True)
class SharedWork:
    """What the audits of all dumps of one source share.

    Attributes:
        effort: what may be done to find orders.
        known: what is known of small blocks, by shape: layers repeat, and so do the dumps of a log.
    """

    effort: Effort = field(default_factory=Effort)
    known: dict[Hashable, ShapeDisorder] = field(default_factory=dict)


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
        donors: by op whose label is wrong, the op whose label it should carry: a set of least weight that
            contradicts the dependences.
    """

    dump: Dump
    options: AuditOptions
    ir: IR
    keys: OrderKeys
    dependences: Dependences
    audit: DumpAudit
    blocks: tuple[int, ...]
    functions: list[str | None]
    orders: dict[int, BlockOrder]
    moved: int
    donors: Mapping[int, int]

    @property
    def indices(self) -> OriginalIndices:
        """The indices that the ops' locations carry."""
        return self.keys.indices

    def keyed_block(self, block: int) -> KeyedBlock:
        """A block with its keys, and with its dependences unless it is in a graph region."""
        from eio_audit.audit.check.keyed_block import KeyedBlock  # noqa: PLC0415  (not for clean dumps)

        is_graph = self.ir.region_is_graph[self.ir.block_region[block]]
        graph = None if is_graph else self.dependences.of([block])[block]
        return KeyedBlock(self.ir, self.keys, block, graph)


def check(
    dumps: Iterable[Dump],
    options: AuditOptions = DEFAULT_OPTIONS,
    visit: Callable[[AuditedDump], None] | None = None,
    *,
    measures_memory: bool = False,
) -> Check:
    """Audits every dump; one that cannot be read does not hide the others.

    Args:
        dumps: what to audit.
        options: what counts.
        visit: called with each audited dump while its structure is still there.
        measures_memory: say of each block what its values hold (``BlockAudit.memory``).
    """
    audits, errors = [], []
    work, source = SharedWork(), None
    for dump in dumps:
        if dump.source is not source:
            work, source = SharedWork(), dump.source
        try:
            audited = audit_dump(dump, options, work=work)
            if measures_memory:
                audited = measured(audited)
            if visit is not None:
                visit(audited)
            audits.append(audited.audit)
        except InputError as error:
            errors.append(error)
    return Check(tuple(audits), tuple(errors))


def measured(dump: AuditedDump) -> AuditedDump:
    """The same with what the values of each block hold (``BlockAudit.memory``)."""
    from eio_audit.audit.check.live_bytes import with_memory  # noqa: PLC0415  (which imports this module)

    return replace(dump, audit=with_memory(dump))


def audit_dump(
    dump: Dump,
    options: AuditOptions = DEFAULT_OPTIONS,
    *,
    describes_worst: bool = True,
    keeps_names: bool = False,
    work: SharedWork | None = None,
) -> AuditedDump:
    """Reads one dump and audits its order.

    Args:
        dump: which.
        options: the choices that change the figures.
        describes_worst: whether the displaced ops are described that carry most inversions.
        keeps_names: as for ``read_ir``: the dump may be read again in another order.
        work: what the audits of all dumps of its source share; they describe the worst ops, or none does.

    Raises:
        InputError: the dump cannot be read.
    """
    ir = read_ir(dump.source, dump.span, options.op_table, keeps_names=keeps_names)
    keys = OrderKeys(ir, options)
    dependences = Dependences(ir, options.assume_pure)
    has_order = [b for b in keys.disordered_blocks if not ir.region_is_graph[ir.block_region[b]]]
    graphs = dependences.of(has_order)
    functions = functions_around(ir)
    blocks = list(compress(range(ir.block_count), map(or_, keys.keyed_by_block, keys.followed_by_block)))
    audits = dict(zip(blocks, _audits_in_order(ir, keys, blocks, functions), strict=True))
    orders: dict[int, BlockOrder] = {}
    donors: dict[int, int] = {}
    moved = 0
    if keys.disordered_blocks:
        from eio_audit.audit.check.disorder import DisorderAudits  # noqa: PLC0415  (not for clean dumps)
        from eio_audit.audit.check.keyed_block import KeyedBlock  # noqa: PLC0415

        disorder_audits = DisorderAudits(
            ir,
            work or SharedWork(),
            describes_worst=describes_worst,
            finds_wrong_labels=options.order_from is None,  # the order of another dump has no labels here
        )
        for block in keys.disordered_blocks:
            keyed = KeyedBlock(ir, keys, block, graphs.get(block))
            disorder = disorder_audits.audit(audits[block], keyed)
            audits[block] = disorder.audit
            if disorder.order is not None:
                orders[block] = disorder.order
            moved += disorder.audit.moved
            donors |= disorder.donors
    if keys.has_frees:
        from eio_audit.audit.check.free_places import frees_put_back  # noqa: PLC0415  (most dumps have none)
        from eio_audit.mlir.rewriting.pieces import BlockOrder  # noqa: PLC0415

        for block, (order, count) in frees_put_back(ir, keys, dependences, blocks).items():
            audits[block] = replace(audits[block], moved=count)
            orders[block] = BlockOrder(order)
            moved += count
        orders = dict(sorted(orders.items()))
    figures = DumpAudit(
        source=dump.source.name,
        line=dump.line,
        pass_name=dump.marker.pass_name if dump.marker else None,
        when=dump.marker.when if dump.marker else None,
        blocks=tuple(audits.values()),
        unknown_ops=dependences.effects.unknown_ops if graphs else Counter(),
        assumed_pure=dependences.effects.assumed_pure if graphs else Counter(),
        unmatched=_without_op(options.assume_pure, ir),
        options=options,
    )
    return AuditedDump(
        dump, options, ir, keys, dependences, figures, tuple(blocks), functions, orders, moved, donors
    )


def _audits_in_order(
    ir: IR, keys: OrderKeys, blocks: Sequence[int], functions: Sequence[str | None]
) -> list[BlockAudit]:
    """What is to be said of blocks that does not depend on the order of their ops."""
    is_graph = map(ir.region_is_graph.__getitem__, map(ir.block_region.__getitem__, blocks))
    audits = map(
        BlockAudit,
        map(functions.__getitem__, blocks),
        map(ir.block_name, blocks),
        ir.source.lines_at(list(map(ir.block_offset, blocks))),
        map(len, map(ir.block_ops.__getitem__, blocks)),
        map(keys.keyed_by_block.__getitem__, blocks),
        map(keys.derived_by_block.__getitem__, blocks),
        map(keys.constants_by_block.__getitem__, blocks),
        map(keys.followed_by_block.__getitem__, blocks),
        [None if graph else 0 for graph in is_graph],
    )
    return _with_frees(audits, keys, blocks) if keys.has_frees else list(audits)


def _with_frees(audits: Iterable[BlockAudit], keys: OrderKeys, blocks: Iterable[int]) -> list[BlockAudit]:
    """The audits with how many ops only free."""
    frees, following = keys.frees_by_block, keys.followed_frees_by_block
    return [
        replace(audit, frees=frees[block], followed_frees=following[block])
        if frees[block] or following[block]
        else audit
        for block, audit in zip(blocks, audits, strict=True)
    ]


def _without_op(patterns: Sequence[str], ir: IR) -> tuple[str, ...]:
    """The shell patterns that match the full name of no op of the dump."""
    return tuple(pattern for pattern in patterns if not any(fnmatchcase(n, pattern) for n in ir.names))
