"""One program of a log, walked once: which passes are charged with what each dump shows, and how pairs go on.

A difference in a dump after a pass is charged to that pass. A difference in a dump *before* a pass is charged
to the innermost pass that has begun and not ended. That is the outer pass, or, in a log with dumps before
passes only, the pass before. If there is no such pass, the difference is from passes that the log does not
show.

``trace``, ``history`` and ``check`` of a log differ in what they tell of these steps. None of them compares
texts or follows pairs by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable

from eio_audit.audit.log.followed_pairs import FollowedPairs
from eio_audit.audit.log.scope_steps import ScopeStep, ScopeSteps
from eio_audit.audit.options import AuditOptions
from eio_audit.audit.programs.modules import FunctionOrModule
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.function_texts import FunctionText
from eio_audit.mlir.input.markers import Marker
from eio_audit.mlir.source import InputError


class PassRun:
    """One run of a pass, or one stage of a compiler."""

    def __init__(self, number: int, marker: Marker | None, function: str | None) -> None:
        self.number = number  # 0-based number among the runs of its program, as they began
        # The pass, and its class name in its marker; None for passes that the log does not show.
        self.pass_name = marker and marker.pass_name
        self.class_name = marker and marker.class_name
        self.function = function  # symbol of the function it runs on; None for a whole program
        self.failed = False  # whether it failed, according to its marker


class LogStep:
    """One dump of a program: the passes that are charged with it, and the text before it."""

    def __init__(
        self, dump: Dump, function: str | None, ended: PassRun | None, at_work: tuple[PassRun, ...]
    ) -> None:
        self.dump = dump
        self.function = function  # the function that its pass ran on; None for the whole program
        self.ended = ended  # the pass whose result it shows; None before a pass, or without a marker
        self.at_work = at_work  # the passes that have begun and not ended before it, the innermost last
        # The dump and the text before it; None if they cannot be read, or if nobody asked.
        self.compared: ScopeStep | None = None
        self.unread: InputError | None = None  # why they cannot be read

    def run_of(self, part: FunctionOrModule) -> PassRun | None:
        """Return the pass charged with what is new in a function or module; None if the log shows none."""
        if self.ended is not None:
            return self.ended
        return next((run for run in reversed(self.at_work) if run.function in (None, part)), None)

    def pass_of(self, part: FunctionOrModule) -> str | None:
        """Return the name of that pass; None for passes that the log does not show."""
        run = self.run_of(part)
        return run.pass_name if run else None

    def charged(self, parts: Iterable[FunctionOrModule]) -> dict[PassRun | None, list[FunctionOrModule]]:
        """Return functions and modules by the pass charged with them; one that ended always has an entry."""
        charged: dict[PassRun | None, list[FunctionOrModule]] = {} if self.ended is None else {self.ended: []}
        for part in parts:
            charged.setdefault(self.run_of(part), []).append(part)
        return charged


class ProgramWalk:
    """The walk over the dumps of one program: ``step`` for each."""

    def __init__(self) -> None:
        self.runs = 0  # number of passes that began
        self.at_work: list[PassRun] = []  # the passes that have begun and not ended, the innermost last

    def step(self, dump: Dump, only_function: str | None, functions: Container[FunctionOrModule]) -> LogStep:
        """Begin or end the pass of a dump that shows some functions, or only one of the program."""
        marker, function, at_work = dump.marker, only_function, (*self.at_work,)
        if function is None and marker is not None and marker.op_name != "builtin.module":
            function = marker.symbol if marker.symbol in functions else None
        ended = None if marker is None else self.follow(marker, function)
        return LogStep(dump, function, ended, at_work)

    def follow(self, marker: Marker, function: str | None) -> PassRun | None:
        """Begin or end the pass of a marker. Return the run that ended, or None."""
        if marker.when == "before":
            self.at_work.append(self.begin(marker, function))
            return None
        ended = self.ended(marker, function) or self.begin(marker, function)
        ended.failed = marker.failed
        return ended

    def begin(self, marker: Marker | None, function: str | None) -> PassRun:
        """Return a new run of the pass of a marker; None for passes that the log does not show."""
        self.runs += 1
        return PassRun(self.runs - 1, marker, function)

    def ended(self, marker: Marker, function: str | None) -> PassRun | None:
        """End the last pass that began with this marker, and all that began in it; return it, or None."""
        for k in range(len(self.at_work) - 1, -1, -1):
            run = self.at_work[k]
            if (run.pass_name, run.function) == (marker.pass_name, function):
                self.at_work[k:] = [r for r in self.at_work[k:] if function not in (None, r.function)]
                return run
        return None


class ProgramLog:
    """The dumps of one program: each is a step of the ``walk``; ``compare`` it, then ``follow`` its pairs.

    A step may also be compared later: those in order need not be read.
    """

    def __init__(self, options: AuditOptions) -> None:
        self.walk = ProgramWalk()  # which passes are charged with what
        self.steps = ScopeSteps(options)  # the last known text, and the numbers of its ops
        self.followed = FollowedPairs(options)  # the pairs out of order
        self._matches_whole_dumps = options.order_from is not None
        self._known: dict[str, FunctionText] = {}  # by symbol, the last known text of a function

    def compare(
        self, step: LogStep, same: Collection[FunctionOrModule] | None = None, *, is_read: bool = False
    ) -> None:
        """Compare a dump with the text before it, as ``compared`` does. The step tells why it cannot."""
        try:
            step.compared = self.compared(step.dump, same, is_read=is_read)
        except InputError as error:
            step.unread = error

    def compared(
        self, dump: Dump, same: Collection[FunctionOrModule] | None = None, *, is_read: bool = False
    ) -> ScopeStep:
        """Return a dump, with numbers for its ops, and the text before it.

        Functions that are the ``same`` as in the dump that showed them last are not read again; their texts
        tell which these are, if the caller does not know. Of a dump with the same text, nothing is, unless
        it ``is_read``. An InputError says that one of the texts cannot be read.
        """
        shown = self.steps.show(dump)
        texts = shown.function_texts
        if same is None:
            known = texts.keys() & self._known
            same = {symbol for symbol in known if self._known[symbol].is_same_as(texts[symbol])}
        found = self.steps.take(shown, () if self._matches_whole_dumps else same, is_read=is_read)
        self._known |= texts
        return found

    def follow(self, step: LogStep, origin: Callable[[str | None], int], *, is_judged: bool) -> None:
        """Follow the pairs into a dump that was compared, if it was.

        ``origin`` tells what is charged with what is new in a function. A dump cannot be judged if no op
        carries an index, or if it is invalid.
        """
        if step.compared is not None and is_judged:
            self.followed.take(step.compared, origin)
        elif step.compared is not None:
            self.followed.pass_over(step.compared)
