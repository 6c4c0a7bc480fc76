"""What a check keeps of a dump: plain data without its IR, which another process can send."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from eio_audit.audit.check.audited_dump import AuditedDump
from eio_audit.audit.check.figures import DumpAudit
from eio_audit.audit.functions import only_function
from eio_audit.audit.gate.rules import ORDER_RULES, Rule
from eio_audit.audit.options import AuditOptions
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.markers import Marker

if TYPE_CHECKING:  # a check of dumps in order finds nothing
    from eio_audit.audit.gate.findings import Finding


@dataclass(frozen=True, slots=True)
class CheckedDump:
    """A dump's figures and findings.

    Attributes:
        audit: the figures.
        marker: the dump's marker.
        functions: the symbols of its functions; None among them for ops that are in no function.
        alone: the symbol of the function that is all there is in the dump; None for a program.
        findings: what the rules in force find.
    """

    audit: DumpAudit
    marker: Marker | None
    functions: frozenset[str | None]
    alone: str | None
    findings: tuple[Finding, ...]

    def of(self, dump: Dump, options: AuditOptions) -> CheckedDump:
        """The same for a dump of the same text, which may be in another file or elsewhere in the file."""
        lines = dump.first_line - self.audit.first_line
        marker = dump.marker
        audit = replace(
            self.audit,
            source=dump.source.name,
            line=dump.line,
            first_line=dump.first_line,
            pass_name=marker.pass_name if marker else None,
            when=marker.when if marker else None,
            program=dump.program,
            blocks=tuple(block.shifted(lines) for block in self.audit.blocks) if lines else self.audit.blocks,
            options=options,
        )
        findings = tuple(
            replace(finding.shifted(lines), source=audit.source, dump_line=audit.line, moment=audit.moment)
            for finding in self.findings
        )
        return CheckedDump(audit, marker, self.functions, self.alone, findings)


def checked(dump: AuditedDump, rules: Collection[Rule]) -> CheckedDump:
    """What some rules find in a dump, and its figures.

    Raises:
        InputError: a location is malformed.
    """
    return CheckedDump(
        audit=dump.audit,
        marker=dump.dump.marker,
        functions=frozenset(dump.functions),
        alone=only_function(dump.ir),
        findings=_findings(dump, rules),
    )


def _findings(dump: AuditedDump, rules: Collection[Rule]) -> tuple[Finding, ...]:
    if not rules or (set(rules) <= set(ORDER_RULES) and not dump.audit.summary.inversions):
        return ()
    from eio_audit.audit.gate.findings import find

    return tuple(find(dump, rules))
