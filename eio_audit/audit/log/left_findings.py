"""The ops that a fix would move, dump by dump, with the passes that introduced and that repaired them.

Inversions are counted in ledgers: how many came in with which origin. They add up, whatever ops a fix would
move.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from eio_audit.audit.check.check import audit_dump
from eio_audit.audit.check.keyed_dump import SharedWork
from eio_audit.audit.gate.findings import Finding, moved_by_fix
from eio_audit.audit.log.function_states import DumpStates
from eio_audit.audit.log.log_findings import Lifetime, follow
from eio_audit.audit.log.walk import Part
from eio_audit.audit.options import AuditOptions
from eio_audit.mlir.input.dumps import Dump, DumpPlace


@dataclass(frozen=True, slots=True)
class TracedPlace(DumpPlace):
    """Where a dump of a trace is.

    Attributes:
        occurrence: 0-based number among the dumps of that file before, or after, that pass.
    """

    occurrence: int = 0


@dataclass(frozen=True, slots=True)
class Arrival:
    """The introduction of avoidable inversions.

    Attributes:
        pass_name: the pass that introduced them; None for passes that the log does not show.
        is_initial: whether the first dump of the function has them, so no pass is known.
        place: the first dump that shows them.
        before: the last dump of the function before; None if the pass made the function.
        is_pair: whether ``before`` is the last dump before the same pass in the same file.
        run: the run of the pass, by number among those of its program; None if ``is_initial``.
    """

    pass_name: str | None
    is_initial: bool
    place: TracedPlace
    before: TracedPlace | None
    is_pair: bool
    run: int | None = None


@dataclass(frozen=True, slots=True)
class LeftFinding:
    """An op that a fix would move at the end of the log.

    Attributes:
        finding: the finding in the last dump of its function.
        arrival: how most of its inversions came in.
        shares: how many of its inversions came in with which arrival.
    """

    finding: Finding
    arrival: Arrival
    shares: tuple[tuple[Arrival, int], ...]


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


class NewInversions(NamedTuple):
    """The avoidable inversions that a dump is the first to show.

    Attributes:
        introduced: those of the pass at work.
        initial: those in parts of the program that no dump has shown before.
        grown: the part where the pass introduced most; of equals, the first.
    """

    introduced: int
    initial: int
    grown: Part


class LeftFindings:
    """The current avoidable findings of one program, and how its avoidable inversions came in.

    A part of the program is a function, or a module without its functions. Each has a ledger: how many of its
    avoidable inversions came in with which arrival. If a dump shows more than the ledger has, the pass at
    work introduced the others. If it shows fewer, the pass repaired some. If a fix would only move other ops
    than before, the pass did neither: the inversions keep their arrivals.

    Attributes:
        repairs: number of inversions removed, per arrival of them and pass that removed them.
    """

    def __init__(self) -> None:
        self.repairs: Counter[tuple[Arrival, str | None]] = Counter()
        self._there: list[_CurrentFinding] = []
        self._ledgers: dict[Part, Counter[Arrival]] = defaultdict(Counter)
        self._shown_in: dict[Part, Dump] = {}  # per part with findings, its last dump

    def update(
        self,
        states: DumpStates,
        changed: Mapping[Part, Arrival],
        known: Container[Part],
        pass_name: str | None,
    ) -> NewInversions:
        """Take what a dump shows of the functions and modules that have changed.

        Args:
            states: the states in the dump.
            changed: per changed function or module, how its new inversions came in.
            known: the functions and modules before the dump. Inversions of another one that the pass made are
                new as far as the known ones have not lost as many, because its ops may have been theirs.
            pass_name: the pass that changed them; None if the log does not show it.
        """
        for part in (*changed, *states.parts):
            state = states.parts.get(part)
            if state and state.findings:
                self._shown_in[part] = states.dump
            else:
                self._shown_in.pop(part, None)
        repaired = self._follow(states, changed, known)
        removed = Counter[Arrival]()
        growth: dict[Part, int] = {}
        for part in changed:
            state = states.parts.get(part)
            grown = (state.avoidable if state else 0) - self._ledgers[part].total()
            removed += withdraw(self._ledgers[part], -grown, repaired[part])
            growth[part] = max(grown, 0)
        for part, arrival in changed.items():
            if part not in known and not arrival.is_initial:
                moved = withdraw(removed, growth[part])
                self._ledgers[part] += moved
                growth[part] -= moved.total()
            self._ledgers[part] += Counter({arrival: growth[part]})
        for arrival, number in removed.items():
            self.repairs[arrival, pass_name] += number
        initial = sum(growth[part] for part, arrival in changed.items() if arrival.is_initial)
        introduced = {part: growth[part] for part, arrival in changed.items() if not arrival.is_initial}
        grown_most = max(introduced, key=lambda part: introduced[part], default=None)
        return NewInversions(sum(introduced.values()), initial, grown_most)

    def _follow(
        self, states: DumpStates, changed: Mapping[Part, Arrival], known: Container[Part]
    ) -> Mapping[Part, Sequence[tuple[Arrival, int]]]:
        """Match the findings with those of the dump.

        Return, by part, the arrivals of findings that are gone or smaller, and by how many inversions.
        """
        there = {id(one.lifetime): one for one in self._there if one.part in changed}
        found = [
            (finding, part)
            for part, state in states.parts.items()
            if part in changed
            for finding in state.findings
        ]
        part_of = {id(finding): part for finding, part in found}
        changes = follow((one.lifetime for one in there.values()), (finding for finding, _ in found))
        smaller = defaultdict[Part, list[tuple[Arrival, int]]](list)
        for lifetime in changes.vanished:
            smaller[there[id(lifetime)].part].append((lifetime.origin, lifetime.last.inversions))
        for lifetime, finding in changes.same:
            one, part = there[id(lifetime)], part_of[id(finding)]
            number = lifetime.last.inversions
            if part == one.part:
                smaller[part].append((lifetime.origin, number - finding.inversions))
            elif one.part not in states.parts or part not in known:  # inlined, outlined or renamed
                self._ledgers[part] += withdraw(self._ledgers[one.part], number, [(lifetime.origin, number)])
                smaller[part].append((lifetime.origin, number - finding.inversions))
            else:  # another op that looks the same
                smaller[one.part].append((lifetime.origin, number))
                lifetime.origin = changed[part]
            one.part, lifetime.last = part, finding
        vanished = {id(lifetime) for lifetime in changes.vanished}
        self._there = [one for one in self._there if id(one.lifetime) not in vanished]
        for new in changes.appeared:
            part = part_of[id(new)]
            self._there.append(_CurrentFinding(Lifetime(new, new, changed[part]), part))
        return smaller

    @property
    def remaining(self) -> Counter[Arrival]:
        """Number of avoidable inversions that there are now, per arrival."""
        return sum(self._ledgers.values(), Counter[Arrival]())

    def left(self, options: AuditOptions) -> Iterator[LeftFinding]:
        """Yield the findings, with their lines in the last dumps of their functions."""
        work = SharedWork(0, finds_wrong_labels=False, finds_classes=False)
        for dump in {id(dump): dump for dump in self._shown_in.values()}.values():
            parts = [part for part, last in self._shown_in.items() if last is dump]
            there = {part: [one.lifetime for one in self._there if one.part == part] for part in parts}
            shown = {_function(part) for part in parts}
            found = moved_by_fix(audit_dump(dump, options, work)) if any(there.values()) else []
            changes = follow(
                (one for own in there.values() for one in own), (f for f in found if f.function in shown)
            )
            here = {id(lifetime): finding for lifetime, finding in changes.same}
            for part, own in there.items():
                numbers = [(one.origin, one.last.inversions) for one in own]
                for one, share in zip(own, shares(numbers, self._ledgers[part]), strict=True):
                    arrival = max(share, key=lambda arrival: abs(share[arrival]), default=one.origin)
                    finding = here.get(id(one), one.last)._replace(
                        inversions=one.last.inversions, pass_name=arrival.pass_name, left=True
                    )
                    yield LeftFinding(finding, arrival, tuple(share.items()))


@dataclass(slots=True, eq=False)
class _CurrentFinding:
    """A finding that the program has now, and the part of the program that has it."""

    lifetime: Lifetime[Arrival]
    part: Part


def _function(part: Part) -> str | None:
    """Return the function that findings in a function or module name."""
    return part if isinstance(part, str) else None


Origin = TypeVar("Origin", bound=Hashable)


def withdraw(
    ledger: Counter[Origin], number: int, first: Iterable[tuple[Origin, int]] = ()
) -> Counter[Origin]:
    """Move inversions out of a ledger, as many as it has.

    Args:
        ledger: number of inversions per origin, none negative. It loses those taken.
        number: how many to take; nothing is taken if it is negative.
        first: origins to take first, each with the most to take.

    >>> withdraw(Counter(a=3, b=1), 2, [("b", 5)])
    Counter({'b': 1, 'a': 1})
    """
    taken = Counter[Origin]()
    rest = max(number, 0)
    for origin, most in (*first, *ledger.most_common()):
        part = min(rest, most, ledger[origin])
        if part > 0:
            taken[origin] += part
            ledger[origin] -= part
            rest -= part
    return taken


def shares(findings: Sequence[tuple[Origin, int]], ledger: Counter[Origin]) -> list[Counter[Origin]]:
    """Divide a ledger among findings, each with an origin and a number of inversions.

    A finding gets the inversions of its own origin first. Its shares add up to its number, and all shares to
    the ledger, if the findings and the ledger have as many inversions. A finding with a negative number adds
    that many to its origin, which others get.

    >>> shares([("a", 2), ("b", 2)], Counter(a=3, b=1))
    [Counter({'a': 2}), Counter({'b': 1, 'a': 1})]
    """
    rest = +ledger
    for origin, number in findings:
        rest[origin] += max(-number, 0)
    own = [withdraw(rest, min(number, rest[origin]), [(origin, number)]) for origin, number in findings]
    for (origin, number), share in zip(findings, own, strict=True):
        if number < 0:
            share[origin] = number
        else:
            share.update(withdraw(rest, number - share.total()))
    return own
