"""The worst models and passes of a corpus: as text, and as tables for Markdown and pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eio_audit.audit.corpus.models import ModelFigures, PassFigures, figures_by_model, figures_by_pass
from eio_audit.audit.gate.gate import Verdict
from eio_audit.report.html.table import CLASSES, Table, columns_if_any, table_of
from eio_audit.report.text.console import NARROW, Column, Console, numbers, print_table

UNNAMED = "(no pass named)"  # the dumps that no marker and no file name says the pass of


def pass_of(figures: PassFigures) -> str:
    """Return ``after canonicalize``."""
    return figures.moment or UNNAMED


def models_of(figures: PassFigures) -> str:
    """Return in how many models a pass leaves avoidable inversions: ``31 of 44``."""
    return f"{figures.models_avoidable:,} of {figures.models:,}"


def worst_of(figures: ModelFigures) -> str:
    """Return which dump of a model is the worst: ``after canonicalize``, or its line. Empty if none is."""
    worst = figures.worst
    return "" if worst is None else worst.moment or f"line {worst.line}"


SHOWN = 10  # the most models and passes that a report names unless verbose


def print_corpus(verdict: Verdict, console: Console) -> None:
    """Print a line for each model and each pass with inversions, findings or errors, the worst first."""
    models = [one for one in figures_by_model(verdict) if not one.is_clean]
    passes = [one for one in figures_by_pass(verdict) if not one.is_clean]
    shown, worst = (models, passes) if console.verbose else (models[:SHOWN], passes[:SHOWN])
    columns = [
        *_avoidable(shown),
        *_inversions(shown),
        Column("dumps", [f"{one.dumps:,}" for one in shown], right=True),
        numbers("not read", (one.errors for one in shown)),
        Column("model", [one.model for one in shown], least=NARROW),
        Column("worst dump", list(map(worst_of, shown)), optional=True, least=NARROW),
    ]
    _print_table(columns, len(models) - len(shown), "models", console)
    columns = [
        *_avoidable(worst),
        Column("in models", list(map(models_of, worst)), right=True),
        *_inversions(worst),
        Column("pass", list(map(pass_of, worst))),
    ]
    _print_table(columns, len(passes) - len(worst), "passes", console)


def _avoidable(rows: Sequence[ModelFigures | PassFigures]) -> list[Column]:
    told_apart = [numbers(title, [getattr(one, key) for one in rows]) for key, title in CLASSES.items()]
    return [Column("avoidable", [f"{one.avoidable:,}" for one in rows], right=True), *told_apart]


def _inversions(rows: Sequence[ModelFigures | PassFigures]) -> list[Column]:
    return [
        Column("inversions", [f"{one.inversions:,}" for one in rows], right=True),
        Column("findings", [f"{one.findings:,}" for one in rows], right=True),
    ]


def _print_table(columns: Sequence[Column], left_out: int, what: str, console: Console) -> None:
    print_table(console, columns)
    if left_out:
        console.print((f"... and {left_out:,} more {what} (-v)", "dim"))
    console.print()


SORTING = "-avoidable, -findings, -inversions"  # how the tables of models and passes are sorted at first


def model_table(verdict: Verdict, pages: Mapping[str, str]) -> Table:
    """Return the figures of every model. Each links to its page, if it has one."""
    models = figures_by_model(verdict)
    lacking = {"errors": "not read", "unjudged": "files without an index"}
    columns = (
        f"model, ##avoidable, {columns_if_any(models, CLASSES)}##inversions, #minimum=not avoidable, "
        f"#findings, #dumps, {columns_if_any(models, lacking)}#ops, worst=worst dump"
    )
    links = ("model", [pages.get(one.model) for one in models])
    caption = "what the dumps of each model show"
    return table_of("models", caption, models, columns, SORTING, {"worst": worst_of}, links)


def pass_table(verdict: Verdict) -> Table:
    """Return the figures of the dumps of every pass."""
    passes = figures_by_pass(verdict)
    columns = (
        f"pass, ##avoidable, {columns_if_any(passes, CLASSES)}##inversions, #findings=new findings, "
        "#models_avoidable=models with avoidable, #models, #dumps"
    )
    caption = "what the dumps of each pass show, whichever pass brought it in"
    return table_of("passes", caption, passes, columns, SORTING, {"pass": pass_of})
