"""The pages of ``trace``: of one model its passes and what each did to the ops, of several the totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import attrgetter

from eio_audit.audit.corpus.trace_models import ModelTrace, ModelTraces
from eio_audit.audit.gate.gate import Gate
from eio_audit.audit.log.trace import Trace, TracedPass
from eio_audit.report.document import Cells, columns_of, figures_of
from eio_audit.report.html.order_section import OPEN_FINDINGS, left_cards
from eio_audit.report.html.pages import BROWSER_SCRIPTS, files_of, page
from eio_audit.report.html.stored_steps import STATUSES, StoredSteps
from eio_audit.report.html.table import PassEntry, PassList, Table, table_of
from eio_audit.report.wording.conclusion import compare_command
from eio_audit.report.wording.numbers import count, shortened_list
from eio_audit.report.wording.trace import (
    START,
    functions_of,
    in_models,
    name_of,
    order_after,
    pass_title,
    reason,
    time_of,
    verdict_on_all,
    worst_pass,
)

_FIGURES = "#made, #undone, #left, #mislabelled=wrong indices, #lost"


def traces_to_html(
    result: ModelTraces,
    version: str,
    gate: Gate,
    steps: StoredSteps | None,
    rows: Sequence[TracedPass] | None = None,
) -> str:
    """Return the page of a trace. ``steps`` has what each pass of a single model did to the ops.

    ``rows`` are the passes that the page shows at first; None for all. Of several models, it has a table of
    these passes besides the totals.
    """
    if steps is not None:
        return trace_to_html(result.merged, version, steps, rows)
    chosen = None if rows is None else _chosen_table(result.merged, rows)
    return page(
        "traces.html",
        version,
        title=f"{shortened_list([model.name for model in result.models])}: passes",
        result=result,
        verdict=verdict_on_all(result, gate),
        left=left_cards(result.merged)[:OPEN_FINDINGS],
        chosen=chosen,
        passes=_pass_total_table(result),
        models=_model_table(result.models),
        runs=_run_table(result.models),
    )


def _pass_total_table(result: ModelTraces) -> Table:
    totals = (*result.passes, *([result.initial] if result.initial.made else []))
    cells: Cells = {
        "pass": lambda total: START if total is result.initial else name_of(total),
        "models": lambda total: in_models(total, result),
    }
    columns = f"pass, {_FIGURES}, models=in models"
    return table_of("passes", "all runs of each pass in all models", totals, columns, "-left, -made", cells)


def _chosen_table(trace: Trace, rows: Sequence[TracedPass]) -> Table:
    cells: Cells = {
        **{status: attrgetter(f"op_counts.{status}") for status in STATUSES},
        "pass": pass_title,
        "dump": lambda traced: f"{traced.place.source}:{traced.place.line}",
    }
    columns = f"#index=number, pass, dump, #added, #removed, #modified, #moved, {_FIGURES}"
    caption = f"{len(rows):,} of {count(len(trace.passes), 'pass', 'passes')} chosen"
    return table_of("chosen", caption, rows, columns, "index", cells)


def _model_table(models: Sequence[ModelTrace]) -> Table:
    columns = f"model, #initial=at the start, {_FIGURES}, pass=worst pass"
    cells: Cells = {"model": attrgetter("name"), "pass": worst_pass}
    return table_of("models", "all passes of each model", models, columns, "-left, -made", cells)


def _run_table(models: Sequence[ModelTrace]) -> Table:
    runs = [(model, total) for model in models for total in model.passes if not total.is_clean]
    rows = figures_of((total for _, total in runs), f"pass, {_FIGURES}", {"pass": name_of}).rows
    named = [[name, model.name, *figures] for (model, _), (name, *figures) in zip(runs, rows, strict=True)]
    columns = columns_of(f"pass, model, {_FIGURES}")
    return Table("runs", "each pass in each model", columns, named, "-left, -made")


def trace_to_html(
    trace: Trace, version: str, steps: StoredSteps, rows: Sequence[TracedPass] | None = None
) -> str:
    """Return the page of a trace: what is left at the end, and what each pass did.

    ``rows`` are the passes that its list shows at first; None for all.
    """
    chosen = {traced.index for traced in (trace.passes if rows is None else rows)}
    entries = [
        _entry(
            traced,
            trace,
            steps.counts.get(traced.index, Counter()),
            is_chosen=traced.index in chosen,
        )
        for traced in trace.passes
    ]
    return page(
        "trace.html",
        version,
        BROWSER_SCRIPTS,
        title=f"{files_of(trace.sources)}: passes" if trace.sources else "eio-audit trace",
        result=trace,
        left=left_cards(trace),
        open_findings=OPEN_FINDINGS,
        browsed=PassList(entries, steps.data(), has_choice=rows is not None),
        passes=_pass_table(trace) if trace.summary.has_indices else None,
    )


def _entry(traced: TracedPass, trace: Trace, counts: Mapping[str, int], *, is_chosen: bool) -> PassEntry:
    return PassEntry(
        name=pass_title(traced),
        subject=functions_of(traced),
        place=f"line {traced.place.line}",
        counts=tuple(counts[status] for status in STATUSES),
        note=_note(traced),
        order=order_after(traced) if trace.summary.has_indices else "",
        source=f"{traced.place.source}:{traced.place.line}",
        time=time_of([traced]),
        command=compare_command(traced, trace),
        changed=traced.changed,
        is_unchanged=not (traced.changed or traced.failed or any(counts.values())),
        is_guilty=traced.left > 0,
        is_culprit=trace.culprit is traced,
        is_chosen=is_chosen,
    )


def _note(traced: TracedPass) -> str:
    if why := reason(traced):
        return why
    if traced.made:
        return f"{traced.made:,} made, {traced.left:,} left"
    return count(traced.figures.inversions, "inversion") if traced.figures.inversions else ""


def _pass_table(trace: Trace) -> Table:
    passes = trace.passes
    has_functions = any(traced.function for traced in passes)
    has_sources = len({traced.place.source for traced in passes}) > 1
    columns = (
        f"#index=number, pass, changed, {'function, ' * has_functions}"
        f"dump={'dump' if has_sources else 'line'}, #ops, #inversions, #minimum=not avoidable, #avoidable, "
        f"{_FIGURES}"
    )
    cells: Cells = {
        "pass": pass_title,
        "changed": lambda traced: "yes" if traced.changed else "",
        "dump": lambda traced: f"{traced.place.source}:" * has_sources + f"{traced.place.line}",
        "ops": lambda traced: traced.size,
        **{key: attrgetter(f"figures.{key}") for key in ("inversions", "minimum", "avoidable")},
    }
    marked = ("changed", "passes that changed something only")
    caption = "the passes in the order in which they ended"
    links = ("pass", [f"#pass-{traced.index}" for traced in passes])
    return table_of("passes", caption, passes, columns, "index", cells, links, marked)
