"""What ``trace`` reports: the passes of a log, of one model or several, and the times of passes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from eio_audit.audit.corpus.trace_models import ModelTraces
from eio_audit.audit.gate.gate import Gate
from eio_audit.audit.log.trace import Trace, TracedPass
from eio_audit.mlir.input.time_table import TimeTable
from eio_audit.report.document import (
    Document,
    Findings,
    Link,
    Part,
    Sentence,
    Shown,
    Steps,
    document,
    line,
)
from eio_audit.report.documents.tables import (
    common_folder,
    table_of_changes,
    table_of_models,
    table_of_ops,
    table_of_passes,
    table_of_times,
    table_of_totals,
)
from eio_audit.report.wording import LEFT
from eio_audit.report.wording import trace as words
from eio_audit.report.wording.advice import sentences

OPS = "ops"  # the name of the table of ops


def traces_document(
    result: ModelTraces,
    gate: Gate,
    *,
    verbose: bool = False,
    verdict_first: bool = False,
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
    is_one = len(result.models) < 2 or rows is not None
    status, why = words.conclusion(trace, gate) if is_one else words.verdict_on_all(result, gate)
    steps = words.next_steps(trace, rows) if is_one else words.next_steps_of_all(result)
    end = Steps([*steps] if status != "could not run" else [])
    verdict = _verdict(status, why)
    if not is_one:
        return _of_models(result, [verdict, end], verbose=verbose, verdict_first=verdict_first)
    findings = [*_findings(trace)]
    passes = [] if has_rows else [*_passes(trace, rows, verbose=verbose)]
    sections: list[list[Part]]
    if not verdict_first:
        sections = [[*_left(trace), *findings], passes, [verdict, end]]
    elif findings:
        sections = [[verdict, *_left(trace), *passes], [*findings, end]]
    else:
        sections = [[verdict, *_left(trace), *passes, end]]
    return document(*sections)


def _of_models(result: ModelTraces, end: Sequence[Part], *, verbose: bool, verdict_first: bool) -> Document:
    """Return the document of several models. The verdict is first in ``end``."""
    trace, left = result.merged, []
    verdict, steps = end
    tables = [table_of_changes(result.models)] if any(model.trace.passes for model in result.models) else []
    if trace.summary.has_indices:
        left = [_left_at_the_end(trace, words.left_in_models(result))]
        tables = [table_of_totals(result, verbose=verbose), table_of_models(result, verbose=verbose)]
    sections: list[list[Part]] = [[*([verdict] if verdict_first else []), *left]]
    sections += [[table] for table in tables]
    sections.append([steps] if verdict_first else [verdict, steps])
    return document(*sections)


def _verdict(status: str, why: str) -> Sentence:
    styles = {"passed": "bold green", words.NOT_JUDGED: "bold yellow"}
    return line((status, styles.get(status, "bold red")), f": {why}")


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
    yield replace(table, notes=notes, indent=0 if folder == "" else 2)


def times_document(times: TimeTable) -> Document:
    """Return the time of each pass, the longest first."""
    total = line(f"{times.total:.4f} s in all")
    return document([line((times.source, "bold")), table_of_times(times), total])
