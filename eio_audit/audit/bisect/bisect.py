"""Which rewrite patterns of a pass changed the IR, and which of them put ops out of order.

A compiler with MLIR's options counts the attempts of patterns. It stops after a number of them
(``--mlir-debug-counter``), and lists them with their root ops (``--log-actions-to``). The states after a pass,
with more and more attempts allowed, are found by halving. In order they are a log, which ``trace`` reads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from eio_audit.audit.bisect.action_log import Attempt, read_attempts
from eio_audit.audit.bisect.bisection import Application, Bisection, Reproduction
from eio_audit.audit.bisect.compiler_command import OWN_FLAGS, CompilerCommand, CompilerRuns
from eio_audit.audit.bisect.halving import Interval
from eio_audit.audit.bisect.left_inversions import left_by_state
from eio_audit.audit.bisect.pass_search import (
    INTERRUPTED,
    NO_ACTIONS,
    PassSearch,
    SearchResult,
    find_states,
    search_of,
)
from eio_audit.audit.bisect.states_log import WITHOUT_PATTERNS, LoggedState, name_of_step, write_log
from eio_audit.audit.bisect.survey import BASE_FLAGS, Survey, choose_pass, survey
from eio_audit.audit.log.trace import Watch, trace
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import stream
from eio_audit.mlir.source import InputError

MAX_RUNS = 1000
"""How many runs of the compiler the search for the states may take."""


@dataclass(frozen=True, slots=True)
class PassChoice:
    """The pass to bisect.

    Attributes:
        name: its argument or its class name; None for the pass that made most inversions, else changed most.
        number: 0-based number of its run, among those with that name; None for the one that did most.
    """

    name: str | None = None
    number: int | None = None


class ActionLog:
    """The compiler's log of actions. It is written beside the search, by a run of its own."""

    def __init__(self, search: PassSearch) -> None:
        self.path = search.states.runs.folder / "actions.log"
        command = search.question.command.without(OWN_FLAGS | {"dump-pass-pipeline"})
        self._command = command.with_flags(*BASE_FLAGS, f"--log-actions-to={self.path}")
        self._runs = search.states.runs

    def write(self) -> None:
        """Run the compiler. What is written when it fails or is stopped still counts."""
        self._runs.run(self._command)

    def attempts(self, numbers: Sequence[int], options: AuditOptions) -> dict[int, Attempt]:
        """Return the attempts with some numbers, as far as the log has them."""
        return read_attempts(self.path, numbers, options)[0] if self.path.exists() else {}


def bisect(
    command: Sequence[str],
    runs: CompilerRuns,
    options: AuditOptions = DEFAULT_OPTIONS,
    choice: PassChoice = PassChoice(),  # noqa: B008  (it is immutable)
    *,
    log: Path,
    jobs: int | None = None,
    max_runs: int = MAX_RUNS,
    advance: Callable[[PassSearch, SearchResult], None] = lambda search, result: None,
    watch: Watch | None = None,
) -> Bisection:
    """Find the applications of patterns of a pass that changed the IR.

    Args:
        command: the compiler with its arguments, such as ``["mlir-opt", "--canonicalize", "in.mlir"]``.
        runs: what runs it, and where the files are.
        options: how the IR is read, and what counts as out of order.
        choice: the pass.
        log: the file for the states.
        jobs: how many compilers run at once; None for one per processor.
        max_runs: how many runs the search may take.
        advance: called after each run of the search.
        watch: as for ``trace``, for the steps between the states.

    Raises:
        InputError: the compiler cannot be run, lacks an option, changes nothing, or cannot be trusted.
    """
    given = CompilerCommand(tuple(command))
    found = survey(given, runs, options)
    search = search_of(found, choose_pass(found, choice.name, choice.number), runs, options)
    assemble = _Assembly(given, found, search, log, watch)
    if search.why_one_step:
        return assemble({}, SearchResult(search))
    actions = ActionLog(search)
    with ThreadPoolExecutor(1) as pool:
        logged = pool.submit(actions.write)
        result = find_states(
            search, jobs or os.cpu_count() or 1, max_runs, lambda result: advance(search, result)
        )
        _wait_for(logged, result)
    numbers = [step.last for step in result.halving.changes if step.is_one]
    return assemble(actions.attempts(numbers, options), result)


def _wait_for(logged: Future[None], result: SearchResult) -> None:
    try:
        logged.result()
    except InputError as error:
        result.failures[NO_ACTIONS] = error
    except KeyboardInterrupt:
        result.stopped = INTERRUPTED


@dataclass(frozen=True, slots=True)
class _Assembly:
    """Makes a bisection of the states that were found."""

    given: CompilerCommand
    found: Survey
    search: PassSearch
    log: Path
    watch: Watch | None

    def __call__(self, attempts: Mapping[int, Attempt], result: SearchResult) -> Bisection:
        search, states = self.search, self.search.states
        steps = list(result.halving.changes)
        keys = [search.before, *(result.halving.states[count] for count in (search.first, *(s.last for s in steps)))]
        orders = [states.order(key) for key in keys]
        left = left_by_state([order.keys for order in orders])
        names = [WITHOUT_PATTERNS, *(name_of_step(step, attempts.get(step.last)) for step in steps)]
        logged = [LoggedState(name, states.text(key)) for name, key in zip(names, keys[1:], strict=True)]
        lines = write_log(self.log, states.wanted.pass_name, states.text(search.before), logged)
        traced = trace(stream(str(self.log)), states.options, self.watch)
        for error in traced.errors:
            raise error
        rows = {row.place.line: row for row in traced.passes}
        applications = tuple(
            Application(
                first=step.first + 1,
                last=step.last,
                attempt=attempts.get(step.last) if step.is_one else None,
                inversions_before=orders[number].inversions,
                inversions=orders[number + 1].inversions,
                left=left[number + 1],
                traced=rows[lines[number]],
            )
            for number, step in enumerate([Interval(-1, 0), *steps])
        )
        question = search.question
        return Bisection(
            command=str(self.given),
            passes=self.found.trace,
            pass_name=question.pass_name,
            function=question.function,
            is_alone=question.is_cut or question.is_only,
            why_one_step=search.why_one_step,
            attempts=(search.first + 1, search.last),
            runs=states.runs.number,
            left_before=left[0],
            applications=applications,
            states=traced,
            log=str(self.log),
            reproduction=_reproduction(search),
            failures=tuple(error for _, error in sorted(result.failures.items())),
            stopped=result.stopped,
        )


def _reproduction(search: PassSearch) -> Reproduction:
    question, states = search.question, search.states
    if not (question.is_cut or question.is_only):
        return Reproduction(str(states.command), None)
    command = question.command.without(OWN_FLAGS | {"dump-pass-pipeline"}).with_flags(*BASE_FLAGS)
    return Reproduction(str(command), command.words[-1] if question.is_cut else None)
