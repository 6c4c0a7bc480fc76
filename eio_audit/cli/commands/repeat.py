"""``eio-audit repeat``: whether a compiler prints the same dumps each time."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from eio_audit.audit.options import AuditOptions
from eio_audit.cli.inputs import dumps_of_run, max_size, size
from eio_audit.cli.jobs import timeout_option
from eio_audit.cli.options import PATH, dependence_options, exit_codes, grouped_command, whole
from eio_audit.cli.reports import Reports, quiet_option, report_options, verbose_option
from eio_audit.mlir.source import InputError


@grouped_command(
    "repeat",
    short_help="Find the first pass of a compiler whose output differs by run.",
    epilog=exit_codes({1: "a run differs"}, "done: all runs print the same dumps"),
    keys=("assume-pure",),
)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND...")
@click.option("--runs", type=whole(2), default=5, show_default=True, help="Number of runs, at least two.")
@timeout_option("Stop a run after this time.")
@click.option(
    "--keep", type=PATH, metavar="FOLDER", help="Keep the output of each run: FOLDER/run-1.log, ..."
)
@dependence_options
@report_options("RunComparison", quiet_option, verbose_option())
@click.pass_context
def repeat_command(
    ctx: click.Context,
    command: tuple[str, ...],
    runs: int,
    timeout: float | None,
    keep: str | None,
    options: AuditOptions,
    reports: Reports,
) -> None:
    """Run a command that prints dumps several times and compare each run with the first.

    A run's standard output and standard error are captured in one file. The exit code is 0 if all runs print
    the same dumps, 1 if one differs, and 2 if the command cannot run or prints no dump.

    \b
    Examples:
      eio-audit repeat -- mlir-opt --cse --mlir-print-ir-after-all in.mlir
      eio-audit repeat --runs 10 --timeout 60 --keep runs -- ./compile.sh
    """
    from eio_audit.audit.bisect.compiler_command import CompilerRuns
    from eio_audit.audit.command import temporary_folder
    from eio_audit.audit.corpus.two_runs import compare_runs
    from eio_audit.mlir.input.markers import holds_ir

    with temporary_folder() as temporary:
        folder = Path(keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        logs, name = [], shlex.join(command)
        compiler = CompilerRuns(folder, timeout=timeout, most_bytes=max_size())
        for number in range(1, runs + 1):
            logs.append(folder / f"run-{number}.log")
            with logs[-1].open("wb") as file:
                if compiler.execute(name, command, stdout=file, stderr=file, written=[logs[-1]]) is None:
                    raise InputError(name, None, compiler.too_long)
            if number == 1:
                continue
            first, last = (
                dumps_of_run(str(log)) if size(str(log)) else iter(()) for log in (logs[0], logs[-1])
            )
            result = compare_runs(first, last, options)
            if number == 2 and not holds_ir(str(logs[0])):
                raise InputError(name, None, "the command printed no dump")
            if all(alone for _, alone in result.only_in):
                result.require_pairs(name)
            if not result.is_same or number == runs:
                reports.write(result)
                ctx.exit(0 if result.is_same else 1)
