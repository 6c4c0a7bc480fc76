"""The models and passes of a corpus as text: which are worst, and what changed since an earlier check."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from eio_audit.audit.corpus.corpus_figures import CheckComparison, Trend, figures_by_model, figures_by_pass
from eio_audit.audit.gate.gate import Verdict
from eio_audit.report.text.console import Console
from eio_audit.report.text.table import NARROW, Column, print_table
from eio_audit.report.wording.corpus import PLURALS, changed, differences, models_of, pass_of, since, worst_of
from eio_audit.report.wording.numbers import if_any

SHOWN = 10
"""The most models and passes that a report names unless verbose."""

Row = TypeVar("Row")
_STYLES = {Trend.WORSE: "red", Trend.BETTER: "green"}


def print_corpus(verdict: Verdict, console: Console, *, verbose: bool) -> None:
    """Print a line for each model and each pass with inversions, findings or errors, the worst first."""
    models, all_models = _shown([m for m in figures_by_model(verdict) if not m.is_clean], verbose=verbose)
    columns = [
        Column("avoidable", [f"{one.avoidable:,}" for one in models], right=True),
        Column("of constants", [if_any(one.avoidable_constants) for one in models], right=True),
        Column("inversions", [f"{one.inversions:,}" for one in models], right=True),
        Column("findings", [f"{one.findings:,}" for one in models], right=True),
        Column("dumps", [f"{one.dumps:,}" for one in models], right=True),
        Column("not read", [if_any(one.errors) for one in models], right=True),
        Column("model", [one.model for one in models], least=NARROW),
        Column("worst dump", [worst_of(one) for one in models], optional=True, least=NARROW),
    ]
    print_table(console, columns)
    _print_more(all_models - len(models), "models", console)
    console.print()
    passes, all_passes = _shown([p for p in figures_by_pass(verdict) if not p.is_clean], verbose=verbose)
    columns = [
        Column("avoidable", [f"{one.avoidable:,}" for one in passes], right=True),
        Column("of constants", [if_any(one.avoidable_constants) for one in passes], right=True),
        Column("in models", [models_of(one) for one in passes], right=True),
        Column("inversions", [f"{one.inversions:,}" for one in passes], right=True),
        Column("findings", [f"{one.findings:,}" for one in passes], right=True),
        Column("pass", [pass_of(one) for one in passes]),
    ]
    print_table(console, columns)
    _print_more(all_passes - len(passes), "passes", console)
    console.print()


def print_comparison(comparison: CheckComparison, console: Console, *, verbose: bool) -> None:
    """Print what became better and worse since an earlier check."""
    console.print(since(comparison))
    for kind, changes in differences(comparison).items():
        shown, number = _shown(changes, verbose=verbose)
        for name, change in shown:
            what = f"pass {name}: " if kind == "pass" else f"{name}: "
            console.print(what, (changed(change), _STYLES.get(change.trend, "")), indent=2)
        _print_more(number - len(shown), PLURALS[kind], console, indent=2)


def _shown(rows: Sequence[Row], *, verbose: bool) -> tuple[Sequence[Row], int]:
    """Return the rows to show, and how many there are."""
    return rows if verbose else rows[:SHOWN], len(rows)


def _print_more(number: int, what: str, console: Console, indent: int = 0) -> None:
    if number:
        console.print((f"... and {number:,} more {what} (-v)", "dim"), indent=indent)
