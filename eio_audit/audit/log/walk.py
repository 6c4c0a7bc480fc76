"""The walk over the dumps of one program: what each shows, which passes are charged with it, what vanished.

A difference in a dump after a pass is charged to that pass. A difference in a dump *before* a pass is charged
to the innermost pass that has begun and not ended. That is the outer pass, or, in a log with dumps before
passes only, the pass before. If there is no such pass, the difference is from passes that the log does not
show.

A dump may show a program, or only a module or a function of it. What it cannot show has not vanished.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from eio_audit.audit.log.scope_steps import ScopeStep
from eio_audit.audit.programs.modules import FunctionOrModule, Module
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


class Shown(NamedTuple):
    """What a dump shows of its program."""

    # Symbol of the function if the dump shows only that; None for a program or a module.
    only_function: str | None
    parts: Collection[FunctionOrModule]  # its functions and modules; None for ops outside both
    # Per function or module, the module around it; None for an outermost one.
    homes: Mapping[FunctionOrModule, int | None]
    modules: Mapping[int, Module]  # per number, a module, in textual order

    @property
    def has_no_module(self) -> bool:
        """Whether it shows functions outside modules."""
        return self.only_function is None and not self.modules and bool(self.parts)

    @property
    def is_named(self) -> bool:
        """Whether the outermost module has a symbol."""
        return any(module.label[1] is not None for module in list(self.modules.values())[:1])

    def function_of(self, marker: Marker | None) -> str | None:
        """Return the function that the dump's pass ran on; None for the whole program."""
        if self.only_function is not None or marker is None or marker.op_name == "builtin.module":
            return self.only_function
        return marker.symbol if marker.symbol in self.parts else None


ShownT = TypeVar("ShownT", bound=Shown)  # what a dump shows, and what else its reader found in it


@dataclass(slots=True)
class LogStep(Generic[ShownT]):
    """One dump of a program: the passes that are charged with it, and the text before it."""

    dump: Dump  # the dump
    shown: ShownT  # what it shows
    function: str | None  # the function that its pass ran on; None for the whole program
    # The pass whose result it shows; None for a dump before a pass, or without a marker.
    ended: PassRun | None
    # The passes that have begun and not ended before the dump, the innermost last.
    at_work: tuple[PassRun, ...]
    # The functions and modules that it omits though it shows what was around them.
    vanished: tuple[FunctionOrModule, ...]
    # The dump and the text before it; None if nothing differs, if they cannot be read, or if nobody asked.
    compared: ScopeStep | None = None
    unread: InputError | None = None  # why they cannot be read

    def run_of(self, part: FunctionOrModule) -> PassRun | None:
        """Return the pass charged with what is new in a function or module; None if the log shows none."""
        if self.ended is not None:
            return self.ended
        return next((run for run in reversed(self.at_work) if run.function in (None, part)), None)

    def pass_of(self, part: FunctionOrModule) -> str | None:
        """Return the name of that pass; None for passes that the log does not show."""
        run = self.run_of(part)
        return run.pass_name if run else None

    @property
    def charged(self) -> dict[PassRun | None, list[FunctionOrModule]]:
        """The functions and modules, shown or vanished, by the pass that is charged with them."""
        charged: dict[PassRun | None, list[FunctionOrModule]] = {} if self.ended is None else {self.ended: []}
        for part in (*self.shown.parts, *self.vanished):
            charged.setdefault(self.run_of(part), []).append(part)
        return charged


class ProgramWalk:
    """The walk over the dumps of one program: ``step`` for each, then ``remember``."""

    def __init__(self) -> None:
        # The functions and modules that the program has, by the dumps so far.
        self.known: set[FunctionOrModule] = set()
        self.modules: dict[int, Module] = {}  # per number, a module of it
        # Per function or module, the module around it; None for an outermost one.
        self.homes: dict[FunctionOrModule, int | None] = {}
        self.runs = 0  # number of passes that began
        self._shows_no_module = False
        self.at_work: list[PassRun] = []  # the passes that have begun and not ended, the innermost last

    def step(self, dump: Dump, shown: ShownT) -> LogStep[ShownT]:
        """Begin or end the pass of a dump. What is known of the program stays the same."""
        marker = dump.marker
        function, at_work = shown.function_of(marker), (*self.at_work,)
        ended = None if marker is None else self.follow(marker, function)
        return LogStep(dump, shown, function, ended, at_work, self._vanished(shown))

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

    def _vanished(self, shown: Shown) -> tuple[FunctionOrModule, ...]:
        if shown.only_function is not None:
            return ()
        around = {part for part in shown.parts if isinstance(part, int)}
        vanished: dict[FunctionOrModule, None] = {}
        while True:
            found = [
                part
                for part, home in self.homes.items()
                if part not in shown.parts
                and part not in vanished
                and (home in around if home is not None else shown.has_no_module and isinstance(part, str))
            ]
            if not found:
                return (*vanished,)
            vanished |= dict.fromkeys(found)
            around.update(part for part in found if isinstance(part, int))

    def is_new(self, part: FunctionOrModule, shown: Shown) -> bool:
        """Return whether a dump added a function or module: it is unknown, but what is around it is known."""
        if part in self.known or part not in shown.homes:
            return False
        home = shown.homes[part]
        if home is None:
            return self._shows_no_module and isinstance(part, str)
        return home in self.known or self.is_new(home, shown)

    def is_wrapped(self, part: FunctionOrModule, shown: Shown) -> bool:
        """Return whether a module that was always outermost is now inside another one."""
        was_outermost = isinstance(part, int) and self.homes.get(part, 0) is None
        return was_outermost and shown.homes.get(part) is not None

    def remember(self, step: LogStep[ShownT]) -> None:
        """Take what a dump shows as known."""
        shown = step.shown
        for part in step.vanished:
            self.known.remove(part)
            del self.homes[part]
            if isinstance(part, int):
                del self.modules[part]
        self.known.update(shown.parts)
        for part, home in shown.homes.items():
            if home is not None or part not in self.homes:
                self.homes[part] = home
        self.modules.update(shown.modules)
        self._shows_no_module = self._shows_no_module or shown.has_no_module
