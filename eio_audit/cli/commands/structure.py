"""``eio-audit structure``: what code generation makes of a dump."""

from __future__ import annotations

import click

from eio_audit import AuditOptions, InputError, __version__, structure
from eio_audit.cli.options import (
    EXIT_CODES,
    NOTHING_INDEXED,
    PATH,
    audit_options,
    dump_option,
    format_option,
    only_dump,
    output_option,
    pass_option,
    verbose_option,
    warn_of_unmatched,
)
from eio_audit.cli.output import encoded, write_bytes, write_text


@click.command(
    "structure", short_help="Show the functions that code generation makes of a dump.", epilog=EXIT_CODES
)
@click.argument("path", type=PATH)
@pass_option
@dump_option
@audit_options
@format_option("text", "json", "html")
@output_option
@verbose_option
def structure_command(
    path: str,
    pass_name: str | None,
    dump_number: int | None,
    options: AuditOptions,
    format_: str,
    output: str | None,
    verbose: bool,
) -> None:
    """Show the functions that code generation makes of a dump, and which modules of the model they tear.

    A model of tt-mlir's ttnn-recover-structure, which does not read the order of the ops but their
    locations. Of a log, --pass and --dump say which dump.

    \b
    Examples:
      eio-audit structure after.mlir
      eio-audit structure passes.log --pass ttir-erase-inverse-ops --dump last
      eio-audit structure after.mlir --format html -o structure.html
    """
    result = structure(only_dump(path, pass_name, dump_number), options)
    warn_of_unmatched([result.dump])
    if not result.dump.summary.has_indices:
        raise InputError(result.dump.source, None, NOTHING_INDEXED)
    if format_ == "json":
        from eio_audit.report.json import structure_to_json

        write_bytes(encoded(structure_to_json(result)), output)
    elif format_ == "html":
        from eio_audit.report.html import structure_to_html

        write_bytes(encoded(structure_to_html(result, __version__)), output)
    else:
        from eio_audit.report.text.console import make_console
        from eio_audit.report.text.structure import print_structure

        write_text(lambda file: print_structure(result, make_console(file), verbose=verbose), output)
