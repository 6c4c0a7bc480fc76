"""``eio-audit diff``: what a pass did."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from eio_audit.cli.dump_choice import DumpChoice
from eio_audit.cli.gate import ceiling_options, is_asked_for
from eio_audit.cli.git_diff import GitDiffCommand, GitFiles
from eio_audit.cli.inputs import (
    dumps_of_run,
    is_run,
    no_order,
    read_dumps,
    total_size,
    warn_of_unmatched,
)
from eio_audit.cli.jobs import Jobs, jobs_options
from eio_audit.cli.option_groups import grouped_command
from eio_audit.cli.options import DIFF_EXIT_CODES, PATH, audit_options, dump_options
from eio_audit.cli.reports import RENDERERS, Reports, quiet_option, report_options, verbose_option
from eio_audit.mlir.source import Source, Span, source_name

if TYPE_CHECKING:
    from eio_audit.audit.corpus.workers import Workers
    from eio_audit.audit.gate.gate import Gate
    from eio_audit.audit.options import AuditOptions
    from eio_audit.mlir.input.dumps import Dump


@grouped_command(
    "diff",
    cls=GitDiffCommand,
    short_help="Show what a pass did to the ops and to their order.",
    epilog=DIFF_EXIT_CODES,
)
@click.argument("before", type=PATH)
@click.argument("after", type=PATH, required=False)
@dump_options
@audit_options
@ceiling_options(allow_unindexed=None)
@click.option(
    "--exit-code",
    is_flag=True,
    help="Accepted for git, which needs it to get the exit code. Elsewhere it has no effect.",
)
@click.option(
    "--same-as",
    type=click.Choice(["bytes", "names", "order"]),
    default="order",
    show_default=True,
    help="What counts as the same: bytes, identical text; names, the same text up to names and locations; "
    "order, the same program in any legal order.",
)
@click.option(
    "-U",
    "--unified",
    "context",
    type=click.IntRange(min=0),
    metavar="N",
    help="Show all changes in textual order, with N unchanged ops around each.",
)
@jobs_options
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
    context: int | None,
    parallel: Jobs,
    reports: Reports,
) -> None:
    """Compare two dumps: which ops were moved, modified, added or removed, and how their order changed.

    Given one log or folder, compare the dumps before and after the pass that --pass names. In a folder,
    ttir-before-PASS.mlir and ttir-after-PASS.mlir are such a pair. If there are several passes and none is
    chosen, list those that changed most.

    Given two logs or folders, pair their dumps and show the first pair that differs. Compare the others too,
    in several processes, until one pair is not the same.

    The exit code is 0 if the dumps are the same in the sense of --same-as, and 1 if they differ. With
    --fail-on or another option of the gate, it is that of the gate, for the order of AFTER.

    \b
    Examples:
      eio-audit diff before.mlir after.mlir
      eio-audit diff passes.log
      eio-audit diff passes.log --pass ttir-erase-inverse-ops
      eio-audit diff passes.log --pass cse --dump @main
      eio-audit diff dumps/
      eio-audit diff before.mlir after.mlir --format markdown > comment.md
      git config diff.mlir.command "eio-audit diff"
    """
    from eio_audit.audit.check.figures import unmatched_patterns
    from eio_audit.audit.corpus.two_runs import compare_runs
    from eio_audit.audit.diff.diff import diff
    from eio_audit.audit.diff.sameness import Sameness
    from eio_audit.audit.explain.order_picture import WorstBlocks
    from eio_audit.cli.pass_pair import around_pass
    from eio_audit.report.text.progress import status

    are_runs = after is not None and not choice.is_made and is_run(before) and is_run(after)
    if parallel.timeout is not None and not are_runs:
        raise click.UsageError("--timeout requires two logs or folders")
    if after is not None and are_runs:
        _require_formats("RunComparison", reports)
        with _workers(parallel, before, after) as workers:
            runs = compare_runs(
                dumps_of_run(before), dumps_of_run(after), options, Sameness(same_as), workers
            )
        reports.write(runs, context=context)
        ctx.exit(0 if runs.is_same_as_asked else 1)
    if after is None:
        old, new = around_pass(before, choice, options.op_table)
    else:
        old, new = _one_of_each(before, after, choice)
    if isinstance(ctx.obj, GitFiles):
        old, new = _renamed(old, ctx.obj.old_name), _renamed(new, ctx.obj.new_name)
    worst_blocks = WorstBlocks()
    visit = worst_blocks.visit if "html" in reports.formats else None
    measures_memory = reports.measures_memory or "json" in reports.formats
    with status("comparing the dumps"):
        result = diff(old, new, options, visit, measures_memory=measures_memory)
    if not reports.quiet:
        warn_of_unmatched(unmatched_patterns([result.before, result.after]))
    reports.write(result, pictures=worst_blocks.pictures(), context=context)
    if not (gate.never_fails or is_asked_for(gate)):
        ctx.exit(0 if result.sameness.is_at_least(Sameness(same_as)) else 1)
    if is_asked_for(gate) and result.after.is_unindexed:
        raise no_order(1, [result.after], result.after.source)
    ctx.exit(1 if gate.failed_rules(result.after.summary) else 0)


def _one_of_each(before: str, after: str, choice: DumpChoice) -> tuple[Dump, Dump]:
    """Return one dump of each file. Beside a log, the choice does not concern a file with one dump."""
    both = [(path, [] if path == os.devnull else read_dumps(path)) for path in (before, after)]
    is_beside_log = any(len(dumps) > 1 for _, dumps in both)
    chosen = []
    for path, dumps in both:
        own = DumpChoice() if is_beside_log and len(dumps) == 1 else choice
        chosen.append(_no_ops() if path == os.devnull else own.only_one(dumps, source_name(path)))
    old, new = chosen
    return old, new


def _workers(parallel: Jobs, *runs: str) -> AbstractContextManager[Workers | None]:
    from eio_audit.mlir.input.folders import find_dump_files

    return parallel.workers(total_size([file.path for run in runs for file in find_dump_files(run)]))


def _require_formats(kind: str, reports: Reports) -> None:
    for format_ in reports.formats - RENDERERS[kind].keys():
        raise click.UsageError(
            f"two logs are compared as {' or '.join(RENDERERS[kind])}, not as {format_}; "
            "choose one dump of each with --pass or --dump"
        )


def _no_ops() -> Dump:
    from eio_audit.mlir.input.dumps import Dump

    return Dump(Source(os.devnull, b""), Span(0, 0), None, 1)


def _renamed(dump: Dump, name: str) -> Dump:
    return dump if dump.source.name == os.devnull else replace(dump, source=Source(name, dump.source.data))
