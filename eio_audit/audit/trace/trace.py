"""What each pass of a log did to the order, and the first that shuffled.

Every function has a history of its own: a pass is charged with the difference between a function in the dump
after it and the same function in the last dump before that, wherever that is. So dumps of several
functions may interleave, and where a pass runs inside another one the outer is charged with what is left.

A difference that shows in a dump *before* a pass was made by the innermost pass that has begun and not ended,
as far as the log tells: the outer pass, or in a log of dumps before passes only the pass before. Without such
a pass, it was made by passes that the log does not show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, fields

from eio_audit.audit.check.displaced_op import DisplacedOp
from eio_audit.audit.check.figures import BlockAudit, Summary, summarize_blocks
from eio_audit.audit.check.log_figures import LogFigures
from eio_audit.audit.gate.gate import by_severity
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.audit.trace.function_states import DumpStates, ProgramStates, StateChange
from eio_audit.audit.trace.left_findings import Arrival, DumpPlace, LeftFinding, LeftFindings, Repair
from eio_audit.audit.trace.modules import Part
from eio_audit.audit.trace.open_passes import OpenPasses, PassRun
from eio_audit.mlir.input.dumps import Dump, each_dump
from eio_audit.mlir.input.markers import Marker
from eio_audit.mlir.source import InputError


@dataclass(frozen=True, slots=True)
class TracedPass:
    """One run of a pass, or one stage of a compiler.

    Attributes:
        index: 0-based place among the passes, in the order in which they ended.
        pass_name: None for what passes did that the log does not show.
        function: symbol of the function it ran on; None for a whole program.
        program: which program it ran on, where there are several.
        place: the dump that shows what it did.
        failed: the marker says that it failed.
        changed: whether it changed anything, aliases apart; None without a dump before.
        figures: those of the dump, of the pass's function only where it has one.
        introduced: avoidable inversions that it added, function by function.
        mislabelled: op indices that contradict the dependences since, function by function.
        lost: op indices that the program had before it and has no more.
    """

    index: int
    pass_name: str | None
    function: str | None
    program: str
    place: DumpPlace
    failed: bool
    changed: bool | None
    figures: Summary
    introduced: int
    mislabelled: int
    lost: int


@dataclass(frozen=True, slots=True)
class Culprit:
    """The first pass that added avoidable inversions.

    Attributes:
        pass_name: which; None for passes that the log does not show.
        function: where it added most.
        introduced: how many, as far as the dump tells that showed them first.
        place: the dump that showed them first.
        before: the dump that showed the function before; None where the pass made it.
        is_pair: that is the last dump before the same pass in the same file.
        block: the block of the function with most avoidable inversions then.
        worst: of its ops that nothing blocks, the one in most inversions; without such, of all.
    """

    pass_name: str | None
    function: str | None
    introduced: int
    place: DumpPlace
    before: DumpPlace | None
    is_pair: bool
    block: BlockAudit
    worst: DisplacedOp


@dataclass(frozen=True, slots=True)
class Trace:
    """The history of the programs in a log.

    Attributes:
        left: the ops that a fix would move at the end, worst first.
        repaired: the inversions that were gone before, most first.
        passes: in the order in which they ended.
        culprit: the first pass that shuffled, or None.
        initial: avoidable inversions in the first dumps of functions, which no pass is charged with.
        summary: the figures of all dumps, added up.
        once: those of functions with inversions, where what many dumps show counts once.
        final: the figures of the last dumps of all functions.
        errors: the dumps that could not be read.
        unmatched: the patterns of ops to be taken as pure that match no op of any dump.
        options: what the dumps were audited with.
    """

    left: tuple[LeftFinding, ...]
    repaired: tuple[Repair, ...]
    passes: tuple[TracedPass, ...]
    culprit: Culprit | None
    initial: int
    summary: Summary
    once: Summary
    final: Summary
    errors: tuple[InputError, ...]
    unmatched: tuple[str, ...]
    options: AuditOptions

    @property
    def mislabeller(self) -> TracedPass | None:
        """The pass that made most op indices wrong; of equals the first."""
        worst = max(self.passes, key=lambda traced: traced.mislabelled, default=None)
        return worst if worst is not None and worst.mislabelled else None


def trace(dumps: Iterable[Dump], options: AuditOptions = DEFAULT_OPTIONS) -> Trace:
    """Follows programs through the dumps of a log, a folder or several stages, in the order of the passes.

    Dumps are taken one at a time and not kept. One that cannot be read does not hide the others.

    Complexity: linear in the text; only functions that differ from the dump before are audited.
    """
    tracer = _Tracer(options)
    for dump in each_dump(dumps):
        try:
            tracer.take(dump)
        except InputError as error:
            tracer.errors.append(error)
    return tracer.result()


@dataclass(slots=True, eq=False)
class _PassRun(PassRun):
    """One run of a pass, and what it is charged with so far.

    ``place`` is the dump that showed what the pass did, the ``shown_at``-th of all; None before that.
    """

    program: str
    failed: bool = False
    shown_at: int = -1
    place: DumpPlace | None = None
    changed: bool | None = None
    figures: Summary = field(default_factory=lambda: summarize_blocks([]))
    introduced: int = 0
    mislabelled: int = 0
    lost: int = 0

    def charge(self, change: StateChange) -> None:
        self.changed = bool(self.changed) or change.changed
        self.introduced += change.introduced
        self.mislabelled += change.mislabelled
        self.lost += change.lost

    def show(self, number: int, place: DumpPlace, states: DumpStates) -> None:
        self.shown_at, self.place = number, place
        is_part = states.alone is None and self.function is not None and self.function in states.functions
        self.figures = summarize_blocks(states.functions[self.function].blocks if is_part else states.blocks)

    def traced(self, index: int) -> TracedPass:
        figures = {field.name: getattr(self, field.name) for field in fields(TracedPass)[1:]}
        return TracedPass(index, **figures)


@dataclass(slots=True)
class _Program:
    """One program: its states, the dumps that showed its functions last, its passes and its findings."""

    name: str
    states: ProgramStates
    shown_in: dict[Part, DumpPlace] = field(default_factory=dict)
    open: OpenPasses[_PassRun] = field(default_factory=OpenPasses)
    findings: LeftFindings = field(default_factory=LeftFindings)


class _Tracer:
    """Takes dump after dump; ``errors`` are the caller's to fill."""

    def __init__(self, options: AuditOptions) -> None:
        self.errors: list[InputError] = []
        self._options = options
        self._programs: dict[str, _Program] = {}
        self._runs: list[_PassRun] = []
        self._occurrences: Counter[tuple[str, str | None, str | None]] = Counter()
        self._summary = summarize_blocks([], dumps=0)
        self._figures = LogFigures()
        self._unmatched = frozenset(options.assume_pure)
        self._initial = 0
        self._culprit: Culprit | None = None

    def take(self, dump: Dump) -> None:
        """Charges passes with what this dump shows."""
        unknown = _Program(dump.program, ProgramStates(self._options))
        program = self._programs.setdefault(dump.program, unknown)
        known, marker, place = program.states, dump.marker, self._place(dump)
        states = known.observe(dump, describes_worst=self._culprit is None)
        number, summary = self._summary.dumps, summarize_blocks(states.blocks)
        self._summary = self._summary.plus(summary)
        self._figures.add(dump.program, states.blocks)
        self._unmatched = self._unmatched.intersection(*(s.unmatched for s in states.functions.values()))
        if marker is None and not summary.has_indices:
            return  # a compiler's output, printed without locations: it tells nothing
        function, is_after = _function_of(marker, states), marker is not None and marker.when != "before"
        by_run: dict[_PassRun | None, list[Part]] = {}
        if marker is not None and is_after:  # what is different, the pass did
            ended = program.open.end(marker.pass_name, function)
            ended = ended or self._begin(program, marker.pass_name, function)
            ended.failed = marker.failed
            by_run[ended] = [*states.functions, *known.vanished(states)]
        else:  # what is different, the passes at work did
            for part in (*states.functions, *known.vanished(states)):
                by_run.setdefault(program.open.innermost(part), []).append(part)
        for at_work, parts in by_run.items():
            change = known.change(states, parts, may_wrap=is_after)
            run = at_work
            if run is None and change is not None and change.changed:
                run = self._begin(program, None, function)
            changed = [p for p in parts if states.functions.get(p) is not known.functions.get(p)]
            arrivals = {part: self._arrival(program, run, part, states, place) for part in changed}
            program.findings.update(states, arrivals, run.pass_name if run else None)
            if run is None:
                continue
            if change is not None:
                run.charge(change)
                if change.introduced and self._culprit is None:
                    arrival = self._arrival(program, run, change.grown, states, place)
                    self._culprit = self._found(arrival, change, states)
            run.show(number, place, states)
        if marker is not None and not is_after:
            program.open.begin(self._begin(program, marker.pass_name, function))
        for part, state in states.functions.items():
            program.shown_in[part] = place
            if part not in known.functions and not known.is_new(part, states):
                self._initial += state.avoidable
        known.remember(states)

    def result(self) -> Trace:
        """The passes that dumps have shown."""
        runs = sorted((run for run in self._runs if run.place), key=lambda run: run.shown_at)
        states = [s for program in self._programs.values() for s in program.states.functions.values()]
        findings = [program.findings for program in self._programs.values()]
        left = [one for program in findings for one in program.left(self._options)]
        repairs = sum(
            (program.repairs for program in findings), Counter[tuple[str | None, bool, str | None]]()
        )
        return Trace(
            left=tuple(sorted(left, key=lambda one: by_severity(one.finding))),
            repaired=tuple(Repair(*who, number) for who, number in repairs.most_common()),
            passes=tuple(run.traced(index) for index, run in enumerate(runs)),
            culprit=self._culprit,
            initial=self._initial,
            summary=self._summary,
            once=self._figures.once,
            final=summarize_blocks([block for state in states for block in state.blocks]),
            errors=tuple(self.errors),
            unmatched=tuple(p for p in self._options.assume_pure if p in self._unmatched),
            options=self._options,
        )

    def _place(self, dump: Dump) -> DumpPlace:
        kind = _kind(dump.source.name, dump.marker)
        self._occurrences[kind] += 1
        return DumpPlace(dump.source.name, dump.line, dump.marker, self._occurrences[kind] - 1)

    def _begin(self, program: _Program, pass_name: str | None, function: str | None) -> _PassRun:
        self._runs.append(_PassRun(pass_name, function, program.name))
        return self._runs[-1]

    def _arrival(
        self, program: _Program, run: _PassRun | None, part: Part, states: DumpStates, place: DumpPlace
    ) -> Arrival:
        is_initial = part not in program.states.functions and not program.states.is_new(part, states)
        before = program.shown_in.get(part)
        dump_before = _kind(place.source, place.marker._replace(when="before") if place.marker else None)
        return Arrival(
            pass_name=run.pass_name if run and not is_initial else None,
            is_initial=is_initial,
            place=place,
            before=before,
            is_pair=before is not None
            and _kind(before.source, before.marker) == dump_before
            and before.occurrence + 1 == self._occurrences[dump_before],
        )

    def _found(self, arrival: Arrival, change: StateChange, states: DumpStates) -> Culprit:
        block = max(states.blocks_of(change.grown, self._options), key=lambda block: block.avoidable)
        return Culprit(
            pass_name=arrival.pass_name,
            function=change.grown if isinstance(change.grown, str) else None,
            introduced=change.introduced,
            place=arrival.place,
            before=arrival.before,
            is_pair=arrival.is_pair,
            block=block,
            worst=next((op for op in block.worst if op.blocker is None), block.worst[0]),
        )


def _kind(source: str, marker: Marker | None) -> tuple[str, str | None, str | None]:
    """What dumps are counted by."""
    return source, marker.pass_name if marker else None, marker.when if marker else None


def _function_of(marker: Marker | None, states: DumpStates) -> str | None:
    """The function that a dump's pass ran on; None for the whole program."""
    if states.alone is not None:
        return states.alone
    is_function = marker is not None and marker.op_name != "builtin.module"
    return marker.symbol if marker and is_function and marker.symbol in states.functions else None
