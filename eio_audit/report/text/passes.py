"""The passes of a log, of one model or several, as text."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from eio_audit.audit.corpus.trace_models import ModelTrace, ModelTraces
from eio_audit.audit.gate.gate import Gate
from eio_audit.audit.log.scope_steps import ChangedOp, ScopeStep
from eio_audit.audit.log.trace import Trace, TracedPass
from eio_audit.audit.log.walk import PassRun
from eio_audit.report.document import Cell, Cells, figures_of
from eio_audit.report.text.check import SHOWN, Excerpts, Shown, print_findings
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
) -> None:
    """Print what is left at the end, then the passes; of several models the totals by pass and by model.

    On a terminal, which may show only the start of a long report, the verdict comes first. Unless verbose,
    there are at most ten rows of each kind, and what changed nothing is left out. ``rows`` are the only
    passes to print. ``has_rows``: a terminal that shows the rows of ``LiveRows`` does not get them again.
    """
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
        _print_changes(result.models, console)
    if not console.wraps:
        _print_verdict(status, why, console)
    steps = words.next_steps(trace) if is_one else words.next_steps_of_all(result)
    print_next(steps if status != "could not run" else (), console)


def _print_all_rows(trace: Trace, rows: Sequence[TracedPass] | None, console: Console) -> None:
    sources = dict.fromkeys(traced.place.source for traced in trace.passes)
    is_log = len(sources) == 1
    folder = "" if is_log else _common_folder(sources)
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


class _TableRow(NamedTuple):
    """A row of the table: its title, its passes, and the pass whose figures it shows; None for several."""

    title: str
    passes: Sequence[TracedPass] = ()
    traced: TracedPass | None = None


def _rows(passes: Iterable[TracedPass], *, folds: bool) -> Iterator[_TableRow]:
    for is_same, group in groupby(passes, key=lambda one: one.changed is False and not one.failed):
        if is_same and folds:
            folded = list(group)
            yield _TableRow(f"... {len(folded):,} changed nothing", folded)
        else:
            for traced in group:
                first = " (no IR)" if traced.failed and not traced.size else " (first dump)"
                note = " (no change)" if is_same else first if traced.changed is None else ""
                yield _TableRow(words.pass_title(traced) + note, [traced], traced)


def _common_folder(sources: Iterable[str]) -> str:
    """Return the innermost folder that contains all files. Empty if they share no named folder."""
    try:
        return os.path.commonpath([Path(source).parent for source in sources]).rstrip(os.sep)
    except ValueError:  # some paths are absolute
        return ""


def _place_in(traced: TracedPass, folder: str) -> str:
    """Return where a dump is, relative to the folder, without the folders that name its program."""
    source, program = traced.place.source, traced.program.rstrip("/").replace("/", os.sep)
    _, is_inside, inside = source.rpartition(f"{os.sep}{program}{os.sep}") if program else ("", "", "")
    name = inside if is_inside else source.removeprefix(folder + os.sep) if folder else source
    return f"{name}:{traced.place.line}"


def print_rows(
    trace: Trace, passes: Sequence[TracedPass], console: Console, folder: str | None, is_kept: bool = True
) -> None:
    """Print a row for each pass. ``folder`` has the files of its dumps; None for a single log."""
    start = [_TableRow(words.START)] if trace.initial else []
    verbose, is_judged = console.verbose and is_kept, trace.summary.has_indices
    has_programs = len({traced.program for traced in passes}) > 1
    functions = {name for traced in passes for name in (traced.function, *traced.functions)} - {None}

    def of(cell_of: Callable[[TracedPass], Cell]) -> Callable[[_TableRow], Cell]:
        return lambda row: cell_of(row.traced) if row.traced else ""

    def changed(status: str) -> Callable[[_TableRow], Cell]:
        return of(lambda t: "?" if t.ops is None and t.changed else getattr(t.op_counts, status))

    def accounted(key: str, initial: int) -> Callable[[_TableRow], Cell]:
        return lambda row: getattr(row.traced, key) if row.traced else initial * (row in start)

    cells: Cells = {
        "line": of(lambda t: str(t.place.line)),
        **{status: changed(status) for status in ("added", "removed", "modified", "moved", "unlocated")},
        "made": accounted("made", trace.initial),
        "undone": accounted("undone", 0),
        "left": accounted("left", trace.initial_left),
        "left_ahead": accounted("left_ahead", 0),
        "avoidable": of(lambda t: f"{t.figures.avoidable:,}{'' if t.figures.certified else '+'}"),
        **{key: of(attrgetter(key)) for key in ("mislabelled", "lost", "size", "program")},
        **{key: of(attrgetter(f"figures.{key}")) for key in ("inversions", "forced", "derived")},
        "dump": of(lambda t: _place_in(t, folder or "")),
        "why": of(words.reason),
        "time": lambda row: words.time_of(row.passes),
        "function": of(words.functions_of),
    }
    rows = [*start, *_rows(passes, folds=not verbose)]
    runs = {(row.traced.place.pass_name, row.traced.function) for row in rows if row.traced}
    has_runs = len(runs) > len({name for name, _ in runs})  # of one pass on several functions
    columns = {
        ">line?": folder is None and is_kept,
        "title=pass, ~added=+added, ~removed=-removed, ~modified=~modified": True,
        "~moved": verbose or not is_judged,
        "~unlocated?": True,
        "~made, ~undone, ~left, ~left_ahead=ahead": True,
        ">avoidable?, ~mislabelled?=wrong indices, ~lost?, #inversions?, #forced?, #derived?": (
            verbose and is_judged
        ),
        "#size?=ops": verbose,
        "program?": has_programs,
        "dump?": folder is not None,
        "why, time?": True,
        "function?": len(functions) > 1 and (verbose or has_runs),
    }
    shown = ", ".join(spec for spec, is_shown in columns.items() if is_shown)
    print_figures(figures_of(rows, shown, cells), console, indent=0 if folder == "" else 2)
    if verbose and is_judged and not all(traced.figures.certified for traced in passes):
        console.print(("+ not certified: perhaps more are avoidable", "yellow"))


def _print_totals(result: ModelTraces, console: Console) -> None:
    details = ", ~mislabelled?=wrong indices, ~lost?" if console.verbose else ""
    sums = "~made, ~undone?, ~left"
    cells: Cells = {
        "pass": lambda one: words.START if one is result.initial else words.name_of(one),
        "where": lambda one: words.in_models(one, result),
        "worst": words.worst_pass,
    }
    of_pass = f"pass, {sums}, >where=in models{details}"
    of_model = f"name=model, ~initial=at the start, {sums}{details}, worst?=worst pass"
    initial = [result.initial] if result.initial.made else []
    for things, others, columns, *nouns in (
        (result.passes, initial, of_pass, "more pass", "more passes"),
        (result.models, [], of_model, "more model", "more models"),
    ):
        shown = things if console.verbose else [one for one in things if not one.is_clean][:SHOWN]
        if shown or others:
            print_figures(figures_of([*shown, *others], columns, cells), console)
            if left_out := len(things) - len(shown):
                console.print((f"  ... and {count(left_out, *nouns)} (-v)", "dim"))
            console.print()


def _print_changes(models: Sequence[ModelTrace], console: Console) -> None:
    """Print how many passes of each model changed ops, and how many ops, where no order is judged."""
    columns = "name=model, ~passes, ~changed, ~added=+added, ~removed=-removed, ~modified=~modified, ~moved"

    def sum_of(key: str) -> Callable[[ModelTrace], int]:
        return lambda model: sum(map(attrgetter(key), model.trace.passes))

    cells: Cells = {
        "passes": lambda model: len(model.trace.passes),
        "changed": lambda model: sum(bool(one.changed) for one in model.trace.passes),
        **{key: sum_of(f"op_counts.{key}") for key in ("added", "removed", "modified", "moved")},
    }
    print_figures(figures_of(models, columns, cells), console)
    console.print()
