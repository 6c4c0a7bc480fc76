"""``eio-audit diff``: what a pass did."""

from __future__ import annotations

import click

import eio_audit
from eio_audit import AuditOptions, Gate, InputError, __version__, diff
from eio_audit.cli.gate import ceiling_options
from eio_audit.cli.options import (
    GATE_EXIT_CODES,
    NOTHING_INDEXED,
    PATH,
    audit_options,
    dump_option,
    format_option,
    only_dump,
    output_option,
    pass_option,
    quiet_option,
    report_output,
    verbose_option,
    warn_of_unmatched,
)
from eio_audit.cli.output import encoded, write_bytes, write_text
from eio_audit.cli.pass_pair import around_pass


@click.command("diff", short_help="Show what a pass did, op by op, and to the order.", epilog=GATE_EXIT_CODES)
@click.argument("before", type=PATH)
@click.argument("after", type=PATH, required=False)
@pass_option
@dump_option
@audit_options
@ceiling_options
@format_option("text", "json", "markdown", "html")
@output_option
@quiet_option
@verbose_option
@click.pass_context
def diff_command(
    ctx: click.Context,
    before: str,
    after: str | None,
    pass_name: str | None,
    dump_number: int | None,
    options: AuditOptions,
    gate: Gate,
    format_: str,
    output: str | None,
    quiet: bool,
    verbose: bool,
) -> None:
    """Show what happened between two dumps, op by op, and what it did to the order.

    With one log or folder instead of two dumps: what the pass named by --pass did. Files of a folder such as
    ttir-before-PASS.mlir and ttir-after-PASS.mlir are a pair. What fails is looked for in the dump after.

    \b
    Examples:
      eio-audit diff before.mlir after.mlir
      eio-audit diff passes.log --pass ttir-erase-inverse-ops
      eio-audit diff dumps/
      eio-audit diff before.mlir after.mlir --format markdown > comment.md
    """
    if after is None:
        old, new = around_pass(before, pass_name, dump_number)
    else:
        old, new = (only_dump(path, pass_name, dump_number) for path in (before, after))
    worst_blocks = eio_audit.WorstBlocks() if format_ == "html" else None
    visit = worst_blocks.add if worst_blocks else None
    result = diff(old, new, options, visit, measures_memory=verbose or format_ in ("json", "html"))
    if not quiet:
        warn_of_unmatched([result.before, result.after])
    output = report_output(output, quiet=quiet)
    if format_ == "json":
        from eio_audit.report.json import diff_to_json

        write_bytes(encoded(diff_to_json(result)), output)
    elif format_ == "markdown":
        from eio_audit.report.markdown.diff import diff_to_markdown

        write_bytes(encoded(diff_to_markdown(result, verbose=verbose)), output)
    elif format_ == "html":
        from eio_audit.report.html import diff_to_html

        pictures = worst_blocks.pictures if worst_blocks else []
        write_bytes(encoded(diff_to_html(result, pictures, __version__)), output)
    else:
        from eio_audit.report.text.console import make_console
        from eio_audit.report.text.diff import print_diff

        write_text(lambda file: print_diff(result, make_console(file), verbose=verbose), output)
    has_indices = result.before.summary.has_indices or result.after.summary.has_indices
    if not has_indices and not gate.never_fails:
        raise InputError(new.source.name, None, NOTHING_INDEXED)
    ctx.exit(1 if gate.failed_rules(result.after.summary) else 0)
