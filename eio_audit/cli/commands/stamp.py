"""``eio-audit stamp``: op indices for any IR."""

from __future__ import annotations

import click

from eio_audit import InputError, source_name, stamp
from eio_audit.cli.options import PATH, REWRITE_EXIT_CODES, max_size_option, read_dumps
from eio_audit.cli.output import write_bytes


@click.command("stamp", short_help="Number the ops of any IR, to audit any pass.", epilog=REWRITE_EXIT_CODES)
@click.argument("path", type=PATH)
@max_size_option
@click.option("-o", "--output", type=PATH, metavar="OUT", help="Write to OUT instead of standard output.")
def stamp_command(path: str, max_size: int, output: str | None) -> None:
    """Give every op an index location, so that a pass behind can be audited; - is standard input.

    An op's index is its place in the text. The location it had is kept below. Functions and modules keep
    theirs and get no index: passes give it to ops that they make. Needs a compiler that prints locations:
    --mlir-print-debuginfo.

    \b
    Examples:
      eio-audit stamp in.mlir -o stamped.mlir
      eio-audit stamp in.mlir | mlir-opt --cse --mlir-print-debuginfo |
        eio-audit check -
    """
    dumps = read_dumps(path)
    if not dumps:
        raise InputError(source_name(path), None, "nothing to stamp: the input holds no IR")
    write_bytes(stamp(dumps), output)
