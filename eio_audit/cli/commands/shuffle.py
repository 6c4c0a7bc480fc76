"""``eio-audit shuffle``: something to fix."""

from __future__ import annotations

import click

from eio_audit import AuditOptions, InputError, shuffle, source_name
from eio_audit.cli.config_file import Config
from eio_audit.cli.options import (
    PATH,
    REWRITE_EXIT_CODES,
    assume_pure_option,
    config_options,
    max_size_option,
    read_dumps,
)
from eio_audit.cli.output import write_bytes


@click.command("shuffle", short_help="Write the IR in a random legal order.", epilog=REWRITE_EXIT_CODES)
@click.argument("path", type=PATH)
@click.option("--seed", type=int, required=True, metavar="N", help="Which of the orders: a seed gives one.")
@config_options
@max_size_option
@assume_pure_option
@click.option("-o", "--output", type=PATH, metavar="OUT", help="Write to OUT instead of standard output.")
def shuffle_command(
    path: str, seed: int, config: Config, max_size: int, assume_pure: tuple[str, ...], output: str | None
) -> None:
    """Write the IR in a random order that keeps all dependences; - is standard input.

    For demonstrations, and for tests of what should not depend on the order. The ops keep their locations, so
    a fix brings back the order that these tell of.

    \b
    Examples:
      eio-audit shuffle in.mlir --seed 1 -o shuffled.mlir
      eio-audit stamp in.mlir | eio-audit shuffle - --seed 1 | eio-audit fix -
    """
    dumps = read_dumps(path)
    if not dumps:
        raise InputError(source_name(path), None, "nothing to shuffle: the input holds no IR")
    options = AuditOptions(assume_pure=assume_pure, ops=config.ops)
    write_bytes(shuffle(dumps, seed, options), output)
