"""``eio-audit fix``: the corrected IR; nothing else ever goes to standard output."""

from __future__ import annotations

import sys

import click

from eio_audit import AuditOptions, InputError, fix, read
from eio_audit.cli.options import (
    NOTHING_INDEXED,
    PATH,
    audit_options,
    dump_option,
    pass_option,
    select,
    warn_of_unmatched,
)
from eio_audit.cli.output import write_bytes


@click.command("fix", short_help="Write the IR in its original order.")
@click.argument("path", type=PATH)
@pass_option
@dump_option
@audit_options
@click.option("-o", "--output", type=PATH, metavar="OUT", help="Write to OUT instead of standard output.")
@click.option(
    "-i", "--in-place", is_flag=True, help="Change the file itself, if there is anything to change."
)
@click.option(
    "--renumber", is_flag=True, help="Name values as MLIR's printer would: %0, %1, ... in the new order."
)
@click.option("-q", "--quiet", is_flag=True, help="Say nothing on standard error.")
def fix_command(
    path: str,
    pass_name: str | None,
    dump_number: int | None,
    options: AuditOptions,
    output: str | None,
    in_place: bool,
    renumber: bool,
    quiet: bool,
) -> None:
    """Write the IR in its original order, as far as dependences allow; - is standard input.

    Every dump of a log is corrected where it stands; with --pass or --dump only that dump is written.
    The result is read again and verified before anything is written.

    \b
    Examples:
      compiler ... | eio-audit fix - | next-tool
      eio-audit fix after.mlir -o fixed.mlir
      eio-audit fix passes.log --pass ttir-erase-inverse-ops --dump last
    """
    if in_place and (output is not None or path == "-"):
        raise click.UsageError("--in-place changes the file it reads: it goes with neither --output nor '-'")
    dumps = read(path)
    chosen = select(dumps, pass_name, dump_number)
    if not chosen:
        raise InputError("<stdin>" if path == "-" else path, None, "nothing to fix: the input holds no IR")
    source = chosen[0].source
    is_selection = (pass_name is not None or dump_number is not None) and not in_place
    result = fix(source, chosen, options, only_dumps=is_selection, renumber=renumber)
    if not result.before.has_indices:
        raise InputError(source.name, None, NOTHING_INDEXED)
    if in_place:
        if source.is_compressed:
            raise InputError(path, None, "a compressed file is not changed in place: use --output")
        if result.changed or result.renumbered:
            write_bytes(result.text, path)
    else:
        write_bytes(result.text, output)
    if not quiet:
        warn_of_unmatched(result.dumps)
        from eio_audit.report.text import make_console, print_fix

        print_fix(result, source.name, make_console(sys.stderr))
