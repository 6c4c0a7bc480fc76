"""The ops that a fix would move, dump by dump, with the passes that introduced and that repaired them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from eio_audit.audit.check.audited_dump import SharedWork
from eio_audit.audit.check.check import audit_dump
from eio_audit.audit.gate.findings import Finding, moved_by_fix
from eio_audit.audit.gate.lifetimes import Lifetime, follow
from eio_audit.audit.options import AuditOptions
from eio_audit.audit.trace.function_states import DumpStates
from eio_audit.audit.trace.modules import Part
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.markers import Marker


@dataclass(frozen=True, slots=True)
class DumpPlace:
    """The place of a dump.

    Attributes:
        source: the file.
        line: 1-based line of the marker, or of the dump's first text.
        marker: the dump's marker.
        occurrence: 0-based number among the dumps of that file before, or after, that pass.
    """

    source: str
    line: int
    marker: Marker | None
    occurrence: int


@dataclass(frozen=True, slots=True)
class Arrival:
    """The introduction of avoidable inversions.

    Attributes:
        pass_name: the pass that introduced them; None for passes that the log does not show.
        is_initial: whether the first dump of the function has them, so no pass is known.
        place: the first dump that shows them.
        before: the last dump of the function before; None if the pass made the function.
        is_pair: whether ``before`` is the last dump before the same pass in the same file.
    """

    pass_name: str | None
    is_initial: bool
    place: DumpPlace
    before: DumpPlace | None
    is_pair: bool


@dataclass(frozen=True, slots=True)
class LeftFinding:
    """An op that a fix would move at the end of the log.

    Attributes:
        finding: the finding in the last dump of its function.
        arrival: how it was introduced.
    """

    finding: Finding
    arrival: Arrival


@dataclass(frozen=True, slots=True)
class Repair:
    """Avoidable inversions that were removed before the end.

    Attributes:
        pass_name: the pass that introduced them, or None.
        is_initial: whether the first dump of their function has them, so no pass introduced them.
        by: the pass that removed them; None for passes that the log does not show.
        inversions: number of inversions.
    """

    pass_name: str | None
    is_initial: bool
    by: str | None
    inversions: int


def added_up(repairs: Iterable[Repair]) -> tuple[Repair, ...]:
    """Return the repairs with those of the same passes added up, most inversions first."""
    numbers = Counter[tuple[str | None, bool, str | None]]()
    for one in repairs:
        numbers[one.pass_name, one.is_initial, one.by] += one.inversions
    added = (Repair(*who, number) for who, number in numbers.items())
    return tuple(sorted(added, key=_by_size))


def _by_size(one: Repair) -> tuple[int, bool, str, str]:
    return -one.inversions, one.is_initial, one.pass_name or "", one.by or ""


class LeftFindings:
    """The current avoidable findings of one program.

    Attributes:
        repairs: number of inversions removed, per pass that introduced them, ``is_initial``, and pass that
            removed them.
    """

    def __init__(self) -> None:
        self.repairs: Counter[tuple[str | None, bool, str | None]] = Counter()
        self._there: list[Lifetime[Arrival]] = []
        self._shown_in: dict[Part, Dump] = {}  # per function with findings, its last dump

    def update(self, states: DumpStates, changed: Mapping[Part, Arrival], pass_name: str | None) -> None:
        """Update the findings of the functions and modules that have changed.

        Args:
            states: the states in the dump.
            changed: per changed function or module, how its new findings were introduced.
            pass_name: the pass that changed them; None if the log does not show it.
        """
        for part in (*changed, *states.functions):
            state = states.functions.get(part)
            if state and state.findings:
                self._shown_in[part] = states.dump
            else:
                self._shown_in.pop(part, None)
        arrivals = {_function(part): arrival for part, arrival in changed.items()}
        there = [one for one in self._there if one.last.function in arrivals]
        shown = [state for part, state in states.functions.items() if _function(part) in arrivals]
        changes = follow(there, (finding for state in shown for finding in state.findings))
        for one, finding in changes.same:
            self._repair(one, one.last.inversions - finding.inversions, pass_name)
            one.last = finding
        for one in changes.gone:
            self._repair(one, one.last.inversions, pass_name)
        gone = {*changes.gone}
        self._there = [one for one in self._there if one not in gone]
        self._there += [Lifetime(new, new, arrivals[new.function]) for new in changes.come]

    def left(self, options: AuditOptions) -> Iterator[LeftFinding]:
        """Yield the findings, with their lines in the last dumps of their functions."""
        work = SharedWork(0, finds_wrong_labels=False, finds_hoisted=False)
        for dump in {id(dump): dump for dump in self._shown_in.values()}.values():
            shown = {_function(part) for part, last in self._shown_in.items() if last is dump}
            there = [one for one in self._there if one.last.function in shown]
            found = moved_by_fix(audit_dump(dump, options, work)) if there else []
            changes = follow(there, (finding for finding in found if finding.function in shown))
            for one, finding in changes.same:
                yield LeftFinding(finding._replace(pass_name=one.origin.pass_name, left=True), one.origin)

    def _repair(self, one: Lifetime[Arrival], inversions: int, pass_name: str | None) -> None:
        if inversions > 0:
            self.repairs[one.origin.pass_name, one.origin.is_initial, pass_name] += inversions


def _function(part: Part) -> str | None:
    """Return the function that findings in a function or module name."""
    return part if isinstance(part, str) else None
