"""``eio-audit check``: the gate."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from eio_audit import AuditOptions, check, find_files, unmatched_patterns
from eio_audit.cli.gate import GateChoice, gate_options
from eio_audit.cli.inputs import (
    DumpChoice,
    dumps_of_all,
    find_all,
    note_skipped,
    read_dumps,
    require_indices,
    show_errors,
    size,
    total_size,
    warn_of_unmatched,
)
from eio_audit.cli.options import GATE_EXIT_CODES, PATH, audit_options, dump_options
from eio_audit.cli.reports import Reports, gate_report_options
from eio_audit.report.text.progress import advancing, progress

if TYPE_CHECKING:
    from eio_audit import AuditedDump, Finding


@click.command("check", short_help="Audit the order of every dump: the CI gate.", epilog=GATE_EXIT_CODES)
@click.argument("paths", nargs=-1, required=True, type=PATH, metavar="PATH...")
@dump_options
@audit_options
@gate_options
@gate_report_options
@click.pass_context
def check_command(
    ctx: click.Context,
    paths: tuple[str, ...],
    choice: DumpChoice,
    options: AuditOptions,
    gate_choice: GateChoice,
    reports: Reports,
) -> None:
    """Audit the order of every dump in files, logs and folders; - is standard input.

    \b
    Examples:
      eio-audit check after.mlir
      eio-audit check passes.log --pass ttir-erase-inverse-ops
      compiler --mlir-print-ir-after-all 2>&1 | eio-audit check - --format json
      eio-audit check dumps/ --format github -o sarif:order.sarif
      eio-audit check dumps/ --baseline order-baseline.json
    """
    files, errors, skipped = find_all(paths, find_files)
    findings: list[Finding] = []
    worst_blocks = None
    visits = []
    if gate_choice.needs_findings or reports.formats - {"text", "html"}:  # these show findings one by one
        visits.append(gate_choice.collect(findings))
    if "html" in reports.formats:
        from eio_audit import WorstBlocks

        worst_blocks = WorstBlocks()
        visits.append(worst_blocks.add)

    def visit(dump: AuditedDump) -> None:
        for each in visits:
            each(dump)

    with progress(total_size(files), "checking") as advance:
        dumps = dumps_of_all(
            files, lambda file: advancing(choice.of(read_dumps(file)), advance, size(file)), errors
        )
        result = check(dumps, options, visit if visits else None, measures_memory=reports.measures_memory)
    result = replace(result, errors=(*errors, *result.errors))
    show_errors(result.errors)
    if not reports.quiet:
        note_skipped(skipped)
        warn_of_unmatched(unmatched_patterns(result.dumps))
    verdict = gate_choice.judge(result, findings, quiet=reports.quiet)
    reports.write(verdict, worst_blocks.pictures if worst_blocks else ())
    if result.errors:
        ctx.exit(2)
    require_indices(result.summary, *paths)
    ctx.exit(1 if verdict.failed else 0)
