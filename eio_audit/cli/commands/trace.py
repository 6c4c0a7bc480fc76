"""``eio-audit trace``: which pass did it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import click

from eio_audit import (
    AuditOptions,
    Dump,
    DumpFile,
    Gate,
    InputError,
    __version__,
    find_dump_files,
    source_name,
    stream,
    trace,
)
from eio_audit.cli.gate import ceiling_options
from eio_audit.cli.options import (
    GATE_EXIT_CODES,
    NO_IR,
    NOTHING_INDEXED,
    PATH,
    audit_options,
    format_option,
    max_size,
    note_apart,
    note_skipped,
    output_option,
    quiet_option,
    report_output,
    warn_of_patterns,
)
from eio_audit.cli.output import encoded, show_error, write_bytes, write_text


@click.command(
    "trace",
    short_help="Tell what each pass did to the order, and which shuffled first.",
    epilog=GATE_EXIT_CODES,
)
@click.argument("paths", nargs=-1, required=True, type=PATH, metavar="PATH...")
@audit_options
@ceiling_options
@format_option("text", "json", "html")
@output_option
@quiet_option
@click.option("-v", "--verbose", is_flag=True, help="Show the passes that changed nothing one by one.")
@click.pass_context
def trace_command(
    ctx: click.Context,
    paths: tuple[str, ...],
    options: AuditOptions,
    gate: Gate,
    format_: str,
    output: str | None,
    quiet: bool,
    verbose: bool,
) -> None:
    """Tell what each pass of a log or a folder of dumps did to the order, and which one shuffled first.

    Several files are the stages of a compiler in the order given; - is standard input. In a folder,
    ttir.mlir, ttir-before-PASS.mlir and ttir-after-PASS.mlir are one program in three states.

    \b
    Examples:
      eio-audit trace passes.log
      eio-audit trace passes-tree/
      eio-audit trace ttir.mlir before.mlir after.mlir
      compiler --mlir-print-ir-after-all 2>&1 | eio-audit trace -
    """
    from eio_audit.report.text.progress import progress

    unreadable: list[InputError] = []
    skipped: list[str] = []
    files = list(_files(paths, unreadable, skipped))
    with progress(_total_bytes(files), "tracing") as advance:
        result = trace(_dumps(files, unreadable, advance), options)
    result = replace(result, errors=(*unreadable, *result.errors))
    for error in result.errors:
        show_error(error)
    if not quiet:
        note_skipped(skipped)
        note_apart(files)
        warn_of_patterns(result.unmatched)
    output = report_output(output, quiet=quiet)
    if format_ == "json":
        from eio_audit.report.json import trace_to_json

        write_bytes(encoded(trace_to_json(result)), output)
    elif format_ == "html":
        from eio_audit.report.html import trace_to_html

        write_bytes(encoded(trace_to_html(result, __version__)), output)
    else:
        from eio_audit.report.text.console import make_console
        from eio_audit.report.text.trace import print_trace

        write_text(lambda file: print_trace(result, make_console(file), verbose=verbose), output)
    if result.errors:
        ctx.exit(2)
    if not result.summary.has_indices:
        names = ", ".join(map(source_name, paths))
        raise InputError(names, None, NOTHING_INDEXED if result.summary.dumps else NO_IR)
    ctx.exit(1 if gate.failed_rules(result.summary) else 0)


def _files(paths: Sequence[str], unreadable: list[InputError], skipped: list[str]) -> Iterator[DumpFile]:
    for path in paths:
        try:
            yield from find_dump_files(path, skipped.append)
        except InputError as error:
            unreadable.append(error)


def _dumps(
    files: Sequence[DumpFile], unreadable: list[InputError], advance: Callable[[int], None]
) -> Iterator[Dump]:
    """The dumps of all files; one that cannot be read does not hide the others."""
    for file in files:
        named = file.state.marker if file.state is not None else None
        stage = named or (Path(file.path).name if len(files) > 1 else None)
        try:
            yield from stream(file.path, file.program, stage, advance, max_size())
        except InputError as error:
            unreadable.append(error)


def _total_bytes(files: Sequence[DumpFile]) -> int | None:
    """How much there is to read; None behind a pipe."""
    paths = [Path(file.path) for file in files]
    return sum(path.stat().st_size for path in paths) if all(path.is_file() for path in paths) else None
