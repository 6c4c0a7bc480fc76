"""Compare two dumps of a program: their ops, their order, and the runs of the model's modules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from eio_audit.audit.check.check import audit_dump
from eio_audit.audit.check.figures import DumpAudit
from eio_audit.audit.check.keyed_dump import AuditedDump, read_dump
from eio_audit.audit.check.location_health import HealthChange, health_change
from eio_audit.audit.diff.compared_dump import compared
from eio_audit.audit.diff.dump_comparison import DumpComparison
from eio_audit.audit.diff.inverse_ops import InverseOps, LayoutChanges
from eio_audit.audit.diff.module_runs import Fragmentation, fragmentation
from eio_audit.audit.diff.op_changes import OpChange, OpChanges
from eio_audit.audit.diff.sameness import SamenessVerdict, sameness
from eio_audit.audit.fix.relabel import right_labels
from eio_audit.audit.locations.location_numbers import Interned
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import Dump


@dataclass(frozen=True, slots=True)
class Diff:
    """Two audits and the differences between the dumps.

    Attributes:
        before: the audit of the earlier dump.
        after: the audit of the later dump.
        ops: every op, by what became of it.
        inverse_ops: what became of permutes, transposes and reshapes.
        fragmentation: how many runs the model's modules have.
        locations: what is wrong with the locations.
        sameness: in what sense the dumps are the same.
        comparison: the dumps, and the matching of their ops.
        pairs: yields every op of both dumps, including unchanged ones, in the order of the later dump.
    """

    before: DumpAudit
    after: DumpAudit
    ops: OpChanges
    inverse_ops: InverseOps
    fragmentation: Fragmentation
    locations: HealthChange
    sameness: SamenessVerdict
    comparison: DumpComparison = field(compare=False, repr=False)
    pairs: Callable[[], Iterator[OpChange]] = field(compare=False, repr=False)


def diff(
    before: Dump,
    after: Dump,
    options: AuditOptions = DEFAULT_OPTIONS,
    visit: Callable[[AuditedDump], None] | None = None,
) -> Diff:
    """Compare two dumps of one program.

    Args:
        before: the earlier dump.
        after: the later dump.
        options: as for ``check``.
        visit: called with the audited later dump while its IR is in memory.

    Raises:
        InputError: a dump cannot be read.
    """
    interned = Interned()
    old, new = (audit_dump(dump, options) for dump in (before, after))
    runs = fragmentation(old, new, right_labels(new))
    comparison = DumpComparison(compared(old, interned), compared(new, interned))
    layouts = LayoutChanges(comparison)
    if visit is not None:
        visit(new)
    return Diff(
        before=old.audit,
        after=new.audit,
        ops=comparison.changes(layouts.came_from),
        inverse_ops=layouts.inverse_ops(),
        fragmentation=runs,
        locations=health_change(old, new, comparison.was, comparison.location_numbers),
        sameness=sameness(comparison.before, comparison.after, comparison.became),
        comparison=comparison,
        pairs=partial(comparison.pairs, layouts.came_from),
    )


def same_program(before: Dump, after: Dump, options: AuditOptions = DEFAULT_OPTIONS) -> SamenessVerdict:
    """Return in what sense two dumps are the same, as ``diff`` finds it with more work.

    Raises:
        InputError: a dump cannot be read.
    """
    interned = Interned()
    old, new = (compared(read_dump(dump, options), interned) for dump in (before, after))
    comparison = DumpComparison(old, new)
    return sameness(comparison.before, comparison.after, comparison.became)
