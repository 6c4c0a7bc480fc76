"""The traces of many models as text: what each pass brought in over all models, then the models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from eio_audit.audit.corpus.trace_models import ModelTrace, ModelTraces
from eio_audit.audit.gate.gate import Gate
from eio_audit.audit.log.trace_sums import PassTotal
from eio_audit.report.text.check import SHOWN
from eio_audit.report.text.console import Console
from eio_audit.report.text.table import Column, print_table
from eio_audit.report.text.trace import print_trace, print_verdict
from eio_audit.report.wording.numbers import count, if_any
from eio_audit.report.wording.trace import START
from eio_audit.report.wording.traces import conclusion_of_all, in_models, left_in_models, name_of, worst_pass

Row = TypeVar("Row", PassTotal, ModelTrace)


def print_traces(result: ModelTraces, console: Console, *, gate: Gate, verbose: bool = False) -> None:
    """Print the trace of a single model; of several the totals by pass, the totals by model, and the verdict.

    Unless verbose, there are at most ten rows of each kind, and passes and models without any figure are
    left out.
    """
    if len(result.models) < 2:
        print_trace(result.merged, console, gate=gate, verbose=verbose)
        return
    if result.merged.summary.has_indices:
        style = "red" if result.merged.left else "green"
        console.print("left at the end: ", (left_in_models(result), style))
        console.print()
        _print_passes(result, console, verbose=verbose)
        _print_models(result, console, verbose=verbose)
    print_verdict(*conclusion_of_all(result, gate), console)


def _print_passes(result: ModelTraces, console: Console, *, verbose: bool) -> None:
    passes = _shown(result.passes, verbose=verbose)
    shown = [*passes, *([result.initial] if result.initial.introduced else [])]
    if not shown:
        return
    introduced, repaired, left, *others = _figures(shown)
    columns = [
        Column("pass", [START if total is result.initial else name_of(total) for total in shown]),
        introduced,
        repaired,
        left,
        Column("in models", [in_models(total, result) for total in shown], right=True),
        *others,
    ]
    print_table(console, columns, indent=2)
    _print_others(len(result.passes) - len(passes), "more pass", "more passes", console)


def _print_models(result: ModelTraces, console: Console, *, verbose: bool) -> None:
    shown = _shown(result.models, verbose=verbose)
    if not shown:
        return
    columns = [
        Column("model", [model.name for model in shown]),
        Column("at the start", [if_any(model.initial) for model in shown], right=True),
        *_figures(shown),
        Column("worst pass", list(map(worst_pass, shown)), optional=True),
    ]
    print_table(console, columns, indent=2)
    _print_others(len(result.models) - len(shown), "more model", "more models", console)


def _shown(rows: Sequence[Row], *, verbose: bool) -> Sequence[Row]:
    return rows if verbose else [row for row in rows if not row.is_clean][:SHOWN]


def _figures(rows: Sequence[PassTotal | ModelTrace]) -> list[Column]:
    def number(title: str, numbers: Iterable[int], style: str = "") -> Column:
        return Column(title, list(map(if_any, numbers)), right=True, style=style)

    return [
        number("introduced", (row.introduced for row in rows)),
        number("repaired", (row.repaired for row in rows)),
        number("left", (row.left for row in rows), "red"),
        number("made wrong", (row.mislabelled for row in rows)),
        number("lost", (row.lost for row in rows)),
    ]


def _print_others(number: int, one: str, several: str, console: Console) -> None:
    """Print how many rows are not shown, if any, and an empty line."""
    if number:
        console.print((f"  ... and {count(number, one, several)} (-v)", "dim"))
    console.print()
