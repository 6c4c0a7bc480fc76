"""What each pass of a log did to the order, and the first that shuffled.

Every function has a history of its own: a pass is charged with the difference between a function in the dump
after it and the same function in the last dump before that, wherever that stands. So dumps of several
functions may interleave, and where a pass runs inside another one the outer is charged with what is left.

A difference that shows in a dump *before* a pass was made by the innermost pass that has begun and not ended,
as far as the log tells: the outer pass, or in a log of dumps before passes only the pass before. Where there
is none, passes made it that the log does not show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, fields, replace

from eio_audit.audit.check.figures import BlockAudit, DisplacedOp, Summary, summarize_blocks
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.audit.trace.history import DumpStates, History, Part, StateChange
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.markers import Marker
from eio_audit.mlir.source import InputError


@dataclass(frozen=True, slots=True)
class DumpPlace:
    """Where a dump stands.

    Attributes:
        source: the file.
        line: 1-based line of the marker, or of the dump's first text.
        marker: the dump's marker.
        occurrence: 0-based place among the dumps of that file before, or after, that pass.
    """

    source: str
    line: int
    marker: Marker | None
    occurrence: int


@dataclass(frozen=True, slots=True)
class TracedPass:
    """One run of a pass, or one stage of a compiler.

    Attributes:
        index: 0-based place among the passes, in the order in which they ended.
        pass_name: None for what passes did that the log does not show.
        function: symbol of the function it ran on; None for a whole program.
        program: which program it ran on, where there are several.
        place: the dump that shows what it did.
        failed: the marker says that it failed.
        changed: whether it changed anything, aliases apart; None without a dump before.
        figures: those of the dump, of the pass's function only where it has one.
        introduced: avoidable inversions that it added, function by function.
        mislabelled: op indices that contradict the dependences since, function by function.
        lost: op indices that the program had before it and has no more.
    """

    index: int
    pass_name: str | None
    function: str | None
    program: str
    place: DumpPlace
    failed: bool
    changed: bool | None
    figures: Summary
    introduced: int
    mislabelled: int
    lost: int


@dataclass(frozen=True, slots=True)
class Culprit:
    """The first pass that added avoidable inversions.

    Attributes:
        pass_name: which; None for passes that the log does not show.
        function: where it added most.
        introduced: how many, as far as the dump tells that showed them first.
        place: the dump that showed them first.
        before: the dump that showed the function before; None where the pass made it.
        is_pair: that is the last dump before the same pass in the same file.
        block: the block of the function with most avoidable inversions then.
        worst: an op of it that nothing holds where it stands, in most inversions; else any in most.
    """

    pass_name: str | None
    function: str | None
    introduced: int
    place: DumpPlace
    before: DumpPlace | None
    is_pair: bool
    block: BlockAudit
    worst: DisplacedOp


@dataclass(frozen=True, slots=True)
class Trace:
    """The history of the programs in a log.

    Attributes:
        passes: in the order in which they ended.
        culprit: the first pass that shuffled, or None.
        initial: avoidable inversions in the first dumps of functions, which no pass is charged with.
        summary: the figures of all dumps, added up.
        errors: the dumps that could not be read.
        unmatched: the patterns of ops to be taken as pure that match no op of any dump.
    """

    passes: tuple[TracedPass, ...]
    culprit: Culprit | None
    initial: int
    summary: Summary
    errors: tuple[InputError, ...]
    unmatched: tuple[str, ...]

    @property
    def mislabeller(self) -> TracedPass | None:
        """The pass that made most op indices wrong; of equals the first."""
        worst = max(self.passes, key=lambda traced: traced.mislabelled, default=None)
        return worst if worst is not None and worst.mislabelled else None


def trace(dumps: Iterable[Dump], options: AuditOptions = DEFAULT_OPTIONS) -> Trace:
    """Follows programs through the dumps of a log, a folder or several stages, in the order of the passes.

    Dumps are taken one at a time and not kept. One that cannot be read does not hide the others.

    Complexity: linear in the text; only functions that differ from the dump before are audited.
    """
    tracer = _Tracer(options)
    for dump in dumps:
        try:
            tracer.take(dump)
        except InputError as error:
            tracer.errors.append(error)
    return tracer.result()


@dataclass(slots=True, eq=False)
class _Run:
    """A run of a pass, and what it is charged with so far.

    ``shown_at`` counts dumps: the one that showed what the pass did; None where none has.
    """

    pass_name: str | None
    function: str | None
    program: str
    failed: bool = False
    shown_at: int | None = None
    place: DumpPlace | None = None
    changed: bool | None = None
    figures: Summary = field(default_factory=lambda: summarize_blocks([]))
    introduced: int = 0
    mislabelled: int = 0
    lost: int = 0

    def charge(self, difference: StateChange | None) -> None:
        if difference is not None:
            self.changed = bool(self.changed) or difference.changed
            self.introduced += difference.introduced
            self.mislabelled += difference.mislabelled
            self.lost += difference.lost

    def show(self, shown: _Shown) -> None:
        self.shown_at, self.place = shown.count, shown.place
        states = shown.states
        is_part = states.alone is None and self.function is not None and self.function in states.functions
        self.figures = summarize_blocks(states.functions[self.function].blocks if is_part else states.blocks)


@dataclass(slots=True)
class _Program:
    """One program's history, the dumps that showed its functions last, and the passes that run on it.

    ``open`` has the passes that have begun and not ended, the innermost last.
    """

    name: str
    history: History = field(default_factory=History)
    shown_in: dict[Part, DumpPlace] = field(default_factory=dict)
    open: list[_Run] = field(default_factory=list)

    def innermost(self, function: Part) -> _Run | None:
        """The pass that is at work on a function or module."""
        return next((run for run in reversed(self.open) if run.function in (None, function)), None)

    def end(self, pass_name: str, function: str | None) -> _Run | None:
        """The pass that began last of those with this name; it ends, with all that began in it."""
        for k in range(len(self.open) - 1, -1, -1):
            run = self.open[k]
            if (run.pass_name, run.function) == (pass_name, function):
                self.open[k:] = [r for r in self.open[k:] if function not in (None, r.function)]
                return run
        return None


@dataclass(frozen=True, slots=True)
class _Shown:
    """A dump that has been audited: the ``count``-th, and the function that its pass ran on."""

    count: int
    place: DumpPlace
    states: DumpStates
    function: str | None


class _Tracer:
    """Takes dump after dump; ``errors`` are the caller's to fill."""

    def __init__(self, options: AuditOptions) -> None:
        self.errors: list[InputError] = []
        self._options = options
        self._programs: dict[str, _Program] = {}
        self._runs: list[_Run] = []
        self._occurrences: Counter[tuple[str, str | None, str | None]] = Counter()
        self._summary = summarize_blocks([], dumps=0)
        self._unmatched = frozenset(options.assume_pure)
        self._initial = 0
        self._culprit: Culprit | None = None

    def take(self, dump: Dump) -> None:
        """Charges passes with what this dump shows.

        Raises:
            InputError: it cannot be read.
        """
        program = self._programs.setdefault(dump.program, _Program(dump.program))
        place = self._place(dump)
        states = program.history.states(dump, self._options)
        summary = summarize_blocks(states.blocks)
        shown = _Shown(self._summary.dumps, place, states, _function_of(dump.marker, states))
        self._summary = _sum(self._summary, summary)
        self._unmatched &= states.unmatched
        if dump.marker is None and not summary.has_indices:
            return  # a compiler's output, printed without locations: it tells nothing
        if dump.marker is not None and dump.marker.when != "before":
            self._take_after(program, shown, dump.marker)
        else:
            self._take_before(program, shown)
        if dump.marker is not None and dump.marker.when == "before":
            self._begin(program, dump.marker.pass_name, shown.function)
        self._remember(program, shown)

    def result(self) -> Trace:
        """The passes that dumps have shown."""
        runs = sorted((r for r in self._runs if r.shown_at is not None), key=lambda r: r.shown_at or 0)
        passes = tuple(_traced(index, run) for index, run in enumerate(runs))
        return Trace(
            passes=passes,
            culprit=self._culprit,
            initial=self._initial,
            summary=self._summary,
            errors=tuple(self.errors),
            unmatched=tuple(p for p in self._options.assume_pure if p in self._unmatched),
        )

    def _place(self, dump: Dump) -> DumpPlace:
        marker = dump.marker
        kind = self._kind(dump.source.name, marker)
        self._occurrences[kind] += 1
        return DumpPlace(dump.source.name, dump.line, marker, self._occurrences[kind] - 1)

    @staticmethod
    def _kind(source: str, marker: Marker | None) -> tuple[str, str | None, str | None]:
        return source, marker.pass_name if marker else None, marker.when if marker else None

    def _begin(self, program: _Program, pass_name: str | None, function: str | None) -> _Run:
        run = _Run(pass_name, function, program.name)
        self._runs.append(run)
        if pass_name is not None:
            program.open.append(run)
        return run

    def _take_after(self, program: _Program, shown: _Shown, marker: Marker) -> None:
        """A dump after a pass: what is different, the pass did."""
        run = program.end(marker.pass_name, shown.function)
        if run is None:
            run = _Run(marker.pass_name, shown.function, program.name)
            self._runs.append(run)
        run.failed = marker.failed
        parts = [*shown.states.functions, *program.history.gone(shown.states)]
        self._charge(run, program, shown, parts, may_wrap=True)
        run.show(shown)

    def _take_before(self, program: _Program, shown: _Shown) -> None:
        """A dump before a pass, or without marker: what is different, the passes at work did."""
        history = program.history
        by_run: dict[_Run | None, list[Part]] = {}
        for function in [*shown.states.functions, *history.gone(shown.states)]:
            by_run.setdefault(program.innermost(function), []).append(function)
        for run, functions in by_run.items():
            if run is not None:
                self._charge(run, program, shown, functions)
                run.show(shown)
            elif (difference := history.difference(shown.states, functions)) and difference.changed:
                unknown = self._begin(program, None, shown.function)
                self._charge(unknown, program, shown, functions)
                unknown.show(shown)

    def _charge(
        self, run: _Run, program: _Program, shown: _Shown, parts: Collection[Part], *, may_wrap: bool = False
    ) -> None:
        difference = program.history.difference(shown.states, parts, may_wrap=may_wrap)
        run.charge(difference)
        if difference is not None and difference.introduced and self._culprit is None:
            before = program.shown_in.get(difference.grown)
            self._culprit = self._found(run, difference, shown, before)

    def _found(self, run: _Run, difference: StateChange, shown: _Shown, before: DumpPlace | None) -> Culprit:
        blocks = shown.states.described(difference.grown, self._options)
        block = max(blocks, key=lambda block: block.avoidable)
        marker = shown.place.marker
        dump_before = self._kind(shown.place.source, replace(marker, when="before") if marker else None)
        return Culprit(
            pass_name=run.pass_name,
            function=difference.grown if isinstance(difference.grown, str) else None,
            introduced=difference.introduced,
            place=shown.place,
            before=before,
            is_pair=before is not None
            and self._kind(before.source, before.marker) == dump_before
            and before.occurrence + 1 == self._occurrences[dump_before],
            block=block,
            worst=next((op for op in block.worst if op.blocker is None), block.worst[0]),
        )

    def _remember(self, program: _Program, shown: _Shown) -> None:
        history = program.history
        for function, state in shown.states.functions.items():
            program.shown_in[function] = shown.place
            if function not in history.functions and not history.is_new(function, shown.states):
                self._initial += sum(block.avoidable for block in state.blocks)
        history.remember(shown.states)


def _function_of(marker: Marker | None, states: DumpStates) -> str | None:
    """The function that a dump's pass ran on; None for the whole program."""
    if states.alone is not None:
        return states.alone
    is_function = marker is not None and marker.op_name != "builtin.module"
    return marker.symbol if marker and is_function and marker.symbol in states.functions else None


def _sum(one: Summary, other: Summary) -> Summary:
    """The figures of both; certified where both are."""
    added = {f.name: getattr(one, f.name) + getattr(other, f.name) for f in fields(Summary)}
    proven = {name: getattr(one, name) and getattr(other, name) for name in ("certified", "wrong_certified")}
    return Summary(**{**added, **proven})


def _traced(index: int, run: _Run) -> TracedPass:
    assert run.place is not None
    return TracedPass(
        index=index,
        pass_name=run.pass_name,
        function=run.function,
        program=run.program,
        place=run.place,
        failed=run.failed,
        changed=run.changed,
        figures=run.figures,
        introduced=run.introduced,
        mislabelled=run.mislabelled,
        lost=run.lost,
    )
