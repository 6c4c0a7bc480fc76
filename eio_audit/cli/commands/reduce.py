"""``eio-audit reduce``: the smallest program that still shows it."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eio_audit.audit.options import AuditOptions
from eio_audit.cli.gate import ceiling_options
from eio_audit.cli.inputs import max_size
from eio_audit.cli.jobs import Jobs, jobs_options
from eio_audit.cli.main import INTERRUPTED
from eio_audit.cli.options import (
    FilledPath,
    audit_options,
    exit_codes,
    grouped_command,
    program_of,
    regex,
    whole,
)
from eio_audit.cli.output import is_folder, write_bytes
from eio_audit.cli.reports import format_option, quiet_option, rendered
from eio_audit.mlir.source import Source

if TYPE_CHECKING:
    from eio_audit.audit.gate.gate import Gate
    from eio_audit.audit.reduce.property import Wanted
    from eio_audit.audit.reduce.reduce import Job, Reduction


@grouped_command(
    "reduce",
    short_help="Find the smallest program that still shows it.",
    epilog=exit_codes(
        {130: "interrupted or terminated: the result is the smallest program so far"},
        "done, also if nothing could be cut",
    ),
    keys=("follow", "assume-pure"),
)
@click.argument(
    "command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMPILER ARGS... | FILE"
)
@click.option(
    "--interesting",
    metavar="COMMAND",
    help="Keep what COMMAND exits with 0 for. It gets the file as its last argument, or in place of {}.",
)
@click.option(
    "--error",
    metavar="REGEX",
    type=regex,
    help="Keep an error that matches. Without it, the first error, whatever its names and numbers.",
)
@click.option(
    "--pass",
    "pass_name",
    metavar="NAME",
    help="Keep that this pass puts ops out of order. Without it, the pass is chosen as bisect chooses it.",
)
@click.option("--dump", "number", type=whole(1), help="Of several runs of it, the N-th.")
@click.option(
    "--pattern",
    "rewrite",
    metavar="NAME",
    help="Keep that this rewrite pattern does it. The compiler runs far more often.",
)
@click.option(
    "--printer",
    metavar="COMMAND",
    help="With --interesting and a file: what reads it as the last argument and prints it, such as "
    "'mlir-opt'. Without it, the file must be in generic form.",
)
@click.option("--lit", is_flag=True, help="Begin the result with lines that make it a test for lit.")
@click.option(
    "-o",
    "--output",
    type=FilledPath(),
    metavar="OUT",
    help="Write the result to OUT whenever it gets smaller. Without it, standard output gets it at the end.",
)
@format_option("Reduction", " the report", ": to standard output with -o, else to standard error")
@audit_options
@ceiling_options()
@jobs_options(
    "How many compilers run at once. auto is the number of usable cores, at most 8. The result is the same.",
    "Stop a run that takes longer. Without it, ten times as long as reading the input takes, at least 10 "
    "seconds.",
)
@quiet_option
@click.pass_context
def reduce_command(
    ctx: click.Context,
    command: tuple[str, ...],
    interesting: str | None,
    error: re.Pattern[str] | None,
    pass_name: str | None,
    number: int | None,
    rewrite: str | None,
    printer: str | None,
    lit: bool,
    output: str | None,
    format_: str,
    options: AuditOptions,
    gate: Gate,
    parallel: Jobs,
    quiet: bool,
) -> None:
    """Find the smallest program for which a compiler still does what it does for the input.

    What stays true is found in the first run. If the compiler fails, crashes or does not end (--timeout), it
    is this. Otherwise a pass puts ops out of order, by their indices. --interesting names a command that
    decides instead.

    Ops, blocks, functions and more are cut out, as long as the compiler reads what is left. Values that lose
    their op become arguments of the function. What stays is printed as it was.

    \b
    Examples:
      eio-audit reduce -o small.mlir -- mlir-opt --canonicalize in.mlir
      eio-audit reduce --error 'not legal' -- mlir-opt --convert-x in.mlir
      eio-audit reduce --interesting ./keeps.sh --printer mlir-opt in.mlir
    """
    from eio_audit.audit.bisect.pass_search import Request
    from eio_audit.audit.command import temporary_folder
    from eio_audit.audit.reduce.property import Wanted
    from eio_audit.audit.reduce.reduce import reduce_program
    from eio_audit.report.text.progress import status

    for name, given in (("--printer", printer), ("--error", error), ("--pattern", rewrite)):
        if given is not None and (interesting is None) == (name == "--printer"):
            with_it = "needs" if name == "--printer" else "cannot be used with"
            raise click.UsageError(f"{name} {with_it} --interesting")
    words = None if interesting is None else program_of(interesting, "--interesting")
    place = None if number is None else number - 1
    job = _job(command, Wanted(words, error, rewrite, pass_name, place, gate), printer, options)
    if output is not None and output != "-":
        _require_other(output, job.name)
    write = (lambda _: None) if output in {None, "-"} else lambda text: write_bytes(output, [text])
    with temporary_folder() as scratch:
        request = Request(command, options, timeout=parallel.timeout, scratch=scratch, most_bytes=max_size())
        with request.runs() as runs, status("running the compiler") as advance:
            result = reduce_program(job, runs, _jobs(parallel), write, advance)
    _finish(result._replace(output=None if output == "-" else output), lit=lit, format_=format_, quiet=quiet)
    if result.is_interrupted:
        ctx.exit(INTERRUPTED)


def _job(command: tuple[str, ...], wanted: Wanted, printer: str | None, options: AuditOptions) -> Job:
    """Return what to reduce: the input among the words of the command.

    Raises:
        UsageError: the command has no input.
    """
    from eio_audit.audit.bisect.compiler_command import SPLIT_FLAG, CompilerCommand
    from eio_audit.audit.reduce.reduce import Job

    is_file = len(command) == 1 and wanted.interesting is not None
    given = None if is_file else CompilerCommand(command)
    words = command if given is None else given.reader.words[1:]
    inputs = [word for word in words if word == "-" or (not word.startswith("-") and Path(word).is_file())]
    if not inputs:
        missing = [word for word in words if not word.startswith("-")]
        what = f"; there is no file '{missing[-1]}'" if missing else "; name it, or - for standard input"
        raise click.UsageError(f"the command has no input{what}")
    name = inputs[-1]
    source = Source.read(name)
    if given is not None:
        splits = [word for word in command if word.lstrip("-").startswith(SPLIT_FLAG)]
        reader = given.reader.with_flags(*splits)
    elif printer is not None:
        reader = CompilerCommand((*program_of(printer, "--printer"), name))
    else:
        reader = None
    return Job(source.data[:], source.name, given, reader, name, wanted, options)


def _require_other(output: str, name: str) -> None:
    if is_folder(output):
        raise click.UsageError(f"'{output}' is a folder; -o names a file")
    if os.path.realpath(output) == os.path.realpath(name):
        raise click.UsageError(f"-o names the input, '{name}', which is never overwritten")


def _jobs(parallel: Jobs) -> int:
    from eio_audit.audit.corpus.workers import usable_cores

    assert not isinstance(parallel.processes, str)
    return parallel.processes or usable_cores()


def _finish(result: Reduction, *, lit: bool, format_: str, quiet: bool) -> None:
    from eio_audit.report.text.console import Console
    from eio_audit.report.wording.reduce import lit_lines

    head = "".join(f"{line}\n" for line in lit_lines(result)).encode() if lit else b""
    write_bytes(result.output, [head, result.text])
    if quiet:
        return
    file = sys.stderr if result.output is None else sys.stdout
    if format_ == "text":
        rendered(result, format_, Console(file))
    else:
        file.write(rendered(result, format_))
