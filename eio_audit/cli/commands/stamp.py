"""``eio-audit stamp``: op indices for any IR."""

from __future__ import annotations

import click

from eio_audit.cli.config_file import Config
from eio_audit.cli.inputs import read_dumps
from eio_audit.cli.options import (
    PATH,
    REWRITE_EXIT_CODES,
    config_option,
    grouped_command,
    ir_output_option,
    max_size_key,
)
from eio_audit.cli.output import write_bytes


@grouped_command(
    "stamp", short_help="Number the ops of any IR, to audit any pass.", epilog=REWRITE_EXIT_CODES
)
@click.argument("path", type=PATH)
@config_option
@max_size_key
@ir_output_option
def stamp_command(path: str, config: Config, max_size: int, output: str | None) -> None:
    """Give every op an index location, so that later passes can be audited; - is standard input.

    An op's index is its position in the text. The new location contains the old one. Functions and modules
    get no index, because passes copy their locations to new ops. Run the compiler with
    --mlir-print-debuginfo, so that it prints locations. A log is an error: stamp the compiler's input, then
    run the passes.

    \b
    Examples:
      eio-audit stamp in.mlir -o stamped.mlir
      eio-audit stamp in.mlir | mlir-opt --cse --mlir-print-debuginfo |
        eio-audit check -
    """
    from eio_audit.audit.fix.labels import stamp

    write_bytes(output, [stamp(read_dumps(path, "stamp"))])
