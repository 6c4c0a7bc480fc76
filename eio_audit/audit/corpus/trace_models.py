"""Traces many models: each is a piece of work of its own, for this process or for others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from eio_audit.audit.corpus.in_order import LostWork, Piece, in_order
from eio_audit.audit.corpus.models import Model
from eio_audit.audit.log.trace import Trace, Watch, trace
from eio_audit.audit.log.trace_rows import (
    SUMMED,
    PassTotal,
    initial_total,
    merge_traces,
    pass_totals,
)
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.files import MAX_UNPACKED_BYTES
from eio_audit.mlir.input.dumps import Dump, stream_file
from eio_audit.mlir.input.folders import DumpFile
from eio_audit.mlir.source import InputError, read_all

if TYPE_CHECKING:  # one model needs no other processes
    from eio_audit.audit.corpus.workers import Workers


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

    def of(self, model: Model, progress: Progress = NO_PROGRESS, watches: Sequence[Watch] = ()) -> Trace:
        """Return the trace of a model. A file that cannot be read is an error of the trace."""
        errors: list[InputError] = []

        def read_file(file: DumpFile) -> Iterator[Dump]:
            progress.waits_for(file.path)
            return stream_file(file, progress, self.max_unpacked_bytes, is_only=self.is_only_file)

        dumps = read_all(model.files, read_file, errors, progress.file_done)
        result = trace(dumps, self.options, watches)
        return replace(result, errors=(*errors, *result.errors))

    def __call__(self, model: Model) -> Trace:
        """Return the trace of a model without the options, which need not be sent back."""
        return replace(self.of(model), options=DEFAULT_OPTIONS)


@dataclass(frozen=True, slots=True)
class ModelTrace:
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
        """What was there from the start over all models."""
        return initial_total(model.trace for model in self.models)

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
