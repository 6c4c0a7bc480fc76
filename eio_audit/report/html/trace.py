"""The pages of ``trace``: of one model its passes and what each did to the ops, of several the totals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from eio_audit.audit.corpus.trace_models import ModelTrace, ModelTraces
from eio_audit.audit.diff.diff import op_changes
from eio_audit.audit.gate.gate import Gate
from eio_audit.audit.log.trace import Trace, TracedPass
from eio_audit.audit.log.trace_sums import PassTotal
from eio_audit.audit.options import AuditOptions
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.function_texts import DumpText, FunctionText
from eio_audit.mlir.source import InputError
from eio_audit.report.document import changes_by_function
from eio_audit.report.html.order_section import OPEN_FINDINGS, left_cards
from eio_audit.report.html.pages import page
from eio_audit.report.html.table import Cell, Table, columns_of
from eio_audit.report.template import render
from eio_audit.report.wording.commands import diff_command
from eio_audit.report.wording.trace import START, in_models, name_of, pass_title, verdict_on_all, worst_pass

_FIGURES = "#introduced, #repaired, #left, #mislabelled=made wrong, #lost"


def traces_to_html(result: ModelTraces, version: str, gate: Gate, diffs: PassDiffs | None) -> str:
    """Return the page of a trace. ``diffs`` has what each pass of a single model did to the ops."""
    if diffs is not None:
        return trace_to_html(result.merged, version, diffs)
    return page(
        "trace",
        "traces.html",
        version,
        result=result,
        verdict=verdict_on_all(result, gate),
        left=left_cards(result.merged)[:OPEN_FINDINGS],
        passes=_pass_total_table(result),
        models=_model_table(result.models),
        runs=_run_table(result.models),
    )


def _pass_total_table(result: ModelTraces) -> Table:
    columns = columns_of(f"pass, {_FIGURES}, models=in models")
    rows: list[list[Cell]] = [
        [START if total is result.initial else name_of(total), *_numbers_of(total), in_models(total, result)]
        for total in (*result.passes, *([result.initial] if result.initial.introduced else []))
    ]
    return Table("passes", "all runs of each pass in all models", columns, rows, "-left, -introduced")


def _model_table(models: Sequence[ModelTrace]) -> Table:
    columns = columns_of(f"model, #initial=at the start, {_FIGURES}, pass=worst pass")
    rows: list[list[Cell]] = [
        [model.name, model.initial, *_numbers_of(model), worst_pass(model)] for model in models
    ]
    return Table("models", "all passes of each model", columns, rows, "-left, -introduced")


def _run_table(models: Sequence[ModelTrace]) -> Table:
    columns = columns_of(f"pass, model, {_FIGURES}")
    rows: list[list[Cell]] = [
        [name_of(total), model.name, *_numbers_of(total)]
        for model in models
        for total in model.passes
        if not total.is_clean
    ]
    return Table("runs", "each pass in each model", columns, rows, "-left, -introduced")


def _numbers_of(row: PassTotal | ModelTrace) -> tuple[int, int, int, int, int]:
    return row.introduced, row.repaired, row.left, row.mislabelled, row.lost


def trace_to_html(trace: Trace, version: str, diffs: PassDiffs) -> str:
    """Return the page of a trace: what is left at the end, and what each pass did to order and ops."""
    most = max((traced.figures.inversions for traced in trace.passes), default=0)
    return page(
        "trace",
        "trace.html",
        version,
        result=trace,
        left=left_cards(trace),
        open_findings=OPEN_FINDINGS,
        timeline=[_timeline_entry(traced, max(most, 1), diffs) for traced in trace.passes],
        passes=_pass_table(trace),
    )


def _timeline_entry(traced: TracedPass, most: int, diffs: PassDiffs) -> dict[str, object]:
    figures = traced.figures
    shares = {
        "forced": figures.forced,
        "knock-on": figures.knock_on,
        "avoidable": figures.avoidable,
        "unordered": figures.minimum - figures.forced - figures.knock_on,
    }
    return {
        "traced": traced,
        "name": pass_title(traced),
        "is_unchanged": traced.changed is False and not traced.failed,
        "widths": {kind: f"{share / most:.2%}" for kind, share in shares.items() if share},
        "diff": diffs.by_place.get((traced.place.source, traced.place.line)),
    }


def _pass_table(trace: Trace) -> Table:
    passes = trace.passes
    has_functions = any(traced.function for traced in passes)
    has_sources = len({traced.place.source for traced in passes}) > 1
    figures = ("ops", "inversions", "forced", "knock_on", "avoidable")
    columns = columns_of(
        f"#index=number, pass, changed, {'function, ' * has_functions}"
        f"dump={'dump' if has_sources else 'line'}, #ops, "
        "#inversions, #forced, #knock_on=knock-on, #avoidable, #introduced, #repaired, #left, "
        "#mislabelled=made wrong, #lost"
    )
    rows = [
        (
            traced.index,
            pass_title(traced),
            "yes" if traced.changed else "",
            *([traced.function] if has_functions else []),
            f"{traced.place.source}:{traced.place.line}" if has_sources else str(traced.place.line),
            *(getattr(traced.figures, key) for key in figures),
            traced.introduced,
            traced.repaired,
            traced.left,
            traced.mislabelled,
            traced.lost,
        )
        for traced in passes
    ]
    marked = ("changed", "passes that changed something only")
    caption = "the passes in the order in which they ended"
    links = [f"#pass-{traced.index}" for traced in passes]
    return Table("passes", caption, columns, rows, "index", marked=marked, links=("pass", links))


SHOWN_GROUPS = 20
"""The most changes of one kind in one function that a pass shows. Repeated changes count once."""

LONGEST = 1_000_000
"""The most characters that all passes may show together. Later passes show only their command."""


@dataclass(frozen=True, slots=True)
class PassDiff:
    """What is new in a dump: a part of a page, and the command that shows all of it."""

    page: str
    command: str


class PassDiffs:
    """Compares each dump with the last known state of its functions.

    It keeps the last dump of each function. This is a single dump if each dump shows the whole program.

    Attributes:
        by_place: by file and line of a dump, what is new in it.
    """

    def __init__(self, options: AuditOptions) -> None:
        self.by_place: dict[tuple[str, int], PassDiff] = {}
        self._options = options
        self._known: dict[tuple[str, str], tuple[DumpText, FunctionText]] = {}
        self._occurrences: dict[tuple[object, ...], int] = {}
        self._room = LONGEST

    def watch(self, dumps: Iterable[Dump]) -> Iterator[Dump]:
        """Yield the same dumps. Each is compared after its use."""
        for dump in dumps:
            yield dump
            try:
                self._take(dump)
            except InputError:
                continue  # the trace reports the error

    def _take(self, dump: Dump) -> None:
        kind = dump.source.name, dump.marker and dump.marker.pass_name, dump.marker and dump.marker.when
        self._occurrences[kind] = occurrence = self._occurrences.get(kind, 0) + 1
        text = DumpText(dump, self._options.op_table)
        changed = []
        for symbol, function in text.functions.items():
            old = self._known.get((dump.program, symbol))
            self._known[dump.program, symbol] = text, function
            if old is not None and old[1].key != function.key:
                changed.append((old[0].function_dump(old[1]), text.function_dump(function), old[0].dump))
        if changed:
            page = self._page([(before, after) for before, after, _ in changed])
            command = diff_command(changed[0][2], dump, occurrence)
            self.by_place[dump.source.name, dump.line] = PassDiff(page, command)

    def _page(self, changed: Iterable[tuple[Dump, Dump]]) -> str:
        functions = []
        for before, after in changed:
            if self._room > 0:
                functions += changes_by_function(op_changes(before, after, self._options))
        page = render("pass_diff.html", functions=functions, most=SHOWN_GROUPS)
        is_shown = bool(functions) and len(page) <= self._room
        self._room -= len(page) if is_shown else 0
        return page if is_shown else ""
