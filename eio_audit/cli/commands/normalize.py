"""``eio-audit normalize``: a canonical text for ``git diff``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from eio_audit.audit.options import AuditOptions
from eio_audit.cli.dump_choice import DumpChoice
from eio_audit.cli.inputs import note, read_dumps
from eio_audit.cli.options import (
    DUMP_PATH,
    REWRITE_EXIT_CODES,
    dependence_options,
    dump_options,
    grouped_command,
    ir_output_option,
)
from eio_audit.cli.output import write_bytes
from eio_audit.mlir.source import InputError, source_name
from eio_audit.report.wording import shortened_list

if TYPE_CHECKING:
    from eio_audit.mlir.input.dumps import Dump


LISTED_LINES = 10  # the most lines to list in the note on ops without a canonical order


@grouped_command(
    "normalize",
    short_help="Print IR in a canonical form, for git diff and other line diffs.",
    epilog=REWRITE_EXIT_CODES,
)
@click.argument("path", type=DUMP_PATH)
@dump_options
@dependence_options
@click.option("--order", is_flag=True, help="Also put the ops of each block in a canonical legal order.")
@click.option("--locations", is_flag=True, help="Keep the locations of ops.")
@ir_output_option
def normalize_command(
    path: str, choice: DumpChoice, options: AuditOptions, order: bool, locations: bool, output: str | None
) -> None:
    """Print the IR in a canonical form: equal programs give equal text; - is standard input.

    Each value is named after its op and a digest of its surroundings, so that a change renames few values.
    Aliases are expanded, comments removed, and white space is uniform. With --order, all legal orders of a
    program give the same text, except for indistinguishable ops; a note on standard error lists their lines.
    Above each dump of several stands a line with its pass, or // ----- between two programs.

    \b
    Examples:
      eio-audit normalize a.mlir > a.txt
      git config diff.mlir.textconv \\
        'f() { eio-audit normalize --order "$1" || cat "$1"; }; f'
      echo "*.mlir diff=mlir" >> .gitattributes
    """
    from eio_audit.audit.diff.normal_form import normal_form

    dumps = choice.at(path).of(read_dumps(path, "normalize"), path)
    forms = [normal_form(dump, options, ordered=order, located=locations) for dump in dumps]
    parts = [
        (dump, form.text) for dump, form in zip(dumps, forms, strict=True) if form.text or dump.place.when
    ]
    text = b"".join(form.text for form in forms)
    if len(dumps) > 1 and text:
        text = b"".join(_heading(dump, number) + part for number, (dump, part) in enumerate(parts))
    if not text:  # an error, so that a textconv may fall back to the text
        raise InputError(source_name(path), None, "nothing to normalize: no op")
    write_bytes(output, [text])
    if order and options.configuration:
        note(f"what may change places is set {options.configuration}")
    if order and (lines := [line for form in forms for line in form.undecided]):
        where = shortened_list(list(map(str, lines)), LISTED_LINES)
        note(f"indistinguishable ops stay in textual order, on lines {where}")


def _heading(dump: Dump, number: int) -> bytes:
    """Return the line above a dump: its marker, or ``// -----`` between it and another program."""
    marker = dump.marker
    if marker is None or marker.when is None:
        return b"// -----\n" if number else b""
    on = f" ('{marker.op_name}' operation: {marker.symbol})" if marker.op_name and marker.symbol else ""
    name = f"{marker.class_name} ({marker.pass_name}){' Failed' if marker.failed else ''}{on}"
    return f"// -----// IR Dump {marker.when.title()} {name} //----- //\n".encode()
