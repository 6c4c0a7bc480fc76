"""``eio-audit graph``: the dataflow DAG of a block, or around an op."""

from __future__ import annotations

import click

from eio_audit.audit.options import AuditOptions
from eio_audit.cli.dump_choice import DumpChoice
from eio_audit.cli.inputs import is_given, warn_of_unmatched
from eio_audit.cli.options import DUMP_PATH, audit_options, dump_options, exit_codes, grouped_command, whole
from eio_audit.cli.reports import Reports, report_options
from eio_audit.mlir.source import InputError

DRAWN_OPS = 600  # the most ops in a picture; a larger picture is slow to lay out and unreadable


@grouped_command(
    "graph", short_help="Write a block's dataflow DAG: dot, graphml, json or svg.", epilog=exit_codes({})
)
@click.argument("path", type=DUMP_PATH)
@click.option(
    "--block",
    metavar="LINE|@FUNCTION",
    help="The block at this line, or of this function (@main).  [default: most inversions]",
)
@click.option("--around", metavar="OP", help="Show only the ops near this one: %name, '#index' or a line.")
@click.option(
    "--radius",
    type=whole(0),
    default=2,
    show_default=True,
    help="Largest distance from the --around op, in dependences.",
)
@dump_options
@audit_options
@report_options("Dataflow")
def graph_command(
    path: str,
    block: str | None,
    around: str | None,
    radius: int,
    choice: DumpChoice,
    options: AuditOptions,
    reports: Reports,
) -> None:
    """Write the dataflow DAG of a block, or of the ops near one op: which op must come after which, and why.

    Displaced ops are highlighted, and so are dependences against the original order, which force inversions.

    \b
    Examples:
      eio-audit graph after.mlir --around %56 --format svg -o around_56.svg
      eio-audit graph after.mlir --around '#23' | dot -Tpdf -o around_23.pdf
      eio-audit graph after.mlir --format graphml -o block.graphml
    """
    from eio_audit.audit.explain.order_picture import dataflow, neighbourhood

    if around is not None and block is not None:
        raise click.UsageError("--around cannot be used with --block, because the op determines the block")
    if around is None and is_given("radius"):
        raise click.UsageError("--radius requires --around OP")
    dumps = choice.dumps_with(path, around or block or "")
    if around is None:
        drawn = dataflow(dumps, block, options)
    else:
        drawn = neighbourhood(dumps, around, radius, options)
    warn_of_unmatched(drawn.dump.unmatched)
    if "svg" in reports.formats and len(drawn.ops) > DRAWN_OPS:
        advice = "--around OP" if around is None else "a smaller --radius"
        message = f"{len(drawn.ops):,} ops are too many for a picture, the limit is {DRAWN_OPS}: try {advice}"
        raise InputError(drawn.dump.source, None, f"{message}, or another format")
    reports.write(drawn)
