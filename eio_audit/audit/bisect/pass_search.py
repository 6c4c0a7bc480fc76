"""The search for the states of a pass: the request, the pass, its attempts, and the runs in parallel.

**Halving** finds after which counts a state changes, from the states at few of them. The states at both ends
of an interval are compared. If they are equal, nothing inside is looked at. If they differ, the middle is
asked for, until the ends are neighbours. So changes that cancel each other between two equal states are not
found. The interval whose ends differ most comes first.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from eio_audit.audit.bisect.attempts import Attempt, read_attempts
from eio_audit.audit.bisect.compiler_command import (
    ALL_ATTEMPTS,
    CompilerCommand,
    CompilerError,
    CompilerRuns,
    PassStates,
    count_of_attempts,
    counter_flag,
    dump_after,
)
from eio_audit.audit.bisect.survey import (
    AFTER_ALL,
    MODULE_SCOPE,
    PassInQuestion,
    Survey,
    alone,
    choose_pass,
    next_choices,
    survey,
)
from eio_audit.audit.command import interrupted_by_termination
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.source import InputError

INTERRUPTED, MOST_RUNS = "interrupted", "max-runs"  # why a search stopped early
CHANGES_NOTHING = "it changes nothing"  # why a pass that leaves the IR as it is has no steps
NO_PATTERNS = "it applies no patterns"
FAILS_WITHOUT = "it fails when patterns are held back"
MOST_CHOICES = 2  # how many more passes are tried if the one that left most applies no patterns
NO_ACTIONS = -1  # the number of attempts that stands for the run that logs actions


class Interval(NamedTuple):
    """The counts above ``first``, up to ``last``. The states at both differ."""

    first: int
    last: int

    @property
    def is_one(self) -> bool:
        """Whether it is one count, so that it cannot be halved."""
        return self.last - self.first == 1


class Halving:
    """The search between two counts.

    Args:
        states: per count, its state: those known so far, of the first count and the last at least.
        weigh: how much two states differ. An interval with a larger difference is halved first; of equals,
            the longer one.
    """

    def __init__(self, states: Mapping[int, str], weigh: Callable[[str, str], int]) -> None:
        self.states = dict(states)
        self._weigh = weigh
        self._heap: list[tuple[int, int, Interval]] = []
        self._waiting: dict[int, Interval] = {}
        for first, last in pairwise(sorted(states)):
            self._push(Interval(first, last))

    def next(self) -> int | None:
        """Return the next count whose state is needed.

        None if there is none, or none before a state that was asked for is ``put``.
        """
        if not self._heap:
            return None
        interval = heapq.heappop(self._heap)[-1]
        middle = (interval.first + interval.last) // 2
        self._waiting[middle] = interval
        return middle

    def put(self, count: int, state: str) -> None:
        """Take the state at a count that ``next`` returned."""
        interval = self._waiting.pop(count)
        self.states[count] = state
        self._push(Interval(interval.first, count))
        self._push(Interval(count, interval.last))

    def drop(self, count: int) -> None:
        """Give up an interval whose middle ``next`` returned, because its state cannot be had."""
        del self._waiting[count]

    def _push(self, interval: Interval) -> None:
        old, new = self.states[interval.first], self.states[interval.last]
        length = interval.last - interval.first
        if old != new and length > 1:
            heapq.heappush(self._heap, (-self._weigh(old, new), -length, interval))

    @property
    def changes(self) -> Iterator[Interval]:
        """The intervals in which the state changes, in order. Those of one count are resolved."""
        for first, last in pairwise(sorted(self.states)):
            if self.states[first] != self.states[last]:
                yield Interval(first, last)


@dataclass(frozen=True, slots=True)
class Reproduction:
    """How to get the states by hand."""

    command: str  # the command that runs the pass, without a count of attempts
    input: str | None = None  # the file that it reads if the pass runs alone; None if it reads the user's own
    is_kept: bool = True  # whether that file outlasts the bisection

    def at(self, attempts: int) -> str:
        """Return the command that stops after so many attempts."""
        return f"{self.command} {counter_flag(attempts)}"


@dataclass(slots=True)
class PassSearch:
    """A pass, and the runs that stop after a number of its attempts of patterns."""

    question: PassInQuestion  # the pass
    states: PassStates  # the states after it
    first: int  # the number of attempts before its own
    last: int  # the number of its last attempt
    before: str  # the key of the state before the pass
    why_one_step: str  # why there are no states between `first` and `last`; empty if there may be
    known: dict[int, str] = field(default_factory=dict)  # the states known so far, by attempts

    @property
    def _actions(self) -> Path:
        return self.states.runs.lasting / "actions.log"

    def log_actions(self) -> None:
        """Run the compiler and keep its log of actions. What it wrote when it is stopped counts, too.

        Raises:
            InputError: it cannot be run, or takes too long.
        """
        self.states.runs.run(self.question.plain_command.with_flags(f"--log-actions-to={self._actions}"))

    def attempts(self, before: Mapping[int, str]) -> dict[int, Attempt]:
        """Return attempts by their numbers, as far as the log of actions has them.

        ``before`` has the state before each of them. In it, their roots have the names that they get.
        """
        path, states = self._actions, self.states
        found = read_attempts(path, before, states.options) if path.exists() else {}
        return {number: one.named_as_in(states.read(before[number])) for number, one in found.items()}

    @property
    def reproduction(self) -> Reproduction:
        """How to get the states by hand."""
        question = self.question
        if question.is_cut:
            is_kept = self.states.runs.kept is not None
            return Reproduction(str(question.plain_command), question.command.words[-1], is_kept)
        return Reproduction(str(question.plain_command if question.is_only else self.states.command))


def search_of(
    found: Survey, question: PassInQuestion, runs: CompilerRuns, options: AuditOptions
) -> PassSearch:
    """Prepare the search: cut the pass out, count its attempts, and check that runs can be trusted.

    In a pass that changes nothing, there is nothing to search for. An InputError says that runs with all
    attempts allowed do not give the normal output, or that two runs differ.
    """
    if not question.is_only:
        question = alone(found, question, runs)
    is_whole = not (question.is_cut or question.is_only)
    states = PassStates(_printing(question, is_whole=is_whole), question.wanted, runs, options)
    before, after = states.keep(question.before.text), states.keep(question.after.text)
    if before == after:
        return PassSearch(question, states, 0, 0, before, CHANGES_NOTHING, {0: after})
    counted = states.counted(ALL_ATTEMPTS).with_flags("--mlir-print-debug-counter")
    run = runs.run(counted)
    if run.unknown_flag is not None:
        why = f"it does not know --{run.unknown_flag}, so it cannot hold patterns back"
        raise InputError(counted.program, None, why)
    last = count_of_attempts(run)
    if last is None:
        why = "it does not print how many patterns it attempts (--mlir-print-debug-counter)"
        raise InputError(counted.program, None, why)
    if states.keep(dump_after(run, question.wanted).text) != after:
        raise _untrusted(states, "with all attempts of patterns allowed, it is not what the command prints")
    first = 0
    if is_whole:
        # The fewest attempts with which the dump before the pass is the normal one. More attempts than these
        # are of this pass, or of passes before it, where they change nothing.
        first = first_failing(-1, last, lambda number: not states.begins_with(question.before, number))[1]
    search = PassSearch(question, states, first, last, before, "", {last: after})
    if first == last:
        search.why_one_step = NO_PATTERNS
        return search
    search.known[first] = before
    try:
        held_back = states.dump_at(first)
    except InputError as error:
        search.why_one_step = f"{FAILS_WITHOUT}: {error.message}"
        return search
    if held_back.has_failed and not question.after.has_failed:
        search.why_one_step = FAILS_WITHOUT
        return search
    search.known[first] = states.keep(held_back.text)
    middle = (first + last) // 2
    state, again = states.at(middle), states.at(middle)
    if state != again:
        why = f"two runs with {middle} attempts of patterns differ; eio-audit repeat tells from which pass on"
        raise _untrusted(states, why)
    search.known[middle] = state
    return search


def _printing(question: PassInQuestion, *, is_whole: bool) -> CompilerCommand:
    """Return the command of the pass with the flags that print the dump after it."""
    command = question.plain_command
    marker = question.after.marker
    scope = [MODULE_SCOPE] if marker is not None and marker.op_name is not None else []
    if not is_whole or marker is None or marker.pass_name == marker.class_name:
        return command.with_flags(AFTER_ALL, *scope)
    prints = f"--mlir-print-ir-before={marker.pass_name}", f"--mlir-print-ir-after={marker.pass_name}"
    return command.with_flags(*prints, *scope)


def _untrusted(states: PassStates, why: str) -> InputError:
    said = f"the IR after {states.wanted.pass_name} cannot be trusted: {why}"
    return InputError(states.command.program, None, said, f"  help: the command is {states.command}")


class SearchInterruptedError(KeyboardInterrupt):
    """An interrupt of ``first_failing``: where the property holds and where it fails, as far as is known."""

    def __init__(self, low: int, high: int) -> None:
        super().__init__()
        self.low, self.high = low, high


def first_failing(low: int, high: int, holds: Callable[[int], bool | None]) -> tuple[int, int]:
    """Return the last number at which a property holds, and the first at which it fails.

    They are neighbours, unless the numbers between them cannot be judged. The property holds at ``low``,
    fails at ``high``, and is taken to fail from some number on.

    Complexity: log2(high - low) tests, if all can be judged.

    Example:
        >>> first_failing(0, 100, lambda number: number < 64)
        (63, 64)
        >>> first_failing(0, 10, lambda number: None if 3 < number < 7 else number < 5)
        (3, 7)
    """
    try:
        while high - low > 1:
            for number in _from_middle(low, high):
                if (it_holds := holds(number)) is not None:
                    break
            else:
                break  # none of them can be judged
            low, high = (number, high) if it_holds else (low, number)
    except KeyboardInterrupt as interrupt:
        raise SearchInterruptedError(low, high) from interrupt
    return low, high


def _from_middle(low: int, high: int) -> Iterator[int]:
    """Yield the numbers between two others, those next to the middle first; of two, the lesser."""
    middle = (low + high) // 2
    yield middle
    for distance in range(1, high - low):
        yield from (number for number in (middle - distance, middle + distance) if low < number < high)


class SearchResult:
    """What a search has found so far."""

    def __init__(self, search: PassSearch) -> None:
        self.halving = Halving(search.known, search.states.difference)  # the states, and what is not resolved
        # The errors of runs that failed, by their number of attempts.
        self.failures: dict[int, InputError] = {}
        self.stopped = ""  # why it stopped early; empty if it did not
        self.is_ended = False  # whether no more runs follow


def find_states(
    search: PassSearch, jobs: int, max_runs: int, advance: Callable[[SearchResult], None]
) -> SearchResult:
    """Find after which attempts the state changes. An interrupt ends the search, not the program."""
    result = SearchResult(search)
    running: dict[Future[str], int] = {}
    with ThreadPoolExecutor(jobs) as pool:
        try:
            while True:
                while len(running) < jobs and max_runs > 0 and (count := result.halving.next()) is not None:
                    running[pool.submit(search.states.at, count)] = count
                    max_runs -= 1
                if not running:
                    break
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    _take(done, running.pop(done), result)
                    advance(result)
        except KeyboardInterrupt:
            result.stopped = INTERRUPTED
            search.states.runs.running.end()
    if not result.stopped and result.halving.next() is not None:
        result.stopped = MOST_RUNS
    result.is_ended = True
    advance(result)
    return result


def _take(done: Future[str], count: int, result: SearchResult) -> None:
    try:
        result.halving.put(count, done.result())
    except InputError as error:
        result.failures[count] = error
        result.halving.drop(count)


@dataclass(frozen=True, slots=True)
class Request:
    """What to bisect: those arguments of ``bisect`` that are not about the search, and one more."""

    command: tuple[str, ...]
    options: AuditOptions = DEFAULT_OPTIONS
    pass_name: str | None = None
    number: int | None = None
    timeout: float | None = None
    folder: str | PathLike[str] | None = None
    # A folder for all that is not kept, which outlasts the request; None for one that does not.
    scratch: Path | None = None
    stdin: Path | None = None
    most_bytes: int | None = None  # how much a run may print

    @contextmanager
    def runs(self) -> Iterator[CompilerRuns]:
        """Yield what runs the compiler, and end it; an InputError if the folder cannot be made."""
        kept = None if self.folder is None else Path(self.folder)
        if kept is not None:
            try:
                kept.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(str(kept), None, f"cannot make the folder: {error.strerror}") from error
        # A compiler that is ended may still write there.
        with TemporaryDirectory("", "eio-audit-", self.scratch, ignore_cleanup_errors=True) as temporary:
            runs = CompilerRuns(
                Path(temporary), self.scratch, kept, self.timeout, self.stdin, self.most_bytes
            )
            with runs.running.ended_at_exit(), interrupted_by_termination():
                yield runs

    @contextmanager
    def surveyed(self) -> Iterator[tuple[Survey, CompilerRuns]]:
        """Run the compiler for the first time, as ``survey`` does; yield its passes and what runs it."""
        with self.runs() as runs:
            yield survey(CompilerCommand(self.command), runs, self.options), runs

    @contextmanager
    def search(self) -> Iterator[tuple[Survey, PassSearch]]:
        """Yield the passes of the compiler, and the search in the pass in question.

        Raises:
            InputError: as for ``survey``, ``choose_pass`` and ``search_of``.
            CompilerError: the compiler fails, and no pass is named.
        """
        with self.surveyed() as (found, runs):
            if found.run.failure is not None and self.pass_name is None:
                help_ = "  help: --pass NAME bisects a pass that ran before"
                raise CompilerError(found.run, found.run.failure, found.run.why_it_failed, help_)
            chosen = choose_pass(found, self.pass_name, self.number)
            search = search_of(found, chosen, runs, self.options)
            if search.why_one_step == NO_PATTERNS and self.pass_name is None:
                for other in next_choices(found, chosen)[:MOST_CHOICES]:
                    if not (tried := search_of(found, other, runs, self.options)).why_one_step:
                        search = tried
                        break
            yield found, search
