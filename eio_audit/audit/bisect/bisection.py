"""What a bisection found: the applications of patterns that changed the IR, and what each did."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from pathlib import Path

from eio_audit.audit.bisect.action_log import Attempt, short_pattern
from eio_audit.audit.bisect.advice import Advice
from eio_audit.audit.bisect.compiler_command import counter_flag
from eio_audit.audit.log.scope_steps import OpCounts
from eio_audit.audit.log.trace import Trace, TracedPass
from eio_audit.mlir.input.dumps import Dump, read_text
from eio_audit.mlir.source import InputError

INTERRUPTED, MOST_RUNS = "interrupted", "max-runs"  # why a search stopped early

CHANGES_NOTHING = "it changes nothing"  # why a pass that leaves the IR as it is has no steps


@dataclass(frozen=True, slots=True)
class Application:
    """A step of a pass that changed the IR: an application of a pattern, or what is not resolved further."""

    first: int  # the first of its attempts of patterns, from 1; 0 for what the pass does without patterns
    last: int  # the last of them; greater than `first` only if the step is not resolved further
    attempt: (
        Attempt | None
    )  # the attempt; None for several, without a pattern, and if no log of actions tells it
    inversions_before: int  # the inversions in all blocks before it
    inversions: int  # the inversions in all blocks after it
    traced: TracedPass  # its row in the trace of the states

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
        """How many of the pairs that it made have been out of order since then."""
        return self.traced.left

    @property
    def is_resolved(self) -> bool:
        """Whether it is one attempt."""
        return self.first == self.last

    @property
    def pattern(self) -> str | None:
        """The name of its pattern, without namespaces; None if it is not known."""
        return None if self.attempt is None else short_pattern(self.attempt.pattern)

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
    left: int  # those that they made and that have been out of order since then
    op_counts: OpCounts  # how many ops they changed
    worst: Application  # the application that left most inversions; of equals, the one that made most


def _most(one: Application) -> tuple[int, int, int]:
    return one.left, one.made, one.op_counts.total


@dataclass(frozen=True, slots=True)
class Reproduction:
    """How to get the states by hand."""

    command: str  # the command that runs the pass, without a count of attempts
    input: str | None = None  # the file that it reads if the pass runs alone; None if it reads the user's own
    is_kept: bool = True  # whether that file outlasts the bisection

    def at(self, attempts: int) -> str:
        """Return the command that stops after so many attempts."""
        return f"{self.command} {counter_flag(attempts)}"


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
                op_counts=reduce(OpCounts.plus, (one.op_counts for one in steps)),
                worst=max(steps, key=_most),
            )
            for (is_resolved, pattern), steps in found.items()
        ]
        return tuple(sorted(totals, key=lambda t: (t.left, t.made, t.op_counts.total), reverse=True))
