"""``eio-audit diff``: what a pass did."""

from __future__ import annotations

import click

from eio_audit import AuditOptions, Gate, Sameness, WorstBlocks, compare_runs, diff, unmatched_patterns
from eio_audit.cli.gate import ceiling_options
from eio_audit.cli.inputs import DumpChoice, dumps_of_run, is_run, warn_of_unmatched
from eio_audit.cli.options import DIFF_EXIT_CODES, PATH, audit_options, dump_options
from eio_audit.cli.pass_pair import around_pass
from eio_audit.cli.reports import Reports, quiet_option, report_options, verbose_option


@click.command("diff", short_help="Show what a pass did, op by op, and to the order.", epilog=DIFF_EXIT_CODES)
@click.argument("before", type=PATH)
@click.argument("after", type=PATH, required=False)
@dump_options
@audit_options
@ceiling_options
@click.option(
    "--exit-code",
    is_flag=True,
    help="Exit with 0 if the dumps are the same and with 1 if they differ, whatever their order is.",
)
@click.option(
    "--same-as",
    type=click.Choice(["bytes", "names", "order"]),
    default="order",
    show_default=True,
    help="What --exit-code calls the same: bytes, identical texts; names, the same but for names and places; "
    "order, the same program in any legal order.",
)
@report_options("Diff", quiet_option, verbose_option)
@click.pass_context
def diff_command(
    ctx: click.Context,
    before: str,
    after: str | None,
    choice: DumpChoice,
    options: AuditOptions,
    gate: Gate,
    exit_code: bool,
    same_as: str,
    reports: Reports,
) -> None:
    """Show what happened between two dumps, op by op, and what it did to the order.

    With one log or folder instead of two dumps: what the pass named by --pass did. Files of a folder such as
    ttir-before-PASS.mlir and ttir-after-PASS.mlir are a pair. The exit code is that of the dump after.

    \b
    Examples:
      eio-audit diff before.mlir after.mlir
      eio-audit diff passes.log --pass ttir-erase-inverse-ops
      eio-audit diff dumps/
      eio-audit diff before.mlir after.mlir --format markdown > comment.md
    """
    if after is not None and not choice.is_made and is_run(before) and is_run(after):
        runs = compare_runs(dumps_of_run(before), dumps_of_run(after), options)
        reports.write(runs)
        ctx.exit(1 if exit_code and not runs.is_same_as(Sameness(same_as)) else 0)
    if after is None:
        old, new = around_pass(before, choice)
    else:
        old, new = (choice.only_dump(path) for path in (before, after))
    worst_blocks = WorstBlocks()
    visit = worst_blocks.add if "html" in reports.formats else None
    result = diff(old, new, options, visit, measures_memory=reports.measures_memory)
    if not reports.quiet:
        warn_of_unmatched(unmatched_patterns([result.before, result.after]))
    reports.write(result, worst_blocks.pictures)
    if exit_code:
        ctx.exit(0 if result.sameness.is_at_least(Sameness(same_as)) else 1)
    ctx.exit(1 if gate.failed_rules(result.after.summary) else 0)
