"""What happened between two dumps of a program."""

from __future__ import annotations

from dataclasses import dataclass

from eio_audit.audit.check.check import audit_dump, measured
from eio_audit.audit.check.figures import DumpAudit
from eio_audit.audit.check.module_runs import Fragmentation, fragmentation
from eio_audit.audit.codegen.codegen import Structure, structure_change
from eio_audit.audit.diff.compared_dump import ComparedDump
from eio_audit.audit.diff.inverse_ops import InverseOps, LayoutChanges
from eio_audit.audit.diff.matching import match_ops
from eio_audit.audit.diff.op_changes import DumpComparison, OpChanges
from eio_audit.audit.diff.refinement import ComparedOps
from eio_audit.audit.fix.relabel import right_labels
from eio_audit.audit.locations.location_health import HealthChange, health_change
from eio_audit.audit.locations.location_numbers import Interned
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import Dump


@dataclass(frozen=True, slots=True)
class Diff:
    """Two audits and what differs between the dumps.

    Attributes:
        before: the audit of the dump before.
        after: the audit of the dump after.
        ops: every op, by what became of it.
        inverse_ops: what became of permutes, transposes and reshapes.
        fragmentation: how torn the model's modules are.
        structure: the functions that code generation makes.
        locations: what is wrong with the locations.
    """

    before: DumpAudit
    after: DumpAudit
    ops: OpChanges
    inverse_ops: InverseOps
    fragmentation: Fragmentation
    structure: Structure
    locations: HealthChange


def diff(
    before: Dump, after: Dump, options: AuditOptions = DEFAULT_OPTIONS, *, measures_memory: bool = False
) -> Diff:
    """Compares two dumps of one program.

    Args:
        before: the earlier one.
        after: the later one.
        options: as for ``check``.
        measures_memory: say of each block what its values hold (``BlockAudit.memory``).

    Raises:
        InputError: one of them cannot be read.
    """
    interned = Interned()
    old, new = (_side(dump, options, interned, measures_memory) for dump in (before, after))
    comparison = DumpComparison(old, new, match_ops(old.ops, new.ops))
    layouts = LayoutChanges(comparison)
    right = right_labels(new.audited)
    return Diff(
        before=old.audited.audit,
        after=new.audited.audit,
        ops=comparison.changes(layouts.came_from),
        inverse_ops=layouts.inverse_ops(),
        fragmentation=fragmentation(old.audited, new.audited, right),
        structure=structure_change(old.audited, new.audited, right),
        locations=health_change(old.audited, new.audited, comparison.was),
    )


def _side(dump: Dump, options: AuditOptions, interned: Interned, measures_memory: bool) -> ComparedDump:
    audited = audit_dump(dump, options)
    if measures_memory:
        audited = measured(audited)
    return ComparedDump(audited, ComparedOps(audited.ir, audited.indices, interned))
