"""The page of ``trace``: of one model its passes, of several the totals by pass and by model."""

from __future__ import annotations

from collections.abc import Sequence

from eio_audit.audit.corpus.trace_models import ModelTrace, ModelTraces
from eio_audit.audit.gate.gate import Gate
from eio_audit.audit.log.trace_sums import PassTotal
from eio_audit.report.html.order_section import OPEN_FINDINGS, left_cards
from eio_audit.report.html.pages import page, trace_to_html
from eio_audit.report.html.pass_diffs import PassDiffs
from eio_audit.report.html.table import Cell, Table, columns_of
from eio_audit.report.wording.trace import START
from eio_audit.report.wording.traces import in_models, name_of, verdict_on_all, worst_pass

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
        passes=_pass_table(result),
        models=_model_table(result.models),
        runs=_run_table(result.models),
    )


def _pass_table(result: ModelTraces) -> Table:
    columns = columns_of(f"pass, {_FIGURES}, models=in models")
    rows: list[list[Cell]] = [
        [START if total is result.initial else name_of(total), *_figures(total), in_models(total, result)]
        for total in (*result.passes, *([result.initial] if result.initial.introduced else []))
    ]
    return Table("passes", "all runs of each pass in all models", columns, rows, "-left, -introduced")


def _model_table(models: Sequence[ModelTrace]) -> Table:
    columns = columns_of(f"model, #initial=at the start, {_FIGURES}, pass=worst pass")
    rows: list[list[Cell]] = [
        [model.name, model.initial, *_figures(model), worst_pass(model)] for model in models
    ]
    return Table("models", "all passes of each model", columns, rows, "-left, -introduced")


def _run_table(models: Sequence[ModelTrace]) -> Table:
    columns = columns_of(f"pass, model, {_FIGURES}")
    rows: list[list[Cell]] = [
        [name_of(total), model.name, *_figures(total)]
        for model in models
        for total in model.passes
        if not total.is_clean
    ]
    return Table("runs", "each pass in each model", columns, rows, "-left, -introduced")


def _figures(row: PassTotal | ModelTrace) -> tuple[int, int, int, int, int]:
    return row.introduced, row.repaired, row.left, row.mislabelled, row.lost
