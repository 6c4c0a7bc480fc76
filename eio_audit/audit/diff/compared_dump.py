"""One of two dumps that are compared."""

from __future__ import annotations

from dataclasses import dataclass

from eio_audit.audit.check.check import AuditedDump
from eio_audit.audit.diff.refinement import ComparedOps
from eio_audit.audit.op_label import OpLabel, label


@dataclass(frozen=True, slots=True)
class ComparedDump:
    """A dump with its audit and with its ops as they are compared."""

    audited: AuditedDump
    ops: ComparedOps

    def label(self, op: int) -> OpLabel:
        """The op as a person recognizes it."""
        return label(self.audited.ir, self.audited.indices, op)
