"""``eio-audit structure``: the functions that code generation makes from a dump."""

from __future__ import annotations

import click

from eio_audit.audit.options import AuditOptions
from eio_audit.cli.dump_choice import DumpChoice
from eio_audit.cli.inputs import require_indices, warn_of_unmatched
from eio_audit.cli.options import EXIT_CODES, PATH, audit_options, dump_options, grouped_command
from eio_audit.cli.reports import Reports, report_options, verbose_option


@grouped_command(
    "structure", short_help="Show the functions that code generation makes from a dump.", epilog=EXIT_CODES
)
@click.argument("path", type=PATH)
@dump_options
@audit_options
@report_options("Structure", verbose_option())
def structure_command(path: str, choice: DumpChoice, options: AuditOptions, reports: Reports) -> None:
    """Show whether code generation runs on a dump, which modules of the model it tears, and its functions.

    The prediction models tt-mlir's ttnn-recover-structure, which reads the locations of ops and ignores their
    order. Its result differs from run to run: the report says first what is certain, then what is typical. In
    a log, choose a dump with --pass and --dump.

    \b
    Examples:
      eio-audit structure after.mlir
      eio-audit structure passes.log --pass ttir-erase-inverse-ops --dump last
      eio-audit structure after.mlir --format html -o structure.html
      eio-audit structure after.mlir --format python
    """
    from eio_audit.audit.codegen.codegen import structure

    result = structure(choice.only_dump(path), options)
    warn_of_unmatched(result.dump.unmatched)
    require_indices(result.dump.summary, [result.dump], result.dump.source)
    reports.write(result)
