"""``eio-audit check``: the gate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import click

from eio_audit import AuditOptions, Check, Dump, InputError, check, find_files, read
from eio_audit.cli.options import (
    GATE_EXIT_CODES,
    NOTHING_INDEXED,
    PATH,
    audit_options,
    dump_option,
    exit_code,
    fail_on_option,
    format_option,
    output_option,
    pass_option,
    quiet_option,
    select,
    verbose_option,
    warn_of_unmatched,
)
from eio_audit.cli.output import show_error, write_bytes, write_text


@click.command("check", short_help="Audit the order of every dump: the CI gate.", epilog=GATE_EXIT_CODES)
@click.argument("paths", nargs=-1, required=True, type=PATH, metavar="PATH...")
@pass_option
@dump_option
@audit_options
@fail_on_option
@format_option("text", "json")
@output_option
@quiet_option
@verbose_option
@click.pass_context
def check_command(
    ctx: click.Context,
    paths: tuple[str, ...],
    pass_name: str | None,
    dump_number: int | None,
    options: AuditOptions,
    fail_on: str,
    format_: str,
    output: str | None,
    quiet: bool,
    verbose: bool,
) -> None:
    """Audit the order of every dump in files, logs and folders; - is standard input.

    \b
    Examples:
      eio-audit check after.mlir
      eio-audit check passes.log --pass ttir-erase-inverse-ops
      compiler --mlir-print-ir-after-all 2>&1 | eio-audit check - --format json
    """
    unreadable: list[InputError] = []
    result = check(_dumps(paths, pass_name, dump_number, unreadable), options)
    result = replace(result, errors=(*unreadable, *result.errors))
    for error in result.errors:
        show_error(error)
    if not quiet:
        warn_of_unmatched(result.dumps)
    if not quiet or output is not None:
        _write_report(result, format_, output, verbose=verbose)
    if result.errors:
        ctx.exit(2)
    if not result.summary.has_indices:
        raise InputError(_all_names(paths), None, NOTHING_INDEXED)
    ctx.exit(exit_code(result.summary, fail_on))


def _write_report(result: Check, format_: str, output: str | None, *, verbose: bool) -> None:
    if format_ == "json":
        from eio_audit.report.json import check_to_json

        write_bytes(check_to_json(result).encode(), output)
    else:
        from eio_audit.report.text import make_console, print_check

        write_text(lambda file: print_check(result, make_console(file), verbose=verbose), output)


def _dumps(
    paths: tuple[str, ...], pass_name: str | None, dump_number: int | None, unreadable: list[InputError]
) -> Iterator[Dump]:
    """The chosen dumps of all paths; a file that cannot be read does not hide the others."""
    for path in paths:
        try:
            files = find_files(path)
        except InputError as error:
            unreadable.append(error)
            continue
        for file in files:
            try:
                yield from select(read(file), pass_name, dump_number)
            except InputError as error:
                unreadable.append(error)


def _all_names(paths: tuple[str, ...]) -> str:
    return ", ".join("<stdin>" if path == "-" else path for path in paths)
