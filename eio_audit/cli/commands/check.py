"""``eio-audit check``: the gate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eio_audit import AuditOptions, Dump, InputError, check, find_files, source_name
from eio_audit.cli.gate import GateChoice, gate_options
from eio_audit.cli.options import (
    GATE_EXIT_CODES,
    NO_IR,
    NOTHING_INDEXED,
    PATH,
    audit_options,
    dump_option,
    format_option,
    note_skipped,
    pass_option,
    quiet_option,
    read_dumps,
    select,
    verbose_option,
    warn_of_unmatched,
)
from eio_audit.cli.output import show_error
from eio_audit.cli.reports import (
    FORMATS,
    chosen_reports,
    list_findings,
    outputs_option,
    picture_album,
    write_report,
)
from eio_audit.report.text.progress import advancing, progress

if TYPE_CHECKING:
    from eio_audit import AuditedDump, Finding


@click.command("check", short_help="Audit the order of every dump: the CI gate.", epilog=GATE_EXIT_CODES)
@click.argument("paths", nargs=-1, required=True, type=PATH, metavar="PATH...")
@pass_option
@dump_option
@audit_options
@gate_options
@format_option(*FORMATS)
@outputs_option
@quiet_option
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
    quiet: bool,
    verbose: bool,
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
    reports = chosen_reports(format_, outputs, quiet=quiet)
    skipped: list[str] = []
    files = _files(paths, skipped)
    unreadable: list[InputError] = []
    findings: list[Finding] = []
    album = picture_album(reports)
    looks = [choice.collect(findings)] if choice.needs_findings or list_findings(reports) else []
    looks += [album.add] if album else []

    def visit(dump: AuditedDump) -> None:
        for look in looks:
            look(dump)

    with progress(_total_bytes(files), "checking") as advance:
        dumps = _dumps(files, pass_name, dump_number, unreadable, advance)
        measures_memory = verbose or any(name in ("json", "html") for name, _ in reports)
        result = check(dumps, options, visit if looks else None, measures_memory=measures_memory)
    result = replace(result, errors=(*unreadable, *result.errors))
    for error in result.errors:
        show_error(error)
    if not quiet:
        note_skipped(skipped)
        warn_of_unmatched(result.dumps)
    verdict = choice.judge(result, findings, quiet=quiet)
    for report in reports:
        write_report(verdict, album.pictures if album else (), report, verbose=verbose)
    if result.errors:
        ctx.exit(2)
    if not result.summary.has_indices:
        raise InputError(_all_names(paths), None, NOTHING_INDEXED if result.summary.dumps else NO_IR)
    ctx.exit(1 if verdict.failed else 0)


def _files(paths: Sequence[str], skipped: list[str]) -> list[str | InputError]:
    """The files of all paths; a path that leads to none does not hide the others."""
    files: list[str | InputError] = []
    for path in paths:
        try:
            files += find_files(path, skipped.append)
        except InputError as error:
            files.append(error)
    return files


def _total_bytes(files: Sequence[str | InputError]) -> int | None:
    """What there is to read on disk; None where it comes from a pipe."""
    sizes = [_size(file) for file in files if isinstance(file, str)]
    return None if 0 in sizes else sum(sizes)


def _size(file: str) -> int:
    """Bytes of a file; 0 for a pipe and for what cannot be read."""
    try:
        return Path(file).stat().st_size
    except OSError:
        return 0


def _dumps(
    files: Sequence[str | InputError],
    pass_name: str | None,
    dump_number: int | None,
    unreadable: list[InputError],
    advance: Callable[[int], None],
) -> Iterator[Dump]:
    """The chosen dumps of all files; one that cannot be read does not hide the others."""
    for file in files:
        if isinstance(file, InputError):
            unreadable.append(file)
            continue
        try:
            chosen = select(read_dumps(file), pass_name, dump_number)
        except InputError as error:
            unreadable.append(error)
            continue
        yield from advancing(chosen, advance, _size(file))


def _all_names(paths: tuple[str, ...]) -> str:
    return ", ".join(map(source_name, paths))
