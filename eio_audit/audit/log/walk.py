"""The walk over the dumps of one program: which passes are charged with what each shows.

A difference in a dump after a pass is charged to that pass. A difference in a dump *before* a pass is charged
to the innermost pass that has begun and not ended. That is the outer pass, or, in a log with dumps before
passes only, the pass before. If there is no such pass, the difference is from passes that the log does not
show.
"""

from __future__ import annotations

from collections.abc import Container

from eio_audit.audit.log.scope_steps import ScopeStep
from eio_audit.audit.programs.modules import FunctionOrModule
from eio_audit.mlir.input.dumps import Dump
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
        # The pass whose result it shows; None for a dump before a pass, or without a marker.
        self.ended = ended
        # The passes that have begun and not ended before the dump, the innermost last.
        self.at_work = at_work
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
