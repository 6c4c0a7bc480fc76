"""What each pass of a log did to the ops and to their order, and which pass left most out of order.

A pass is charged with each pair of ops that it put out of order (``inverted_pairs.py``), and with the other
differences between a function in the dump after it and the same function in the last dump before that,
anywhere in the log. So dumps of several functions may interleave. If a pass runs inside another one, the
outer pass is charged with the rest. ``program_log.py`` decides which pass is charged.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import chain, starmap
from typing import NamedTuple, Protocol

from eio_audit.audit.check.figures import BlockAudit, Summary, summarize_blocks
from eio_audit.audit.diff.advice import Advice, Change, PassAdvice
from eio_audit.audit.diff.end_block import EndBlock
from eio_audit.audit.gate.findings import Finding
from eio_audit.audit.gate.gate import by_severity
from eio_audit.audit.log.failures import Crash, Failures, Suspect, located
from eio_audit.audit.log.followed_pairs import LeftOp, LeftPairs, left_pairs
from eio_audit.audit.log.function_states import DumpStates, FunctionState, ProgramStates
from eio_audit.audit.log.program_log import LogStep, PassRun, ProgramLog
from eio_audit.audit.log.scope_steps import (
    ChangedOp,
    OpCounts,
    ScopeStep,
    TracedPlace,
    changed_ops,
    counts_by_name,
)
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.audit.pair_class import SHUFFLED, PairClass
from eio_audit.audit.programs.modules import FunctionOrModule
from eio_audit.mlir.input.dumps import Dump, DumpPlace, each_dump, module_lines
from eio_audit.mlir.input.function_texts import shown_op
from eio_audit.mlir.input.markers import Marker
from eio_audit.mlir.input.messages import (
    Diagnostic,
    PipelinePass,
    crash_while_printed,
    next_pass,
    pipeline_in,
    program_arguments,
)
from eio_audit.mlir.input.pass_times import PassTimes, TimedRun
from eio_audit.mlir.ir import Fault
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.source import InputError, bugs_are_errors
from eio_audit.order.inverted_pairs import INITIAL

_ADAPTOR = pattern(r"(?i)adaptor|\bpipeline\Z|fixed-?point-?iterator")


@dataclass(frozen=True)
class TracedPass:
    """One run of a pass, or one stage of a compiler."""

    index: int  # 0-based number among the passes, in the order in which they ended
    pass_name: str | None  # the pass; None for passes that the log does not show
    function: str | None  # symbol of the function it ran on; None for a whole program
    program: str  # the program it ran on, if there are several
    place: TracedPlace  # the dump that shows its result
    run: int  # its number among the passes of its program, as they began
    figures: Summary  # the figures of the dump, or only of the function it ran on
    before: TracedPlace | None = None  # the last dump before that of what it changed; None if there is none
    failed: bool = False  # whether it failed, according to its marker, or did not end
    # Whether it changed anything except the names of aliases and values; None without a text before.
    changed: bool | None = None
    made: int = 0  # pairs of ops that it put out of order
    # How many of these came later: another pass put ops in the place of one that was in such a pair.
    multiplied: int = 0
    undone: int = 0  # pairs of ops out of order that it put in order
    left: int = 0  # pairs that it made and that have been out of order since then
    # How many of them are of each class. Those in graph regions have none.
    left_classes: Mapping[PairClass, int] = field(default_factory=dict)
    left_ahead: int = 0  # how many of them are in functions that run once, ahead of the model
    # The ops in these pairs that `fix --relabel` changes, those in most of them first.
    left_ops: tuple[LeftOp, ...] = ()
    mislabelled: int = 0  # op indices that it made contradict the dependences, function by function
    lost: int = 0  # op indices that the program had before it and has no more
    # Per name of an op, how many of these it added, removed, modified and moved; None without a dump
    # before.
    ops: Mapping[str, OpCounts] | None = None
    functions: tuple[str, ...] = ()  # the functions in which it changed ops
    size: int = 0  # number of ops of the dump, or of the function it ran on, at any depth
    # What is invalid in the dump of a pass that failed, each with the function or module.
    faults: tuple[tuple[FunctionOrModule, Fault], ...] = ()
    errors: tuple[Diagnostic, ...] = ()  # what the compiler said of it
    # Why its dump could not be compared with the text before it, though each of them could be read.
    unread: InputError | None = None
    # Its wall time by MLIR's timing report, together with the other runs that the entry of the report
    # covers; None if there is no report, or another of these runs has the time.
    seconds: float | None = None
    timed_runs: int = 0  # how many runs of the log `seconds` covers; 0 without a time
    # What to change in it; None if it left nothing out of order, or is not to be advised.
    advice: Advice | None = None

    @property
    def is_adaptor(self) -> bool:
        """Whether it only runs others. What it changed is what they did, or the pass that it runs in."""
        return self.place.when is not None and _ADAPTOR.search(self.pass_name or "") is not None

    @property
    def left_shuffled(self) -> int:
        """The pairs that it left out of place, or with a wrong index."""
        return sum(self.left_classes.get(one, 0) for one in SHUFFLED)

    @property
    def left_others(self) -> int:
        """The pairs that it left, without those of hoisted constants, and those that are not comparable."""
        noise = (one for one in PairClass if one is PairClass.HOISTED_CONSTANT or not one.is_comparable)
        return self.left - sum(self.left_classes.get(one, 0) for one in noise)

    @property
    def op_counts(self) -> OpCounts:
        """How many ops it changed."""
        return reduce(OpCounts.plus, (self.ops or {}).values(), OpCounts())


class LeftFinding(NamedTuple):
    """A finding at the end of the log."""

    finding: Finding  # the finding in the last dump of its function
    # The dump of the pass that made most of its pairs; None if the first dump of the function has them.
    made_at: TracedPlace | None


class CountedDump(NamedTuple):
    """The ops that one dump shows."""

    place: DumpPlace  # the dump
    function: str | None  # symbol of the function if it shows only that; None for a program
    ops: Mapping[str, int]  # how many of each name, at any depth


class OpTotals(NamedTuple):
    """The ops of a log by name, at any depth."""

    first: Mapping[str, int] = {}  # when the log first shows each function, but those that a pass made
    last: Mapping[str, int] = {}  # at its end
    dumps: tuple[CountedDump, ...] = ()  # those of each dump

    def plus(self, other: OpTotals) -> OpTotals:
        """Return the totals of two logs together."""
        first, last = sum_of([self.first, other.first]), sum_of([self.last, other.last])
        return OpTotals(first, last, self.dumps + other.dumps)


@dataclass(frozen=True)
class Trace:
    """The history of the programs in a log."""

    left: tuple[LeftFinding, ...]  # the findings at the end, worst first
    passes: tuple[TracedPass, ...]  # the passes, in the order in which they ended
    initial: int  # pairs out of order in the first dumps of functions, which no pass is charged with
    initial_left: int  # those of them that have been out of order since then
    initial_classes: Mapping[PairClass, int]  # how many of these are of each class; none in graph regions
    summary: Summary  # the figures of all dumps, added up
    # The figures of the last dumps of all functions. A dump without any index does not count.
    at_end_of_log: Summary
    errors: tuple[InputError, ...]  # of dumps that could not be read
    unmatched: tuple[str, ...]  # the patterns of `--assume-pure` that match no op of any dump
    options: AuditOptions  # of the audits
    sources: tuple[str, ...] = ()  # the files with dumps that could be read
    unindexed: int = 0  # number of dumps that have ops but no index
    is_partial: bool = False  # whether some block had too many ops out of order to follow all of its pairs
    # What else compilers printed, such as how to fail again, by its file and 1-based line.
    notes: Mapping[tuple[str, int], str] = field(default_factory=dict)
    crash: Crash | None = None  # how the log ends, if a pass that no dump shows crashed
    op_totals: OpTotals = field(default_factory=OpTotals)  # how many ops of each name there are
    # The 1-based lines of modules without a marker and an index, of a single file.
    unmarked_modules: tuple[int, ...] = ()
    compiler: str = ""  # the compiler with its arguments, as far as a log tells them
    # By program, its blocks that are out of order at the end.
    end_blocks: Mapping[str, Sequence[EndBlock]] = field(default_factory=dict, compare=False, repr=False)

    def at_the_end(self, advice: Advice, rows: Sequence[TracedPass]) -> Advice:
        """Return the advice on a pass, which has some ``rows``, with what it leaves at the end of the log."""
        program, last = rows[0].program, max(row.index for row in rows)
        blocks, changes = self.end_blocks.get(program, ()), list[Change]()
        is_only = len(self.end_blocks) == 1
        now = self.at_end_of_log.inversions if is_only else sum(block.inversions for block in blocks)
        later = (one for one in self.passes if one.index > last and one.program == program)
        is_last = not any(one.changed for one in later)
        removed = 0
        for number, change in enumerate(advice.changes, 1):
            removed += change.removed
            if not is_last:
                runs = [row.run for row in rows]
                removed = sum(block.removed(runs, advice.changes[:number]) for block in blocks)
            changes.append(change._replace(left=now - removed))
        while changes and changes[-1].left == (changes[-2].left if len(changes) > 1 else now):
            changes.pop()  # it removes nothing that is left at the end
        return advice._replace(changes=tuple(changes), at_end=now)

    @cached_property
    def broken(self) -> TracedPass | None:
        """Where the compiler failed: the first pass that left invalid IR, else with an error or a mark."""
        failed = (one for one in self.passes if one.failed)
        return min(failed, key=lambda one: (not one.faults, not one.errors), default=None)

    @property
    def is_unjudged(self) -> bool:
        """Whether there are ops but no index in any dump, so that the order cannot be judged."""
        return self.unindexed > 0 and not self.summary.has_indices

    @cached_property
    def culprit(self) -> TracedPass | None:
        """The pass that left most pairs out of order, of equals the first, and no adaptor if another did."""
        left = (traced for traced in self.passes if traced.left)
        return max(left, key=lambda traced: (not traced.is_adaptor, traced.left), default=None)

    @cached_property
    def left_classes(self) -> Counter[PairClass]:
        """How many of the pairs out of order at the end are of each class."""
        return sum((Counter(traced.left_classes) for traced in self.passes), Counter(self.initial_classes))

    @property
    def initial_left_shuffled(self) -> int:
        """The pairs of the first dumps that are left out of place, or with a wrong index."""
        return sum(self.initial_classes.get(one, 0) for one in SHUFFLED)


def sum_of(counts: Iterable[Mapping[str, int]]) -> Counter[str]:
    """Add up counts by name."""
    total = Counter[str]()
    for one in counts:
        total.update(one)
    return total


class Watch(Protocol):
    """Looks at each pass that changed ops while a log is traced."""

    def watch(self, run: PassRun, program: str, step: ScopeStep, changes: Sequence[ChangedOp]) -> None:
        """Look at a pass, its program, a dump with the text before it, and what the pass is charged with."""


def trace(
    dumps: Iterable[Dump],
    options: AuditOptions = DEFAULT_OPTIONS,
    watches: Sequence[Watch] = (),
    *,
    advises_all: bool = True,
) -> Trace:
    """Follow programs through the dumps of a log, a folder or several stages, in the order of the passes.

    Dumps are read one at a time and not kept. A dump that cannot be read does not stop the trace.

    Args:
        dumps: what to read.
        options: the options of the audits.
        watches: get each pass that changed ops as soon as a dump shows it.
        advises_all: whether each pass gets advice, or only the one that left most pairs out of order.

    Complexity: linear in the text. Only functions that differ from the dump before are audited and compared.
    """
    tracer = _Tracer(options, watches, advises_all)
    for dump in each_dump(dumps):
        try:
            with bugs_are_errors(dump.source.name, dump.line):
                tracer.add(dump)
        except InputError as error:
            if not tracer.takes_crash_in(dump):
                tracer.errors.append(error)
    return tracer.result()


class _Charges:
    """What one run of a pass is charged with so far, and the number of the last dump that shows it."""

    def __init__(self, run: PassRun, program: str, place: TracedPlace, shown_at: int = -1) -> None:
        self.run = run
        self.shown_at = shown_at
        nothing = summarize_blocks([])
        self.row = TracedPass(-1, run.pass_name, run.function, program, place, run.number, nothing)

    def count(self, changes: Sequence[ChangedOp]) -> None:
        ops = {**(self.row.ops or {})}
        for name, counts in counts_by_name(changes).items():
            ops[name] = counts.plus(ops.get(name, OpCounts()))
        functions = dict.fromkeys([*self.row.functions, *filter(None, (one.function for one in changes))])
        self.row = replace(self.row, ops=ops, functions=(*functions,))

    def show(self, number: int, place: TracedPlace, states: DumpStates) -> None:
        function, self.shown_at = self.run.function, number
        is_part = states.only_function is None and function is not None and function in states.parts
        shown = [states.parts[function]] if is_part else [*states.parts.values()]
        size, faults = sum(state.size for state in shown), (*states.faults,)
        blocks = [] if faults else [block for state in shown for block in state.blocks]
        self.row = replace(self.row, place=place, figures=summarize_blocks(blocks), size=size, faults=faults)

    def traced(self, index: int, time: tuple[float | None, int], pairs: LeftPairs) -> TracedPass:
        run = self.run.number
        return replace(
            self.row,
            index=index,
            failed=self.run.failed,
            made=pairs.made[run],
            multiplied=pairs.multiplied[run],
            undone=pairs.undone[run],
            left=pairs.left[run],
            left_classes=+pairs.classes[run],
            left_ahead=pairs.ahead[run],
            left_ops=(*pairs.ops[run],),
            seconds=time[0],
            timed_runs=time[1],
        )


class _TracedProgram:
    """One program: its states, the last dump of each function, its passes and its pairs out of order."""

    def __init__(self, name: str, options: AuditOptions) -> None:
        self.name = name
        self.log = ProgramLog(options)
        self.states = ProgramStates(options, self.log)
        self.advice = PassAdvice(self.log.followed.pairs)
        self.shown_in: dict[FunctionOrModule, TracedPlace] = {}
        # The last dump of each function that can be judged, with its figures; none if none could be.
        self.judged: dict[FunctionOrModule, tuple[Dump, tuple[BlockAudit, ...]]] = {}
        self.charges: dict[int, _Charges] = {}
        self.first_ops = Counter[str]()  # its ops by name, as they were first shown
        # What its last dump showed, and the ops in that by name: most dumps show the same.
        self.counted: tuple[Mapping[FunctionOrModule, FunctionState], Mapping[str, int]] = {}, {}

    def move(self, modules: Mapping[FunctionOrModule, FunctionOrModule]) -> None:
        """Let modules have other names from now on."""
        for was, now in modules.items():
            self.states.functions[now] = self.states.functions.pop(was)
            self.states.places[now] = self.states.places.pop(was)
            self.judged[now] = self.judged.pop(was)
            self.shown_in[now] = self.shown_in.pop(was)

    def judge(self, dump: Dump, shown: DumpStates) -> None:
        """Take the figures of a dump. If it has no index, or is invalid, those before it count on."""
        for part in shown.vanished:
            self.judged.pop(part, None)
        for part, state in shown.parts.items():
            if shown.is_unjudged:
                self.judged.setdefault(part, (dump, ()))
            else:
                self.judged.pop(part, None)
                self.judged[part] = dump, state.blocks

    def follow(
        self, step: LogStep, shown: DumpStates, runs: Mapping[FunctionOrModule, PassRun | None]
    ) -> None:
        """Follow the pairs into a dump. ``runs`` has the run that each function and module is charged to."""

        def origin(function: str | None) -> int:
            run = runs.get(function) or step.run_of(function)
            is_made = step.compared is not None and step.compared.was_known(function)
            return run.number if run is not None and is_made else INITIAL

        self.log.follow(step, origin, is_judged=not shown.is_unjudged)

    def charged(self) -> LeftPairs:
        """Return what each run is charged with, at the end of the log."""
        shown_in: dict[str | None, Dump] = {}
        for part, (dump, blocks) in self.judged.items():
            if any(block.inversions for block in blocks):
                shown_in[part if isinstance(part, str) else None] = dump
        functions_in = defaultdict[Dump, list[str | None]](list)
        for function, dump in shown_in.items():
            functions_in[dump].append(function)
        audits = starmap(self.states.last_audits, functions_in.items())
        return left_pairs(self.log.followed, chain.from_iterable(audits))


class _Tracer:
    """Adds dump after dump. The caller adds the ``errors``."""

    def __init__(self, options: AuditOptions, watches: Sequence[Watch], advises_all: bool) -> None:
        self.errors: list[InputError] = []
        self._options = options
        self._advises_all = advises_all
        self._watches = watches
        self._programs: dict[str, _TracedProgram] = {}
        self._occurrences: Counter[tuple[str, str | None, str | None]] = Counter()
        self._summary = summarize_blocks([], dumps=0)
        self._sources: dict[str, None] = {}
        self._unindexed = 0
        self._unmatched = frozenset(options.assume_pure)
        self._times = PassTimes()
        self._failures = Failures()
        self._modules: list[int] = []
        self._counted: list[CountedDump] = []
        self._crash: Crash | None = None
        self._last_line = 0  # that of the last dump
        self._above: list[bytes] = []  # what a compiler printed above dumps, such as its pipeline
        self._ended: list[tuple[str, str | None]] = []  # the passes that ended, each with its function

    def add(self, dump: Dump) -> None:
        """Charge passes with what this dump shows."""
        self._times.look_at(dump)
        program = self._programs.get(dump.program)
        if program is None:
            program = self._programs[dump.program] = _TracedProgram(dump.program, self._options)
        place = self._place(dump)
        if dump.above is not None:
            source, span = dump.above
            self._above.append(source.data[slice(*span)])
        errors = self._failures.below(dump, program.log.steps.texts)
        is_said = any("does not dominate" in error.message for error in self._failures.pending)
        states = program.states.observe(dump, is_said_invalid=is_said)
        if not dump.has_failed:
            self._last_line = dump.line
        if dump.marker is not None and dump.marker.when == "after" and not dump.has_failed:
            self._ended.append((dump.marker.pass_name, shown_op(dump).symbol))
        summary = summarize_blocks(states.blocks)
        self._summary = self._summary.plus(summary)
        self._sources[dump.source.name] = None
        self._unindexed += states.is_unindexed
        self._unmatched = self._unmatched.intersection(*(s.unmatched for s in states.parts.values()))
        if dump.marker is None and not summary.has_indices:
            self._charge_errors(None, errors)
            self._modules += module_lines(dump)
            return  # the output of a compiler, printed without locations
        program.move(states.moved)
        step = program.log.walk.step(dump, states.only_function, states.parts)
        again = set() if states.is_unjudged else program.log.followed.unjudged.keys() & states.parts.keys()
        same = program.states.same_in(states) - again
        is_all_same = None not in same and len(same) == len(states.parts) and not states.vanished
        if not is_all_same or program.log.steps.texts.namesakes:
            program.log.compare(step, same, is_read=bool(again))
        compared = step.compared
        changes: dict[PassRun | None, list[ChangedOp]] = defaultdict(list)
        for change in () if compared is None else changed_ops(compared):
            changes[step.run_of(change.function)].append(change)
        runs: dict[FunctionOrModule, PassRun | None] = {}
        for run, parts in step.charged((*states.parts, *states.vanished)).items():
            runs |= dict.fromkeys(parts, self._charge(program, run, parts, step, states, place, changes[run]))
        program.follow(step, states, runs)
        for run in filter(None, runs.values()) if step.unread is not None else ():
            program.charges[run.number].row = replace(program.charges[run.number].row, unread=step.unread)
        comparison = None if compared is None else compared.comparison
        if step.ended is not None and comparison is not None and self._options.order_from is None:
            program.advice.take(step.ended.number, comparison)
            if self._advises_all:
                program.advice.on(step.ended.number)
        program.shown_in |= dict.fromkeys(states.parts, place)
        program.judge(dump, states)
        self._count(program, place, states)
        program.states.remember(states)
        run = step.ended or next(reversed(program.log.walk.at_work), None)
        is_likely = dump.has_failed or step.ended is None
        suspect = Suspect(program.name, run, place, is_likely) if run and dump.marker is not None else None
        self._charge_errors(suspect, errors)

    def _count(self, program: _TracedProgram, place: TracedPlace, states: DumpStates) -> None:
        """Count the ops of a dump whose states are not known yet."""
        if states.parts is not program.counted[0]:
            program.counted = states.parts, sum_of(one.names for one in states.parts.values())
        self._counted.append(CountedDump(place, states.only_function, program.counted[1]))
        known = program.states
        first = (p for p in states.parts if p not in known.functions and not known.is_new(p, states))
        program.first_ops.update(sum_of(states.parts[part].names for part in first))

    def _charge_errors(self, suspect: Suspect | None, below: Sequence[Diagnostic]) -> None:
        for one, errors in self._failures.charged(suspect, below):
            self._charge_with_errors(one, errors)

    def _charge_with_errors(self, suspect: Suspect, errors: Sequence[Diagnostic]) -> None:
        """Charge a pass with errors. A pass that no dump shows has failed."""
        program, run = self._programs[suspect.program], suspect.run
        charges, known = program.charges, program.log.steps.texts
        if run.number not in charges:
            run.failed = True
            charges[run.number] = _Charges(run, suspect.program, suspect.place, self._summary.dumps)
        own = charges[run.number]
        all_errors = (*own.row.errors, *(located(error, known, run.function) for error in errors))
        once = {(one.message, one.op_name): one for one in reversed(all_errors)}
        own.row = replace(own.row, errors=(*once.values(),)[::-1])

    def takes_crash_in(self, dump: Dump) -> bool:
        """Charge a pass with the crash of a compiler that tore off a dump; whether it did."""
        crash, program = crash_while_printed(dump), self._programs.get(dump.program)
        if crash is None or program is None or dump.marker is None:
            return False
        walk = program.log.walk
        run = walk.ended(dump.marker, None) if dump.marker.when == "after" else None
        run = run or next(reversed(walk.at_work), None) or walk.begin(dump.marker, None)
        self._charge_with_errors(Suspect(program.name, run, self._place(dump), True), [crash])
        if self._last_line:
            self._find_crashed_pass(program, dump.text)
        return True

    def _find_crashed_pass(self, program: _TracedProgram, below: bytes) -> PipelinePass | None:
        """Return the pass that follows the last one that ended, by what a compiler that crashed printed."""
        text = b"".join([*self._above, below])
        functions = [part for part in program.states.functions if isinstance(part, str)]
        following = next_pass(pipeline_in(text), self._ended, functions)
        self._crash = Crash(self._last_line, (*program_arguments(text),), following)
        return following

    def _charge_last_errors(self) -> None:
        suspect, errors = self._failures.at_end()
        if errors and suspect is None:
            program = next(reversed(self._programs.values()))
            following = self._find_crashed_pass(program, self._failures.text_at_end())
            name = errors[0].pass_name or (following.name if following else "")
            marker = Marker(name, name, "after", failed=True) if name else None
            place = TracedPlace(next(reversed(self._sources)), errors[0].line, marker)
            suspect = Suspect(program.name, program.log.walk.begin(marker, None), place, True)
        if errors and suspect is not None:
            self._charge_with_errors(suspect, errors)

    def _charge(
        self,
        program: _TracedProgram,
        run: PassRun | None,
        parts: Collection[FunctionOrModule],
        step: LogStep,
        states: DumpStates,
        place: TracedPlace,
        changes: Sequence[ChangedOp],
    ) -> PassRun | None:
        """Charge a pass with what is new in some functions and modules. Return its run, if there is one."""
        compared, change = step.compared, program.states.change(states, parts)
        if run is None and change is not None and change.differs:
            run = program.log.walk.begin(None, step.function)
        if run is None:
            return None
        charges = program.charges.setdefault(run.number, _Charges(run, program.name, place))
        row = charges.row
        changed = row.changed
        if compared is not None and compared.before is not None:
            changed = bool(changed or changes)
            charges.count(changes)
            for watch in self._watches if changes else ():
                watch.watch(run, program.name, compared, changes)
        elif change is not None and (None not in states.parts or len(states.parts) > 1):
            changed = bool(changed) or change.changed
        before = [program.shown_in[part] for part in parts if part in program.shown_in]
        charges.row = replace(
            charges.row,
            changed=changed,
            before=max(before, key=lambda one: one.line, default=row.before),
            mislabelled=row.mislabelled + (change.mislabelled if change is not None else 0),
            lost=row.lost + (change.lost if change is not None else 0),
        )
        charges.show(self._summary.dumps, place, states)
        return run

    def result(self) -> Trace:
        """Return the trace of all dumps taken. Call it once."""
        self._charge_last_errors()
        programs = self._programs.values()
        charged = {program.name: program.charged() for program in programs}
        charges = [one for program in programs for one in program.charges.values()]
        charges.sort(key=lambda one: (one.shown_at, one.run.number))
        rows = ((one.run.class_name, one.row) for one in charges)
        times = self._times.of(
            [TimedRun(name, row.program, row.function, row.place, bool(row.changed)) for name, row in rows]
        )
        left = [
            LeftFinding(
                finding._replace(pass_name=run.run.pass_name if run else None, left=True),
                run.row.place if run else None,
            )
            for program in programs
            for finding, origin in charged[program.name].findings
            for run in (program.charges.get(origin),)
        ]
        initial = [one.classes[INITIAL] for one in charged.values()]
        judged = (p.judged[part][1] for p in programs for part in p.states.functions)
        result = Trace(
            left=tuple(sorted(left, key=lambda one: by_severity(one.finding))),
            passes=tuple(
                one.traced(index, times[index], charged[one.row.program]) for index, one in enumerate(charges)
            ),
            initial=sum(one.made[INITIAL] for one in charged.values()),
            initial_left=sum(one.left[INITIAL] for one in charged.values()),
            initial_classes=sum(initial, Counter[PairClass]()),
            summary=self._summary,
            at_end_of_log=summarize_blocks([block for blocks in judged for block in blocks], dumps=0),
            errors=tuple(self.errors),
            unmatched=tuple(p for p in self._options.assume_pure if p in self._unmatched),
            options=self._options,
            sources=tuple(self._sources),
            unindexed=self._unindexed,
            is_partial=any(program.log.followed.pairs.is_partial for program in programs),
            notes=self._failures.notes,
            crash=self._crash,
            op_totals=OpTotals(
                sum_of(program.first_ops for program in programs),
                sum_of(state.names for p in programs for state in p.states.functions.values()),
                tuple(self._counted),
            ),
            unmarked_modules=tuple(self._modules) if len(self._sources) == 1 else (),
            compiler=self._failures.compiler,
            end_blocks={name: left.blocks for name, left in charged.items()},
        )
        passes = [*result.passes]
        for row in result.passes if self._advises_all else filter(None, [result.culprit]):
            if (advice := self._programs[row.program].advice.on(row.run)) is not None:
                passes[row.index] = replace(row, advice=result.at_the_end(advice, [row]))
        return replace(result, passes=tuple(passes))

    def _place(self, dump: Dump) -> TracedPlace:
        kind = dump.source.name, dump.place.pass_name, dump.place.when
        self._occurrences[kind] += 1
        number = self._occurrences[kind] - 1
        return TracedPlace(dump.source.name, dump.line, dump.marker, dump.program, dump.first_line, number)
