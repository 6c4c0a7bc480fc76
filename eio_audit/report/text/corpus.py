"""The worst models and passes of a corpus as text."""

from __future__ import annotations

from collections.abc import Sequence

from eio_audit.audit.corpus.models import ModelFigures, PassFigures, figures_by_model, figures_by_pass
from eio_audit.audit.gate.gate import Verdict
from eio_audit.report.text.console import Console
from eio_audit.report.text.table import NARROW, Column, numbers, print_table
from eio_audit.report.wording.corpus import models_of, pass_of, worst_of

SHOWN = 10
"""The most models and passes that a report names unless verbose."""


def print_corpus(verdict: Verdict, console: Console, *, verbose: bool) -> None:
    """Print a line for each model and each pass with inversions, findings or errors, the worst first."""
    models = [one for one in figures_by_model(verdict) if not one.is_clean]
    shown = models if verbose else models[:SHOWN]
    columns = [
        *_avoidable(shown),
        *_inversions(shown),
        Column("dumps", [f"{one.dumps:,}" for one in shown], right=True),
        numbers("not read", (one.errors for one in shown)),
        Column("model", [one.model for one in shown], least=NARROW),
        Column("worst dump", list(map(worst_of, shown)), optional=True, least=NARROW),
    ]
    print_table(console, columns)
    _print_more(len(models) - len(shown), "models", console)
    console.print()
    passes = [one for one in figures_by_pass(verdict) if not one.is_clean]
    worst = passes if verbose else passes[:SHOWN]
    columns = [
        *_avoidable(worst),
        Column("in models", list(map(models_of, worst)), right=True),
        *_inversions(worst),
        Column("pass", list(map(pass_of, worst))),
    ]
    print_table(console, columns)
    _print_more(len(passes) - len(worst), "passes", console)
    console.print()


def _avoidable(rows: Sequence[ModelFigures | PassFigures]) -> list[Column]:
    return [
        Column("avoidable", [f"{one.avoidable:,}" for one in rows], right=True),
        numbers("of constants", (one.avoidable_constants for one in rows)),
    ]


def _inversions(rows: Sequence[ModelFigures | PassFigures]) -> list[Column]:
    return [
        Column("inversions", [f"{one.inversions:,}" for one in rows], right=True),
        Column("findings", [f"{one.findings:,}" for one in rows], right=True),
    ]


def _print_more(number: int, what: str, console: Console) -> None:
    if number:
        console.print((f"... and {number:,} more {what} (-v)", "dim"))
