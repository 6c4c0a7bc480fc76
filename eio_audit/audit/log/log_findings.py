"""The findings of a log, each once: its first dump, the pass that made it, and the dump that ended it.

Inversions are followed pair by pair, as ``trace`` does it: a finding about the order is charged to the pass
that made most of the pairs that its op is in. Other findings are charged to the pass of the first dump.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from eio_audit.audit.check.keyed_dump import AuditedDump
from eio_audit.audit.gate.gate import CheckedDump, checked
from eio_audit.audit.gate.rules import ORDER_RULES, Rule

if TYPE_CHECKING:  # a dump in order without a marker needs no walk
    from eio_audit.audit.check.figures import DumpAudit
    from eio_audit.audit.gate.findings import Finding
    from eio_audit.audit.log.program_log import LogStep, ProgramLog
    from eio_audit.audit.options import AuditOptions
    from eio_audit.mlir.input.dumps import Dump

_Makers: TypeAlias = "Mapping[str | None, str | None]"  # by function, the pass charged with what is new
_IDENTITIES: tuple[Callable[[Finding], Hashable], ...] = (
    lambda f: (f.rule, f.function, *((f.block,) if f.is_of_block else (f.op.name, f.op.index, f.origin))),
    lambda f: f.op.index is not None and (f.rule, f.function, f.op.index, f.origin),
    lambda f: f.op.index is not None and (f.rule, f.op.name, f.op.index, f.origin),
)
"""The keys that identify a finding in the next dump, the first one first; False matches nothing.

A conversion renames the op. Inlining and outlining change the function.
"""


@dataclass(slots=True, eq=False)
class Lifetime:
    """A finding of a log."""

    first: Finding  # the finding in the first dump that has it
    last: Finding  # the finding in the last dump so far that has it
    origin: str | None  # the pass that introduced it; None if the log does not show it
    until: str = ""  # the moment of the first dump without it; empty if there is none


def follow(
    there: Iterable[Lifetime], found: Iterable[Finding]
) -> tuple[list[tuple[Lifetime, Finding]], list[Finding], list[Lifetime]]:
    """Return the findings that a dump and the one before both have, the new ones and those that are gone.

    Complexity: linear.
    """
    same: list[tuple[Lifetime, Finding]] = []
    vanished, appeared = list(there), list(found)
    for identity in _IDENTITIES:
        if not vanished or not appeared:
            break
        waiting: dict[Hashable, list[Lifetime]] = defaultdict(list)
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
    return same, appeared, vanished


class _ProgramFindings:
    """One program of a file or log."""

    def __init__(self, options: AuditOptions) -> None:
        self._options = options
        self.dumps = 0  # number of its dumps
        self.findings: list[Lifetime] = []  # all findings so far, in order
        self.there: list[Lifetime] = []  # the findings that the program has now
        # The first dump with inversions and the makers of what is new in it, until another dump follows.
        self._first: tuple[LogStep, _Makers] | None = None
        self._last: LogStep | None = None  # the last dump whose pairs were followed
        self._is_followed = False  # whether they are those of the dump at hand
        self._numbers: dict[str | None, int] = {}  # the makers of pairs
        self.shown: set[str | None] = set()  # the functions that dumps have shown
        self.has_module = False  # whether one of these dumps was of a module
        # The functions that a dump of a module has omitted since they were shown.
        self.unseen: set[str | None] = set()

    @cached_property
    def log(self) -> ProgramLog:
        """The walk over the dumps."""
        from eio_audit.audit.log.program_log import ProgramLog

        return ProgramLog(self._options)

    @property
    def follows_pairs(self) -> bool:
        """Whether a dump had inversions, so that the pairs of ops are followed from it on."""
        return self._first is not None or self._last is not None

    def follow_pairs(self, step: LogStep, makers: _Makers, audit: DumpAudit) -> None:
        """Follow the pairs into a dump, if this or an earlier one of several has any."""
        if not self.follows_pairs:
            self._first = (step, makers) if audit.summary.inversions else None
            return
        if self._first is not None:
            self._follow_into(*self._first, is_unindexed=False)
            self._first = None
        self._follow_into(step, makers, is_unindexed=audit.is_unindexed)

    def _follow_into(self, step: LogStep, makers: _Makers, *, is_unindexed: bool) -> None:
        self._is_followed = self._last is None or not step.dump.has_text_of(self._last.dump)
        if self._is_followed:
            self._last = step
            self.log.compare(step)
            self.log.follow(step, lambda one: self._number(makers.get(one)), is_judged=not is_unindexed)

    def _number(self, maker: str | None) -> int:
        return self._numbers.setdefault(maker, len(self._numbers))

    def _maker(self, finding: Finding, otherwise: str | None) -> str | None:
        """Return the pass that made most of the pairs that an op of the last dump is in.

        Without a comparison with the text before, it is the pass of the dump.
        """
        found = self._last.compared if self._last is not None and self._is_followed else None
        if found is None or finding.rule not in ORDER_RULES:
            return otherwise
        ops = found.after.ops_on(finding.line)
        made = max(map(self.log.followed.pairs.of, ops), key=Counter.total, default=Counter[int]())
        return [*self._numbers][made.most_common(1)[0][0]] if made.total() else otherwise

    def origin(self, function: str | None, step: LogStep | None) -> str | None:
        """Return the pass that is charged with what is new in a function."""
        if not (function in self.shown or self.has_module):
            return None  # the first dump of the function
        return step.pass_of(function) if step is not None else None

    def follow(
        self,
        found: Sequence[Finding],
        shown: Collection[str | None],
        may_be: Collection[str | None],
        makers: _Makers,
        moment: str,
    ) -> None:
        """Take the findings of a dump, which may be earlier findings of the functions in ``may_be``."""
        there = (one for one in self.there if one.last.function in may_be)
        same, appeared, vanished = follow(there, found)
        for one, finding in same:
            one.last = finding
        for one in vanished:
            if one.last.function in shown:
                one.until = moment
        for finding in appeared:
            maker = self._maker(finding, makers.get(finding.function))
            self.findings.append(Lifetime(finding, finding, maker))
            self.there.append(self.findings[-1])
        self.there = [one for one in self.there if not one.until]

    def is_left(self, finding: Lifetime) -> bool | None:
        """Return whether the program has a finding at the end; None if no later dump shows it."""
        if finding.until:
            return False
        return None if self.dumps == 1 or finding.last.function in self.unseen else True


class LogFindings:
    """The findings of some rules in dumps. A finding in consecutive dumps of a program is one finding."""

    def __init__(self, rules: Collection[Rule]) -> None:
        self._rules = rules
        self._programs: dict[tuple[str, str], _ProgramFindings] = {}

    @property
    def findings(self) -> list[Finding]:
        """The findings so far, each from the first dump that has it."""
        return [
            one.first._replace(pass_name=one.origin, until=one.until or None, left=program.is_left(one))
            for program in self._programs.values()
            for one in program.findings
        ]

    def add(self, dump: AuditedDump) -> None:
        """Add the findings of the next dump; an InputError for a malformed location."""
        self.take(dump.dump, checked(dump, self._rules))

    def take(self, dump: Dump, result: CheckedDump) -> None:
        """Take the findings of these rules in the next dump."""
        audit, found = result.audit, result.findings
        place = audit.place
        name = place.source, place.program
        program = self._programs.setdefault(name, _ProgramFindings(audit.options))
        program.dumps += 1
        if program.there and place.marker is None and not audit.summary.has_indices:
            return  # the output of a compiler, printed without locations
        # otherwise no pass begins, and none is charged
        is_step = place.marker is not None or found or program.follows_pairs
        step = program.log.walk.step(dump, result.only_function, result.functions) if is_step else None
        shown, only = {*result.functions}, result.only_function
        makers = {function: program.origin(function, step) for function in shown}
        if step is not None and not {*ORDER_RULES}.isdisjoint(self._rules):
            program.follow_pairs(step, makers, audit)
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
            program.follow(found, shown, may_be, makers, moment)
        program.shown |= shown
        program.has_module |= only is None
