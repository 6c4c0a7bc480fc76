"""``eio-audit shuffle``: a random legal order."""

from __future__ import annotations

import click

from eio_audit.audit.fix.reordering import shuffle
from eio_audit.audit.options import AuditOptions
from eio_audit.cli.config_file import Config
from eio_audit.cli.inputs import read_dumps
from eio_audit.cli.options import (
    PATH,
    REWRITE_EXIT_CODES,
    assume_pure_option,
    config_options,
    ir_output_option,
    max_size_option,
)
from eio_audit.cli.output import write_bytes


@click.command("shuffle", short_help="Write the IR in a random legal order.", epilog=REWRITE_EXIT_CODES)
@click.argument("path", type=PATH)
@click.option("--seed", type=int, required=True, metavar="N", help="The same N gives the same order.")
@config_options
@max_size_option
@assume_pure_option
@ir_output_option
def shuffle_command(
    path: str, seed: int, config: Config, max_size: int, assume_pure: tuple[str, ...], output: str | None
) -> None:
    """Write the IR in a random order that keeps all dependences; - is standard input.

    Use it for demonstrations, and to test what should not depend on the order. Ops keep their locations, so
    fix restores the original order.

    \b
    Examples:
      eio-audit shuffle in.mlir --seed 1 -o shuffled.mlir
      eio-audit stamp in.mlir | eio-audit shuffle - --seed 1 | eio-audit fix -
    """
    options = AuditOptions(assume_pure=assume_pure, ops=config.ops)
    write_bytes(output, shuffle(read_dumps(path, "shuffle"), seed, options))
