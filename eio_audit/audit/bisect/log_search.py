"""The first dump of a log on which a test fails. No compiler runs.

The test gets the whole program at a dump: of a log that shows one function after another, it is put together
from the last dumps that show its parts.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from eio_audit.audit.bisect.first_failure import BuiltInTest, Holds, command_test, lost_between
from eio_audit.audit.bisect.pass_search import INTERRUPTED, Request, SearchInterruptedError
from eio_audit.audit.log.walk import ProgramWalk
from eio_audit.audit.options import AuditOptions
from eio_audit.audit.programs.program_text import program_at
from eio_audit.mlir.input.dumps import Dump, DumpPlace


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
