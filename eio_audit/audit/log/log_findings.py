"""The findings of a log, each once: the dump and the pass that introduced it, and the dump that ended it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from eio_audit.audit.check.keyed_dump import AuditedDump
from eio_audit.audit.gate.checked_dump import CheckedDump, checked
from eio_audit.audit.gate.rules import Rule

if TYPE_CHECKING:  # a dump in order without a marker needs no walk
    from eio_audit.audit.gate.findings import Finding
    from eio_audit.audit.log.walk import ProgramWalk, Shown, Step


Origin = TypeVar("Origin")


@dataclass(slots=True, eq=False)
class Lifetime(Generic[Origin]):
    """A finding of a log.

    Attributes:
        first: the finding in the first dump that has it.
        last: the finding in the last dump so far that has it.
        origin: what introduced it.
        until: the moment of the first dump without it; empty if there is none.
    """

    first: Finding
    last: Finding
    origin: Origin
    until: str = ""


@dataclass(frozen=True, slots=True)
class Succession(Generic[Origin]):
    """The findings of a dump compared with those of the dump before.

    Attributes:
        same: the findings in both dumps: as known so far, and as the dump has them.
        appeared: the findings that are new.
        vanished: the findings that the dump does not have.
    """

    same: Sequence[tuple[Lifetime[Origin], Finding]]
    appeared: Sequence[Finding]
    vanished: Sequence[Lifetime[Origin]]


_IDENTITIES: tuple[Callable[[Finding], Hashable], ...] = (
    lambda f: (f.rule, f.function, *((f.block,) if f.is_of_block else (f.op.name, f.op.index, f.origin))),
    lambda f: f.op.index is not None and (f.rule, f.function, f.op.index, f.origin),
    lambda f: f.op.index is not None and (f.rule, f.op.name, f.op.index, f.origin),
)
"""The keys that identify a finding in the next dump, the first one first; False matches nothing.

A conversion renames the op. Inlining and outlining change the function.
"""


def follow(there: Iterable[Lifetime[Origin]], found: Iterable[Finding]) -> Succession[Origin]:
    """Match the findings of a dump with those of the dump before. Equal findings are counted.

    Complexity: linear.
    """
    same: list[tuple[Lifetime[Origin], Finding]] = []
    vanished, appeared = list(there), list(found)
    for identity in _IDENTITIES:
        if not vanished or not appeared:
            break
        waiting: dict[Hashable, list[Lifetime[Origin]]] = defaultdict(list)
        for lifetime in reversed(vanished):
            waiting[identity(lifetime.last)].append(lifetime)
        rest = []
        for finding in appeared:
            key = identity(finding)
            if key and waiting.get(key):
                same.append((waiting[key].pop(), finding))
            else:
                rest.append(finding)
        known = {lifetime for lifetime, _ in same}
        vanished, appeared = [lifetime for lifetime in vanished if lifetime not in known], rest
    return Succession(same, appeared, vanished)


class _ProgramFindings:
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
    def walk(self) -> ProgramWalk:
        """The walk over its dumps."""
        from eio_audit.audit.log.walk import ProgramWalk

        return ProgramWalk()

    def step(self, dump: CheckedDump) -> Step[Shown]:
        """Return what a dump shows and which passes are charged with it."""
        from eio_audit.audit.log.walk import Shown

        shown = Shown(dump.only_function, dump.functions, {}, {})
        return self.walk.step(dump.audit.place.marker, shown)

    def origin(self, function: str | None, step: Step[Shown] | None) -> str | None:
        """Return the pass that introduced a finding in a function."""
        if not (function in self.shown or self.has_module):
            return None  # the first dump of the function
        run = step.run_of(function) if step is not None else None
        return run.pass_name if run else None

    def follow(
        self,
        found: Sequence[Finding],
        shown: Collection[str | None],
        may_be: Collection[str | None],
        step: Step[Shown] | None,
        moment: str,
    ) -> None:
        """Take the findings of a dump, which may be earlier findings of the functions in ``may_be``."""
        changes = follow((one for one in self.there if one.last.function in may_be), found)
        for one, finding in changes.same:
            one.last = finding
        for one in changes.vanished:
            if one.last.function in shown:
                one.until = moment
        for finding in changes.appeared:
            self.findings.append(Lifetime(finding, finding, self.origin(finding.function, step)))
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
        self._programs: dict[tuple[str, str], _ProgramFindings] = defaultdict(_ProgramFindings)

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
        audit, found = dump.audit, dump.findings
        place = audit.place
        program = self._programs[place.source, place.program]
        program.dumps += 1
        if program.there and place.marker is None and not audit.summary.has_indices:
            return  # the output of a compiler, printed without locations
        is_step = place.marker is not None or found  # otherwise no pass begins, and none is charged
        step = program.step(dump) if is_step else None
        shown, only = {*dump.functions}, dump.only_function
        if only is None:
            program.unseen.update(one.last.function for one in program.there)
        else:
            shown.discard(None)
        program.unseen -= shown
        if audit.is_unindexed:  # it does not tell whether a finding is still there
            program.unseen.update(one.last.function for one in program.there)
        elif program.there or found:
            moment = place.moment or f"at line {place.line}"
            may_be = {one.last.function for one in program.there} if only is None else {only, None}
            program.follow(found, shown, may_be, step, moment)
        program.shown |= shown
        program.has_module |= only is None
