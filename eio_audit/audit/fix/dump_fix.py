"""Fix one dump: its corrected text, verified, and its figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from eio_audit.audit.check.check import audit_dump
from eio_audit.audit.check.figures import DumpAudit
from eio_audit.audit.check.keyed_dump import AuditedDump, SharedWork
from eio_audit.audit.fix.reading_again import VerificationError
from eio_audit.audit.fix.reordering import renumbered, reordered
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions, Relabel
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.source import InputError, Source, Span
from eio_audit.order.inversions import count_inversions

if TYPE_CHECKING:
    from eio_audit.audit.fix.compiler import Compiler


class FixedDump(NamedTuple):
    """A corrected and verified dump: plain data that another process can send.

    Attributes:
        text: the corrected bytes. None if nothing changes.
        audit: the audit of the original dump.
        ordered: the audit that gives the new order: ``audit``, or an audit with corrected labels.
        renumbered: whether values got other names.
        relabelled: ops that got the index of another op.
    """

    text: bytes | None
    audit: DumpAudit
    ordered: DumpAudit
    renumbered: bool
    relabelled: int

    def with_options(self, options: AuditOptions) -> FixedDump:
        """The same with other options in its audits."""
        audit = replace(self.audit, options=options)
        is_same = self.ordered is self.audit
        return self._replace(
            audit=audit, ordered=audit if is_same else replace(self.ordered, options=options)
        )


@dataclass(frozen=True)
class DumpFix:
    """How to fix each dump. The attributes are the arguments of ``fix``.

    Raises:
        ValueError: ``relabel`` is used with ``order_from``, or is none of ``Relabel``.
    """

    options: AuditOptions = DEFAULT_OPTIONS
    renumber: bool = False
    relabel: Relabel | str | None = None
    measures_memory: bool = False
    finds_wrong_labels: bool = True
    verify_with: Compiler | None = None

    def __post_init__(self) -> None:
        if self.relabel is not None:
            object.__setattr__(self, "relabel", Relabel(self.relabel))
            if self.options.order_from is not None:
                raise ValueError("relabel cannot be used with order_from")

    def of(self, dump: Dump) -> FixedDump:
        """One dump, fixed.

        Raises:
            InputError: the dump cannot be read, or ``verify_with`` cannot be run.
            VerificationError: the corrected text is not the same program in a better order, or
                ``verify_with`` does not accept it.
        """
        before = ordered = audit_dump(dump, self.options, self._work)
        relabelled = 0
        if self.relabel is not None:
            from eio_audit.audit.fix.relabel import donors_of_frees

            form = Relabel(self.relabel)
            placed = _with_right_labels(before, before.donors, form, self._work)
            frees = donors_of_frees(placed, placed.orders, placed.indices.by_op)
            ordered = _with_right_labels(placed, frees, form, self._work)
            relabelled = len(before.donors) + len(frees)
        ir = ordered.ir
        if self.renumber:
            ir = renumbered(ir, ordered.orders)
        audit = ordered.audit
        if measured := [
            block for block in ordered.orders if self.measures_memory or ordered.keys.frees_in(block)
        ]:
            from eio_audit.audit.check.live_bytes import with_memory

            audit = with_memory(ordered, measured)
        text = None
        if ordered.orders:
            text = corrected(replace(ordered, ir=ir))
        elif ir is not before.ir:
            text = ir.dump_text
        if text is not None and self.verify_with is not None:
            self.verify_with.must_accept(before.ir, ordered.orders, text)
        return FixedDump(
            text=text,
            audit=audit if ordered is before else before.audit,
            ordered=audit,
            renumbered=ir is not ordered.ir,
            relabelled=relabelled,
        )

    def __call__(self, dump: Dump) -> FixedDump | InputError | VerificationError:
        """A dump fixed, or why it is not, without the options, which need not be sent back."""
        try:
            return self.of(dump).with_options(DEFAULT_OPTIONS)
        except (InputError, VerificationError) as error:
            return error

    @cached_property
    def _work(self) -> SharedWork:
        finds_wrong_labels = self.finds_wrong_labels or self.relabel is not None
        return SharedWork(0, finds_wrong_labels=finds_wrong_labels, finds_hoisted=self.finds_wrong_labels)


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
