"""Writes the corrected order, verified."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import accumulate, chain

from eio_audit.audit.check.check import AuditedDump, SharedWork, audit_dump
from eio_audit.audit.check.figures import DumpAudit, Summary, summarize
from eio_audit.audit.fix.free_labels import donors_of_frees
from eio_audit.audit.fix.reordering import reordered
from eio_audit.audit.fix.verification import VerificationError
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.rewriting.pieces import BlockOrder
from eio_audit.mlir.source import Source, Span
from eio_audit.order.inversions import count_inversions


class Relabel(StrEnum):
    """How a location with another label is written."""

    NESTED = "nested"
    """The new name holds the old location, which tells where the op comes from."""
    FLAT = "flat"
    """The new name alone, for tools that read no names in names."""


@dataclass(frozen=True)
class Fix:
    """A corrected text, verified.

    Attributes:
        pieces: the corrected bytes in pieces, which are parts of the input where nothing is avoidable.
        dumps: the audits of the dumps as they were; the displaced ops are counted, not described.
        ordered: the audits that the new order comes from: those of ``dumps``, or with labels put right.
        moved: ops that stand elsewhere now, the fewest that explain the new order, among them frees that are
            to follow their last use.
        renumbered: values have other names now.
        relabelled: ops that carry the index of another op now, because theirs contradicted the dependences.
    """

    pieces: tuple[bytes | memoryview, ...]
    dumps: tuple[DumpAudit, ...]
    ordered: tuple[DumpAudit, ...]
    moved: int
    renumbered: bool = False
    relabelled: int = 0

    @cached_property
    def text(self) -> bytes:
        """The corrected bytes; the input's own where nothing moves."""
        return b"".join(self.pieces)

    @cached_property
    def before(self) -> Summary:
        """The figures of the dumps as they were."""
        return summarize(self.dumps)

    @cached_property
    def ordered_from(self) -> Summary:
        """The figures of the audits that the new order comes from; its minimum is what is left."""
        return summarize(self.ordered)

    @property
    def changed(self) -> bool:
        """Whether ops have moved or carry other indices."""
        return self.moved > 0 or self.relabelled > 0


def fix(
    dumps: Iterable[Dump],
    options: AuditOptions = DEFAULT_OPTIONS,
    *,
    only_dumps: bool = False,
    renumber: bool = False,
    relabel: Relabel | str | None = None,
    measures_memory: bool = False,
) -> Fix:
    """Restores the original order of dumps of one source as far as dependences allow.

    Args:
        dumps: those of the source to fix, at least one, in order of appearance; the others stay as they are.
        options: as for ``check``.
        only_dumps: return the dumps alone, without what stands around them in the source.
        renumber: name values as MLIR's printer would in the new order, also where nothing moves.
        relabel: put the labels right first that contradict the dependences, a set of least weight; then no
            inversion is left outside of graph regions. A ``Relabel`` or its value.
        measures_memory: say what the values of every block hold whose ops move; without it, of those that
            have frees.

    Raises:
        InputError: a dump cannot be read.
        VerificationError: the corrected text is not the same program in a better order.
        ValueError: there is no dump, the dumps are of several sources, or labels are to be put right that
            come from another dump (``order_from``).
    """
    form = None if relabel is None else Relabel(relabel)
    if form is not None and options.order_from is not None:
        raise ValueError("labels of another dump cannot be put right here")
    source: Source | None = None
    work = SharedWork()
    fixed: list[_FixedDump] = []
    offset = 0
    pieces: list[bytes | memoryview] = []
    for dump in dumps:
        if source is not None and dump.source is not source:
            raise ValueError("expected dumps of one source")
        source = dump.source
        fixed.append(
            _fixed(dump, options, work, relabel=form, renumber=renumber, measures_memory=measures_memory)
        )
        text = fixed[-1].text
        if only_dumps:
            pieces.append(bytes(text).lstrip(b"\r\n"))
        else:
            pieces += [memoryview(source.data)[offset : dump.span.start], text]
        offset = dump.span.end
    if source is None:
        raise ValueError("expected at least one dump")
    if not only_dumps:
        pieces.append(memoryview(source.data)[offset:])
    return Fix(
        pieces=tuple(filter(None, pieces)),
        dumps=tuple(dump.before for dump in fixed),
        ordered=tuple(dump.ordered for dump in fixed),
        moved=sum(dump.moved for dump in fixed),
        renumbered=any(dump.renumbered for dump in fixed),
        relabelled=sum(dump.relabelled for dump in fixed),
    )


@dataclass(frozen=True, slots=True)
class _FixedDump:
    """One dump's corrected text; what the rest is says ``Fix``."""

    text: bytes | memoryview
    before: DumpAudit
    ordered: DumpAudit
    moved: int
    renumbered: bool
    relabelled: int


def _fixed(
    dump: Dump,
    options: AuditOptions,
    work: SharedWork,
    *,
    relabel: Relabel | None,
    renumber: bool,
    measures_memory: bool,
) -> _FixedDump:
    before = audit_dump(dump, options, describes_worst=False, keeps_names=True, work=work)
    ordered = before
    relabelled = 0
    if relabel is not None:
        for donors_of in (_donors, _donors_of_frees):  # frees have their places when the others have theirs
            if donors := donors_of(ordered):
                ordered = _with_right_labels(replace(ordered, donors=donors), relabel, work)
                relabelled += len(donors)
    named = ordered
    if renumber:
        from eio_audit.audit.fix.renumbering import renumbered  # noqa: PLC0415  (rarely needed)

        named = renumbered(ordered)
    audit = _with_memory(ordered, measures_all=measures_memory)
    return _FixedDump(
        text=corrected(named) if named.orders else named.ir.dump_view,
        before=audit if ordered is before else before.audit,
        ordered=audit,
        moved=ordered.moved,
        renumbered=named is not ordered,
        relabelled=relabelled,
    )


def _donors(dump: AuditedDump) -> Mapping[int, int]:
    return dump.donors


def _donors_of_frees(dump: AuditedDump) -> Mapping[int, int]:
    return donors_of_frees(dump, dump.orders, dump.indices.by_op)


def _with_right_labels(dump: AuditedDump, form: Relabel, work: SharedWork) -> AuditedDump:
    """The dump audited again with its wrong labels put right.

    Raises:
        VerificationError: the text with the right labels is not the same program, or a label in it still
            contradicts the dependences.
    """
    from eio_audit.audit.fix.relabel import relabelled  # noqa: PLC0415  (rarely needed)

    text = relabelled(dump, flat=form is Relabel.FLAT)
    source = Source(dump.dump.source.name, text)
    right = replace(dump.dump, source=source, span=Span(0, len(text)))
    audited = audit_dump(right, dump.options, describes_worst=False, keeps_names=True, work=work)
    if audited.audit.summary.forced:
        raise VerificationError("the new labels contradict the dependences, too")
    return audited


def _with_memory(dump: AuditedDump, *, measures_all: bool) -> DumpAudit:
    """The audit, with what the blocks hold whose ops move; unless all are wanted, of those with frees."""
    blocks = [block for block in dump.orders if measures_all or dump.keys.frees_in(block)]
    if not blocks:
        return dump.audit
    from eio_audit.audit.check.live_bytes import with_memory  # noqa: PLC0415  (not for clean dumps)

    return with_memory(dump, blocks)


def corrected(dump: AuditedDump) -> bytes:
    """The dump's text in the orders found for it, verified by reading it again.

    Raises:
        VerificationError: the text is not the same program (see ``verify``), or a block would have more
            inversions than it had.
    """
    text = reordered(dump)
    for block, order in dump.orders.items():
        if _has_more_inversions(dump.ir.of_block(block, dump.keys.by_op), order):
            raise VerificationError(f"more inversions than before in {dump.ir.block_name(block)}")
    return text


def _has_more_inversions(keys: Sequence[int | None], order: BlockOrder) -> bool:
    """Whether a block has more inversions in an order than it had; ``keys`` are those of its ops.

    Ops change places within the moved stretches alone, so inversions across their bounds stay. Those that
    were there are counted only until they are as many as there are now.
    """
    stretches = order.moved_stretches
    after = sum(_inversions(keys, chain.from_iterable(stretch.pieces)) for stretch in stretches)
    before = accumulate(_inversions(keys, stretch.places) for stretch in stretches)
    return after > 0 and all(inversions < after for inversions in before)


def _inversions(keys: Sequence[int | None], ops: Iterable[int]) -> int:
    return count_inversions([key for op in ops if (key := keys[op]) is not None])
