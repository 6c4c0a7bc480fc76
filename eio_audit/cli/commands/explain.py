"""``eio-audit explain``: why an op stands where it stands."""

from __future__ import annotations

from pathlib import Path

import click

from eio_audit import AuditOptions, InputError, explain, source_name
from eio_audit.cli.options import (
    EXIT_CODES,
    NO_IR,
    NOTHING_INDEXED,
    PATH,
    audit_options,
    dump_option,
    format_option,
    output_option,
    pass_option,
    read_dumps,
    select,
    verbose_option,
    warn_of_unmatched,
)
from eio_audit.cli.output import encoded, write_bytes, write_text

WHICH_OP = (
    "which op? %name, '#index' (in quotes: to a shell an unquoted # begins a comment) or a line of the file"
)


@click.command("explain", short_help="Tell why an op stands where it stands.", epilog=EXIT_CODES)
@click.argument("path", type=PATH)
@click.argument("op", required=False)
@pass_option
@dump_option
@audit_options
@format_option("text", "json")
@output_option
@verbose_option
def explain_command(
    path: str,
    op: str | None,
    pass_name: str | None,
    dump_number: int | None,
    options: AuditOptions,
    format_: str,
    output: str | None,
    verbose: bool,
) -> None:
    """Tell why an op stands where it stands: what it is inverted with, and what forces that.

    OP is %name, '#index' (quoted), or a line of the file: 57, or 57:3 with a column. In a log, a line says
    which dump is meant; otherwise --pass and --dump do.

    \b
    Examples:
      eio-audit explain after.mlir %56
      eio-audit explain after.mlir '#23'
      eio-audit explain passes.log 4711
    """
    if op is None:
        from eio_audit.report.manual import look_up

        if not Path(path).exists() and look_up(path):
            raise click.UsageError(f"there is no file '{path}'; did you mean 'eio-audit rule {path}'?")
        raise click.UsageError(WHICH_OP)
    dumps = select(read_dumps(path), pass_name, dump_number)
    if not dumps:
        raise InputError(source_name(path), None, NO_IR)
    explanation = explain(dumps, op, options)
    warn_of_unmatched([explanation.dump])
    if not explanation.dump.summary.has_indices:
        raise InputError(explanation.dump.source, None, NOTHING_INDEXED)
    if format_ == "json":
        from eio_audit.report.json import explanation_to_json

        write_bytes(encoded(explanation_to_json(explanation)), output)
        return
    from eio_audit.report.text.console import make_console
    from eio_audit.report.text.explain import print_explanation

    write_text(lambda file: print_explanation(explanation, make_console(file), verbose=verbose), output)
