"""``eio-audit trace``: all passes of a log."""

from __future__ import annotations

import re
import shlex
import sys
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from eio_audit.cli import inputs
from eio_audit.cli.dump_choice import meant, no_such_pass
from eio_audit.cli.gate import ALLOW_UNINDEXED, MAX_INVERSIONS, ceiling_options, is_asked_for
from eio_audit.cli.jobs import Jobs, jobs_options
from eio_audit.cli.options import (
    PATH,
    audit_options,
    complete_pass,
    exit_codes,
    grouped_command,
    regex,
    together,
    whole,
)
from eio_audit.cli.reports import Reports, quiet_option, report_options, verbose_option
from eio_audit.mlir.source import InputError, source_name
from eio_audit.report.text.progress import progress

if TYPE_CHECKING:
    from eio_audit.audit.corpus.trace_models import PassChoice
    from eio_audit.audit.gate.gate import Gate
    from eio_audit.audit.log.trace import Trace, Watch
    from eio_audit.audit.options import AuditOptions


def _choice(
    pass_name: str | None, function: str | None, changed_op: str | None, grep: re.Pattern[str] | None
) -> PassChoice:
    from eio_audit.audit.corpus.trace_models import PassChoice

    return PassChoice(pass_name, function, changed_op, grep)


pass_options = together(
    "choice",
    _choice,
    click.option(
        "--pass",
        "pass_name",
        metavar="NAME",
        shell_complete=complete_pass,
        help="Show only this pass. * stands for any characters.",
    ),
    click.option(
        "--function", metavar="NAME", help="Show only passes that ran on this function or changed it."
    ),
    click.option(
        "--changed-op",
        metavar="OP",
        help="Show only passes that added, removed, modified or moved such an op, as in linalg.matmul. "
        "* stands for any characters.",
    ),
    click.option(
        "--grep",
        type=regex,
        metavar="REGEX",
        help="Show only passes for which REGEX is found in the line of a changed op, before or after.",
    ),
)


def _why_none(choice: PassChoice, trace: Trace) -> str:
    """Return which of the criteria no pass of a trace matches. Empty if each matches some pass."""
    if choice.pass_name is not None and not choice.only("pass_name").chosen(trace):
        passes = dict.fromkeys(traced.pass_name for traced in trace.passes if traced.pass_name)
        return no_such_pass(list(passes), choice.pass_name)
    if choice.function is not None and not choice.only("function").chosen(trace):
        found = (name for traced in trace.passes for name in (traced.function, *traced.functions) if name)
        functions, symbol = list(dict.fromkeys(found)), "@" + choice.function.removeprefix("@")
        hint = f"; {meant(symbol, functions, 'they did on')}" if functions else ""
        return f"no pass ran on function '{symbol}' or changed it{hint}"
    if choice.changed_op is not None and not choice.only("changed_op").chosen(trace):
        ops = list(dict.fromkeys(name for traced in trace.passes for name in traced.ops or ()))
        hint = f"; {meant(choice.changed_op, ops, 'they changed')}" if ops else ""
        return f"no pass changed an op '{choice.changed_op}'{hint}"
    if choice.pattern is not None and not choice.only("pattern").chosen(trace):
        return f"no line of a changed op matches '{choice.pattern.pattern}'"
    return ""


@grouped_command(
    "trace",
    short_help="Show what each pass of a log did to the ops and to their order.",
    epilog=exit_codes(
        {1: "a pass failed, or findings that fail"},
        "done, and nothing fails",
        """could not run, a dump could not be read, or an option asks
     for a judgement and no op carries an index""",
    ),
    keys=("assume-pure", "max-inversions", "allow-unindexed", "timeout"),
)
@click.argument("paths", nargs=-1, required=True, type=PATH, metavar="PATH...")
@pass_options
@click.option(
    "--count",
    "table",
    flag_value="ops",
    help="Show how many ops of each name the log has at first and at the end. JSON has them for each dump.",
)
@click.option(
    "--by-time",
    is_flag=True,
    help="Show the time of each pass, its runs added up: from a report of -mlir-timing, as text or JSON, in "
    "the log or alone.",
)
@click.option(
    "--top",
    type=whole(1),
    help="Show only the N passes that left most inversions, or else made most, or changed most ops.",
)
@audit_options
@ceiling_options(MAX_INVERSIONS, ALLOW_UNINDEXED, introduced=True)
@jobs_options()
@report_options(
    "ModelTraces", quiet_option, verbose_option("Show all findings, passes and models, also without changes.")
)
@click.pass_context
def trace_command(
    ctx: click.Context,
    paths: tuple[str, ...],
    choice: PassChoice,
    table: str | None,
    by_time: bool,
    top: int | None,
    options: AuditOptions,
    gate: Gate,
    parallel: Jobs,
    reports: Reports,
) -> None:
    """Show what each pass of a log or a folder of dumps did to the ops, and to their order.

    Show which passes added, removed, modified and moved ops. Where ops carry op indices, also show what is
    out of order at the end, which pass caused it, and what was repaired. A folder may have many models, each
    in a folder or a log. Then show the sums by pass and by model.

    Several files are the stages of a compiler in the given order; - is standard input. In a folder,
    ttir.mlir, ttir-before-PASS.mlir and ttir-after-PASS.mlir are one program in three states.

    \b
    Examples:
      eio-audit trace passes.log
      eio-audit trace passes.log --changed-op linalg.matmul
      eio-audit trace passes.log --top 10
      eio-audit trace passes.log --count
      eio-audit trace passes.log --by-time
      eio-audit trace passes-tree/
      eio-audit trace models/ --jobs 8
      eio-audit trace ttir.mlir before.mlir after.mlir
      compiler --mlir-print-ir-after-all 2>&1 | eio-audit trace -

    On a terminal, the last of these prints a row for each pass as soon as it is done.
    """
    from eio_audit.audit.corpus.models import find_models
    from eio_audit.audit.corpus.trace_models import NO_PROGRESS, TraceModel, top_passes, trace_models
    from eio_audit.mlir.input.folders import find_dump_files

    if table is not None and not (choice.is_all and top is None):
        words = ["diff", paths[0], "--pass", choice.pass_name or "NAME", "--count"]
        hint = f"for one pass: {shlex.join(['eio-audit', *words])}"
        raise click.UsageError(f"--count counts the ops of the whole log; {hint}")
    if by_time:
        _write_times(paths, reports)
        ctx.exit(0)
    if gate.introduced is not None and choice.pass_name is None:
        raise click.UsageError("--fail-on introduced requires --pass NAME")
    found, errors, skipped = inputs.find_all(paths, find_dump_files)
    files = [file for _, file in found]
    models = find_models(found)
    watches: list[Watch] = [choice] if choice.pattern is not None else []
    steps = None
    if "html" in reports.formats and len(models) == 1:
        from eio_audit.report.html.data import StoredSteps

        steps = StoredSteps()
        watches.append(steps)
    is_live = paths == ("-",) and not reports.quiet and sys.stderr.isatty()
    if is_live:
        from eio_audit.report.text.changes import LiveRows
        from eio_audit.report.text.console import Console

        watches.append(LiveRows(Console(sys.stderr)))
    if watches:
        parallel = Jobs(processes=1)  # each dump is looked at while it is read

    if not reports.quiet:
        inputs.note_unlike([path for path, file in found if path == file.path], options.op_table)
    advises_all = "json" in reports.formats
    trace_model = TraceModel(options, len(files) == 1, inputs.max_size(), advises_all=advises_all)
    total_bytes = inputs.total_size([file.path for file in files])
    bar = (
        nullcontext(NO_PROGRESS)
        if is_live
        else progress(total_bytes, "tracing", len(files), then="comparing")
    )
    with bar as advance, parallel.workers(total_bytes, len(models)) as workers:
        result = trace_models(models, trace_model, workers, advance, watches)
    merged = replace(result.merged, errors=(*errors, *result.merged.errors))
    result = replace(result, merged=merged)
    inputs.show_errors(merged.errors)
    if not reports.quiet:
        inputs.note_skipped(skipped)
        inputs.note_apart(files)
        inputs.note_order_of_names(files)
        inputs.warn_of_unmatched(merged.unmatched)
        inputs.show_notes(merged.notes)
    if not merged.errors and (why := _why_none(choice, merged)):
        raise InputError(", ".join(map(source_name, paths)), None, why)
    rows = None if choice.is_all else choice.chosen(merged)
    if top is not None:
        rows = top_passes(merged.passes if rows is None else rows, top)
    if gate.introduced is not None:
        gate = gate._replace(introduced=sum(row.left for row in rows or ()))
    reports.write(
        result,
        gate=gate,
        rows=rows,
        only_table=table,
        steps=steps.of(merged) if steps else None,
        excerpts=inputs.excerpts,
        has_rows=is_live and rows is None and table is None and sys.stdout.isatty(),
    )
    if merged.errors:
        ctx.exit(2)
    if merged.broken is not None:
        ctx.exit(0 if gate.never_fails else 1)
    must_judge = is_asked_for(gate) and not gate.allows_unindexed
    if not merged.summary.has_indices and (not merged.summary.dumps or (merged.is_unjudged and must_judge)):
        raise inputs.no_order(merged.summary.dumps, (), *paths)
    if merged.is_unjudged:
        ctx.exit(0)
    is_unjudged = bool(result.unjudged) and not (gate.allows_unindexed or gate.never_fails)
    failed = gate.failed_rules(merged.at_end_of_log)
    ctx.exit(1 if failed or is_unjudged else 0)


def _write_times(paths: tuple[str, ...], reports: Reports) -> None:
    from eio_audit.mlir.input.time_table import time_table
    from eio_audit.mlir.source import Source

    if len(paths) > 1:
        raise click.UsageError("--by-time takes one log; diff LOG LOG compares the times of two")
    reports.require("TimeTable", "--by-time is reported")
    times = time_table(Source.read(paths[0], inputs.max_size()))
    if not times.passes:
        raise InputError(source_name(paths[0]), None, "no report of times: print it with -mlir-timing")
    reports.write(times)
