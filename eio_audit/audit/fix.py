"""Writes the corrected order, verified."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain

from eio_audit.audit.check import AuditedDump, audit_dump
from eio_audit.audit.figures import DumpAudit, Summary, summarize
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.audit.reordering import reordered
from eio_audit.audit.verification import VerificationError
from eio_audit.mlir.dumps import Dump
from eio_audit.mlir.pieces import BlockOrder
from eio_audit.mlir.source import Source
from eio_audit.order.effort import Effort
from eio_audit.order.inversions import count_inversions


@dataclass(frozen=True)
class Fix:
    """A corrected text, verified.

    Attributes:
        pieces: the corrected bytes in pieces, which are parts of the input where nothing is avoidable.
        dumps: the audits of the dumps as they were; the displaced ops are counted, not described.
        moved: ops that stand elsewhere now, the fewest that explain the new order, among them frees that are
            to follow their last use.
        renumbered: values have other names now.
    """

    pieces: tuple[bytes | memoryview, ...]
    dumps: tuple[DumpAudit, ...]
    moved: int
    renumbered: bool = False

    @cached_property
    def text(self) -> bytes:
        """The corrected bytes; the input's own where nothing moves."""
        return b"".join(self.pieces)

    @cached_property
    def before(self) -> Summary:
        """The figures of the dumps as they were."""
        return summarize(self.dumps)

    @property
    def changed(self) -> bool:
        """Whether any op moves: an inversion was avoidable, or a free did not follow its last use."""
        return self.moved > 0


def fix(
    dumps: Iterable[Dump],
    options: AuditOptions = DEFAULT_OPTIONS,
    *,
    only_dumps: bool = False,
    renumber: bool = False,
    measures_memory: bool = False,
) -> Fix:
    """Restores the original order of dumps of one source as far as dependences allow.

    Args:
        dumps: those of the source to fix, at least one, in order of appearance; the others stay as they are.
        options: as for ``check``.
        only_dumps: return the dumps alone, without what stands around them in the source.
        renumber: name values as MLIR's printer would in the new order, also where nothing moves.
        measures_memory: say what the values of every block hold whose ops move; without it, of those that
            have frees.

    Raises:
        InputError: a dump cannot be read.
        VerificationError: the corrected text is not the same program in a better order.
        ValueError: there is no dump, or the dumps are of several sources.
    """
    source: Source | None = None
    effort = Effort()
    audits, offset, moved, has_new_names = [], 0, 0, False
    pieces: list[bytes | memoryview] = []
    for dump in dumps:
        if source is not None and dump.source is not source:
            raise ValueError("expected dumps of one source")
        source = dump.source
        audited = audit_dump(dump, options, describes_worst=False, keeps_names=True, effort=effort)
        named = audited
        if renumber:
            from eio_audit.audit.renumbering import renumbered  # noqa: PLC0415  (rarely needed)

            named = renumbered(audited)
        has_new_names |= named is not audited
        text = corrected(named) if audited.orders else named.ir.dump_view
        if only_dumps:
            pieces.append(bytes(text).lstrip(b"\r\n"))
        else:
            pieces += [memoryview(source.data)[offset : dump.span.start], text]
        offset = dump.span.end
        moved += audited.moved
        audits.append(_with_memory(audited, measures_all=measures_memory))
    if source is None:
        raise ValueError("expected at least one dump")
    if not only_dumps:
        pieces.append(memoryview(source.data)[offset:])
    return Fix(tuple(filter(None, pieces)), tuple(audits), moved, has_new_names)


def _with_memory(dump: AuditedDump, *, measures_all: bool) -> DumpAudit:
    """The audit, with what the blocks hold whose ops move; unless all are wanted, of those with frees."""
    blocks = [block for block in dump.orders if measures_all or dump.keys.frees_in(block)]
    if not blocks:
        return dump.audit
    from eio_audit.audit.live_bytes import with_memory  # noqa: PLC0415  (not for clean dumps)

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
