"""``eio-audit bisect``: which rewrite pattern of a compiler's pass put ops out of order."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eio_audit.cli.gate import ceiling_options, is_asked_for
from eio_audit.cli.inputs import no_order
from eio_audit.cli.jobs import Jobs, jobs_options_for
from eio_audit.cli.options import UNUSABLE, audit_options, exit_codes
from eio_audit.cli.reports import Reports, quiet_option, report_options

if TYPE_CHECKING:
    from eio_audit.audit.bisect.bisection import Bisection
    from eio_audit.audit.diff.diff import Diff
    from eio_audit.audit.gate.gate import Gate
    from eio_audit.audit.options import AuditOptions


@click.command(
    "bisect",
    short_help="Run a compiler and find the rewrite patterns that changed the order.",
    epilog=exit_codes(
        {
            0: "done, and nothing fails",
            1: "inversions left that fail; with --test: an application was found",
            2: UNUSABLE,
        }
    ),
)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMPILER ARGS...")
@click.option(
    "--pass",
    "pass_name",
    metavar="NAME",
    help="Bisect this pass. Without it, the pass that made most inversions, or changed most ops.",
)
@click.option(
    "--dump",
    "number",
    type=click.IntRange(min=1),
    metavar="N",
    help="Of several runs of the pass, bisect the N-th. Without it, the one that did most.",
)
@click.option(
    "--max-runs",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="Run the compiler at most so often for the search. What is not resolved then is said.",
)
@click.option(
    "--keep",
    type=click.Path(file_okay=False),
    metavar="FOLDER",
    help="Keep the states (states.log), the log of actions (actions.log) and the pass's input (input.mlir).",
)
@audit_options
@ceiling_options("final")
@jobs_options_for("a run of the compiler that takes longer", "run")
@report_options(
    "Bisection",
    quiet_option,
    click.option("-v", "--verbose", is_flag=True, help="Show all patterns and all applications."),
)
@click.pass_context
def bisect_command(
    ctx: click.Context,
    command: tuple[str, ...],
    pass_name: str | None,
    number: int | None,
    max_runs: int,
    keep: str | None,
    options: AuditOptions,
    gate: Gate,
    parallel: Jobs,
    reports: Reports,
) -> None:
    """Run a compiler with more and more rewrites allowed, and show what each of them did to the order.

    \b
    Examples:
      eio-audit bisect -- mlir-opt --canonicalize in.mlir
    """
    from eio_audit.audit.bisect.bisect import bisect
    from eio_audit.audit.bisect.pass_search import INTERRUPTED
    from eio_audit.cli.bisect_progress import bisect_progress
    from eio_audit.report.html.stored_steps import StoredSteps

    steps = StoredSteps() if "html" in reports.formats else None
    with tempfile.TemporaryDirectory(prefix="eio-audit-") as temporary, bisect_progress() as advance:
        result = bisect(
            command,
            options,
            pass_name=pass_name,
            number=None if number is None else number - 1,
            jobs=parallel.processes,
            timeout=parallel.timeout,
            max_runs=max_runs,
            folder=keep or temporary,
            stdin=_standard_input(command, Path(temporary)),
            advance=advance,
            watch=None if steps is None else steps.watch,
        )
        _with_report(reports).write(
            result,
            gate=gate,
            steps=None if steps is None else steps.of(result.states),
            worst_diff=_worst_diff(result, options) if "markdown" in reports.formats else None,
        )
    if result.stopped == INTERRUPTED:
        ctx.exit(130)
    if is_asked_for(gate) and not result.is_judged:
        raise no_order(len(result.applications), [], shlex.join(command))
    ctx.exit(1 if result.is_judged and gate.failed_rules(result.states.at_end_of_log) else 0)


def _with_report(reports: Reports) -> Reports:
    """Return the reports, with text on standard output if only the log of states is asked for."""
    is_log_only = all(format_ == "log" and path for format_, path in reports.targets)
    return reports._replace(targets=[("text", None), *reports.targets]) if is_log_only else reports


def _worst_diff(result: Bisection, options: AuditOptions) -> Diff | None:
    """Return what the worst application did."""
    from eio_audit.audit.diff.diff import diff
    from eio_audit.mlir.input.dumps import read

    if not result.worst:
        return None
    line = result.worst[0].traced.place.line
    dumps = read(result.log)
    place = next(place for place, dump in enumerate(dumps) if dump.line == line)
    return diff(dumps[place - 1], dumps[place], options)


def _standard_input(command: tuple[str, ...], folder: Path) -> Path | None:
    """Keep standard input, which each run reads, in a file. None unless the command reads it."""
    if "-" not in command or sys.stdin.isatty():
        return None
    path = folder / "stdin"
    with path.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return path
