"""``eio-audit graph``: the dataflow DAG of a block or around an op."""

from __future__ import annotations

import click

from eio_audit import AuditOptions, Dataflow, InputError, dataflow, neighbourhood, source_name
from eio_audit.cli.options import (
    NO_IR,
    PATH,
    audit_options,
    dump_option,
    format_option,
    pass_option,
    read_dumps,
    select,
    warn_of_unmatched,
)
from eio_audit.cli.output import encoded, write_bytes

DRAWN_OPS = 600
"""How many ops a picture may have: more cannot be read, and take long to lay out."""

GRAPH_EXIT_CODES = """\b
Exit codes:
  0  done
  2  could not run: usage, or input that cannot be read or is malformed
"""


@click.command(
    "graph", short_help="Write a block's dataflow DAG: dot, graphml, json or svg.", epilog=GRAPH_EXIT_CODES
)
@click.argument("path", type=PATH)
@click.option(
    "--block",
    metavar="LINE|@FUNCTION",
    help="The block at this line, or of this function (@main).  [default: most inversions]",
)
@click.option("--around", metavar="OP", help="Only the ops near this one: %name, '#index' or a line.")
@click.option(
    "--radius",
    type=click.IntRange(0),
    default=2,
    show_default=True,
    help="How many dependences away from --around.",
)
@pass_option
@dump_option
@audit_options
@format_option("dot", "graphml", "json", "svg")
@click.option("-o", "--output", type=PATH, metavar="FILE", help="Write to FILE instead of standard output.")
@click.pass_context
def graph_command(
    ctx: click.Context,
    path: str,
    block: str | None,
    around: str | None,
    radius: int,
    pass_name: str | None,
    dump_number: int | None,
    options: AuditOptions,
    format_: str,
    output: str | None,
) -> None:
    """Write the dataflow DAG of a block, or of the ops around one: which op must stay behind which, and why.

    Displaced ops stand out, and dependences that run against the original order: each forces an inversion.

    \b
    Examples:
      eio-audit graph after.mlir --around %56 --format svg -o around_56.svg
      eio-audit graph after.mlir --around '#23' | dot -Tpdf -o around_23.pdf
      eio-audit graph after.mlir --format graphml -o block.graphml
    """
    if around is not None and block is not None:
        raise click.UsageError("--around and --block do not go together: an op stands in one block")
    if around is None and ctx.get_parameter_source("radius") is click.core.ParameterSource.COMMANDLINE:
        raise click.UsageError("--radius says how far from --around")
    dumps = select(read_dumps(path), pass_name, dump_number)
    if not dumps:
        raise InputError(source_name(path), None, NO_IR)
    drawn = (
        dataflow(dumps, block, options) if around is None else neighbourhood(dumps, around, radius, options)
    )
    warn_of_unmatched([drawn.dump])
    write_bytes(_in_format(drawn, format_), output)


def _in_format(drawn: Dataflow, format_: str) -> bytes:
    from eio_audit.report import graph

    if format_ == "dot":
        return encoded(graph.dataflow_to_dot(drawn))
    if format_ == "graphml":
        return graph.dataflow_to_graphml(drawn)
    if format_ == "json":
        return encoded(graph.dataflow_to_json(drawn))
    if len(drawn.ops) > DRAWN_OPS:
        advice = "a smaller --radius" if drawn.around else "--around OP"
        message = f"{len(drawn.ops):,} ops are too many for a picture, {DRAWN_OPS} the most: try {advice}"
        raise InputError(drawn.dump.source, None, f"{message}, or another format")
    from eio_audit.report.pictures.dataflow_svg import dataflow_to_svg

    return encoded(dataflow_to_svg(drawn))
