"""A property of the IR, and the first application of a pattern, or the first dump of a log, where it fails.

The property may also be that the compiler ends without an error, by itself and in time. Of a log, no compiler
runs, and a test gets the whole program at a dump: if the log shows one function after another, it is put
together from the last dumps that show its parts.
"""

from __future__ import annotations

import shlex
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias

from eio_audit.audit.bisect.attempts import Attempt, count_attempts, read_attempts, short_pattern
from eio_audit.audit.bisect.compiler_command import (
    OWN_FLAGS,
    CompilerCommand,
    CompilerError,
    CompilerRuns,
    counter_flag,
    is_same_text,
)
from eio_audit.audit.bisect.pass_search import (
    INTERRUPTED,
    PassSearch,
    Reproduction,
    Request,
    SearchInterruptedError,
    first_failing,
    search_of,
)
from eio_audit.audit.bisect.survey import AFTER_ALL, BASE_FLAGS, BEFORE_ALL, PassInQuestion, choose_pass
from eio_audit.audit.check.check import audit_dump
from eio_audit.audit.log.program_log import ProgramWalk
from eio_audit.audit.options import AuditOptions
from eio_audit.audit.programs.program_text import program_at
from eio_audit.mlir.input.dumps import Dump, DumpPlace
from eio_audit.mlir.source import InputError

UNTESTABLE = 125  # the exit code of a test that cannot judge a text, as for `git bisect run`
LAST_FAILURE = 127
"""The greatest exit code that means that the property fails. Greater ones, and signals, are errors."""
Holds: TypeAlias = Callable[[Dump], bool | None]
"""Whether a property holds of a dump; None if that cannot be said."""
LAST_ATTEMPTS = 1000  # how many of the last attempts tell what a compiler does without end


class BuiltInTest(StrEnum):
    """The properties with a name of their own. Each compares with the dump before the first pass."""

    CHANGED = "changed"
    """The text is the same."""
    ORDER = "order"
    """There are no more inversions."""
    AVOIDABLE = "avoidable"
    """There are no more avoidable inversions."""

    def holds(self, start: Dump, options: AuditOptions) -> Holds:
        """Return the property, compared with the dump at the start."""
        if self is BuiltInTest.CHANGED:
            text = start.text.strip()
            return lambda dump: dump.text.strip() == text

        def figure(dump: Dump) -> int:
            summary = audit_dump(dump, options).audit.summary
            return summary.inversions if self is BuiltInTest.ORDER else summary.avoidable

        limit = figure(start)
        return lambda dump: figure(dump) <= limit


def command_test(words: Sequence[str], runs: CompilerRuns) -> Holds:
    """Return a test that gives a command the text on standard input. Exit code 0: it holds. 125: unknown.

    It raises an InputError if the command cannot be run, takes too long, or ends by a signal or over 127.
    """
    name = shlex.join(words)

    def holds(dump: Dump) -> bool | None:
        with tempfile.TemporaryFile(dir=runs.folder) as text:
            text.write(dump.printed)
            text.seek(0)
            code = runs.execute(name, words, text)
        if code is None:
            raise InputError(name, None, runs.too_long)
        if not 0 <= code <= LAST_FAILURE:
            how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
            why = "a test ends with 0 (holds), 1 to 124 (fails) or 125 (cannot be judged)"
            raise InputError(name, None, f"the test {how}; {why}")
        return None if code == UNTESTABLE else code == 0

    return holds


@dataclass(frozen=True, slots=True)
class FirstFailure:
    """Where a property fails first, or the compiler."""

    command: tuple[str, ...]  # the compiler with its arguments, as it was given
    options: AuditOptions  # how the IR was read
    test: str  # the property: a command, or the name of a built-in test; else how the compiler fails
    is_of_compiler: bool = False  # whether the compiler fails
    # If it applies patterns without end: what it did last, and how often. The failure has no first attempt.
    endless: Mapping[str, int] = field(default_factory=dict)
    pass_name: str | None = None  # the pass after which it fails; None if it holds at the end
    is_of_pass: bool = False  # whether only the pass was asked for, so that `first` and `last` tell nothing
    function: str | None = None  # the symbol of the op that the pass ran on; None for the whole program
    number: int | None = None  # which run of the pass it is, from 1; None if it is the only one
    first: int = 0  # the first attempt of a pattern that may be to blame
    # The last of them. It is greater than `first` where the test cannot judge the states between, or if the
    # search was stopped. Both are 0 if the property fails without any pattern, or the pass is one step.
    last: int = 0
    attempt: Attempt | None = None  # the attempt; None if there are several, or none
    why_one_step: str = ""  # why the attempts of the pass cannot be told apart; empty if they can
    runs: int = 0  # how many runs of the compiler it took
    stopped: str = ""  # why the search stopped early; empty if it did not
    # How to get the states by hand; None if the property holds at the end.
    reproduction: Reproduction | None = None

    @property
    def is_built_in(self) -> bool:
        """Whether the property is a built-in test. A command gets the IR with its locations."""
        return self.test in {*BuiltInTest}


def first_failure(
    request: Request, test: BuiltInTest | Sequence[str], *, stops_after_pass: bool = False
) -> FirstFailure:
    """Find the first pass after which a property fails, and the first application in it.

    Args:
        request: the compiler. Without a pass, all of them are tested.
        test: a built-in test, or a command that gets the IR on standard input, as words. Exit code 0 says
            that the property holds, 125 that this cannot be said.
        stops_after_pass: whether the pass alone is asked for. The compiler runs at most twice for it.

    Raises:
        InputError: as for ``bisect``; the test cannot be run; the property fails from the start.
    """
    with request.surveyed() as (found, runs):
        questions = found.some_pass_runs
        if request.pass_name is not None:
            questions = (choose_pass(found, request.pass_name, request.number),)
        if isinstance(test, BuiltInTest):
            name, holds = str(test), test.holds(questions[0].before, request.options)
        else:
            name, holds = shlex.join(test), command_test(test, runs)
        nowhere = FirstFailure(request.command, request.options, name, runs=runs.number)
        try:
            question = _first_pass(questions, holds, name)
        except SearchInterruptedError as found_so_far:
            last_pass = questions[found_so_far.high - 1].pass_name
            return replace(nowhere, pass_name=last_pass, is_of_pass=True, stopped=INTERRUPTED)
        if question is None:
            return nowhere
        at_pass = replace(
            nowhere,
            pass_name=question.pass_name,
            is_of_pass=stops_after_pass,
            function=question.function,
            number=found.number_of(question),
        )
        if stops_after_pass:
            return at_pass
        search = search_of(found, question, runs, request.options)
        states = dict[int, str]()
        stopped = ""
        try:
            first, last = _in_pass(search, holds, states)
        except SearchInterruptedError as found_so_far:
            first, last, stopped = found_so_far.low + 1, found_so_far.high, INTERRUPTED
        is_one = first == last > 0
        if is_one:
            search.log_actions()
        return replace(
            at_pass,
            function=search.question.function,
            first=first,
            last=last,
            attempt=search.attempts({last: states[last - 1]}).get(last) if is_one else None,
            why_one_step=search.why_one_step,
            runs=runs.number,
            stopped=stopped,
            reproduction=search.reproduction,
        )


def compiler_failure(request: Request, failed: CompilerError) -> FirstFailure:
    """Find the fewest attempts of patterns with which a compiler fails as it has failed once.

    Raises:
        InputError: ``failed``, if it fails without any pattern, too, or does not tell its attempts.
    """
    with request.runs() as runs:
        command = CompilerCommand(request.command).without(OWN_FLAGS).with_flags(*BASE_FLAGS)

        def succeeds(attempts: int) -> bool:
            try:
                return runs.run(command.with_flags(counter_flag(attempts))).failure != failed.kind
            except CompilerError as error:
                return error.kind != failed.kind

        actions = runs.lasting / "actions.log"
        run = runs.log_actions(command.with_flags(BEFORE_ALL, AFTER_ALL), actions)
        most = count_attempts(actions)
        dumps = run.dumps() if most else []
        marker = dumps[-1].marker if dumps else None
        if marker is None or not most or not succeeds(0):
            raise failed
        found = FirstFailure(
            request.command,
            request.options,
            failed.message,
            is_of_compiler=True,
            pass_name=marker.pass_name,
            function=marker.symbol,
            reproduction=Reproduction(str(command)),
        )
        if succeeds(most):
            last = read_attempts(actions, range(most - LAST_ATTEMPTS + 1, most + 1), request.options).values()
            did = Counter(f"{short_pattern(one.pattern)} on {one.op}" for one in last)
            return replace(found, endless=dict(did.most_common()), runs=runs.number + 1)
        try:
            first = first_failing(0, most, succeeds)[1]
        except SearchInterruptedError as so_far:
            return replace(
                found, first=so_far.low + 1, last=so_far.high, runs=runs.number + 1, stopped=INTERRUPTED
            )
        attempt = read_attempts(actions, [first], request.options)[first]
        return replace(found, first=first, last=first, attempt=attempt, runs=runs.number + 1)


def lost_between(
    last: int, holds: Callable[[int], bool | None], called: Callable[[int], str], name: str
) -> tuple[int, int] | None:
    """Return the last of the states 0 to ``last`` at which a property holds, and the first at which it fails.

    None if it holds at the end. ``called`` says which IR a state is, and ``name`` is the test.

    Raises:
        InputError: the property fails from the start, or the test cannot judge the first state or the last.
    """
    at_start, at_end = holds(0), holds(last)
    if at_start is None or at_end is None:
        which = called(0 if at_start is None else last)
        raise InputError(name, None, f"the test cannot judge the IR {which} (exit code {UNTESTABLE})")
    if not at_start:
        raise InputError(name, None, f"the test already fails {called(0)}")
    return None if at_end else first_failing(0, last, holds)


def _first_pass(questions: Sequence[PassInQuestion], holds: Holds, name: str) -> PassInQuestion | None:
    """Return the first pass after which the property fails; None if it holds at the end.

    A pass that runs others inside may change the program before them.
    """
    start = min(questions, key=lambda one: one.before.line)

    def called(number: int) -> str:
        return f"after {questions[number - 1].pass_name}" if number else f"before {start.pass_name}"

    def holds_after(number: int) -> bool | None:
        return holds(questions[number - 1].after if number else start.before)

    found = lost_between(len(questions), holds_after, called, name)
    if found is None:
        return None
    good, bad = found
    last, question = questions[good - 1].after if good else start.before, questions[bad - 1]
    around = next((one for one in questions[bad:] if one.before.line < question.before.line), None)
    if around is None or good != bad - 1 or is_same_text(last, question.before):
        return question
    return around if holds(question.before) is False else question


def _in_pass(search: PassSearch, holds: Holds, states: dict[int, str]) -> tuple[int, int]:
    """Return the first and the last attempt that may be to blame; both 0 if none is.

    It keeps the states that it tests.
    """
    if search.why_one_step:
        return 0, 0

    def holds_after(attempts: int) -> bool | None:
        dump = search.states.dump_at(attempts)
        states[attempts] = search.states.keep(dump.text)
        return holds(dump)

    if holds_after(search.first) is False:
        return 0, 0
    good, bad = first_failing(search.first, search.last, holds_after)
    return good + 1, bad


@dataclass(frozen=True, slots=True)
class TestedDump:
    """A dump of a log."""

    number: int  # from 1, as `--dump` counts them
    place: DumpPlace


@dataclass(frozen=True, slots=True)
class FirstFailingDump:
    """Between which dumps of a log a property is lost."""

    log: str  # the file or folder
    options: AuditOptions  # how the IR was read
    test: str  # the property: a command, or the name of a built-in test
    dumps: int  # how many dumps the log has
    tests: int  # how many of them were tested
    good: TestedDump | None = None  # the last dump on which it holds; None if it holds at the end
    bad: TestedDump | None = None  # the first on which it fails
    stopped: str = ""  # why the search stopped early; empty if it did not
    between: int = 0  # how many dumps of the program are between the two, which were not judged
    at_work: str | None = None  # the innermost pass that has begun at `good` and not ended; None if none has

    @property
    def pass_name(self) -> str | None:
        """The pass between the two dumps; None if the log does not show it, or several are."""
        if self.good is None or self.bad is None or self.between:
            return None
        if self.bad.place.when != "before":
            return self.bad.place.pass_name
        return self.at_work


def first_failing_dump(
    request: Request, log: str, dumps: Sequence[Dump], test: BuiltInTest | Sequence[str]
) -> FirstFailingDump:
    """Find the first dump of a log on which a property fails. Of several programs, each is searched.

    Args:
        request: how tests run; it names no compiler.
        log: the name of the log.
        dumps: its dumps.
        test: as for ``first_failure``.

    Raises:
        InputError: the test cannot be run, or cannot judge the first or the last dump of a program, or fails
            on the first; a dump cannot be read.

    Complexity: log2(dumps) tests for each program.
    """
    name = str(test) if isinstance(test, BuiltInTest) else shlex.join(test)
    found = FirstFailingDump(log, request.options, name, len(dumps), 0)
    numbers: dict[str, list[int]] = {}
    for number, dump in enumerate(dumps):
        numbers.setdefault(dump.program, []).append(number)
    with request.runs() as runs:
        for own in numbers.values():
            tested = _Tested([dumps[number] for number in own], request.options)
            if isinstance(test, BuiltInTest):
                tested.holds_of = test.holds(tested.program(0), request.options)
            else:
                tested.holds_of = command_test(test, runs)
            stopped = ""
            try:
                ends = lost_between(len(own) - 1, tested.holds, tested.called, name)
            except SearchInterruptedError as so_far:
                ends, stopped = (so_far.low, so_far.high), INTERRUPTED
            found = replace(found, tests=found.tests + tested.number, stopped=stopped)
            if ends is not None:
                good, bad = (TestedDump(own[place] + 1, tested.dumps[place].place) for place in ends)
                at_work = _at_work(tested.dumps[: ends[0] + 1])
                return replace(found, good=good, bad=bad, between=ends[1] - ends[0] - 1, at_work=at_work)
    return found


def _at_work(dumps: Iterable[Dump]) -> str | None:
    """Return the innermost pass that has begun in dumps of one program and not ended."""
    walk = ProgramWalk()
    for marker in filter(None, (dump.marker for dump in dumps)):
        walk.follow(marker, marker.symbol)
    return walk.at_work[-1].pass_name if walk.at_work else None


class _Tested:
    """The dumps of one program, and a property of the program at each. ``number`` counts the tests."""

    def __init__(self, dumps: Sequence[Dump], options: AuditOptions) -> None:
        self.dumps = dumps
        self.number = 0
        self.holds_of: Holds = lambda _: None
        self._options = options

    def program(self, place: int) -> Dump:
        """Return the program at one of the dumps."""
        return program_at(self.dumps, self.dumps[place], self._options.op_table)

    def holds(self, place: int) -> bool | None:
        """Return whether the property holds at one of the dumps; None if that cannot be said."""
        self.number += 1
        return self.holds_of(self.program(place))

    def called(self, place: int) -> str:
        """Return which dump it is."""
        dump = self.dumps[place].place
        return f"at {dump.source}:{dump.line}" + (f", {dump.moment}" if dump.moment else "")
