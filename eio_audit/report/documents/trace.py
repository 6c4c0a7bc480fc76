"""What ``trace`` reports of passes, and the tables that it shares with others: of passes, times and ops."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from eio_audit.mlir.input.time_table import ComparedTime, TimeComparison, TimeTable
from eio_audit.report.document import (
    Cell,
    Cells,
    Conclusion,
    Document,
    Figures,
    Findings,
    Link,
    Part,
    Sentence,
    Shown,
    Steps,
    document,
    figures_of,
    line,
)
from eio_audit.report.wording import LEFT, more, shortened_list
from eio_audit.report.wording import trace as words
from eio_audit.report.wording.advice import sentences

if TYPE_CHECKING:
    from eio_audit.audit.corpus.trace_models import ModelTrace, ModelTraces
    from eio_audit.audit.gate.gate import Gate
    from eio_audit.audit.log.trace import Trace, TracedPass

SHOWN = 10  # the most rows of the totals unless verbose


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


def common_folder(sources: Iterable[str]) -> str:
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


def table_of_passes(
    trace: Trace,
    passes: Sequence[TracedPass],
    folder: str | None = None,
    *,
    verbose: bool = False,
    is_kept: bool = True,
) -> Figures:
    """Return a row for each pass; those that changed nothing are folded unless ``verbose``.

    ``folder`` has the files of its dumps; None for a single log. ``is_kept``: a later command can read it.
    """
    start = [_TableRow(words.START)] if trace.initial else []
    is_judged = trace.summary.has_indices
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
    return figures_of(rows, shown, cells)


def table_of_totals(result: ModelTraces, *, verbose: bool = False) -> Figures:
    """Return what each pass did in all models; unless ``verbose``, at most ten that put ops out of order."""
    cells: Cells = {
        "pass": lambda one: words.START if one is result.initial else words.name_of(one),
        "where": lambda one: words.in_models(one, result),
    }
    shown = _worst(result.passes, verbose=verbose)
    initial = [result.initial] if result.initial.made else []
    columns = f"pass, {_SUMS}, >where=in models{_DETAILS * verbose}"
    left_out = more(len(result.passes) - len(shown), "pass", "passes")
    return figures_of([*shown, *initial], columns, cells)._replace(left_out=left_out)


def table_of_models(result: ModelTraces, *, verbose: bool = False) -> Figures:
    """Return what all passes did in each model; unless ``verbose``, in at most ten that are out of order."""
    cells: Cells = {"model": attrgetter("name"), "worst": words.worst_pass}
    shown = _worst(result.models, verbose=verbose)
    columns = f"model, ~initial=at the start, {_SUMS}{_DETAILS * verbose}, worst?=worst pass"
    left_out = more(len(result.models) - len(shown), "model")
    return figures_of(shown, columns, cells)._replace(left_out=left_out)


_SUMS = "~made, ~undone?, ~left"
_DETAILS = ", ~mislabelled?=wrong indices, ~lost?"


def _worst(things: Sequence[Any], *, verbose: bool) -> Sequence[Any]:
    return things if verbose else [one for one in things if not one.is_clean][:SHOWN]


def table_of_changes(models: Sequence[ModelTrace]) -> Figures:
    """Return how many passes of each model changed ops, and how many ops, where no order is judged."""
    columns = "name=model, ~passes, ~changed, ~added=+added, ~removed=-removed, ~modified=~modified, ~moved"

    def sum_of(key: str) -> Callable[[ModelTrace], int]:
        return lambda model: sum(map(attrgetter(key), model.trace.passes))

    cells: Cells = {
        "passes": lambda model: len(model.trace.passes),
        "changed": lambda model: sum(bool(one.changed) for one in model.trace.passes),
        **{key: sum_of(f"op_counts.{key}") for key in ("added", "removed", "modified", "moved")},
    }
    return figures_of(models, columns, cells)


def table_of_times(times: TimeTable) -> Figures:
    """Return the time of each pass, and its share."""
    cells: Cells = {
        "pass": lambda one: one.name,
        "seconds": lambda one: f"{one.seconds:.4f}",
        "share": lambda one: f"{one.share:.1%}",
    }
    columns = "pass, #places=places in the pipeline, >seconds, >share"
    return figures_of(times.passes, columns, cells)


def table_of_two_times(times: TimeComparison) -> Figures:
    """Return the time of each pass before and after, the largest change first."""
    cells: Cells = {
        "pass": lambda one: one.name,
        "before": lambda one: f"{one.before:.4f}",
        "after": lambda one: f"{one.after:.4f}",
        "change": lambda one: f"{one.change:+.4f}",
    }
    total = ComparedTime("in all", times.before.total, times.after.total)
    return figures_of([*times.times, total], "pass, >before, >after, >change=+/-", cells)


ALL_OPS = "all ops"  # the last row of a table of ops


def table_of_ops(
    first: Mapping[str, int], last: Mapping[str, int], titles: tuple[str, str] = ("first", "last")
) -> Figures:
    """Return how many ops of each name there are in two states, those whose number changed most first.

    A note says if there are more that custom assembly leaves out.
    """

    def change(name: str) -> int:
        return count_in(last, name) - count_in(first, name)

    cells: Cells = {
        "op": str,
        "first": lambda name: count_in(first, name),
        "last": lambda name: count_in(last, name),
        "change": change,
    }
    names = sorted({*first, *last}, key=lambda name: (-abs(change(name)), name))
    figures = figures_of([*names, ALL_OPS], "op, #first={}, #last={}, +change=+/-".format(*titles), cells)
    hiding = sorted({*_hiding(first), *_hiding(last)})
    return figures._replace(notes=[HIDDEN.format(shortened_list(hiding, SHOWN_HIDING))] * bool(hiding))


HIDDEN = "not counted: the ops that custom assembly leaves out, in {}; --mlir-print-op-generic prints them"
SHOWN_HIDING = 3  # how many names of such ops are shown
_REGION_ENDS = {
    "linalg.yield": r"linalg\.(?!yield\b|index\b|generic\b|softmax\b|(?:un)?pack\b|winograd_)\w+",
    "scf.yield": r"scf\.(?:for|if|index_switch)",
    "affine.yield": r"affine\.(?:for|if|parallel)",
}
"""The op that ends each region of some ops, which custom assembly may leave out."""


def _hiding(ops: Mapping[str, int]) -> Iterator[str]:
    """Yield the names of ops of which some have no end of their region in the text."""
    for end, names in _REGION_ENDS.items():
        holders = [name for name in ops if re.fullmatch(names, name)]
        printed = ops.get(end, 0) - (ops.get("linalg.generic", 0) if end == "linalg.yield" else 0)
        if printed < sum(map(ops.__getitem__, holders)):
            yield from holders


def count_in(ops: Mapping[str, int], name: str) -> int:
    """Return how many ops have a name, or how many there are."""
    return sum(ops.values()) if name == ALL_OPS else ops.get(name, 0)


OPS = "ops"  # the name of the table of ops


def traces_document(
    result: ModelTraces,
    gate: Gate,
    *,
    verbose: bool = False,
    rows: Sequence[TracedPass] | None = None,
    has_rows: bool = False,
    only_table: str | None = None,
) -> Document:
    """Return what is left at the end, then the passes; of several models the totals by pass and by model.

    Unless ``verbose``, there are at most ten rows of each kind, and what changed nothing is left out.
    ``rows`` are the only passes to show. ``has_rows``: a terminal that shows each pass as soon as it is read
    does not get them again. ``only_table`` names the only table to show, of the whole log.
    """
    trace = result.merged
    if only_table is not None:
        assert only_table == OPS
        file = [line((trace.sources[0], "bold"))] if len(trace.sources) == 1 else []
        table = table_of_ops(trace.op_totals.first, trace.op_totals.last)
        return document([*file, table], [_verdict(*words.verdict_parts(result, gate))])
    if len(result.models) > 1 and rows is None:
        return _of_models(result, gate, verbose=verbose)
    verdict = words.conclusion(trace, gate)
    steps = [] if verdict[0] == "could not run" else words.next_steps(trace, rows)
    passes = [] if has_rows else _passes(trace, rows, verbose=verbose)
    return document([*_left(trace), *_findings(trace)], passes, [_verdict(*verdict), Steps(steps)])


def _of_models(result: ModelTraces, gate: Gate, *, verbose: bool) -> Document:
    trace, left = result.merged, []
    tables = [table_of_changes(result.models)] if any(model.trace.passes for model in result.models) else []
    if trace.summary.has_indices:
        left = [_left_at_the_end(trace, words.left_in_models(result))]
        tables = [table_of_totals(result, verbose=verbose), table_of_models(result, verbose=verbose)]
    verdict = words.verdict_on_all(result, gate)
    steps = [] if verdict[0] == "could not run" else words.next_steps_of_all(result)
    return document(left, *([table] for table in tables), [_verdict(*verdict), Steps(steps)])


def _verdict(status: str, why: str) -> Conclusion:
    styles = {"passed": "bold green", words.NOT_JUDGED: "bold yellow"}
    return Conclusion([(status, styles.get(status, "bold red")), f": {why}"])


def _left_at_the_end(trace: Trace, left: str) -> Sentence:
    return line(f"{LEFT}: ", (left, "red" if trace.at_end_of_log.inversions else "green"))


def _left(trace: Trace) -> Iterator[Sentence]:
    if not trace.summary.has_indices:
        return
    yield _left_at_the_end(trace, words.left_at_the_end(trace))
    if (culprit := trace.culprit) is not None:
        place = culprit.place
        at = Link(f"{place.source}:{place.line}", place.source, place.line)
        yield line((words.pass_title(culprit), "bold"), " (", at, f") {words.left_by(culprit)}")
        for said in () if culprit.advice is None else sentences(culprit.advice):
            yield line(("what to change: ", "bold"), said, indent=2)


def _findings(trace: Trace) -> Iterator[Part]:
    has_one_maker = len({one.made_at for one in trace.left}) == 1
    left = []
    for one in trace.left:
        maker = "" if has_one_maker else f"; {words.made_by(one)}"
        left.append(Shown(one.finding._replace(left=None), "red", maker))
    if left:
        yield Findings(left)
    if trace.is_partial:
        yield line((words.PARTIAL, "yellow"))


def _passes(trace: Trace, rows: Sequence[TracedPass] | None, *, verbose: bool) -> Iterator[Part]:
    if not trace.passes:
        return
    sources = dict.fromkeys(traced.place.source for traced in trace.passes)
    folder = None if len(sources) == 1 else common_folder(sources)
    if folder != "":
        yield line((folder or next(iter(sources)), "bold"))
    passes = trace.passes if rows is None else rows
    table = table_of_passes(trace, passes, folder, verbose=verbose)
    notes = []
    if verbose and trace.summary.has_indices and not all(traced.figures.certified for traced in passes):
        notes.append("+ not certified: perhaps more are avoidable")
    if rows is not None:
        notes.append(words.chosen(passes, trace))
    yield table._replace(notes=notes, indent=0 if folder == "" else 2)


def times_document(times: TimeTable) -> Document:
    """Return the time of each pass, the longest first."""
    total = line(f"{times.total:.4f} s in all")
    return document([line((times.source, "bold")), table_of_times(times), total])
