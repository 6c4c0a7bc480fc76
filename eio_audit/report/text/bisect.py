"""The steps of one pass, as text."""

from __future__ import annotations

from operator import attrgetter

from eio_audit.audit.bisect.bisect import Bisection, OneApplication, OpSteps
from eio_audit.audit.bisect.first_failure import FirstFailure
from eio_audit.audit.bisect.log_search import FirstFailingDump
from eio_audit.report.document import figures_of
from eio_audit.report.text.check import SHOWN
from eio_audit.report.text.console import NARROW, Column, Console, print_figures, print_next, print_table
from eio_audit.report.text.diff import SIDE_BY_SIDE, print_diff
from eio_audit.report.text.op import SHOWN_OPS, column_of_events, print_more_ops, title_of
from eio_audit.report.text.passes import print_rows
from eio_audit.report.wording import bisect, count
from eio_audit.report.wording.advice import ESTIMATE, sentences


def print_bisection(result: Bisection, console: Console) -> None:
    """Print what the pass did, its patterns and applications, what to change in it, and what to type next."""
    console.print((bisect.answer(result), "bold red" if result.left else "bold"))
    _print_advice(result, console)
    console.print()
    console.print((bisect.headline(result), "bold"))
    console.print((bisect.effort(result), "dim"))
    passes, others = bisect.shown_passes(result, verbose=console.verbose)
    if passes:
        console.print()
        print_rows(result.passes, passes, console, None, is_kept=False)
        if others:
            console.print((f"  ... and {count(others, 'pass', 'passes')} that made none (-v)", "dim"))
    console.print()
    if not result.is_unchanged:
        _print_patterns(result, console)
    _print_worst(result, console)
    _print_alone(result, console)
    _print_unresolved(result, console)
    print_next(bisect.next_steps(result), console)


def _print_patterns(result: Bisection, console: Console) -> None:
    rows = [*result.patterns, result.without_patterns]
    cells = bisect.cells_of(result) | {key: attrgetter(f"op_counts.{key}") for key in _OPS}
    may_omit = "?" * result.is_judged
    ops = ", ".join(f"~{key}{may_omit}={title}" for key, title in _OPS.items())
    print_figures(
        figures_of(
            rows, f"~made, ~undone, ~left, ~left_apart=not counted, >applied, {ops}, >by, pattern", cells
        ),
        console,
    )
    if any(one.left_apart for one in result.patterns):
        console.print((f"  {bisect.NOT_COUNTED}", "dim"))
    if said := bisect.removed_of_others(result):
        console.print((f"  {said}", "dim"))
    if result.left_before:
        number, verb = count(result.left_before, "inversion"), "was" if result.left_before == 1 else "were"
        console.print((f"  {number} of the end {verb} there before", "dim"))
    console.print()


_OPS = {"added": "+ops", "removed": "-ops", "modified": "~ops", "moved": "moved"}


def _print_worst(result: Bisection, console: Console) -> None:
    steps = [one for one in result.worst if one.is_resolved]
    shown = steps if console.verbose else steps[:SHOWN]
    if not shown:
        return
    console.print((f"applications that {bisect.did_most(result)}", "bold"))
    did = "states=inversions, ~left" if result.is_judged else "ops"
    name = ", by_name?=pattern" if not console.wraps or console.width >= SIDE_BY_SIDE else ""
    columns = f">attempt, {did}, root=root op, line=model, >by{name}"  # by the number in the table above
    print_figures(figures_of(shown, columns, bisect.cells_of(result)), console)
    if len(steps) > len(shown):
        console.print((f"  ... and {len(steps) - len(shown):,} more (-v)", "dim"))
    console.print()


def _print_advice(result: Bisection, console: Console) -> None:
    if why := bisect.why_no_change(result):
        console.print(f"  {why}")
    if result.advice is not None and result.advice.changes:
        for said in sentences(result.advice):
            console.print(f"  {said}")
        console.print((f"  {ESTIMATE}", "dim"))


def _print_alone(result: Bisection, console: Console) -> None:
    if console.verbose and result.advice is not None and result.advice.alone:
        console.print(("each pattern alone, if its ops get the location of the root op", "bold"))
        columns = f">by, pattern, makes, carries=they carry, #then={result.advice.now:,} become"
        print_figures(figures_of(result.advice.alone, columns, bisect.cells_of(result)), console)
        console.print()


def _print_unresolved(result: Bisection, console: Console) -> None:
    if said := bisect.stopped(result):
        console.print((said, "yellow"))
        for one in result.unresolved if console.verbose else result.unresolved[:SHOWN]:
            console.print(f"  {bisect.not_resolved(one, result)}")
        console.print()
    elif result.failures:
        console.print(
            (f"{count(len(result.failures), 'run')} failed: {result.failures[0].message}", "yellow")
        )


def print_op_steps(steps: OpSteps, console: Console) -> None:
    """Print what the applications did to one op, and which of them put it where it is."""
    shown = steps.history.ops if console.verbose else steps.history.ops[:SHOWN_OPS]
    for op in shown:
        console.print((title_of(op), "bold"), ": ", bisect.placed(steps, op))
        if said := bisect.since(steps, op):
            console.print(f"  {said}")
        events = steps.events(op)
        if events:
            columns = [
                Column("attempt", [bisect.attempts_of(step) for _, step in events], right=True, style="bold"),
                Column("inversions", [bisect.before_and_after(step) for _, step in events], optional=True),
                Column(
                    "pattern", [bisect.step_title(step) for _, step in events], least=NARROW, style="cyan"
                ),
                column_of_events((event for event, _ in events), console),
            ]
            print_table(console, columns, indent=2)
        console.print()
    print_more_ops(len(steps.history.ops) - len(shown), console)
    print_next(bisect.next_steps_of_op(steps), console)


def print_first_failure(found: FirstFailure, console: Console) -> None:
    """Print the application after which the property fails first."""
    console.print(*bisect.first_failure(found))
    if where := bisect.where_it_fails(found):
        console.print(where)
    console.print((f"the compiler ran {count(found.runs, 'time')}", "dim"))
    print_next(bisect.next_steps_of_failure(found), console)


def print_first_failing_dump(found: FirstFailingDump, console: Console) -> None:
    """Print the pass of a log after which the property fails first."""
    console.print(*bisect.first_failing_dump(found))
    tested = count(found.tests, "dump")
    console.print((f"the test ran on {tested} of {found.dumps:,}; no compiler ran", "dim"))
    print_next(bisect.next_steps_of_log(found), console)


def print_application(one: OneApplication, console: Console) -> None:
    """Print the pattern of an application, its root op, its diff, and how to get the IR by hand."""
    console.print((bisect.application_title(one), "bold"))
    console.print()
    print_diff(one.diff, console)
    console.print()
    print_next(bisect.by_hand(one.reproduction, one.number), console)


def states_log(result: Bisection) -> bytes:
    """Return the log."""
    assert result.log is not None
    return result.log.read_bytes()
