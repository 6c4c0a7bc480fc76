"""Which rewrite patterns of a pass changed the IR, and which of them put ops out of order.

A compiler with MLIR's options counts the attempts of patterns. It stops after a number of them
(``--mlir-debug-counter``), and lists them with their root ops (``--log-actions-to``). The states after a
pass, with more and more attempts allowed, are found by halving. In order they are a log, which ``trace``
reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, reduce
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from eio_audit.audit.bisect.attempts import WITHOUT_PATTERNS, Attempt, name_of_step
from eio_audit.audit.bisect.pass_search import (
    CHANGES_NOTHING,
    INTERRUPTED,
    NO_ACTIONS,
    Interval,
    PassSearch,
    Reproduction,
    Request,
    SearchResult,
    find_states,
)
from eio_audit.audit.bisect.survey import Survey
from eio_audit.audit.command import termination_waits
from eio_audit.audit.corpus.workers import usable_cores
from eio_audit.audit.diff.advice import Advice, PassFlow
from eio_audit.audit.diff.diff import Diff, diff
from eio_audit.audit.diff.homes import State
from eio_audit.audit.diff.made_ops import PassStep, Root
from eio_audit.audit.log.history import EventKind, History, OpEvent, OpHistory, history
from eio_audit.audit.log.program_log import ProgramLog
from eio_audit.audit.log.scope_steps import OpCounts
from eio_audit.audit.log.trace import Trace, TracedPass, Watch, trace
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import Dump, read_text
from eio_audit.mlir.source import InputError

STATES_LOG = "states.log"  # the name of the log
MAX_RUNS = 1000  # how often the compiler may run
FEW_OPS = 10  # a program of so many ops needs no reduction
Advance: TypeAlias = Callable[[PassSearch, SearchResult], None]
"""Gets the search and what it has found, after each run and at the end of the search."""


@dataclass(frozen=True, slots=True)
class Application:
    """A step of a pass that changed the IR: an application of a pattern, or what is not resolved further."""

    first: int  # the first of its attempts of patterns, from 1; 0 for what the pass does without patterns
    last: int  # the last of them; greater than `first` only if the step is not resolved further
    # The attempt; None for several, without a pattern, and if no log of actions tells it.
    attempt: Attempt | None
    inversions_before: int  # the inversions in all blocks before it
    traced: TracedPass  # its row in the trace of the states
    at_end: TracedPass  # the same in the trace that goes on to the end of the command

    @property
    def inversions(self) -> int:
        """The inversions in all blocks after it."""
        return self.traced.figures.inversions

    @property
    def made(self) -> int:
        """How many pairs of ops it put out of order."""
        return self.traced.made

    @property
    def undone(self) -> int:
        """How many pairs of ops out of order it put in order."""
        return self.traced.undone

    @property
    def left(self) -> int:
        """How many of the pairs that it made are out of order at the end of the command, without a break."""
        return self.at_end.left

    @property
    def left_others(self) -> int:
        """Those of them that are comparable, without hoisted constants: every greedy rewrite hoists these."""
        return self.at_end.left_others

    @property
    def left_apart(self) -> int:
        """Those that do not count in the order of the steps: of hoisted constants, or not comparable."""
        return self.left - self.left_others

    @property
    def is_resolved(self) -> bool:
        """Whether it is one attempt."""
        return self.first == self.last

    @property
    def pattern(self) -> str | None:
        """The name of its pattern, without namespaces; None if it is not known."""
        return None if self.attempt is None else self.attempt.name

    @property
    def op_counts(self) -> OpCounts:
        """How many ops it changed."""
        return self.traced.op_counts


@dataclass(frozen=True, slots=True)
class PatternTotal:
    """What all applications of one pattern did."""

    # Its name, without namespaces; None for steps that are not resolved, or whose pattern is not known.
    pattern: str | None
    is_resolved: bool  # whether each of them is one attempt
    applications: int  # how many changed the IR
    made: int  # pairs of ops that they put out of order
    undone: int  # pairs of ops out of order that they put in order
    left: int  # those that they made and that are out of order at the end of the command, without a break
    left_others: int  # those of them that are comparable, without hoisted constants
    op_counts: OpCounts  # how many ops they changed
    worst: Application  # the application that left most inversions; of equals, the one that made most

    @property
    def left_apart(self) -> int:
        """Those that do not count in the order of the patterns: of hoisted constants, or not comparable."""
        return self.left - self.left_others


def _most(one: Application | PatternTotal) -> tuple[int, int, int, int]:
    return one.left_others, one.left, one.made, one.op_counts.total


@dataclass(frozen=True)
class Bisection:
    """Which patterns of a pass changed the IR, and how."""

    command: tuple[str, ...]  # the compiler with its arguments, as it was given
    passes: Trace  # what each pass of the command did
    pass_name: str  # the pass in question
    function: str | None  # the symbol of the op that it ran on; None for the whole program
    number: int | None  # which run of the pass it is, from 1; None if it is the only one
    left: int  # how many pairs it put out of order that are so at the end of the command, without a break
    is_alone: bool  # whether the pass runs alone in each run, not the whole command
    why_not_alone: str  # why the whole command runs each time; empty if the pass runs alone
    why_one_step: str  # why its patterns cannot be told apart; empty if they can
    attempts: tuple[int, int]  # the first of its attempts of patterns and the last, as the runs count them
    runs: int  # how many runs of the compiler it took
    applications: tuple[Application, ...]  # its steps in order; the first is what it does without patterns
    states: Trace  # the trace of its states
    log: Path | None  # the file with the states; None if there is none any more
    log_name: str  # its name in messages; `<states.log>` if it is not kept
    reproduction: Reproduction  # how to get the states by hand
    advice: Advice | None = None  # what to change; None if nothing is out of order, or locations do not tell
    failures: tuple[InputError, ...] = ()  # the errors of runs that failed
    stopped: str = ""  # why the search stopped early: `INTERRUPTED`, `MOST_RUNS`, or empty if it did not
    can_reduce: bool = False  # whether there is something to `reduce`, and the compiler prints what it needs

    @property
    def left_before(self) -> int:
        """How many pairs at the end have been out of order since before the pass."""
        return self.states.initial_left

    @property
    def is_judged(self) -> bool:
        """Whether some op carries an index, so that there is an order to judge."""
        return self.states.summary.has_indices

    @property
    def without_patterns(self) -> Application:
        """What the pass does without patterns, such as folding."""
        return self.applications[0]

    @cached_property
    def of_patterns(self) -> tuple[Application, ...]:
        """The steps that patterns made, in order."""
        return self.applications[1:]

    @property
    def is_unchanged(self) -> bool:
        """Whether the pass changes nothing."""
        return self.why_one_step == CHANGES_NOTHING

    @property
    def is_kept(self) -> bool:
        """Whether the log of the states is kept."""
        return not self.log_name.startswith("<")

    def dumps(self) -> list[Dump]:
        """Return the states: before the pass, then after each step. Their log must be there."""
        assert self.log is not None
        return read_text(self.log.read_bytes(), self.log_name)

    @property
    def is_interrupted(self) -> bool:
        """Whether the user stopped the search."""
        return self.stopped == INTERRUPTED

    @property
    def avoidable(self) -> int:
        """The avoidable inversions after the pass."""
        return self.states.at_end_of_log.avoidable

    @property
    def attempted(self) -> int:
        """How many patterns the pass attempts."""
        return self.attempts[1] - self.attempts[0] + 1

    @property
    def inversions(self) -> tuple[int, int]:
        """The inversions before the pass, and after it."""
        return self.applications[0].inversions_before, self.applications[-1].inversions

    @property
    def first_left(self) -> Application | None:
        """The first step that left pairs out of order at the end of the pass, or if none did, changed ops."""
        steps = [one for one in self.applications if one.left if self.is_judged]
        return next(iter(steps or self.of_patterns), None)

    @cached_property
    def unresolved(self) -> tuple[Application, ...]:
        """The steps that are not resolved to one attempt, those that left most inversions first."""
        steps = [one for one in self.of_patterns if not one.is_resolved]
        return tuple(sorted(steps, key=_most, reverse=True))

    @cached_property
    def worst(self) -> tuple[Application, ...]:
        """The applications that made inversions, those that left most first; else all, by ops changed."""
        made = [one for one in self.of_patterns if one.made > 0] if self.is_judged else self.of_patterns
        return tuple(sorted(made, key=_most, reverse=True))

    @cached_property
    def patterns(self) -> tuple[PatternTotal, ...]:
        """The totals by pattern: those that left most inversions first, then those that made most."""
        found: dict[tuple[bool, str | None], list[Application]] = {}
        for one in self.of_patterns:
            found.setdefault((one.is_resolved, one.pattern), []).append(one)
        totals = [
            PatternTotal(
                pattern,
                is_resolved,
                applications=len(steps),
                made=sum(one.made for one in steps),
                undone=sum(one.undone for one in steps),
                left=sum(one.left for one in steps),
                left_others=sum(one.left_others for one in steps),
                op_counts=reduce(OpCounts.plus, (one.op_counts for one in steps)),
                worst=max(steps, key=_most),
            )
            for (is_resolved, pattern), steps in found.items()
        ]
        return tuple(sorted(totals, key=_most, reverse=True))


def bisect(
    command: Sequence[str],
    options: AuditOptions = DEFAULT_OPTIONS,
    *,
    pass_name: str | None = None,
    number: int | None = None,
    jobs: int | None = None,
    timeout: float | None = None,
    max_runs: int = MAX_RUNS,
    folder: str | PathLike[str] | None = None,
    stdin: Path | None = None,
    advance: Advance | None = None,
    watches: Sequence[Watch] = (),
) -> Bisection:
    """Find the applications of patterns of a pass that changed the IR.

    Args:
        command: the compiler with its arguments, such as ``["mlir-opt", "--canonicalize", "in.mlir"]``. No
            shell runs it.
        options: how the IR is read, and what counts as out of order.
        pass_name: the pass; None for the one that left most inversions at the end, else made most.
        number: which run of the pass, from 0; None for the one that did most.
        jobs: how many compilers run at once; None for one per processor.
        timeout: the seconds that one run may take; None for no limit.
        max_runs: how often the compiler may run.
        folder: a folder to keep the states and the log of actions in; None for none.
        stdin: a file that the compiler reads on standard input.
        advance: called after each run of the search, and at its end.
        watches: as for ``trace``, for the steps between the states.

    Raises:
        InputError: the compiler cannot be run, lacks an option, or cannot be trusted; or the folder cannot be
            made.
        TypeError: ``command`` is a single text, or empty.
    """
    if isinstance(command, str) or not command:
        raise TypeError(
            f"expected the compiler and its arguments, as in ['mlir-opt', 'in.mlir'], not {command!r:.80}"
        )
    request = Request(tuple(command), options, pass_name, number, timeout, folder, stdin)
    return bisect_pass(request, jobs, max_runs, advance, watches)


def bisect_pass(
    request: Request,
    jobs: int | None = None,
    max_runs: int = MAX_RUNS,
    advance: Advance | None = None,
    watches: Sequence[Watch] = (),
) -> Bisection:
    """Find the applications of patterns of a pass that changed the IR, as ``bisect`` does."""
    with request.search() as (found, search):
        if search.why_one_step:
            return _assembled(found, search, SearchResult(search), {}, watches)

        def report(result: SearchResult) -> None:
            if advance is not None:
                advance(search, result)

        left = max_runs - search.states.runs.number - 1  # but the run that logs actions
        with ThreadPoolExecutor(1) as pool:
            logged = pool.submit(search.log_actions)
            result = find_states(search, jobs or usable_cores(), left, report)
            try:
                logged.result()
            except InputError as error:
                result.failures[NO_ACTIONS] = error
            except KeyboardInterrupt:
                result.stopped = INTERRUPTED
                search.states.runs.running.end()
        steps, state_at = result.halving.changes, result.halving.states
        before = {step.last: state_at[step.first] for step in steps if step.is_one}
        with termination_waits():
            return _assembled(found, search, result, search.attempts(before), watches)


def _assembled(
    found: Survey,
    search: PassSearch,
    result: SearchResult,
    attempts: Mapping[int, Attempt],
    watches: Sequence[Watch],
) -> Bisection:
    states = search.states
    steps = list(result.halving.changes)
    keys = [
        search.before,
        *(result.halving.states[count] for count in (search.first, *(s.last for s in steps))),
    ]
    names = [WITHOUT_PATTERNS, *(name_of_step(step, attempts.get(step.last)) for step in steps)]
    log = states.runs.lasting / STATES_LOG
    write_log(log, states.wanted.pass_name, names, map(states.text, keys))
    name = str(log) if states.runs.kept else f"<{STATES_LOG}>"
    dumps = read_text(log.read_bytes(), name)
    traced = trace(dumps, states.options, watches, advises_all=False)
    for error in traced.errors:
        raise error
    advice = None
    if traced.at_end_of_log.inversions and search.before != keys[-1] and states.options.order_from is None:
        roots = [None, *(root_of(attempts.get(step.last)) for step in steps)]
        advice = flow_of(dumps, roots, states.options).advice()
    to_end = traced
    if later := found.after(search.question):
        to_end = trace([*dumps, *later], states.options, advises_all=False)
    if advice is not None:
        advice = found.trace.at_the_end(advice, search.question.rows)
    inversions = [states.inversions(search.before) or 0, *(row.figures.inversions for row in traced.passes)]
    applications = tuple(
        Application(
            first=step.first + 1,
            last=step.last,
            attempt=attempts.get(step.last) if step.is_one else None,
            inversions_before=inversions[number],
            traced=traced.passes[number],
            at_end=to_end.passes[number],
        )
        for number, step in enumerate([Interval(-1, 0), *steps])
    )
    question = search.question
    return Bisection(
        command=found.command.words,
        passes=found.trace,
        pass_name=question.pass_name,
        function=question.function,
        number=found.number_of(question),
        left=question.left,
        is_alone=question.is_cut or question.is_only,
        why_not_alone=question.why_not_alone,
        why_one_step=search.why_one_step,
        attempts=(search.first + 1, search.last),
        runs=states.runs.number,
        applications=applications,
        states=traced,
        log=log if states.runs.kept or states.runs.scratch else None,
        log_name=name,
        reproduction=search.reproduction,
        advice=advice,
        failures=tuple(error for _, error in sorted(result.failures.items())),
        stopped=result.stopped,
        can_reduce=bool(attempts)
        and traced.passes[0].size > FEW_OPS
        and states.runs.prints_generic(found.command),
    )


def root_of(attempt: Attempt | None) -> Root | None:
    """Return the op that an attempt applies a pattern to, as the advice needs it."""
    return None if attempt is None else Root(attempt.name, attempt.op, attempt.result, attempt.index)


@dataclass(frozen=True, slots=True)
class OneApplication:
    """An attempt of a pattern, with the IR before it and after it."""

    number: int  # the number of the attempt
    attempt: Attempt | None  # the attempt; None if the log of actions lacks it
    diff: Diff  # the IR with the attempts before it, and with it, too
    reproduction: Reproduction  # how to get both by hand


def one_application(request: Request, number: int) -> OneApplication:
    """Return what the attempt with a number did; an InputError if there is none, and as for ``bisect``."""
    with request.search() as (found, search):
        if search.why_one_step:
            raise InputError(
                found.command.program, None, f"{search.question.pass_name}: {search.why_one_step}"
            )
        if not search.first < number <= search.last:
            why = f"{search.question.pass_name} makes attempts {search.first + 1} to {search.last}"
            raise InputError(found.command.program, None, f"there is no attempt {number}: {why}")
        states = search.states
        with ThreadPoolExecutor(1) as pool:
            logged = pool.submit(search.log_actions)
            before, after = states.at(number - 1), states.at(number)
            logged.result()
        [old] = read_text(states.text(before), f"<before attempt {number}>")
        [new] = read_text(states.text(after), f"<after attempt {number}>")
        return OneApplication(
            number,
            search.attempts({number: before}).get(number),
            diff(old, new, request.options),
            search.reproduction,
        )


@dataclass(frozen=True)
class OpSteps:
    """What happened to one op, or to several that have one name."""

    bisection: Bisection  # the steps of the pass
    history: History  # the op through its states, and the ops that were made from it

    @cached_property
    def _by_line(self) -> Mapping[int, Application]:
        return {one.traced.place.line: one for one in self.bisection.applications}

    def step_of(self, event: OpEvent) -> Application | None:
        """Return the step that an event belongs to; None for the state before the pass."""
        return self._by_line.get(event.place.line)

    def events(self, op: OpHistory) -> list[tuple[OpEvent, Application]]:
        """Return what steps did to an op: moved, made, changed or removed it."""
        told = (event for event in op.events if event.kind not in (EventKind.FIRST, EventKind.LAST))
        return [(event, step) for event in told if (step := self.step_of(event)) is not None]

    def placed_by(self, op: OpHistory) -> Application | None:
        """Return the step that put an op where it is: the last that made or moved it; None for none."""
        placing = [
            step
            for event, step in self.events(op)
            if event.kind is EventKind.MADE or (event.change is not None and event.change.moved)
        ]
        return placing[-1] if placing and op.removal is None else None

    def inversions_since(self, op: OpHistory) -> list[tuple[Application | None, int]]:
        """Return in how many pairs out of order an op is at the end, by the step that made them.

        None stands for the state before the pass.
        """
        return [
            (None if one.place is None else self._by_line.get(one.place.line), one.pairs)
            for one in op.inversions
        ]


def op_steps(bisection: Bisection, op: str) -> OpSteps:
    """Return what the steps of a bisection, whose log is kept, did to an op; an InputError if none has it."""
    try:
        return OpSteps(bisection, history(bisection.dumps(), op, bisection.states.options))
    except InputError as error:
        raise InputError(bisection.command[0], None, error.message) from error


def flow_of(dumps: Iterable[Dump], roots: Sequence[Root | None], options: AuditOptions) -> PassFlow:
    """Return the labels and places of the ops through the states of a pass.

    Args:
        dumps: the state before the pass, and after each step.
        roots: by step, the op that a pattern was applied to; None if it is not an application, or not known.
            The first step is what the pass does without patterns.
        options: how the states are read.
    """
    log, remaining = ProgramLog(options), iter(dumps)
    first = log.compared(next(remaining), ()).new
    assert first is not None

    def steps() -> Iterator[PassStep]:
        for dump, root in zip(remaining, roots, strict=True):
            found = log.compared(dump, ())
            if found.old is None or found.new is None:
                yield PassStep(None, root=root)
            else:
                numbers, is_whole = (found.old.numbers, found.new.numbers), [*roots] == [None]
                yield PassStep(found.comparison, *numbers, found.origins, root, is_whole)

    return PassFlow(State(first.ops, first.numbers), steps())


def write_log(path: Path, pass_name: str, steps: Iterable[str], states: Iterable[bytes]) -> None:
    """Write the log: the text of the state before the pass, then after each of its steps."""
    moments = [f"Before {pass_name} ({pass_name})", *(f"After {step}" for step in steps)]
    with path.open("wb") as file:
        for moment, text in zip(moments, states, strict=True):
            file.write(f"// -----// IR Dump {moment} //----- //\n".encode() + text.strip() + b"\n\n")
