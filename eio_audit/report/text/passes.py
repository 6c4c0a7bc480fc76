"""The passes of a log, of one model or several, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from eio_audit.audit.corpus.trace_models import ModelTraces
from eio_audit.audit.gate.gate import Gate
from eio_audit.audit.log.scope_steps import ChangedOp, ScopeStep
from eio_audit.audit.log.trace import Trace, TracedPass
from eio_audit.audit.log.walk import PassRun
from eio_audit.mlir.input.time_table import TimeTable
from eio_audit.report.document import Figures
from eio_audit.report.log_tables import (
    common_folder,
    table_called,
    table_of_changes,
    table_of_passes,
    table_of_times,
    tables_of_models,
)
from eio_audit.report.text.check import Excerpts, Shown, print_findings
from eio_audit.report.text.console import Console, hyperlink, print_figures, print_next
from eio_audit.report.wording import count
from eio_audit.report.wording import trace as words
from eio_audit.report.wording.advice import sentences


def print_traces(
    result: ModelTraces,
    console: Console,
    *,
    gate: Gate,
    rows: Sequence[TracedPass] | None = None,
    excerpts: Excerpts | None = None,
    has_rows: bool = False,
    only_table: str | None = None,
) -> None:
    """Print what is left at the end, then the passes; of several models the totals by pass and by model.

    On a terminal, which may show only the start of a long report, the verdict comes first. Unless verbose,
    there are at most ten rows of each kind, and what changed nothing is left out. ``rows`` are the only
    passes to print. ``has_rows``: a terminal that shows the rows of ``LiveRows`` does not get them again.
    ``only_table`` names the only table to print, of the whole log.
    """
    if only_table is not None:
        _print_table(table_called(only_table, result), result, gate, console)
        return
    trace, is_one = result.merged, len(result.models) < 2 or rows is not None
    status, why = words.conclusion(trace, gate) if is_one else words.verdict_on_all(result, gate)
    if console.wraps:
        _print_verdict(status, why, console)
    if is_one:
        _print_left(trace, console)
        if not console.wraps:
            _print_findings(trace, console, excerpts)
            if trace.passes and trace.summary.has_indices:
                console.print()
        if trace.passes and not has_rows:
            _print_all_rows(trace, rows, console)
            if not console.wraps or trace.left:
                console.print()
        if console.wraps:
            _print_findings(trace, console, excerpts)
    elif trace.summary.has_indices:
        style = "red" if trace.at_end_of_log.inversions else "green"
        console.print("left at the end: ", (words.left_in_models(result), style))
        console.print()
        _print_totals(result, console)
    elif any(model.trace.passes for model in result.models):
        print_figures(table_of_changes(result.models), console)
        console.print()
    if not console.wraps:
        _print_verdict(status, why, console)
    steps = words.next_steps(trace, rows) if is_one else words.next_steps_of_all(result)
    print_next(steps if status != "could not run" else (), console)


def print_times(times: TimeTable, console: Console) -> None:
    """Print the time of each pass, the longest first."""
    console.print((times.source, "bold"))
    print_figures(table_of_times(times), console)
    console.print(f"{times.total:.4f} s in all")


def _print_table(table: Figures, result: ModelTraces, gate: Gate, console: Console) -> None:
    if len(result.merged.sources) == 1:
        console.print((result.merged.sources[0], "bold"))
    print_figures(table, console)
    console.print()
    _print_verdict(*words.verdict_parts(result, gate), console)


def _print_all_rows(trace: Trace, rows: Sequence[TracedPass] | None, console: Console) -> None:
    sources = dict.fromkeys(traced.place.source for traced in trace.passes)
    is_log = len(sources) == 1
    folder = "" if is_log else common_folder(sources)
    if is_log or folder:
        console.print((folder or next(iter(sources)), "bold"))
    passes = trace.passes if rows is None else rows
    print_rows(trace, passes, console, None if is_log else folder)
    if rows is not None:
        console.print((f"  {len(passes):,} of {count(len(trace.passes), 'pass', 'passes')} chosen", "dim"))


class LiveRows:
    """Prints a row for each pass that changed ops, as soon as a dump shows it."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def watch(self, run: PassRun, program: str, step: ScopeStep, changes: Sequence[ChangedOp]) -> None:
        """Print the line of the dump, the pass, its function and what it did. ``trace`` calls this."""
        numbers = Counter(change.status for change in changes)
        signs = {"added": "+", "removed": "-", "modified": "~", "moved": "moved "}
        done = "  ".join(f"{sign}{numbers[status]:,}" for status, sign in signs.items() if numbers[status])
        name = words.pass_called(run.pass_name, step.after.dump.marker)
        where = " ".join(filter(None, (program, run.function)))
        rest = "".join(f"  {part}" for part in (where, done) if part)
        self._console.print((f"{step.after.dump.line:>7}  ", "dim"), (name, "bold"), rest)


def _print_verdict(status: str, why: str, console: Console) -> None:
    styles = {"passed": "bold green", words.NOT_JUDGED: "bold yellow"}
    console.print((status, styles.get(status, "bold red")), f": {why}")


def _print_left(trace: Trace, console: Console) -> None:
    if not trace.summary.has_indices:
        return
    style = "red" if trace.at_end_of_log.inversions else "green"
    console.print("left at the end: ", (words.left_at_the_end(trace), style))
    if (culprit := trace.culprit) is not None:
        place = culprit.place
        at = (f"{place.source}:{place.line}", hyperlink(place.source, place.line))
        console.print((words.pass_title(culprit), "bold"), " (", at, f") {words.left_by(culprit)}")
        for said in () if culprit.advice is None else sentences(culprit.advice):
            console.print(("what to change: ", "bold"), said, indent=2)


def _print_findings(trace: Trace, console: Console, excerpts: Excerpts | None) -> None:
    has_one_maker = len({one.made_at for one in trace.left}) == 1
    left = []
    for one in trace.left:
        maker = "" if has_one_maker else f"; {words.made_by(one)}"
        left.append(Shown(one.finding._replace(left=None), "red", maker))
    print_findings(left, console, excerpts)
    if trace.is_partial:
        console.print((words.PARTIAL, "yellow"))


def print_rows(
    trace: Trace, passes: Sequence[TracedPass], console: Console, folder: str | None, is_kept: bool = True
) -> None:
    """Print a row for each pass. ``folder`` has the files of its dumps; None for a single log."""
    verbose = console.verbose and is_kept
    table = table_of_passes(trace, passes, folder, verbose=verbose, is_kept=is_kept)
    print_figures(table, console, indent=0 if folder == "" else 2)
    if verbose and trace.summary.has_indices and not all(traced.figures.certified for traced in passes):
        console.print(("+ not certified: perhaps more are avoidable", "yellow"))


def _print_totals(result: ModelTraces, console: Console) -> None:
    for table, left_out in tables_of_models(result, verbose=console.verbose):
        print_figures(table, console)
        if left_out:
            console.print((f"  ... and {left_out} (-v)", "dim"))
        console.print()
