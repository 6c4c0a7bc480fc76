"""``eio-audit shuffle``: a random legal order."""

from __future__ import annotations

import click

from eio_audit.audit.options import AuditOptions
from eio_audit.cli.inputs import read_dumps
from eio_audit.cli.options import (
    PATH,
    REWRITE_EXIT_CODES,
    dependence_options,
    grouped_command,
    ir_output_option,
)
from eio_audit.cli.output import write_bytes


@grouped_command(
    "shuffle", hidden=True, short_help="Write the IR in a random legal order.", epilog=REWRITE_EXIT_CODES
)
@click.argument("path", type=PATH)
@click.option("--seed", type=int, required=True, metavar="N", help="The same N gives the same order.")
@dependence_options
@ir_output_option
def shuffle_command(path: str, seed: int, options: AuditOptions, output: str | None) -> None:
    """Write the IR in a random order that keeps all dependences; - is standard input.

    Use it for demonstrations, and to test what should not depend on the order. Ops keep their locations, so
    fix restores the original order.

    \b
    Examples:
      eio-audit shuffle in.mlir --seed 1 -o shuffled.mlir
      eio-audit stamp in.mlir | eio-audit shuffle - --seed 1 | eio-audit fix -
    """
    from eio_audit.audit.fix.reordering import shuffle

    write_bytes(output, [shuffle(read_dumps(path, "shuffle"), seed, options)])
