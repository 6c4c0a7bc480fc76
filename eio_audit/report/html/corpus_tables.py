"""The tables of models and of passes."""

from __future__ import annotations

from collections.abc import Mapping

from eio_audit.audit.corpus.models import figures_by_model, figures_by_pass
from eio_audit.audit.gate.gate import Verdict
from eio_audit.report.html.table import OF_CONSTANTS, Cell, Table, columns_of
from eio_audit.report.wording.corpus import pass_of, worst_of

SORTING = "-avoidable, -findings, -inversions"
"""How the tables of models and passes are sorted at first."""


def model_table(verdict: Verdict, pages: Mapping[str, str]) -> Table:
    """Return the figures of every model. Each links to its page, if it has one."""
    models = figures_by_model(verdict)
    has_errors = any(one.errors for one in models)
    has_hoisted = any(one.avoidable_constants for one in models)
    has_unjudged = any(one.unjudged for one in models)
    columns = columns_of(
        f"model, ##avoidable, {OF_CONSTANTS * has_hoisted}##inversions, #minimum=not avoidable, #findings, "
        f"#dumps, {'#errors=not read, ' * has_errors}{'#unjudged=files without an index, ' * has_unjudged}"
        "#ops, worst=worst dump"
    )
    rows: list[list[Cell]] = []
    for one in models:
        rows.append([one.model, one.avoidable, *([one.avoidable_constants] if has_hoisted else [])])
        rows[-1] += [one.inversions, one.minimum, one.findings, one.dumps]
        rows[-1] += [*([one.errors] if has_errors else []), *([one.unjudged] if has_unjudged else [])]
        rows[-1] += [one.ops, worst_of(one)]
    links = ("model", [pages.get(one.model) for one in models])
    return Table("models", "what the dumps of each model show", columns, rows, SORTING, links=links)


def pass_table(verdict: Verdict) -> Table:
    """Return the figures of the dumps of every pass."""
    passes = figures_by_pass(verdict)
    has_hoisted = any(one.avoidable_constants for one in passes)
    columns = columns_of(
        f"pass, ##avoidable, {OF_CONSTANTS * has_hoisted}##inversions, #findings=new findings, "
        "#models_avoidable=models with avoidable, #models, #dumps"
    )
    rows: list[list[Cell]] = []
    for one in passes:
        rows.append([pass_of(one), one.avoidable, *([one.avoidable_constants] if has_hoisted else [])])
        rows[-1] += [one.inversions, one.findings, one.models_avoidable, one.models, one.dumps]
    caption = "what the dumps of each pass show, whichever pass brought it in"
    return Table("passes", caption, columns, rows, SORTING)
