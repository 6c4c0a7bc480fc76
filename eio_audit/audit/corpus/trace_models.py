"""Traces many models, each a piece of work for this process or for others, and adds up what passes did."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property, reduce
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, Protocol

from eio_audit.audit.check.figures import Summary, summarize_blocks
from eio_audit.audit.corpus.in_order import LostWork, Piece, in_order
from eio_audit.audit.corpus.models import Model
from eio_audit.audit.gate.gate import by_severity
from eio_audit.audit.log.program_log import PassRun
from eio_audit.audit.log.scope_steps import ChangedOp, ScopeStep
from eio_audit.audit.log.trace import OpTotals, Trace, TracedPass, Watch, trace
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import Dump, stream_file
from eio_audit.mlir.input.folders import DumpFile
from eio_audit.mlir.source import MAX_UNPACKED_BYTES, InputError, decoded, read_all

if TYPE_CHECKING:  # one model needs no other processes
    from eio_audit.audit.corpus.workers import Workers

SUMMED = ("made", "undone", "left", "left_shuffled", "mislabelled", "lost")  # the sums of a PassTotal


class Progress(Protocol):
    """Gets what has been done so far."""

    def __call__(self, bytes_count: int, /) -> None:
        """So many more bytes are done."""

    def file_done(self) -> None:
        """One more file is done."""

    def waits_for(self, file: str, /) -> None:
        """The file or folder that the next result is of."""


class _Nobody:
    def __call__(self, bytes_count: int, /) -> None: ...
    def file_done(self) -> None: ...
    def waits_for(self, file: str, /) -> None: ...


NO_PROGRESS: Progress = _Nobody()  # for work that nobody watches


@dataclass(frozen=True)
class TraceModel:
    """How models are traced."""

    options: AuditOptions = DEFAULT_OPTIONS  # what counts
    # There is one file in all; of several, each without markers is a stage with its name.
    is_only_file: bool = False
    max_unpacked_bytes: int = MAX_UNPACKED_BYTES  # the most that a file may unpack to
    advises_all: bool = True  # whether each pass gets advice, or only the one that left most out of order

    def of(self, model: Model, progress: Progress = NO_PROGRESS, watches: Sequence[Watch] = ()) -> Trace:
        """Return the trace of a model. A file that cannot be read is an error of the trace."""
        errors: list[InputError] = []

        def read_file(file: DumpFile) -> Iterator[Dump]:
            progress.waits_for(file.path)
            return stream_file(file, progress, self.max_unpacked_bytes, is_only=self.is_only_file)

        dumps = read_all(model.files, read_file, errors, progress.file_done)
        result = trace(dumps, self.options, watches, advises_all=self.advises_all)
        return replace(result, errors=(*errors, *result.errors), end_blocks={})

    def __call__(self, model: Model) -> Trace:
        """Return the trace of a model without the options, which need not be sent back."""
        return replace(self.of(model), options=DEFAULT_OPTIONS)


class PassTotal(NamedTuple):
    """What all runs of a pass did to the order."""

    pass_name: str | None  # None for passes that the logs do not show
    made: int  # pairs of ops that it put out of order
    models: int  # in how many models it put some out of order
    left: int  # pairs that it made and that are left at the end
    left_shuffled: int  # those of them that are out of place or have a wrong index
    undone: int = 0  # pairs of ops out of order that it put in order
    mislabelled: int = 0  # op indices that contradict the dependences since the pass, function by function
    lost: int = 0  # op indices that the program had before the pass and has no more

    @property
    def is_clean(self) -> bool:
        """Whether the pass put nothing out of order, and nothing in order."""
        return not (self.made or self.undone)


def pass_totals(traces: Iterable[Trace]) -> tuple[PassTotal, ...]:
    """Return the totals of all passes, worst first; each trace is that of a model."""
    totals: dict[str | None, Counter[str]] = defaultdict(Counter)
    for one in traces:
        made = Counter[str | None]()
        for traced in one.passes:
            made[traced.pass_name] += traced.made
            totals[traced.pass_name].update({name: getattr(traced, name) for name in SUMMED})
        for name, number in made.items():
            totals[name]["models"] += number > 0
    rows = (
        PassTotal(name, models=own["models"], **{key: own[key] for key in SUMMED})
        for name, own in totals.items()
    )
    return tuple(
        sorted(rows, key=lambda one: (-one.left, -one.made, -one.mislabelled, -one.lost, one.pass_name or ""))
    )


class ModelTrace(NamedTuple):
    """The trace of a model."""

    name: str  # what the model is called
    path: str  # the folder or the file that has its dumps and no others; empty if there is none
    trace: Trace  # the history of its programs
    passes: tuple[PassTotal, ...]  # what each pass did to the order, worst first
    initial: int  # pairs out of order in the first dumps of its functions
    made: int  # pairs that its passes put out of order
    undone: int  # pairs out of order that its passes put in order
    left: int  # pairs out of order in the last dumps of its functions
    left_shuffled: int  # those of them that are out of place or have a wrong index
    mislabelled: int  # op indices that its passes made wrong
    lost: int  # op indices that its passes lost

    @classmethod
    def of(cls, model: Model, trace: Trace) -> ModelTrace:
        """Return the trace of a model with the sums over its passes."""
        totals = pass_totals([trace])
        sums = {name: sum(getattr(total, name) for total in totals) for name in SUMMED}
        sums["left"] += trace.initial_left
        sums["left_shuffled"] += trace.initial_left_shuffled
        return cls(model.name, model.path, trace, totals, trace.initial, **sums)

    @property
    def is_clean(self) -> bool:
        """Whether nothing was out of order at the start, and its passes put nothing out of order."""
        return not (self.left or self.initial) and all(total.is_clean for total in self.passes)


@dataclass(frozen=True)
class ModelTraces:
    """The traces of all models of a corpus."""

    models: tuple[ModelTrace, ...]  # those with most inversions left at the end first
    merged: Trace  # the traces of all models as one, in the order of their files

    @property
    def unjudged(self) -> tuple[ModelTrace, ...]:
        """The models whose order cannot be judged, because nothing in their dumps is indexed."""
        return tuple(model for model in self.models if model.trace.is_unjudged)

    @cached_property
    def initial(self) -> PassTotal:
        """What was there from the start over all models, as a row beside those of the passes."""
        kept = [model.trace for model in self.models if model.initial]
        return PassTotal(
            None,
            made=sum(one.initial for one in kept),
            models=len(kept),
            left=sum(one.initial_left for one in kept),
            left_shuffled=sum(one.initial_left_shuffled for one in kept),
        )

    @cached_property
    def passes(self) -> tuple[PassTotal, ...]:
        """What each pass did to the order over all models, worst first."""
        return pass_totals(model.trace for model in self.models)


def trace_models(
    models: Sequence[Model],
    trace_model: TraceModel,
    workers: Workers | None = None,
    progress: Progress = NO_PROGRESS,
    watches: Sequence[Watch] = (),
) -> ModelTraces:
    """Trace models one by one. The result does not depend on ``workers``.

    Without workers this process does it, as it always does standard input, and ``watches`` see it. A model
    for which a worker needs too long, or dies, has an error instead of a trace.
    """
    options = trace_model.options
    traces: list[Trace] = []
    own = workers is None  # without workers, and from standard input, no model is work for others
    pieces = (
        Piece(one, None if own or any(file.path == "-" for file in one.files) else one, one.size_bytes)
        for one in models
    )
    results = in_order(trace_model, pieces, workers, lambda model: progress.waits_for(model.first_path))
    for model, result in results:
        if result is None:
            traces.append(trace_model.of(model, progress, watches))
            continue
        if isinstance(result, LostWork):
            error = InputError(model.first_path, None, result.reason)
            traces.append(replace(merge_traces([], options), errors=(error,)))
        else:
            traces.append(replace(result, options=options))
        progress(model.size_bytes)
        for _ in model.files:
            progress.file_done()
    rows = list(map(ModelTrace.of, models, traces))
    rows.sort(key=lambda row: (-row.left, -row.made, -row.mislabelled, -row.lost))
    return ModelTraces(tuple(rows), merge_traces(traces, options))


def merge_traces(traces: Sequence[Trace], options: AuditOptions = DEFAULT_OPTIONS) -> Trace:
    """Return the trace of all dumps of several traces that have no program in common.

    It is the trace of the dumps of the first, followed by those of the second, and so on.
    """
    left = chain.from_iterable(one.left for one in traces)
    passes = chain.from_iterable(one.passes for one in traces)
    return Trace(
        left=tuple(sorted(left, key=lambda one: by_severity(one.finding))),
        passes=tuple(replace(traced, index=index) for index, traced in enumerate(passes)),
        initial=sum(one.initial for one in traces),
        initial_left=sum(one.initial_left for one in traces),
        initial_classes=sum((Counter(one.initial_classes) for one in traces), Counter()),
        summary=_sum(one.summary for one in traces),
        at_end_of_log=_sum(one.at_end_of_log for one in traces),
        errors=tuple(chain.from_iterable(one.errors for one in traces)),
        unmatched=tuple(p for p in options.assume_pure if all(p in one.unmatched for one in traces)),
        options=options,
        sources=tuple(dict.fromkeys(chain.from_iterable(one.sources for one in traces))),
        unindexed=sum(one.unindexed for one in traces),
        is_partial=any(one.is_partial for one in traces),
        crash=traces[0].crash if len(traces) == 1 else None,
        op_totals=reduce(OpTotals.plus, (one.op_totals for one in traces), OpTotals()),
        unmarked_modules=traces[0].unmarked_modules if len(traces) == 1 else (),
        compiler=traces[0].compiler if len(traces) == 1 else "",
        notes=dict(chain.from_iterable(one.notes.items() for one in traces)),
    )


def _sum(figures: Iterable[Summary]) -> Summary:
    return reduce(Summary.plus, figures, summarize_blocks([], dumps=0))


@dataclass(frozen=True, slots=True)
class PassChoice:
    """What passes are chosen by. None chooses all. A pass must match everything that is given."""

    pass_name: str | None = None  # the name of the pass, with `*` for any characters
    function: str | None = None  # the symbol of a function that it ran on or changed ops in
    changed_op: str | None = None  # the name of an op that it changed in any way, with `*` for any characters
    pattern: re.Pattern[str] | None = None  # is found in the line of a changed op, before or after the pass
    _found: set[tuple[str, int]] = field(default_factory=set)

    @property
    def is_all(self) -> bool:
        """Whether every pass is chosen."""
        return (self.pass_name, self.function, self.changed_op, self.pattern) == (None,) * 4

    def only(self, name: str) -> PassChoice:
        """Return the choice by one of the attributes alone."""
        return PassChoice(**{name: getattr(self, name)}, _found=self._found)

    def watch(self, run: PassRun, program: str, step: ScopeStep, changes: Sequence[ChangedOp]) -> None:
        """Look for the pattern in what a pass changed. ``trace`` calls this if there is a pattern."""
        assert self.pattern is not None
        if any(map(self.pattern.search, _changed_lines(step, changes))):
            self._found.add((program, run.number))

    def chosen(self, trace: Trace) -> list[TracedPass]:
        """Return the chosen passes of a trace."""
        return [traced for traced in trace.passes if self._is_chosen(traced)]

    def _is_chosen(self, traced: TracedPass) -> bool:
        if self.pass_name is not None and not fnmatchcase(traced.pass_name or "", self.pass_name):
            return False
        if self.function is not None:
            symbol = "@" + self.function.removeprefix("@")
            if symbol != traced.function and symbol not in traced.functions:
                return False
        if self.changed_op is not None and not any(
            fnmatchcase(name, self.changed_op) for name in traced.ops or ()
        ):
            return False
        return self.pattern is None or (traced.program, traced.run) in self._found


def top_passes(passes: Sequence[TracedPass], number: int) -> list[TracedPass]:
    """Return so many passes, in their order: those that left most, or else made most, or changed most ops.

    Those that only run others are none of them.
    """

    def done(traced: TracedPass) -> tuple[int, ...]:
        return traced.left, traced.made, traced.op_counts.total

    own = (one for one in passes if (one.changed or one.failed) and not one.is_adaptor)
    most = sorted(own, key=done, reverse=True)[:number]
    kept = {one.index for one in most}
    return [one for one in passes if one.index in kept]


def _changed_lines(step: ScopeStep, changes: Sequence[ChangedOp]) -> Iterator[str]:
    for change in changes:
        for text, line in ((step.before, change.before), (step.after, change.after)):
            if text is not None and line is not None:
                yield decoded(text.lines.texts[line])
