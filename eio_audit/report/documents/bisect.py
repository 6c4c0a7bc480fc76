"""What ``bisect`` reports: a pass, its patterns and applications, an op, a first failure; and ``reduce``."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import TYPE_CHECKING

from eio_audit.report.document import (
    Document,
    Figures,
    Part,
    Rest,
    Section,
    Sentence,
    Steps,
    document,
    figures_of,
    line,
)
from eio_audit.report.documents.diff import diff_document
from eio_audit.report.documents.history import SHOWN_OPS, title_of, told
from eio_audit.report.documents.trace import table_of_passes
from eio_audit.report.wording import bisect, count, more, reduce
from eio_audit.report.wording.advice import ESTIMATE, sentences

if TYPE_CHECKING:
    from eio_audit.audit.bisect.bisect import Bisection, OneApplication, OpSteps
    from eio_audit.audit.bisect.first_failure import FirstFailingDump, FirstFailure
    from eio_audit.audit.reduce.reduce import Reduction

SHOWN = 10  # the most applications that a report names unless verbose


def bisection_document(result: Bisection, *, verbose: bool = False) -> Document:
    """Return what the pass did, its patterns and applications, what to change, and what to type next."""
    return document(
        [(bisect.answer(result), "bold red" if result.left else "bold"), *_advice(result)],
        [(bisect.headline(result), "bold"), (bisect.effort(result), "dim")],
        _passes(result, verbose=verbose),
        [] if result.is_unchanged else [_patterns(result)],
        *_applications(result, verbose=verbose),
        _unresolved(result, verbose=verbose),
        [Steps(bisect.next_steps(result))],
    )


def _advice(result: Bisection) -> Iterator[Sentence]:
    if why := bisect.why_no_change(result):
        yield line(why, indent=2)
    if result.advice is not None and result.advice.changes:
        yield from (line(said, indent=2) for said in sentences(result.advice))
        yield line((ESTIMATE, "dim"), indent=2)


def _passes(result: Bisection, *, verbose: bool) -> list[Part]:
    passes, others = bisect.shown_passes(result, verbose=verbose)
    if not passes:
        return []
    left_out = f"{more(others, 'pass', 'passes')} that made none" if others else ""
    return [table_of_passes(result.passes, passes, is_kept=False)._replace(left_out=left_out)]


def _patterns(result: Bisection) -> Figures:
    """Return the table of patterns. The numbers of its rows name them in the table of applications."""
    titles = {"added": "+ops", "removed": "-ops", "modified": "~ops", "moved": "moved"}
    ops = ", ".join(f"~{key}{'?' * result.is_judged}={title}" for key, title in titles.items())
    columns = f"~made, ~undone, ~left, ~left_apart=not counted, >applied, {ops}, >by, pattern"
    cells = bisect.cells_of(result) | {key: attrgetter(f"op_counts.{key}") for key in titles}
    table = figures_of([*result.patterns, result.without_patterns], columns, cells)
    return table._replace(notes=bisect.notes_on_patterns(result))


def _applications(result: Bisection, *, verbose: bool) -> Iterator[Section]:
    """Yield the table of the worst applications, and if ``verbose`` that of each pattern alone."""
    cells = bisect.cells_of(result)
    steps = [one for one in result.worst if one.is_resolved]
    shown = steps if verbose else steps[:SHOWN]
    if shown:
        did = "states=inversions, ~left" if result.is_judged else "ops"
        columns = f">attempt, {did}, root=root op, line=model, >by, by_name?=pattern"
        figures = figures_of(shown, columns, cells)._replace(left_out=more(len(steps) - len(shown)))
        yield Section(f"applications that {bisect.did_most(result)}", [figures])
    if verbose and result.advice is not None and result.advice.alone:
        columns = f">by, pattern, makes, carries=they carry, #then={result.advice.now:,} become"
        yield Section(bisect.ALONE, [figures_of(result.advice.alone, columns, cells)])


def _unresolved(result: Bisection, *, verbose: bool) -> Iterator[Part]:
    if said := bisect.stopped(result):
        shown = result.unresolved if verbose else result.unresolved[:SHOWN]
        yield line((said, "yellow"))
        yield from (line(bisect.not_resolved(one, result), indent=2) for one in shown)
        yield Rest(more(len(result.unresolved) - len(shown)), indent=2)
    elif result.failures:
        yield line((bisect.failed(result), "yellow"))


def op_steps_document(steps: OpSteps, *, verbose: bool = False) -> Document:
    """Return what the applications did to one op, and which of them put it where it is."""
    ops = steps.history.ops if verbose else steps.history.ops[:SHOWN_OPS]
    columns = ">attempt, inversions?, pattern, what"
    sections: list[list[Part]] = []
    for op in ops:
        cells = {
            "attempt": lambda event: bisect.attempts_of(event[1]),
            "inversions": lambda event: bisect.before_and_after(event[1]),
            "pattern": lambda event: bisect.step_title(event[1]),
            "what": lambda event: told(event[0], verbose=verbose),
        }
        title = line((title_of(op), "bold"), ": ", bisect.placed(steps, op))
        since = [line(said, indent=2)] if (said := bisect.since(steps, op)) else []
        sections.append([title, *since, figures_of(steps.events(op), columns, cells)])
    rest = Rest(more(len(steps.history.ops) - len(ops), "op"))
    return document(*sections, [rest, Steps(bisect.next_steps_of_op(steps))])


def first_failure_document(found: FirstFailure) -> Document:
    """Return the application after which the property fails first."""
    runs = f"the compiler ran {count(found.runs, 'time')}", "dim"
    steps = Steps(bisect.next_steps_of_failure(found))
    return document([line(*bisect.first_failure(found)), bisect.where_it_fails(found), runs, steps])


def first_failing_dump_document(found: FirstFailingDump) -> Document:
    """Return the pass of a log after which the property fails first."""
    tested = f"the test ran on {count(found.tests, 'dump')} of {found.dumps:,}; no compiler ran", "dim"
    return document([line(*bisect.first_failing_dump(found)), tested, Steps(bisect.next_steps_of_log(found))])


def application_document(one: OneApplication, *, verbose: bool = False) -> Document:
    """Return the pattern of an application, its root op, its diff, and how to get the IR by hand."""
    return document(
        [(bisect.application_title(one), "bold")],
        *diff_document(one.diff, verbose=verbose),
        [Steps(bisect.by_hand(one.reproduction, one.number))],
    )


def states_log(result: Bisection) -> bytes:
    """Return the log."""
    assert result.log is not None
    return result.log.read_bytes()


def reduction_document(result: Reduction) -> Document:
    """Return what stays true, how small the program is, and what to type next."""
    verdict, effort = (reduce.verdict(result), "bold"), (reduce.effort(result), "dim")
    return document([result.property, verdict, effort, Steps(reduce.next_steps(result))])
