"""The findings of a log, each once: the dump and the pass that introduced it, and the dump that ended it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from eio_audit.audit.check.audited_dump import AuditedDump
from eio_audit.audit.gate.checked_dump import CheckedDump, checked
from eio_audit.audit.gate.rules import Rule

if TYPE_CHECKING:  # a check of one dump in order does not import these
    from eio_audit.audit.gate.findings import Finding
    from eio_audit.audit.log.lifetimes import Lifetime
    from eio_audit.audit.log.open_passes import OpenPasses, PassRun


class _Program:
    """One program of a file or log.

    Attributes:
        dumps: number of its dumps.
        findings: all findings so far, in order.
        there: the findings that the program has now.
        shown: the functions that dumps have shown.
        has_module: whether one of these dumps was of a module.
        unseen: the functions that a dump of a module has omitted since they were shown.
    """

    def __init__(self) -> None:
        self.dumps = 0
        self.findings: list[Lifetime[str | None]] = []
        self.there: list[Lifetime[str | None]] = []
        self.shown: set[str | None] = set()
        self.has_module = False
        self.unseen: set[str | None] = set()

    @cached_property
    def passes(self) -> OpenPasses[PassRun]:
        """The passes at work on it."""
        from eio_audit.audit.log.open_passes import OpenPasses

        return OpenPasses()

    def origin(self, function: str | None, ended: str | None) -> str | None:
        """Return the pass that introduced a finding in a function; ``ended`` is the pass before the dump."""
        if not (function in self.shown or self.has_module):
            return None  # the first dump of the function
        at_work = self.passes.innermost(function)
        return ended or (at_work.pass_name if at_work else None)

    def follow(
        self,
        found: Sequence[Finding],
        shown: Collection[str | None],
        may_be: Collection[str | None],
        ended: str | None,
        moment: str,
    ) -> None:
        """Take the findings of a dump, which may be earlier findings of the functions in ``may_be``."""
        from eio_audit.audit.log.lifetimes import Lifetime, follow

        changes = follow((one for one in self.there if one.last.function in may_be), found)
        for one, finding in changes.same:
            one.last = finding
        for one in changes.gone:
            if one.last.function in shown:
                one.until = moment
        for finding in changes.come:
            self.findings.append(Lifetime(finding, finding, self.origin(finding.function, ended)))
            self.there.append(self.findings[-1])
        self.there = [one for one in self.there if not one.until]

    def is_left(self, finding: Lifetime[str | None]) -> bool | None:
        """Return whether the program has a finding at the end; None if no later dump shows it."""
        if finding.until:
            return False
        return None if self.dumps == 1 or finding.last.function in self.unseen else True


class LogFindings:
    """The findings of some rules in dumps. A finding in consecutive dumps of a program is one finding.

    Args:
        rules: the rules to apply.
    """

    def __init__(self, rules: Collection[Rule]) -> None:
        self._rules = rules
        self._programs: dict[tuple[str, str], _Program] = defaultdict(_Program)

    @property
    def findings(self) -> list[Finding]:
        """The findings so far, each from the first dump that has it."""
        return [
            one.first._replace(pass_name=one.origin, until=one.until or None, left=program.is_left(one))
            for program in self._programs.values()
            for one in program.findings
        ]

    def add(self, dump: AuditedDump) -> None:
        """Add the findings of the next dump.

        Raises:
            InputError: a location is malformed.
        """
        self.take(checked(dump, self._rules))

    def take(self, dump: CheckedDump) -> None:
        """Take the findings of these rules in the next dump."""
        audit, marker, found = dump.audit, dump.marker, dump.findings
        program = self._programs[audit.source, audit.program]
        program.dumps += 1
        if program.there and marker is None and not audit.summary.has_indices:
            return  # the output of a compiler, printed without locations
        shown, alone = {*dump.functions}, dump.alone
        function = alone or (marker.symbol if marker and marker.symbol in shown else None)
        ended = marker.pass_name if marker and marker.when != "before" else None
        if ended:
            program.passes.end(ended, function)
        if alone is None:
            program.unseen.update(one.last.function for one in program.there)
        else:
            shown.discard(None)
        program.unseen -= shown
        if audit.is_unindexed:  # it does not tell whether a finding is still there
            program.unseen.update(one.last.function for one in program.there)
        elif program.there or found:
            moment = audit.moment or f"at line {audit.line}"
            may_be = {one.last.function for one in program.there} if alone is None else {alone, None}
            program.follow(found, shown, may_be, ended, moment)
        program.shown |= shown
        program.has_module |= alone is None
        if marker and not ended:
            from eio_audit.audit.log.open_passes import PassRun

            program.passes.begin(PassRun(marker.pass_name, function))
