"""``eio-audit bisect``: the rewrite pattern that did it, by running a compiler many times."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eio_audit.audit.options import AuditOptions
from eio_audit.cli.gate import ceiling_options, is_asked_for
from eio_audit.cli.inputs import max_size, no_order, read_dumps
from eio_audit.cli.jobs import Jobs, jobs_options
from eio_audit.cli.main import INTERRUPTED
from eio_audit.cli.options import (
    FilledPath,
    audit_options,
    exit_codes,
    grouped_command,
    program_of,
    whole,
)
from eio_audit.cli.reports import RENDERERS, Reports, quiet_option, report_options, verbose_option

if TYPE_CHECKING:
    from eio_audit.audit.bisect.bisect import Bisection
    from eio_audit.audit.bisect.first_failure import BuiltInTest
    from eio_audit.audit.bisect.pass_search import PassSearch, Request, SearchResult
    from eio_audit.audit.gate.gate import Gate


@contextmanager
def bisect_progress() -> Iterator[Callable[[PassSearch, SearchResult], None] | None]:
    """Yield what to call after each run; None if standard error is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from eio_audit.report.text.progress import status

    with status("running the compiler") as say:

        def advance(search: PassSearch, result: SearchResult) -> None:
            inversions, worst = search.states.inversions, (0, 0)
            steps = list(result.halving.changes)
            for step in steps:
                if step.is_one:
                    old, new = result.halving.states[step.first], result.halving.states[step.last]
                    made = (inversions(new) or 0) - (inversions(old) or 0)
                    worst = max(worst, (made, step.last), key=itemgetter(0))  # of equals, the first
            said = f"{search.states.runs.number:,} runs, {sum(step.is_one for step in steps):,} steps found"
            if worst[0] > 0:
                said += f", worst: attempt {worst[1]:,} (+{worst[0]:,} inversions)"
            say(f"{said}; reading the states" if result.is_ended else said)

        yield advance


@grouped_command(
    "bisect",
    short_help="Find the rewrite patterns of a pass that changed the order.",
    epilog=exit_codes(
        {
            1: "inversions left that fail, some by the pass; the test or compiler fails",
            130: "interrupted or terminated: the report has what was found",
        },
        "done, and nothing fails",
    ),
    keys=("follow", "assume-pure"),
)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMPILER ARGS...")
@click.option(
    "--pass",
    "pass_name",
    metavar="NAME",
    help="Bisect this pass. Without it, the one that left most inversions at the end, or else made most, or "
    "else changed most ops; with --test, the first after which the test fails.",
)
@click.option(
    "--dump",
    "number",
    type=whole(1),
    help="Of several runs of the pass, bisect the N-th. Without it, the one that did most.",
)
@click.option(
    "--op",
    metavar="OP",
    help="Show which applications moved, made, changed or removed this op: %name, '#index', or a line of the "
    "model.",
)
@click.option(
    "--show",
    "attempt",
    type=whole(1),
    help="Show only what attempt N did: the diff of the IR before and after it.",
)
@click.option(
    "--test",
    metavar="COMMAND|changed|order|avoidable",
    help="Find the first application after which COMMAND fails. It gets the IR, with debug locations, on "
    "standard input; exit code 0 is a success, 125 tells nothing. changed, order and avoidable fail where "
    "the IR differs, or has more inversions, or more avoidable ones, than before the first pass.",
)
@click.option(
    "--stop-after-pass",
    is_flag=True,
    help="With --test: find only the first pass after which it fails. The compiler runs at most twice.",
)
@click.option("--max-runs", type=whole(1), metavar="N", default=1000)
@click.option(
    "--keep",
    type=FilledPath(file_okay=False),
    metavar="FOLDER",
    help="Keep the states (states.log), the log of actions (actions.log), and the input of a pass that runs "
    "alone (input.mlir).",
)
@audit_options
@ceiling_options()
@jobs_options(
    "How many compilers run at once. auto is the number of usable cores, at most 8.",
    "Stop a run of the compiler, or of the test, that takes longer. The search goes on without it.",
)
@report_options("Bisection", quiet_option, verbose_option("Show all patterns, applications and ops."))
@click.pass_context
def bisect_command(
    ctx: click.Context,
    command: tuple[str, ...],
    pass_name: str | None,
    number: int | None,
    op: str | None,
    attempt: int | None,
    test: str | None,
    stop_after_pass: bool,
    max_runs: int,
    keep: str | None,
    options: AuditOptions,
    gate: Gate,
    parallel: Jobs,
    reports: Reports,
) -> None:
    """Find the rewrite patterns of a pass that put ops out of order, and the applications that did it.

    COMPILER is a tool with MLIR's own options, such as mlir-opt. It runs many times, and each time it may
    apply one more pattern, or some more. So each application that changes the IR is found. Ops need no
    indices: without them, the report counts the ops that patterns changed.

    The report shows what each pattern did, the worst applications with their ops, and how to get the IR
    before and after each of them by hand. It begins with what to change in the pass. With -o states.log, each
    of these states is a dump of a log, which trace, diff and history read. The text is printed beside a log
    and a page (-o page.html). Of a compiler that hangs (--timeout), crashes or fails, the report names the
    first application with which it does so. With --test, a log of passes may stand in place of the compiler:
    the report names the first dump on which the test fails.

    \b
    Examples:
      eio-audit bisect -- mlir-opt --canonicalize in.mlir
      eio-audit bisect -o page.html -- mlir-opt --cse --canonicalize in.mlir
      eio-audit bisect --show 431 -- mlir-opt --canonicalize in.mlir
      eio-audit bisect --test 'grep -q my.add' -- mlir-opt --canonicalize in.mlir
      eio-audit bisect --stop-after-pass --test ./run.sh -- mlir-opt --cse in.mlir
      eio-audit bisect --test 'grep -q my.add' passes.log
    """
    from eio_audit.audit.bisect.bisect import one_application
    from eio_audit.audit.bisect.compiler_command import CompilerError
    from eio_audit.audit.bisect.first_failure import compiler_failure
    from eio_audit.audit.bisect.pass_search import Request
    from eio_audit.audit.command import temporary_folder

    if sum(given is not None for given in (op, attempt, test)) > 1:
        raise click.UsageError("--op, --show and --test cannot be used together")
    if stop_after_pass and test is None:
        raise click.UsageError("--stop-after-pass needs --test")
    is_log = test is not None and _is_log(command)
    if is_log and (pass_name is not None or number is not None or keep is not None):
        raise click.UsageError("--pass, --dump and --keep need a compiler, not a log")
    with temporary_folder() as scratch:
        stdin = None if is_log else _standard_input(command, scratch)
        place = None if number is None else number - 1
        request = Request(
            command, options, pass_name, place, parallel.timeout, keep, scratch, stdin, max_size()
        )
        if attempt is not None:
            reports.require("OneApplication", "--show is reported")
            reports.write(one_application(request, attempt))
            ctx.exit(0)
        if test is not None and is_log:
            _test_log(ctx, request, test, command[0], reports)
        if test is not None:
            _test(ctx, request, test, stop_after_pass, reports)
        try:
            result = _bisect(request, op, parallel, max_runs, reports)
        except CompilerError as failed:
            if reports.formats - RENDERERS["FirstFailure"].keys():
                raise
            found = compiler_failure(request, failed)
            reports.write(found)
            ctx.exit(INTERRUPTED if found.stopped else 1)
        except KeyboardInterrupt:
            click.echo("interrupted before the search began: nothing was found", err=True)
            ctx.exit(INTERRUPTED)
    if result.is_interrupted:
        ctx.exit(INTERRUPTED)
    if op is not None:
        ctx.exit(0)
    if is_asked_for(gate) and not result.is_judged:
        raise no_order(len(result.applications), [], shlex.join(command))
    is_judged = result.is_judged and not result.is_unchanged and bool(result.left or is_asked_for(gate))
    ctx.exit(1 if is_judged and gate.failed_rules(result.states.at_end_of_log) else 0)


def _bisect(request: Request, op: str | None, parallel: Jobs, max_runs: int, reports: Reports) -> Bisection:
    from eio_audit.audit.bisect.bisect import bisect_pass, op_steps
    from eio_audit.audit.command import termination_waits

    assert not isinstance(parallel.processes, str)
    if op is not None:
        reports.require("OpSteps", "--op is reported")
    steps = None
    if "html" in reports.formats:
        from eio_audit.report.html.data import StoredSteps

        steps = StoredSteps()
    with termination_waits():  # but for the search, which it ends
        with bisect_progress() as advance:
            watches = [] if steps is None else [steps]
            result = bisect_pass(request, parallel.processes, max_runs, advance, watches)
        if op is not None:
            reports.write(op_steps(result, op))
        else:
            _with_text(reports).write(result, steps=None if steps is None else steps.of(result.states))
    return result


def _test(ctx: click.Context, request: Request, test: str, of_pass: bool, reports: Reports) -> None:
    """Find the first application, or only pass, after which a test fails, and exit."""
    from eio_audit.audit.bisect.first_failure import first_failure

    reports.require("FirstFailure", "--test is reported")
    found = first_failure(request, _parsed(test), stops_after_pass=of_pass)
    reports.write(found)
    ctx.exit(INTERRUPTED if found.stopped else 0 if found.pass_name is None else 1)


def _test_log(ctx: click.Context, request: Request, test: str, log: str, reports: Reports) -> None:
    """Find the first dump of a log on which a test fails, and exit."""
    from eio_audit.audit.bisect.first_failure import first_failing_dump

    reports.require("FirstFailingDump", "--test is reported")
    found = first_failing_dump(request, log, read_dumps(log, "test"), _parsed(test))
    reports.write(found)
    ctx.exit(INTERRUPTED if found.stopped else 0 if found.bad is None else 1)


def _parsed(test: str) -> BuiltInTest | Sequence[str]:
    from eio_audit.audit.bisect.first_failure import BuiltInTest

    return BuiltInTest(test) if test in [*BuiltInTest] else program_of(test, "--test")


def _is_log(command: tuple[str, ...]) -> bool:
    """Whether a log or a folder of dumps, or standard input, stands in place of a compiler."""
    from eio_audit.mlir.input.markers import holds_ir

    path = command[0]
    is_one = len(command) == 1 and (path == "-" or Path(path).exists())
    return is_one and (path == "-" or Path(path).is_dir() or holds_ir(path))


def _with_text(reports: Reports) -> Reports:
    """Return the reports, with text on standard output if only a log or a page is asked for, in a file."""
    is_beside = all(
        path not in {None, "-"} and format_ in {"log", "html"} for format_, path in reports.targets
    )
    if reports.quiet or not is_beside:
        return reports
    return reports._replace(targets=[("text", None), *reports.targets])


def _standard_input(command: tuple[str, ...], folder: Path) -> Path | None:
    """Keep standard input, which each run reads, in a file. None unless the command reads it."""
    if "-" not in command or sys.stdin.isatty():
        return None
    path = folder / "stdin"
    with path.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return path
