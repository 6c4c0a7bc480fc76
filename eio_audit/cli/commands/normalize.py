"""``eio-audit normalize``: a text for ``git diff``."""

from __future__ import annotations

import click

from eio_audit import AuditOptions, InputError, normal_form, source_name
from eio_audit.cli.inputs import NO_OP, DumpChoice, read_dumps
from eio_audit.cli.options import PATH, REWRITE_EXIT_CODES, audit_options, dump_options, ir_output_option
from eio_audit.cli.output import write_bytes
from eio_audit.report.wording.numbers import shortened_list

LISTED_LINES = 10
"""The most lines that the note on ops without a canonical order names."""


@click.command(
    "normalize",
    short_help="Print a canonical text of any IR, for git diff and other line diffs.",
    epilog=REWRITE_EXIT_CODES,
)
@click.argument("path", type=PATH)
@dump_options
@audit_options
@click.option(
    "--order",
    is_flag=True,
    help="Put the ops of each block in a canonical legal order: a depth-first walk up from the last op.",
)
@click.option("--locations", is_flag=True, help="Keep the locations of ops.")
@ir_output_option
def normalize_command(
    path: str, choice: DumpChoice, options: AuditOptions, order: bool, locations: bool, output: str | None
) -> None:
    """Print the IR as a text that is the same for every printing of one program; - is standard input.

    Values are named after their op and a digest of its surroundings, so a change renames little. Aliases are
    expanded, comments left out, white space is uniform. With --order, another legal order makes no difference
    either, except among ops that nothing tells apart; standard error tells where these are.

    \b
    Examples:
      eio-audit normalize a.mlir > a.txt
      git config diff.mlir.textconv "eio-audit normalize --order"
      echo "*.mlir diff=mlir" >> .gitattributes
    """
    forms = [
        normal_form(dump, options, ordered=order, located=locations)
        for dump in choice.of(read_dumps(path, "normalize"), path)
    ]
    text = b"".join(form.text for form in forms)
    if not text:
        raise InputError(source_name(path), None, NO_OP)
    write_bytes(output, text)
    if order and (lines := [line for form in forms for line in form.undecided]):
        where = shortened_list(list(map(str, lines)), LISTED_LINES)
        what = "nothing tells them apart, or they use each other in a graph region"
        click.echo(f"note: some ops stay in textual order, on lines {where}: {what}", err=True)
