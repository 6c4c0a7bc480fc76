"""What ``trace`` reports: the passes of a log, of one model or several, and the times of passes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from eio_audit.report.document import (
    Conclusion,
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

if TYPE_CHECKING:
    from eio_audit.audit.corpus.trace_models import ModelTraces
    from eio_audit.audit.gate.gate import Gate
    from eio_audit.audit.log.trace import Trace, TracedPass
    from eio_audit.mlir.input.pass_times import TimeTable

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
