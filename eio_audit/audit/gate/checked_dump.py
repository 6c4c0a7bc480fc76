"""The result of a check of one dump: plain data without its IR, which another process can send."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from eio_audit.audit.check.figures import DumpAudit
from eio_audit.audit.check.keyed_dump import AuditedDump
from eio_audit.audit.functions import only_function
from eio_audit.audit.gate.rules import ORDER_RULES, Rule
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import Dump

if TYPE_CHECKING:  # a check of dumps in order does not import this
    from eio_audit.audit.gate.findings import Finding


class CheckedDump(NamedTuple):
    """A dump's figures and findings."""

    audit: DumpAudit  # the figures
    functions: frozenset[str | None]  # the symbols of its functions, and None if ops are outside functions
    only_function: str | None  # symbol of the function if the dump shows only that; None for a program
    findings: tuple[Finding, ...]  # the findings of the rules in force

    def without_options(self) -> CheckedDump:
        """The same without the options, which whoever asked for it has."""
        audit = replace(self.audit, options=DEFAULT_OPTIONS)
        return self._replace(audit=audit)

    def of(self, dump: Dump, options: AuditOptions) -> CheckedDump:
        """Return the same result for a dump with the same text, at another place or in another file."""
        lines = dump.first_line - self.audit.place.first_line
        audit = replace(
            self.audit,
            place=dump.place,
            blocks=tuple(block.shifted(lines) for block in self.audit.blocks) if lines else self.audit.blocks,
            undefined_names=tuple(one.shifted(lines) for one in self.audit.undefined_names),
            options=options,
            selected=dump.selected,
        )
        if audit.place == self.audit.place:
            return self._replace(audit=audit)
        findings = tuple(finding.at(audit.place, lines) for finding in self.findings)
        return self._replace(audit=audit, findings=findings)


def checked(dump: AuditedDump, rules: Collection[Rule]) -> CheckedDump:
    """Return the figures of a dump and the findings of some rules.

    Raises:
        InputError: a location is malformed.
    """
    return CheckedDump(
        audit=dump.audit,
        functions=frozenset(dump.functions),
        only_function=only_function(dump.ir),
        findings=_findings(dump, rules),
    )


def _findings(dump: AuditedDump, rules: Collection[Rule]) -> tuple[Finding, ...]:
    if not rules or (set(rules) <= set(ORDER_RULES) and not dump.audit.summary.inversions):
        return ()
    from eio_audit.audit.gate.findings import find

    return tuple(find(dump, rules))
