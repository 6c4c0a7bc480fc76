"""``eio-audit trace``: which pass put ops out of order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from eio_audit.cli import inputs
from eio_audit.cli.gate import ceiling_options
from eio_audit.cli.jobs import Jobs, jobs_options_for
from eio_audit.cli.options import GATE_EXIT_CODES, PATH, audit_options
from eio_audit.cli.reports import Reports, quiet_option, report_options
from eio_audit.report.text.progress import progress

if TYPE_CHECKING:
    from eio_audit.audit.gate.gate import Gate
    from eio_audit.audit.log.pass_steps import PassSteps
    from eio_audit.audit.log.trace import Trace
    from eio_audit.audit.options import AuditOptions
    from eio_audit.report.html.stored_steps import StoredSteps


@click.command(
    "trace",
    short_help="Find the passes of a log that put ops out of order.",
    epilog=GATE_EXIT_CODES,
)
@click.argument("paths", nargs=-1, required=True, type=PATH, metavar="PATH...")
@audit_options
@ceiling_options("final")
@jobs_options_for("a model that takes longer", "model")
@report_options(
    "ModelTraces",
    quiet_option,
    click.option(
        "-v", "--verbose", is_flag=True, help="Show all findings, passes and models, also without changes."
    ),
)
@click.pass_context
def trace_command(
    ctx: click.Context,
    paths: tuple[str, ...],
    options: AuditOptions,
    gate: Gate,
    parallel: Jobs,
    reports: Reports,
) -> None:
    """Find the passes that put ops out of order in a log or a folder of dumps.

    Show what is out of order at the end, which pass caused it, what was repaired, and what each pass did. A
    folder may have many models, each in a folder or a log. Then show the sums by pass and by model.

    Several files are the stages of a compiler in the given order; - is standard input. In a folder,
    ttir.mlir, ttir-before-PASS.mlir and ttir-after-PASS.mlir are one program in three states.

    \b
    Examples:
      eio-audit trace passes.log
      eio-audit trace passes-tree/
      eio-audit trace models/ --jobs 8
      eio-audit trace ttir.mlir before.mlir after.mlir
      compiler --mlir-print-ir-after-all 2>&1 | eio-audit trace -
    """
    from eio_audit.audit.corpus.models import find_models
    from eio_audit.audit.corpus.trace_models import TraceModel, trace_models
    from eio_audit.mlir.input.folders import find_dump_files

    found, errors, skipped = inputs.find_all(paths, find_dump_files)
    files = [file for _, file in found]
    models = find_models(found)
    watched = None
    if "html" in reports.formats and len(models) == 1:
        from eio_audit.audit.log.pass_steps import PassSteps

        watched = PassSteps(options)
        parallel = Jobs(processes=1)  # each dump is compared while it is read
    trace_model = TraceModel(options, len(files) == 1, inputs.max_size())
    total_bytes = inputs.total_size([file.path for file in files])
    bar = progress(total_bytes, "tracing", len(files))
    with bar as advance, parallel.workers(total_bytes, len(models)) as workers:
        result = trace_models(models, trace_model, workers, advance, watched.watch if watched else None)
    merged = replace(result.merged, errors=(*errors, *result.merged.errors))
    result = replace(result, merged=merged)
    inputs.show_errors(merged.errors)
    if not reports.quiet:
        inputs.note_skipped(skipped)
        inputs.note_apart(files)
        inputs.warn_of_unmatched(merged.unmatched)
    reports.write(result, gate=gate, steps=_stored(watched, merged))
    if merged.errors:
        ctx.exit(2)
    if not gate.allows_unindexed and (merged.is_unjudged or not merged.summary.dumps):
        inputs.require_indices(merged.summary, (), *paths)
    is_unjudged = bool(result.unjudged) and not (gate.allows_unindexed or gate.never_fails)
    failed = gate.failed_rules(merged.at_end_of_log if gate.is_final else merged.each_inversion_once)
    ctx.exit(1 if failed or is_unjudged else 0)


def _stored(watched: PassSteps | None, trace: Trace) -> StoredSteps | None:
    """Return what each pass did, for a page."""
    if watched is None:
        return None
    from eio_audit.report.html.stored_steps import StoredSteps

    return StoredSteps(watched.of(trace))
