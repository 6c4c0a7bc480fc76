"""The effect of each pass of a log on the order, and the first pass that shuffled.

Every function has its own history. A pass is charged with the difference between a function in the dump after
it and the same function in the last dump before that, anywhere in the log. So dumps of several functions may
interleave. If a pass runs inside another one, the outer pass is charged with the rest. ``walk.py`` decides
which pass is charged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import ClassVar, Protocol

from eio_audit.audit.check.figures import BlockAudit, DisplacedOp, LogFigures, Summary, summarize_blocks
from eio_audit.audit.gate.gate import by_severity
from eio_audit.audit.log.function_states import DumpStates, ProgramStates, StateChange
from eio_audit.audit.log.left_findings import (
    Arrival,
    LeftFinding,
    LeftFindings,
    NewInversions,
    Repair,
    TracedPlace,
    added_up,
)
from eio_audit.audit.log.pass_steps import ChangedOp, OpCounts, PassStep, counts_by_name, pass_step
from eio_audit.audit.log.pass_times import PassTime, PassTimes, TimedRun
from eio_audit.audit.log.scope_steps import ScopeSteps
from eio_audit.audit.log.walk import Part, PassRun, Step
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import Dump, DumpPlace, each_dump
from eio_audit.mlir.source import InputError


@dataclass(frozen=True, slots=True)
class TracedPass:
    """One run of a pass, or one stage of a compiler.

    Attributes:
        index: 0-based number among the passes, in the order in which they ended.
        pass_name: the pass; None for passes that the log does not show.
        function: symbol of the function it ran on; None for a whole program.
        program: the program it ran on, if there are several.
        place: the dump that shows its result.
        failed: whether it failed, according to its marker.
        changed: whether it changed anything except the names of aliases and values; None without a text
            before.
        figures: the figures of the dump, or only of the function it ran on.
        introduced: avoidable inversions that it added, function by function.
        left: those of them that are left at the end.
        mislabelled: op indices that it made contradict the dependences, function by function.
        lost: op indices that the program had before it and has no more.
        run: its number among the passes of its program, as they began.
        ops: per name of an op, how many of these it added, removed, modified and moved; None without a dump
            before.
        functions: the functions in which it changed ops.
        size: number of ops of the dump, or of the function it ran on, at any depth.
        seconds: its wall time by MLIR's timing report, together with the other runs that the entry of the
            report covers; None if there is no report, or another of these runs has the time.
        timed_runs: how many runs of the log ``seconds`` covers; 0 without a time.
    """

    index: int
    pass_name: str | None
    function: str | None
    program: str
    place: TracedPlace
    failed: bool
    changed: bool | None
    figures: Summary
    introduced: int
    left: int
    mislabelled: int
    lost: int
    run: int
    ops: Mapping[str, OpCounts] | None
    functions: tuple[str, ...]
    size: int
    seconds: float | None = None
    timed_runs: int = 0

    @property
    def repaired(self) -> int:
        """Avoidable inversions that it added and later passes removed."""
        return self.introduced - self.left

    @property
    def op_counts(self) -> OpCounts:
        """How many ops it changed."""
        return reduce(OpCounts.plus, (self.ops or {}).values(), OpCounts())


@dataclass(frozen=True, slots=True)
class Culprit:
    """The first pass that added avoidable inversions.

    Attributes:
        pass_name: the pass; None for passes that the log does not show.
        function: the function where it added the most.
        introduced: how many it added, according to the first dump that shows them.
        place: the first dump that shows them.
        before: the last dump of the function before; None if the pass made the function.
        is_pair: whether ``before`` is the last dump before the same pass in the same file.
        block: the block of the function with the most avoidable inversions in that dump.
        worst: the displaced op of the block in the most inversions; if possible, one that nothing blocks.
    """

    pass_name: str | None
    function: str | None
    introduced: int
    place: TracedPlace
    before: TracedPlace | None
    is_pair: bool
    block: BlockAudit
    worst: DisplacedOp


@dataclass(frozen=True, slots=True)
class Trace:
    """The history of the programs in a log.

    Attributes:
        left: the ops that a fix would move at the end, worst first.
        repaired: the inversions that were removed before the end, most first.
        passes: the passes, in the order in which they ended.
        culprit: the first pass that shuffled, or None.
        initial: avoidable inversions in the first dumps of functions, which no pass is charged with.
        initial_left: those of them that are left at the end. The others were repaired.
        summary: the figures of all dumps, added up.
        each_inversion_once: the figures of functions with inversions; an inversion in many dumps counts once.
        at_end_of_log: the figures of the last dumps of all functions. A dump without any index does not
            count.
        errors: the errors of dumps that could not be read.
        unmatched: the patterns of ``--assume-pure`` that match no op of any dump.
        options: the options of the audits.
        sources: the files with dumps that could be read.
        unindexed: number of dumps that have ops but no index.
    """

    left: tuple[LeftFinding, ...]
    repaired: tuple[Repair, ...]
    passes: tuple[TracedPass, ...]
    culprit: Culprit | None
    initial: int
    initial_left: int
    summary: Summary
    each_inversion_once: Summary
    at_end_of_log: Summary
    errors: tuple[InputError, ...]
    unmatched: tuple[str, ...]
    options: AuditOptions
    sources: tuple[str, ...] = ()
    unindexed: int = 0

    @property
    def is_unjudged(self) -> bool:
        """Whether there are ops but no index in any dump, so that the order cannot be judged."""
        return self.unindexed > 0 and not self.summary.has_indices

    @property
    def initial_repaired(self) -> int:
        """Avoidable inversions in the first dumps of functions that later passes removed."""
        return self.initial - self.initial_left

    @property
    def mislabeller(self) -> TracedPass | None:
        """The pass that made the most op indices wrong; of equals, the first."""
        worst = max(self.passes, key=lambda traced: traced.mislabelled, default=None)
        return worst if worst is not None and worst.mislabelled else None


class Watch(Protocol):
    """Looks at each pass that changed ops while a log is traced.

    Attributes:
        numbers_ops: whether it needs the numbers of ops: ``ChangedOp.number``, ``origin`` and ``Line.ops``.
    """

    numbers_ops: ClassVar[bool]

    def watch(self, run: PassRun, program: str, step: PassStep, changes: Sequence[ChangedOp]) -> None:
        """Look at a pass, its program, a dump with the text before it, and what the pass is charged with."""


def trace(
    dumps: Iterable[Dump], options: AuditOptions = DEFAULT_OPTIONS, watches: Sequence[Watch] = ()
) -> Trace:
    """Follow programs through the dumps of a log, a folder or several stages, in the order of the passes.

    Dumps are read one at a time and not kept. A dump that cannot be read does not stop the trace.

    Args:
        dumps: what to read.
        options: the options of the audits.
        watches: get each pass that changed ops as soon as a dump shows it.

    Complexity: linear in the text. Only functions that differ from the dump before are audited and compared.
    """
    tracer = _Tracer(options, watches)
    for dump in each_dump(dumps):
        try:
            tracer.add(dump)
        except InputError as error:
            tracer.errors.append(error)
    return tracer.result()


@dataclass(slots=True, eq=False)
class _Charges:
    """What one run of a pass is charged with so far, and the last dump that shows it: number ``shown_at``."""

    run: PassRun
    program: str
    place: TracedPlace
    shown_at: int = -1
    changed: bool | None = None
    figures: Summary = field(default_factory=lambda: summarize_blocks([]))
    introduced: int = 0
    left: int = 0
    mislabelled: int = 0
    lost: int = 0
    ops: dict[str, OpCounts] | None = None
    functions: dict[str, None] = field(default_factory=dict)
    size: int = 0

    def count(self, changes: Sequence[ChangedOp]) -> None:
        self.ops = self.ops or {}
        for name, counts in counts_by_name(changes).items():
            self.ops[name] = counts.plus(self.ops.get(name, OpCounts()))
        self.functions |= dict.fromkeys(one.function for one in changes if one.function is not None)

    def add(self, change: StateChange) -> None:
        self.mislabelled += change.mislabelled
        self.lost += change.lost

    def show(self, number: int, place: TracedPlace, states: DumpStates) -> None:
        self.shown_at, self.place = number, place
        function = self.run.function
        is_part = states.only_function is None and function is not None and function in states.parts
        self.figures = summarize_blocks(states.parts[function].blocks if is_part else states.blocks)
        self.size = sum(state.size for part, state in states.parts.items() if part == function or not is_part)

    def timed(self) -> TimedRun:
        run, place = self.run, self.place
        return TimedRun(
            run.class_name, self.program, run.function, bool(self.changed), place.source, place.line
        )

    def traced(self, index: int, time: PassTime) -> TracedPass:
        run = self.run
        figures = {name: getattr(self, name) for name in _FIGURES}
        functions = tuple(self.functions)
        return TracedPass(
            index,
            run.pass_name,
            run.function,
            failed=run.failed,
            run=run.number,
            functions=functions,
            seconds=time.seconds,
            timed_runs=time.runs,
            **figures,
        )


_FIGURES = (
    "program",
    "place",
    "changed",
    "figures",
    "introduced",
    "left",
    "mislabelled",
    "lost",
    "ops",
    "size",
)


@dataclass(slots=True)
class _TracedProgram:
    """One program: its states, the last dump of each function, its passes and its findings.

    ``held`` has the last known figures of functions that are now shown without any index.
    """

    name: str
    states: ProgramStates
    steps: ScopeSteps
    shown_in: dict[Part, TracedPlace] = field(default_factory=dict)
    findings: LeftFindings = field(default_factory=LeftFindings)
    charges: dict[int, _Charges] = field(default_factory=dict)
    held: dict[Part, tuple[BlockAudit, ...]] = field(default_factory=dict)

    def hold(self, step: Step[DumpStates]) -> None:
        """Keep the figures of functions that a dump shows without any index; drop those that it can judge."""
        for part in step.vanished:
            self.held.pop(part, None)
        for part in step.shown.parts:
            known = self.states.functions.get(part)
            if not step.shown.is_unindexed:
                self.held.pop(part, None)
            elif known and known.blocks:
                self.held[part] = known.blocks

    @property
    def last_blocks(self) -> list[BlockAudit]:
        """The audits of the blocks, in the last dump of each function that can be judged."""
        functions = self.states.functions.items()
        return [block for part, state in functions for block in self.held.get(part, state.blocks)]

    def settle(self) -> int:
        """Tell each run how many of its inversions are left; return how many that no pass introduced."""
        initial_left = 0
        for arrival, number in self.findings.remaining.items():
            if arrival.run is None:
                initial_left += number
            else:
                self.charges[arrival.run].left += number
        return initial_left


class _Tracer:
    """Adds dump after dump. The caller adds the ``errors``."""

    def __init__(self, options: AuditOptions, watches: Sequence[Watch]) -> None:
        self.errors: list[InputError] = []
        self._options = options
        self._watches = watches
        self._numbers_ops = any(watch.numbers_ops for watch in watches)
        self._programs: dict[str, _TracedProgram] = {}
        self._occurrences: Counter[tuple[str, str | None, str | None]] = Counter()
        self._summary = summarize_blocks([], dumps=0)
        self._sources: dict[str, None] = {}
        self._unindexed = 0
        self._figures = LogFigures()
        self._unmatched = frozenset(options.assume_pure)
        self._initial = 0
        self._culprit: Culprit | None = None
        self._times = PassTimes()

    def add(self, dump: Dump) -> None:
        """Charge passes with what this dump shows."""
        self._times.look_at(dump.source)
        program = self._programs.get(dump.program)
        if program is None:
            steps = ScopeSteps(self._options, numbers_ops=self._numbers_ops)
            program = _TracedProgram(dump.program, ProgramStates(self._options, steps.show), steps)
            self._programs[dump.program] = program
        place = self._place(dump)
        states = program.states.observe(dump, describes_worst=self._culprit is None)
        summary = summarize_blocks(states.blocks)
        self._summary = self._summary.plus(summary)
        self._sources[dump.source.name] = None
        self._unindexed += states.is_unindexed
        self._figures.add(dump.program, states.blocks)
        self._unmatched = self._unmatched.intersection(*(s.unmatched for s in states.parts.values()))
        if dump.marker is None and not summary.has_indices:
            return  # the output of a compiler, printed without locations
        step = program.states.walk.step(dump.marker, states)
        known = program.states.functions
        same = {
            part
            for part, state in states.parts.items()
            if part in known and known[part].key == state.key and not program.steps.is_namesake(part)
        }
        is_all_same = len(same) == len(states.parts) and None not in same and not step.vanished
        is_unchanged = is_all_same and not program.steps.has_namesakes
        done: PassStep | None = None
        if not is_unchanged:
            with suppress(InputError):  # of a text put together from several dumps; each of them was read
                done = pass_step(program.steps.take(program.steps.show(dump), same), step)
        for run, parts in step.charged.items():
            self._charge(program, run, parts, step, place, done)
        program.shown_in |= dict.fromkeys(states.parts, place)
        program.hold(step)
        program.states.remember(step)

    def _charge(
        self,
        program: _TracedProgram,
        run: PassRun | None,
        parts: Collection[Part],
        step: Step[DumpStates],
        place: TracedPlace,
        done: PassStep | None,
    ) -> None:
        """Charge a pass with what is new in some functions and modules."""
        known, states = program.states, step.shown
        change = known.change(step, parts)
        changes = done.changes.get(run, ()) if done is not None else ()
        if run is None and change is not None and change.differs:
            run = known.walk.begin(None, step.function)
        arrivals = {
            part: self._arrival(program, run, part, states, place)
            for part in parts
            if (part in program.held and not states.is_unindexed)
            or states.parts.get(part) is not known.functions.get(part)
        }
        judged = states
        if states.is_unindexed:  # it does not tell whether what it shows is still out of order
            judged = replace(states, parts={})
            arrivals = {part: one for part, one in arrivals.items() if part not in states.parts}
        new = program.findings.update(judged, arrivals, known.functions, run.pass_name if run else None)
        self._initial += new.initial
        if run is None:
            return
        charges = program.charges.setdefault(run.number, _Charges(run, program.name, place))
        if change is not None:
            charges.add(change)
        if done is not None:
            charges.count(changes)
            for watch in self._watches if changes else ():
                watch.watch(run, program.name, done, changes)
        if done is not None:
            charges.changed = bool(charges.changed or changes)
        elif change is not None and (None not in states.parts or len(states.parts) > 1):
            charges.changed = bool(charges.changed) or change.changed
        charges.introduced += new.introduced
        if new.introduced and self._culprit is None:
            self._culprit = self._found(arrivals[new.grown], new, states)
        charges.show(self._summary.dumps, place, states)

    def result(self) -> Trace:
        """Return the trace of all dumps taken. Call it once."""
        blocks = [block for program in self._programs.values() for block in program.last_blocks]
        findings = [program.findings for program in self._programs.values()]
        left = [one for program in findings for one in program.left(self._options)]
        repairs = [
            Repair(one.pass_name, one.is_initial, by, number)
            for program in findings
            for (one, by), number in program.repairs.items()
        ]
        initial_left = sum(program.settle() for program in self._programs.values())
        charges = [one for program in self._programs.values() for one in program.charges.values()]
        charges.sort(key=lambda one: (one.shown_at, one.run.number))
        times = self._times.of([one.timed() for one in charges])
        return Trace(
            left=tuple(sorted(left, key=lambda one: by_severity(one.finding))),
            repaired=added_up(repairs),
            passes=tuple(one.traced(index, times[index]) for index, one in enumerate(charges)),
            culprit=self._culprit,
            initial=self._initial,
            initial_left=initial_left,
            summary=self._summary,
            each_inversion_once=self._figures.each_inversion_once,
            at_end_of_log=summarize_blocks(blocks, dumps=0),
            errors=tuple(self.errors),
            unmatched=tuple(p for p in self._options.assume_pure if p in self._unmatched),
            options=self._options,
            sources=tuple(self._sources),
            unindexed=self._unindexed,
        )

    def _place(self, dump: Dump) -> TracedPlace:
        kind = _kind(dump.place)
        self._occurrences[kind] += 1
        number = self._occurrences[kind] - 1
        return TracedPlace(dump.source.name, dump.line, dump.marker, dump.program, dump.first_line, number)

    def _arrival(
        self, program: _TracedProgram, run: PassRun | None, part: Part, states: DumpStates, place: TracedPlace
    ) -> Arrival:
        walk = program.states.walk
        is_initial = part not in walk.known and not walk.is_new(part, states)
        before = program.shown_in.get(part)
        dump_before = place.source, place.pass_name, "before" if place.marker else None
        return Arrival(
            pass_name=run.pass_name if run and not is_initial else None,
            is_initial=is_initial,
            place=place,
            before=before,
            is_pair=before is not None
            and _kind(before) == dump_before
            and before.occurrence + 1 == self._occurrences[dump_before],
            run=run.number if run and not is_initial else None,
        )

    def _found(self, arrival: Arrival, new: NewInversions, states: DumpStates) -> Culprit:
        block = max(states.blocks_of(new.grown, self._options), key=lambda block: block.avoidable)
        return Culprit(
            pass_name=arrival.pass_name,
            function=new.grown if isinstance(new.grown, str) else None,
            introduced=new.introduced,
            place=arrival.place,
            before=arrival.before,
            is_pair=arrival.is_pair,
            block=block,
            worst=next((op for op in block.worst if op.blocker is None), block.worst[0]),
        )


def _kind(place: DumpPlace) -> tuple[str, str | None, str | None]:
    """Return the key by which dumps are counted."""
    return place.source, place.pass_name, place.when
