"""``eio-audit trace``: which pass put ops out of order."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import click

from eio_audit import AuditOptions, Gate, find_dump_files, trace
from eio_audit.cli import inputs
from eio_audit.cli.gate import ceiling_options
from eio_audit.cli.options import GATE_EXIT_CODES, PATH, audit_options
from eio_audit.cli.reports import Reports, quiet_option, report_options
from eio_audit.report.text.progress import progress


@click.command(
    "trace",
    short_help="Find the passes of a log that put ops out of order.",
    epilog=GATE_EXIT_CODES,
)
@click.argument("paths", nargs=-1, required=True, type=PATH, metavar="PATH...")
@audit_options
@ceiling_options("final")
@report_options(
    "Trace",
    quiet_option,
    click.option("-v", "--verbose", is_flag=True, help="Show the passes that changed nothing one by one."),
)
@click.pass_context
def trace_command(
    ctx: click.Context, paths: tuple[str, ...], options: AuditOptions, gate: Gate, reports: Reports
) -> None:
    """Find the passes that put ops out of order in a log or a folder of dumps.

    Show what is out of order at the end, which pass caused it, what was repaired, and what each pass did.

    Several files are the stages of a compiler in the given order; - is standard input. In a folder,
    ttir.mlir, ttir-before-PASS.mlir and ttir-after-PASS.mlir are one program in three states.

    \b
    Examples:
      eio-audit trace passes.log
      eio-audit trace passes-tree/
      eio-audit trace ttir.mlir before.mlir after.mlir
      compiler --mlir-print-ir-after-all 2>&1 | eio-audit trace -
    """
    files, errors, skipped = inputs.find_all(paths, find_dump_files)
    total_bytes = inputs.total_size([file.path for file in files])
    with progress(total_bytes, "tracing", len(files)) as advance:
        read_file = partial(inputs.dumps_of_file, advance=advance, is_only=len(files) == 1)
        dumps = inputs.dumps_of_all(files, read_file, errors, advance.file_done)
        diffs = None
        if "html" in reports.formats:
            from eio_audit.report.html.pass_diffs import PassDiffs

            diffs = PassDiffs(options)
            dumps = diffs.watch(dumps)
        result = trace(dumps, options)
    result = replace(result, errors=(*errors, *result.errors))
    inputs.show_errors(result.errors)
    if not reports.quiet:
        inputs.note_skipped(skipped)
        inputs.note_apart(files)
        inputs.warn_of_unmatched(result.unmatched)
    reports.write(result, gate=gate, diffs=diffs)
    if result.errors:
        ctx.exit(2)
    inputs.require_indices(result.summary, (), *paths)
    ctx.exit(1 if gate.failed_rules(result.final if gate.is_final else result.once) else 0)
