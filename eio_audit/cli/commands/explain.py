"""``eio-audit explain``: why an op is where it is."""

from __future__ import annotations

from pathlib import Path

import click

from eio_audit.audit.options import AuditOptions
from eio_audit.cli.dump_choice import DumpChoice
from eio_audit.cli.inputs import no_order, warn_of_unmatched
from eio_audit.cli.options import (
    DUMP_PATH,
    EXIT_CODES,
    audit_options,
    dump_options,
    grouped_command,
)
from eio_audit.cli.reports import Reports, report_options, verbose_option

WHICH_OP = "OP is missing: give %name, '#index' (# begins a shell comment, so quote it) or a line of the file"


@grouped_command("explain", short_help="Explain why an op is where it is.", epilog=EXIT_CODES)
@click.argument("path", type=DUMP_PATH)
@click.argument("op", required=False)
@dump_options
@audit_options
@report_options("Explanation", verbose_option())
def explain_command(
    path: str, op: str | None, choice: DumpChoice, options: AuditOptions, reports: Reports
) -> None:
    """Explain why an op is where it is: its inversions, and why they stay.

    OP is %name, '#index' (quoted), a line of the file (57, or 57:3 with a column), a line of the model
    (model.py:51) or a full name. '%56 of @main' also names the function. In a log, a line chooses the dump.
    Otherwise choose it with --pass and --dump.

    \b
    Examples:
      eio-audit explain after.mlir %56
      eio-audit explain after.mlir '#23'
      eio-audit explain passes.log 4711
    """
    if op is None:
        from eio_audit.report.manual import look_up

        if not Path(path).exists() and look_up(path):
            raise click.UsageError(f"there is no file '{path}'; did you mean 'eio-audit help {path}'?")
        raise click.UsageError(WHICH_OP)
    from eio_audit.audit.explain.explain import explain

    explanation = explain(choice.dumps_with(path, op), op, options)
    warn_of_unmatched(explanation.dump.unmatched)
    if not explanation.dump.summary.has_indices:
        raise no_order(1, [explanation.dump], explanation.dump.source)
    reports.write(explanation)
