"""``eio-audit check``: the gate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from eio_audit import AuditOptions, Dump, InputError, check, find_files, read
from eio_audit.cli.gate import GateChoice, gate_options
from eio_audit.cli.options import (
    NOTHING_INDEXED,
    audit_options,
    dump_option,
    format_option,
    pass_option,
    select,
    verbose_option,
    warn_of_unmatched,
)
from eio_audit.cli.output import show_error
from eio_audit.cli.reports import FORMATS, chosen_reports, list_findings, outputs_option, write_report

if TYPE_CHECKING:
    from eio_audit import Finding


@click.command("check", short_help="Audit the order of every dump: the CI gate.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@pass_option
@dump_option
@audit_options
@gate_options
@format_option(*FORMATS)
@outputs_option
@verbose_option
@click.pass_context
def check_command(
    ctx: click.Context,
    paths: tuple[str, ...],
    pass_name: str | None,
    dump_number: int | None,
    options: AuditOptions,
    choice: GateChoice,
    format_: str,
    outputs: tuple[tuple[str | None, str], ...],
    verbose: bool,
) -> None:
    """Audit the order of every dump in files, logs and folders; - is standard input.

    \b
    Examples:
      eio-audit check after.mlir
      eio-audit check passes.log --pass ttir-erase-inverse-ops
      compiler --mlir-print-ir-after-all 2>&1 | eio-audit check - --format json
      eio-audit check dumps/ --format github --output sarif:order.sarif --output junit:order.xml
      eio-audit check dumps/ --baseline order-baseline.json
    """
    reports = chosen_reports(format_, outputs)
    unreadable: list[InputError] = []
    findings: list[Finding] = []
    dumps = _dumps(paths, pass_name, dump_number, unreadable)
    if choice.needs_findings or list_findings(reports):
        from eio_audit import find

        result = check(dumps, options, lambda dump: findings.extend(find(dump, choice.gate.rules)))
    else:
        result = check(dumps, options)
    result = replace(result, errors=(*unreadable, *result.errors))
    for error in result.errors:
        show_error(error)
    warn_of_unmatched(result.dumps)
    verdict = choice.judge(result, findings)
    for report in reports:
        write_report(verdict, report, verbose=verbose)
    if result.errors:
        ctx.exit(2)
    if not result.summary.has_indices:
        raise InputError(_all_names(paths), None, NOTHING_INDEXED)
    ctx.exit(1 if verdict.failed else 0)


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
