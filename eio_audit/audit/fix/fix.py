"""Write the corrected order, verified."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from eio_audit.audit.check.audited_dump import AuditedDump, SharedWork
from eio_audit.audit.check.check import audit_dump
from eio_audit.audit.check.figures import DumpAudit, Summary, summarize
from eio_audit.audit.fix.reading_again import VerificationError
from eio_audit.audit.fix.reordering import renumbered, reordered
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import Dump, each_dump
from eio_audit.mlir.source import Source, Span
from eio_audit.order.inversions import count_inversions


class Relabel(StrEnum):
    """How to write a location with another label."""

    NESTED = "nested"
    """The new name contains the old location, so the op's origin stays."""
    FLAT = "flat"
    """Only the new name, for tools that do not read nested names."""


@dataclass(frozen=True)
class Fix:
    """A corrected and verified text.

    Attributes:
        pieces: the corrected bytes in pieces. They are parts of the input if nothing is avoidable.
        dumps: the audits of the original dumps. Displaced ops are counted, not described.
        ordered: the audits that give the new order: ``dumps``, or audits with corrected labels.
        renumbered: whether values got other names.
        relabelled: ops that got the index of another op, because theirs contradicted the dependences.
    """

    pieces: tuple[bytes | memoryview, ...]
    dumps: tuple[DumpAudit, ...]
    ordered: tuple[DumpAudit, ...]
    renumbered: bool = False
    relabelled: int = 0

    @cached_property
    def text(self) -> bytes:
        """The corrected bytes. The input's own bytes if nothing moves."""
        return b"".join(self.pieces)

    @cached_property
    def before(self) -> Summary:
        """The figures of the original dumps."""
        return summarize(self.dumps)

    @cached_property
    def ordered_from(self) -> Summary:
        """The figures of the audits that give the new order. Its minimum is what remains."""
        return summarize(self.ordered)

    @cached_property
    def moved(self) -> int:
        """The fewest ops whose moves explain the new order, including frees that follow their last use."""
        return sum(block.moved for dump in self.ordered for block in dump.blocks)

    @property
    def moved_unindexed(self) -> int:
        """Those of these ops that do not count in inversions."""
        return sum(block.moved_unindexed for dump in self.ordered for block in dump.blocks)

    @property
    def changed(self) -> bool:
        """Whether ops moved or got other indices."""
        return self.moved > 0 or self.relabelled > 0


def fix(
    dumps: Iterable[Dump],
    options: AuditOptions = DEFAULT_OPTIONS,
    *,
    only_dumps: bool = False,
    renumber: bool = False,
    relabel: Relabel | str | None = None,
    measures_memory: bool = False,
    finds_wrong_labels: bool = True,
) -> Fix:
    """Restore the original order of dumps of one source, as far as dependences allow.

    Args:
        dumps: the dumps to fix, in order of appearance. At least one. Other dumps of the source do not
            change.
        options: as for ``check``.
        only_dumps: return only the dumps, without the text around them in the source.
        renumber: name values as MLIR's printer would in the new order, even if nothing moves.
        relabel: first correct the labels that contradict the dependences, a set of least weight. Then no
            inversion remains outside graph regions. A ``Relabel`` or its value.
        measures_memory: measure the memory of all blocks whose ops move, not only of blocks with frees.
        finds_wrong_labels: find the wrong labels, even if they are not corrected.

    Raises:
        InputError: a dump cannot be read.
        VerificationError: the corrected text is not the same program in a better order.
        ValueError: there is no dump, the dumps are of several sources, or ``relabel`` is used with
            ``order_from``.
    """
    form = None if relabel is None else Relabel(relabel)
    if form is not None and options.order_from is not None:
        raise ValueError("relabel cannot be used with order_from")
    source: Source | None = None
    work = SharedWork(described_ops=0, finds_wrong_labels=finds_wrong_labels or form is not None)
    fixes: list[Fix] = []
    pieces: list[bytes | memoryview] = []
    offset = 0
    for dump in each_dump(dumps):
        if source is not None and dump.source is not source:
            raise ValueError("expected dumps of one source")
        source = dump.source
        fixes.append(_fix_dump(dump, options, work, form, renumber=renumber, measures_memory=measures_memory))
        if only_dumps:
            pieces.append(fixes[-1].text.lstrip(b"\r\n"))
        else:
            pieces += [memoryview(source.data)[offset : dump.span.start], *fixes[-1].pieces]
        offset = dump.span.end
    if source is None:
        raise ValueError("expected at least one dump")
    if not only_dumps:
        pieces.append(memoryview(source.data)[offset:])
    return Fix(
        pieces=tuple(filter(None, pieces)),
        dumps=tuple(audit for one in fixes for audit in one.dumps),
        ordered=tuple(audit for one in fixes for audit in one.ordered),
        renumbered=any(one.renumbered for one in fixes),
        relabelled=sum(one.relabelled for one in fixes),
    )


def _fix_dump(
    dump: Dump,
    options: AuditOptions,
    work: SharedWork,
    form: Relabel | None,
    *,
    renumber: bool,
    measures_memory: bool,
) -> Fix:
    before = ordered = audit_dump(dump, options, work)
    relabelled = 0
    if form is not None:
        from eio_audit.audit.fix.relabel import donors_of_frees

        placed = _with_right_labels(before, before.donors, form, work)
        frees = donors_of_frees(placed, placed.orders, placed.indices.by_op)
        ordered = _with_right_labels(placed, frees, form, work)
        relabelled = len(before.donors) + len(frees)
    ir = ordered.ir
    if renumber:
        ir = renumbered(ir, ordered.orders)
    audit = ordered.audit
    if measured := [block for block in ordered.orders if measures_memory or ordered.keys.frees_in(block)]:
        from eio_audit.audit.check.live_bytes import with_memory

        audit = with_memory(ordered, measured)
    return Fix(
        pieces=(corrected(replace(ordered, ir=ir)) if ordered.orders else ir.dump_view,),
        dumps=(audit if ordered is before else before.audit,),
        ordered=(audit,),
        renumbered=ir is not ordered.ir,
        relabelled=relabelled,
    )


def _with_right_labels(
    dump: AuditedDump, donors: Mapping[int, int], form: Relabel, work: SharedWork
) -> AuditedDump:
    """Return the dump audited again with corrected labels, or the same object if no label is wrong.

    Raises:
        VerificationError: the relabelled text is not the same program, or a label still contradicts the
            dependences.
    """
    if not donors:
        return dump
    from eio_audit.audit.fix.relabel import relabelled

    text = relabelled(dump, donors, flat=form is Relabel.FLAT)
    source = Source(dump.dump.source.name, text)
    right = replace(dump.dump, source=source, span=Span(0, len(text)))
    audited = audit_dump(right, dump.options, work)
    if audited.audit.summary.forced:
        raise VerificationError("the new indices still contradict the dependences")
    return audited


def corrected(dump: AuditedDump) -> bytes:
    """Return the dump's text in the orders found for it. It is read again and verified.

    Raises:
        VerificationError: the text is not the same program (see ``verify``), or a block would have more
            inversions than before.
    """
    text = reordered(dump.ir, dump.orders, dump.dependences)
    audits = dict(zip(dump.blocks, dump.audit.blocks, strict=True))
    for block, order in dump.orders.items():
        keys = dump.ir.of_block(block, dump.keys.by_op)
        new_keys = [key for op in order if (key := keys[op]) is not None]
        if count_inversions(new_keys) > audits[block].inversions:
            raise VerificationError(f"more inversions than before in {dump.ir.block_name(block)}")
    return text
