"""The tables of models and of passes, and of what changed since an earlier check."""

from __future__ import annotations

from collections.abc import Mapping

from eio_audit.audit.corpus.corpus_figures import (
    CheckComparison,
    FigureChange,
    figures_by_model,
    figures_by_pass,
)
from eio_audit.audit.gate.gate import Verdict
from eio_audit.report.html.table import Cell, Table, columns_of, told_apart
from eio_audit.report.wording.corpus import TRENDS, differences, pass_of, worst_of

SORTING = "-avoidable, -findings, -inversions"
"""How the tables of models and passes are sorted at first."""


def model_table(verdict: Verdict, pages: Mapping[str, str]) -> Table:
    """Return the figures of every model. Each links to its page, if it has one."""
    models = figures_by_model(verdict)
    has_errors = any(one.errors for one in models)
    apart, of_apart = told_apart(models)
    has_unjudged = any(one.unjudged for one in models)
    columns = columns_of(
        f"model, ##avoidable, {of_apart}##inversions, #minimum=not avoidable, #findings, "
        f"#dumps, {'#errors=not read, ' * has_errors}{'#unjudged=files without an index, ' * has_unjudged}"
        "#ops, worst=worst dump"
    )
    rows: list[list[Cell]] = []
    for one in models:
        rows.append([one.model, one.avoidable, *(getattr(one, name) for name in apart)])
        rows[-1] += [one.inversions, one.minimum, one.findings, one.dumps]
        rows[-1] += [*([one.errors] if has_errors else []), *([one.unjudged] if has_unjudged else [])]
        rows[-1] += [one.ops, worst_of(one)]
    links = ("model", [pages.get(one.model) for one in models])
    return Table("models", "what the dumps of each model show", columns, rows, SORTING, links=links)


def pass_table(verdict: Verdict) -> Table:
    """Return the figures of the dumps of every pass."""
    passes = figures_by_pass(verdict)
    apart, of_apart = told_apart(passes)
    columns = columns_of(
        f"pass, ##avoidable, {of_apart}##inversions, #findings=new findings, "
        "#models_avoidable=models with avoidable, #models, #dumps"
    )
    rows: list[list[Cell]] = []
    for one in passes:
        rows.append([pass_of(one), one.avoidable, *(getattr(one, name) for name in apart)])
        rows[-1] += [one.inversions, one.findings, one.models_avoidable, one.models, one.dumps]
    caption = "what the dumps of each pass show, whichever pass brought it in"
    return Table("passes", caption, columns, rows, SORTING)


def change_table(comparison: CheckComparison) -> Table | None:
    """Return the models and passes that differ from an earlier check. None if none differs."""
    columns = columns_of(
        "trend=change, kind=of, name, #growth, "
        "#avoidable_before=avoidable before, #avoidable=avoidable now, "
        "#inversions_before=inversions before, #inversions=inversions now, "
        "#dumps_before=dumps before, #dumps=dumps now"
    )
    rows: list[list[Cell]] = [
        [TRENDS[change.trend], kind, name, *_numbers(change)]
        for kind, changes in differences(comparison).items()
        for name, change in changes
    ]
    caption = "the models and passes that differ; growth is that of the avoidable inversions"
    return Table("changes", caption, columns, rows, "-growth, -inversions") if rows else None


def _numbers(change: FigureChange) -> list[Cell]:
    before, after = change.before, change.after
    cells: list[Cell] = [change.growth[0]]
    for name in ("avoidable", "inversions", "dumps"):
        cells += [None if figures is None else getattr(figures, name) for figures in (before, after)]
    return cells
